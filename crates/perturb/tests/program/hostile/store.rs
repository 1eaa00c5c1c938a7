//! Every report of a store in which all that others could write is hostile.

use super::{expect_harmless, ODD, SHOWN};
use crate::report::synthetic::id;
use crate::scene::{run_in_time, Ran, FINE};
use perturb_csrc::{Operator, Scope, SourceFile, SourceRange};
use perturb_model::{
    Baseline, Change, ContentHash, Engine, Judgement, Kill, Kind, Mutant, MutantIdx, MutantSet, MutatedFile, Outcome,
    Reach, Recording, Skip, Suppression, Test, TestName, Tier, Verdict, Witness,
};
use perturb_store::{
    Batch, BuildFailure, Ending, EngineAssignment, Execution, ExecutionKey, JudgedMutant, NewRun, Store,
};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

fn odd(text: &str) -> String {
    format!("{text}{ODD}\n::error::x\n=cmd()")
}

fn mutants() -> Vec<Mutant> {
    let text = format!("/* {ODD} */ int f(int a) {{ return a + 1; }}\n::error::x\n");
    let file = |name: &str| {
        let source = SourceFile::new(name, text.as_bytes().to_vec());
        Arc::new(MutatedFile { relative: name.into(), source })
    };
    let files = [file(&odd("::error::src/a")), file(&odd("=cmd()"))];
    let start = text.find("a + 1").unwrap() as u32;
    let scope = Arc::new(Scope { name: odd("f"), parameters: String::new(), is_function: true });
    let mutant = |number: usize| Mutant {
        id: id(number),
        file: files[number % 2].clone(),
        range: SourceRange::new(start, start + 5),
        operator: Operator::Aor,
        replacement: odd("=cmd()").into_bytes().into(),
        scope: scope.clone(),
        constant: None,
        suppression: (number == 4).then(|| Arc::new(Suppression::Comment { reason: odd("suppressed") })),
    };
    (0..7).map(mutant).collect()
}

fn tests() -> Vec<Test> {
    let test = |name: &str, baseline| Test {
        name: TestName::from(odd(name)),
        command: odd("./run"),
        wall: Duration::from_millis(1),
        cpu: Duration::from_millis(1),
        baseline,
        hash: ContentHash::of(name.as_bytes()),
    };
    let (failed, flaky) = (Baseline::Failed { why: odd("failed") }, Baseline::Flaky { why: odd("flaky") });
    vec![test("=cmd()", Baseline::Passed), test("::error::x", Baseline::Passed), test("f", failed), test("g", flaky)]
}

fn fill(work: &Path) {
    let run = NewRun {
        started: SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000),
        root: odd("/projects/").into(),
        arguments: vec![odd("run")],
        seed: 1,
        manifest: serde_json::json!({
            "versions": { odd("cc"): odd("1") }, "compilers": [odd("cc")], "build": odd("make"),
        }),
    };
    let mut writer = Store::open(work).unwrap().begin(&run).unwrap();
    let killer = TestName::from(odd("=cmd()"));
    writer.record_tests(&tests()).unwrap();
    writer.record_mutants(&mutants()).unwrap();
    let plans: Vec<_> =
        (0..4).map(|n| (id(n), EngineAssignment { engine: Engine::Rebuild, why: odd("why") })).collect();
    writer.record_plans(&plans).unwrap();
    let all: MutantSet = MutantIdx::all(4).collect();
    let reach = Reach { test: killer.clone(), reached: all.clone(), infected: all };
    writer.record_recordings(&[Recording { reach, statements: Vec::new() }]).unwrap();
    let key = ExecutionKey(ContentHash::of(b"key"));
    let change = Change { what: odd("the result"), original: odd("1"), mutant: odd("2") };
    let shown = Witness { kind: Kind::Output, by: Tier::Native, input: vec![odd("a = 1")], changes: vec![change] };
    let judged = [(1, Judgement::Different(shown)), (2, Judgement::Unknown { why: odd("unknown") })];
    let judged = judged.map(|(n, judgement)| JudgedMutant { mutant: MutantIdx::new(n), id: id(n), key, judgement });
    writer.record_judgements(&judged).unwrap();
    let execution = Execution {
        mutant: id(0),
        test: killer.clone(),
        key,
        engine: Engine::Rebuild,
        verdict: Verdict::Killed(Kill::Failed),
        cpu: Duration::from_millis(2),
        wall: Duration::from_millis(2),
        output: odd("output").into_bytes(),
    };
    let outcomes = [
        Outcome::Killed { test: killer, how: Kill::Failed },
        Outcome::Live,
        Outcome::NotInfected,
        Outcome::Unstable { why: odd("unstable") },
        Outcome::Skipped(Skip::Suppressed),
        Outcome::CompileError,
        Outcome::NotCovered,
    ];
    let outcomes = outcomes.into_iter().enumerate().map(|(number, outcome)| (id(number), outcome)).collect();
    let build_failures = vec![BuildFailure { mutant: id(5), key, message: odd("error").into_bytes() }];
    writer.record(&Batch { executions: vec![execution], build_failures, outcomes, ..Batch::default() }).unwrap();
    writer.finish(Ending::Complete, SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_100)).unwrap();
}

fn store() -> tempfile::TempDir {
    let work = tempfile::tempdir().unwrap();
    fill(work.path());
    work
}

fn program(work: &Path, arguments: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_perturb"));
    command.args(arguments).arg("--work").arg(work).current_dir(work).env_remove("CLICOLOR_FORCE");
    run_in_time(command).expect(FINE)
}

#[track_caller]
fn expect_shown(text: &str, shown: &str) {
    assert!(text.contains(shown), "`{shown}` is not shown:\n{text}");
}

#[test]
fn text_for_people_shows_what_others_wrote_and_does_nothing() {
    let work = store();
    for command in [&["report"][..], &["report", "--compare", work.path().to_str().unwrap()], &["tests"]] {
        let plain = program(work.path(), command).stdout;
        expect_harmless(&plain, &[]);
        let coloured = program(work.path(), &[command, &["--color", "always"]].concat()).stdout;
        let sequences = coloured.matches('\x1b').count();
        assert_eq!(sequences, coloured.matches("\x1b[").count(), "only ours");
        assert!(!coloured.contains(['\r', '\x08', '\u{9b}', '\u{202e}']) && !coloured.contains("\x1b[31m\x1b"));
        if command.len() == 1 {
            expect_shown(&plain, SHOWN);
        }
    }
    let text = program(work.path(), &["report"]).stdout;
    let live: Vec<&str> = text.lines().filter(|line| line.contains(": live: ")).collect();
    assert_eq!(live.len(), 1, "a mutant is a line: {live:?}");
    let file = format!("=cmd(){SHOWN}");
    assert!(live[0].starts_with(&file), "{}", live[0]);
}

#[test]
fn a_test_of_any_name_is_a_row() {
    let work = store();
    let table = program(work.path(), &["tests"]).stdout;
    assert!(table.lines().nth(1).unwrap().starts_with(&format!("=cmd(){SHOWN}")), "{table}");
    let head = table.lines().next().unwrap();
    let columns = table.lines().nth(1).unwrap().chars().count();
    assert_eq!(head.chars().count(), columns, "columns stand below their titles:\n{table}");
}

#[test]
fn markdown_takes_nothing_of_others_for_markup() {
    let text = program(store().path(), &["report", "--format", "markdown"]).stdout;
    expect_harmless(&text, &[]);
    expect_shown(&text, SHOWN);
    for row in text.lines().filter(|line| line.starts_with("| ")) {
        let title = row.replace("\\|", "").matches('|').count();
        assert!([3, 4, 8, 9].contains(&title), "columns of {row}");
    }
    // Outside of code, and in code behind a fence that is long enough.
    assert!(!text.contains(" [x](") && !text.contains("`` `x"), "{text}");
    expect_shown(&text, "\\`x\\`\\[x\\](y)\\<b\\>");
}

#[test]
fn no_cell_of_a_table_is_a_formula() {
    let (work, folder) = (store(), tempfile::tempdir().unwrap());
    let out = folder.path().join("tables");
    program(work.path(), &["report", "--format", "csv", "--out", out.to_str().unwrap()]);
    let mut tables: Vec<String> =
        std::fs::read_dir(&out).unwrap().map(|item| std::fs::read_to_string(item.unwrap().path()).unwrap()).collect();
    tables.push(program(work.path(), &["report", "--format", "csv"]).stdout);
    tables.push(program(work.path(), &["tests", "--format", "csv"]).stdout);
    for table in &tables {
        expect_harmless(table, &[]);
        let mut rows = csv::Reader::from_reader(table.as_bytes());
        for cell in rows.records().flat_map(|row| row.unwrap().iter().map(String::from).collect::<Vec<_>>()) {
            assert!(!cell.starts_with(['=', '@', '+', '-', '\t', '\r']), "{cell}");
        }
    }
    expect_shown(&tables[tables.len() - 2], &format!("'=cmd(){SHOWN}"));
}

#[test]
fn a_workflow_gets_our_commands_and_no_others() {
    let text = program(store().path(), &["report", "--format", "github"]).stdout;
    for line in text.lines() {
        assert!(line.starts_with("::warning file=") || line.starts_with("::notice title=perturb::"), "{line}");
        expect_harmless(&line[2..], &[]);
        let (properties, _) = line[2..].split_once("::").unwrap();
        assert!(properties.split(',').all(|property| property.matches(':').count() == 0), "{line}");
    }
    assert_eq!(text.lines().filter(|line| line.starts_with("::warning")).count(), 2);
    assert!(text.contains("%0A%3A%3Aerror%3A%3Ax") && text.contains("%0A::error::x"), "{text}");
}

#[test]
fn documents_for_programs_are_whole_and_say_what_is_there() {
    let work = store();
    let junit = program(work.path(), &["report", "--format", "junit"]).stdout;
    expect_harmless(&junit, &[]);
    expect_shown(&junit, "\\x1b[31m\\u{9b}32m\\r");
    let document = roxmltree::Document::parse(&junit).unwrap();
    let suites: Vec<_> = document.descendants().filter(|node| node.has_tag_name("testsuite")).collect();
    assert!(suites.iter().all(|suite| suite.attribute("name").unwrap().contains(SHOWN)));
    for arguments in
        [&["report", "--format", "json"][..], &["report", "--format", "sarif"], &["tests", "--format", "json"]]
    {
        let text = program(work.path(), arguments).stdout;
        expect_harmless(&text, &[]);
        expect_shown(&text, "\\u001b[31m\\u009b32m\\r\\b\\u007f\\u202e");
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(strings(&value).iter().any(|text| text.contains(ODD)), "nothing is lost");
    }
}

/// Every string and key.
fn strings(value: &serde_json::Value) -> Vec<String> {
    use serde_json::Value;
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(values) => values.iter().flat_map(strings).collect(),
        Value::Object(fields) => {
            fields.iter().flat_map(|(key, value)| [vec![key.clone()], strings(value)].concat()).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn a_page_for_a_browser_shows_them_too() {
    let page = program(store().path(), &["report", "--format", "html"]).stdout;
    expect_harmless(&page, &['\t']);
    expect_shown(
        &page,
        "␛[31m[U+009B]32m␍␈␡[U+202E][U+2066][U+061C][U+200F][U+2028][U+FEFF]|`x`[x](y)&lt;b&gt;##&#91;error]",
    );
}
