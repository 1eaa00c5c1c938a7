//! The reports for other programs against the schemas as they are published, in packages of npm. Not run by itself,
//! since it installs those: `cargo test -p perturb --test program -- --ignored published`

use super::{report, synthetic};
use crate::scene::FINE;
use std::path::Path;
use std::process::Command;

const PACKAGES: [&str; 5] = [
    "ajv@8",
    "ajv-draft-04@1",
    "ajv-formats@3",
    "mutation-testing-report-schema@3",
    "@microsoft/jest-sarif@1.0.0-beta.0",
];

const CHECK: &str = r#"
const { readFileSync } = require('fs');
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const [path, ...reports] = process.argv.slice(2);
const schema = read(path);
const Ajv = require(schema.$schema.includes('draft-04') ? 'ajv-draft-04' : 'ajv');
const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
require('ajv-formats')(ajv);
const validate = ajv.compile(schema);
const isRefused = reports.map((report) => {
  const isValid = validate(read(report));
  if (!isValid) console.error(report, JSON.stringify(validate.errors, null, 1));
  return !isValid;
});
console.log(isRefused.join(' '));
"#;

fn run(folder: &Path, program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(folder).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{program} {arguments:?}: {said}");
    print!("{said}");
    String::from_utf8(output.stdout).unwrap().trim().to_string()
}

#[test]
#[ignore = "installs packages of npm"]
fn published_schemas_accept_the_reports_and_refuse_what_is_broken() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    run(folder, "npm", &[&["install", "--silent", "--no-audit", "--no-fund", "--prefix", "."], &PACKAGES[..]].concat());
    std::fs::write(folder.join("check.js"), CHECK).unwrap();
    let store = synthetic::store();
    for (format, schema, broken) in [
        (
            "json",
            "node_modules/mutation-testing-report-schema/dist/src/mutation-testing-report-schema.json",
            (r#""Survived""#, r#""Alive""#),
        ),
        (
            "sarif",
            "node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json",
            (r#""warning""#, r#""loud""#),
        ),
    ] {
        let text = report(store.path(), &["--format", format]).expect(FINE).stdout;
        let wrong = text.replace(broken.0, broken.1);
        assert_ne!(text, wrong);
        std::fs::write(folder.join("report"), text).unwrap();
        std::fs::write(folder.join("broken"), wrong).unwrap();
        assert_eq!(run(folder, "node", &["check.js", schema, "report", "broken"]), "false true", "{format}");
    }
}
