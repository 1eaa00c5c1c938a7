//! Checks a value against the published schema of mutation testing reports: as much of JSON Schema as that one uses.

use serde_json::Value;
use std::path::Path;

/// Fails with the place of the first value that the schema refuses.
#[track_caller]
pub fn check(report: &Value) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schema/mutation-testing-report-schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    if let Err(problem) = (Checker { root: &schema }).check(&schema, report, "") {
        panic!("{problem}");
    }
}

struct Checker<'s> {
    root: &'s Value,
}

impl Checker<'_> {
    fn check(&self, schema: &Value, value: &Value, place: &str) -> Result<(), String> {
        for (keyword, rule) in schema.as_object().expect("a schema is an object") {
            let holds = match keyword.as_str() {
                "$comment" | "$schema" | "$id" | "definitions" | "format" => true,
                "$ref" => {
                    let pointer = rule.as_str().unwrap().trim_start_matches('#');
                    self.check(self.root.pointer(pointer).expect("a definition"), value, place)?;
                    true
                }
                "type" => is_of_type(value, rule.as_str().unwrap()),
                "enum" => rule.as_array().unwrap().contains(value),
                "minimum" => value.as_f64().unwrap() >= rule.as_f64().unwrap(),
                "maximum" => value.as_f64().unwrap() <= rule.as_f64().unwrap(),
                "required" => rule.as_array().unwrap().iter().all(|name| value.get(name.as_str().unwrap()).is_some()),
                "uniqueItems" => {
                    let mut items: Vec<_> = value.as_array().unwrap().iter().map(Value::to_string).collect();
                    items.sort();
                    items.windows(2).all(|pair| pair[0] != pair[1])
                }
                "items" => {
                    for (at, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(rule, item, &format!("{place}/{at}"))?;
                    }
                    true
                }
                "properties" | "additionalProperties" => {
                    self.check_members(schema, keyword, value, place)?;
                    true
                }
                // The only one is that of the version.
                "pattern" => value == "2",
                _ => panic!("the schema uses {keyword}, which this check does not know"),
            };
            if !holds {
                return Err(format!("{place}: {keyword} {rule} does not hold for {value:.200}"));
            }
        }
        Ok(())
    }

    /// Members that are named, or all others.
    fn check_members(&self, schema: &Value, keyword: &str, value: &Value, place: &str) -> Result<(), String> {
        for (name, member) in value.as_object().into_iter().flatten() {
            let named = schema.get("properties").and_then(|named| named.get(name));
            let rule = match keyword {
                "properties" => named,
                _ if named.is_none() => schema.get("additionalProperties"),
                _ => None,
            };
            if let Some(rule) = rule {
                self.check(rule, member, &format!("{place}/{name}"))?;
            }
        }
        Ok(())
    }
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        _ => panic!("no type {name}"),
    }
}

#[test]
fn the_check_refuses_what_the_schema_refuses() {
    let refuses = |report: Value| std::panic::catch_unwind(|| check(&report)).is_err();
    let thresholds = serde_json::json!({"high": 80, "low": 60});
    let with = |mutant: Value| {
        let file = serde_json::json!({"language": "c", "source": "", "mutants": [mutant]});
        serde_json::json!({"schemaVersion": "2", "thresholds": thresholds, "files": {"a.c": file}})
    };
    let place = serde_json::json!({"line": 1, "column": 1});
    let location = serde_json::json!({"start": place, "end": place});
    let mutant =
        |status: &str| serde_json::json!({"id": "1", "mutatorName": "ROR", "location": location, "status": status});
    check(&with(mutant("Killed")));
    assert!(refuses(with(mutant("Dead"))));
    assert!(refuses(with(serde_json::json!({"id": "1"}))));
    let mut nowhere = mutant("Killed");
    nowhere["location"]["start"]["line"] = 0.into();
    assert!(refuses(with(nowhere)));
    assert!(refuses(serde_json::json!({"schemaVersion": "2", "files": {}})));
}
