//! A run with made-up mutants and tests, for a store without a project.

use perturb_model::{
    Baseline, ContentHash, Engine, Kill, Mutant, MutantId, MutatedFile, Suppression, Test, TestName, Verdict,
};
use perturb_model::{ConstantContext, Operator, Scope, SourceFile, SourceRange};
use perturb_store::{Execution, ExecutionKey, NewRun};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

pub const TEXT: &str = "int clamp(int v, int low)\n{\n    return v < low ? low : v;\n}\nint size[4];\n";

pub fn new_run() -> NewRun {
    NewRun {
        started: SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000),
        root: "/project".into(),
        arguments: vec!["perturb".into(), "run".into(), "--jobs".into(), "2".into()],
        seed: u64::MAX - 1,
        manifest: serde_json::json!({"compiler": "gcc 12"}),
    }
}

pub fn id(number: usize) -> MutantId {
    format!("{:016x}", (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1).parse().unwrap()
}

/// `count` mutants of one file; the second is constant, the third suppressed.
pub fn mutants(count: usize) -> Vec<Mutant> {
    let file = |name: &str, text: &str| {
        Arc::new(MutatedFile { relative: name.into(), source: SourceFile::new(name, text.as_bytes().to_vec()) })
    };
    let file = file("src/clamp.c", TEXT);
    let scope = Arc::new(Scope { name: "clamp".into(), parameters: String::new(), is_function: true });
    let less = TEXT.find('<').unwrap() as u32;
    let mutant = |number| Mutant {
        id: id(number),
        file: file.clone(),
        range: SourceRange::new(less, less + 1),
        operator: Operator::Ror,
        replacement: format!("<= {number} +").into_bytes().into(),
        scope: scope.clone(),
        constant: (number == 1).then_some(ConstantContext::CaseLabel { switch: 7 }),
        suppression: (number == 2).then(|| Arc::new(Suppression::Comment { reason: "checked by hand".into() })),
    };
    (0..count).map(mutant).collect()
}

pub fn test(name: &str, baseline: Baseline) -> Test {
    Test {
        name: TestName::from(name),
        command: format!("ctest -R '^{name}$'"),
        wall: Duration::from_millis(12),
        cpu: Duration::from_micros(3_456),
        baseline,
        hash: ContentHash::of(name.as_bytes()),
    }
}

pub fn key(text: &str) -> ExecutionKey {
    ExecutionKey(ContentHash::of(text.as_bytes()))
}

pub fn execution(mutant: usize, test: &str, verdict: Verdict) -> Execution {
    Execution {
        mutant: id(mutant),
        test: TestName::from(test),
        key: key("one"),
        engine: Engine::Switched,
        verdict,
        cpu: Duration::from_micros(900),
        wall: Duration::from_micros(1_100),
        output: format!("{test}: something printed\n").into_bytes(),
    }
}

pub const FAILED: Verdict = Verdict::Killed(Kill::Failed);
