//! SARIF 2.1.0, which editors and code-scanning services read: one result for each live mutant.

use super::elements::position;
use super::generated::kill;
use super::json::write_line;
use super::why::evidence;
use perturb_csrc::Operator;
use perturb_model::Outcome;
use perturb_store::{MutantState, StoredRun};
use serde_json::{json, Value};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

pub fn write(run: &StoredRun, out: &mut dyn Write) -> std::io::Result<()> {
    let listed: Vec<(&MutantState, &'static str)> =
        run.mutants.iter().filter_map(|state| Some((state, level(&state.outcome)?))).collect();
    let operators: BTreeSet<Operator> = listed.iter().map(|(state, _)| state.mutant.operator).collect();
    let rules: Vec<Value> = operators.iter().map(rule).collect();
    let results: Vec<Value> = listed.iter().map(|(state, level)| result(state, level)).collect();
    let driver = json!({ "name": "perturb", "semanticVersion": run.version, "rules": rules });
    let root = format!("file://{}/", encoded(&run.root));
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver },
            "columnKind": "utf16CodeUnits",
            "originalUriBaseIds": { "ROOT": { "uri": root } },
            "results": results,
        }],
    });
    write_line(&log, out)
}

/// The level of a result. None for mutants that nobody has to look at.
fn level(outcome: &Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::Live | Outcome::NotInfected => Some("warning"),
        Outcome::LikelyEquivalent | Outcome::NotCovered | Outcome::Unstable { .. } => Some("note"),
        Outcome::Killed { .. }
        | Outcome::Equivalent { .. }
        | Outcome::Duplicate { .. }
        | Outcome::CompileError
        | Outcome::Skipped(_)
        | Outcome::Pending => None,
    }
}

fn rule(operator: &Operator) -> Value {
    json!({
        "id": operator.acronym(),
        "shortDescription": { "text": operator.title() },
        "defaultConfiguration": { "level": "warning" },
    })
}

fn result(state: &MutantState, level: &str) -> Value {
    let MutantState { mutant, outcome, .. } = state;
    let source = &mutant.file.source;
    let (start, end) = (position(source, mutant.range.start), position(source, mutant.range.end));
    let evidence = evidence(state).map(|evidence| format!(" Compared: {evidence}.")).unwrap_or_default();
    let kill = kill(state).map(|kill| format!(" Now {kill}.")).unwrap_or_default();
    let text = format!("{outcome}: {}.{evidence}{kill} `perturb show {}`", mutant.what(), mutant.id);
    let uri = encoded(&mutant.file.relative);
    json!({
        "ruleId": mutant.operator.acronym(),
        "level": level,
        "message": { "text": text },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": uri, "uriBaseId": "ROOT" },
                "region": {
                    "startLine": start.line,
                    "startColumn": start.column,
                    "endLine": end.line,
                    "endColumn": end.column,
                },
            },
            "logicalLocations": [{ "name": mutant.scope.name, "kind": "function" }],
        }],
        "partialFingerprints": { "perturb/mutant": mutant.id.to_string() },
    })
}

/// A path as a part of a URI.
fn encoded(path: &Path) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let write = |byte: u8| if is_plain(byte) { (byte as char).to_string() } else { format!("%{byte:02X}") };
    path.as_os_str().as_encoded_bytes().iter().map(|byte| write(*byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_is_a_path_of_a_uri() {
        assert_eq!(encoded(Path::new("/src/a b+é.c")), "/src/a%20b%2B%C3%A9.c");
    }
}
