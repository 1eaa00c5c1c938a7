//! A store with a run that has every outcome once, in two files.

use perturb_csrc::{ConstantContext, Operator, Scope, SourceFile, SourceRange};
use perturb_model::{
    Baseline, Change, Clock, Confidence, ContentHash, Engine, Estimate, Framework, Judgement, Kill, Kind, Level,
    Method, Mutant, MutantId, MutantIdx, MutantSet, MutatedFile, Outcome, Proof, ProvedBy, Reach, Recording, Rule,
    Sampled, SamplingStrategy, Share, Skip, Step, StepTime, Suppression, Test, TestName, TestgenOutcome, Tier, Verdict,
    Witness,
};
use perturb_store::{
    Batch, BuildFailure, Ending, EngineAssignment, Execution, ExecutionKey, Generation, JudgedMutant, NewRun,
    RunWriter, Store, StoreReader,
};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

const RING: &str = "\
/* Ring buffer, naïve 🙂 */
static int slots[4];
int push(int head, int tail)
{
    if (head  < tail) return slots[head];
    return 0;
}
";
const UNITS: &str = "/* 🙂é */ int metres(int feet) { return feet * 3 / 10; }\n";

pub fn id(number: usize) -> MutantId {
    format!("{number:016x}").parse().unwrap()
}

fn started() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)
}

fn begin(work: &Path) -> RunWriter {
    let run = NewRun {
        started: started(),
        root: "/projects/ring".into(),
        arguments: ["perturb", "run", "--jobs", "2"].map(String::from).to_vec(),
        seed: u64::MAX,
        manifest: serde_json::json!({"compiler": "gcc 12.2.0"}),
    };
    Store::open(work).unwrap().begin(&run).unwrap()
}

/// Every outcome once; the n-th is that of the n-th mutant.
fn outcomes() -> Vec<Outcome> {
    let kill = |how| Outcome::Killed { test: TestName::from("fills up"), how };
    vec![
        kill(Kill::Failed),
        kill(Kill::Crashed { signal: 11 }),
        kill(Kill::TimedOut { clock: Clock::Cpu }),
        kill(Kill::OutputDiffers),
        Outcome::Live,
        Outcome::NotCovered,
        Outcome::NotInfected,
        Outcome::Equivalent { by: ProvedBy::SameFunction { level: Level::O2 } },
        Outcome::LikelyEquivalent,
        Outcome::Duplicate { of: id(0), level: Level::O1 },
        Outcome::CompileError,
        Outcome::Unstable { why: "switched kills it, rebuild does not".into() },
        Outcome::Skipped(Skip::Suppressed),
        Outcome::Skipped(Skip::OutOfScope),
        Outcome::Skipped(Skip::NotSampled),
        Outcome::Pending,
    ]
}

/// Mutants of the comparison in the first file; those from the tenth on of the product in the second.
fn mutants() -> Vec<Mutant> {
    let file = |name: &str, text: &str| {
        Arc::new(MutatedFile { relative: name.into(), source: SourceFile::new(name, text.as_bytes().to_vec()) })
    };
    let scope = |name: &str| Arc::new(Scope { name: name.into(), parameters: String::new(), is_function: true });
    let places = [
        (file("src/ring.c", RING), scope("push"), RING.find('<').unwrap(), Operator::Ror, "<="),
        (file("src/units.cpp", UNITS), scope("metres"), UNITS.find("feet *").unwrap() + 5, Operator::Aor, "/"),
    ];
    let mutant = |number: usize| {
        let (file, scope, start, operator, replacement) = places[usize::from(number >= 10)].clone();
        Mutant {
            id: id(number),
            file,
            range: SourceRange::new(start as u32, start as u32 + 1),
            operator,
            replacement: replacement.as_bytes().into(),
            scope,
            constant: (number == 10).then_some(ConstantContext::ArraySize { initialised: false }),
            suppression: (number == 12).then(|| Arc::new(Suppression::Comment { reason: "logging only".into() })),
        }
    };
    (0..outcomes().len()).map(mutant).collect()
}

fn tests() -> Vec<Test> {
    let test = |name: &str, baseline| Test {
        name: TestName::from(name),
        command: format!("./ring-tests '{name}'"),
        wall: Duration::from_millis(12),
        cpu: Duration::from_millis(9),
        baseline,
        hash: ContentHash::of(name.as_bytes()),
    };
    vec![
        test("starts empty", Baseline::Passed),
        test("fills up", Baseline::Passed),
        test("needs a network", Baseline::Failed { why: "exit status 1".into() }),
        test("races", Baseline::Flaky { why: "failed in one of two runs".into() }),
    ]
}

fn executions() -> Vec<Execution> {
    let execution = |mutant: usize, test: &str, verdict| Execution {
        mutant: id(mutant),
        test: TestName::from(test),
        key: ExecutionKey(ContentHash::of(b"key")),
        engine: Engine::Switched,
        verdict,
        cpu: Duration::from_millis(2),
        wall: Duration::from_micros(2_500),
        output: b"ring.c:5: expected 4\n".to_vec(),
    };
    vec![
        execution(0, "starts empty", Verdict::Survived),
        execution(0, "fills up", Verdict::Killed(Kill::Failed)),
        execution(1, "starts empty", Verdict::Killed(Kill::Failed)),
        execution(1, "fills up", Verdict::Killed(Kill::Crashed { signal: 11 })),
        execution(4, "starts empty", Verdict::Survived),
        execution(4, "fills up", Verdict::Survived),
    ]
}

/// What comparing functions says of some that live.
fn judgements(key: ExecutionKey) -> Vec<JudgedMutant> {
    let change = Change { what: "the result".into(), original: "4".into(), mutant: "0".into() };
    let input = vec!["head = 3".into(), "tail = 3".into()];
    let proved = Proof {
        by: Tier::Proof,
        bound: Some("*slots has 16 bytes".into()),
        assumptions: vec!["no two pointers lead to the same object".into()],
    };
    let found = [
        (4, Judgement::Different(Witness { kind: Kind::Output, by: Tier::Paths, input, changes: vec![change] })),
        (6, Judgement::Unknown { why: "it calls send, of which nothing is known".into() }),
        (8, Judgement::Equivalent(proved)),
    ];
    let row = |(number, judgement)| JudgedMutant { mutant: MutantIdx::new(number), id: id(number), key, judgement };
    found.map(row).to_vec()
}

/// Makes a store in `work`.
pub fn fill(work: &Path) {
    let mut writer = begin(work);
    let mutants = mutants();
    writer.record_tests(&tests()).unwrap();
    writer.record_mutants(&mutants).unwrap();
    for (step, ms) in [(Step::Mutate, 840), (Step::Build, 12_300), (Step::Baseline, 95), (Step::Execute, 185_400)] {
        let time = StepTime { step, wall: Duration::from_millis(ms), cpu: Duration::from_millis(2 * ms) };
        writer.record_step(time).unwrap();
    }
    let plan = |number: usize| match mutants[number].constant {
        None => EngineAssignment { engine: Engine::Switched, why: String::new() },
        Some(context) => EngineAssignment { engine: Engine::Rebuild, why: context.reason().into() },
    };
    let plans: Vec<_> = (0..12).map(|number| (id(number), plan(number))).collect();
    writer.record_plans(&plans).unwrap();
    let recording = |test: &str, reached: usize| {
        let reached: MutantSet = MutantIdx::all(reached).collect();
        let reach = Reach { test: TestName::from(test), infected: reached.clone(), reached };
        Recording { reach, statements: Vec::new() }
    };
    writer.record_recordings(&[recording("starts empty", 5), recording("fills up", 2)]).unwrap();
    let key = ExecutionKey(ContentHash::of(b"key"));
    let message = b"ring.c:5:14: error: invalid operands\n".to_vec();
    let build_failures = vec![BuildFailure { mutant: id(10), key, message }];
    writer.record_judgements(&judgements(key)).unwrap();
    let outcomes = outcomes().into_iter().enumerate().map(|(number, outcome)| (id(number), outcome)).collect();
    writer.record(&Batch { executions: executions(), build_failures, outcomes, ..Batch::default() }).unwrap();
    writer.finish(Ending::OutOfBudget, started() + Duration::from_secs(200)).unwrap();
}

/// A test was generated for one of those that live, and none for two others.
fn generate(work: &Path) {
    let reader = StoreReader::open(work).unwrap();
    let run = reader.run(reader.latest().unwrap().unwrap()).unwrap();
    let judgement = |number: usize| run.mutants[number].judgement.clone().unwrap();
    let tests = vec!["test_push_00000000".to_string()];
    let outcomes = [
        (id(4), TestgenOutcome::Killed { tests, file: "test_src_ring.c".into() }),
        (id(6), TestgenOutcome::Left(Judgement::Unknown { why: "it may not end".into() })),
        (id(8), TestgenOutcome::Left(judgement(8))),
    ];
    let outcomes: Vec<(MutantId, &TestgenOutcome)> = outcomes.iter().map(|(id, outcome)| (*id, outcome)).collect();
    let at = started() + Duration::from_secs(3_600);
    let generation = Generation { at, framework: Framework::Plain, folder: "/projects/ring/.perturb/tests".into() };
    let files = ["test_src_ring.c"].into();
    Store::open(work).unwrap().generate_for(&run).record(&generation, &outcomes, &files).unwrap();
}

pub fn store() -> tempfile::TempDir {
    let work = tempfile::tempdir().unwrap();
    fill(work.path());
    work
}

/// The same, once tests were generated.
pub fn with_generated_tests() -> tempfile::TempDir {
    let work = store();
    generate(work.path());
    work
}

/// A run that ended when it had its mutants.
pub fn unfinished() -> tempfile::TempDir {
    let work = tempfile::tempdir().unwrap();
    begin(work.path()).record_mutants(&mutants()).unwrap();
    work
}

/// A run of as many mutants as there are plus signs in the texts of these files, each a function of its own: one of
/// five lives, one of them is not infected. All that are not skipped were drawn, in their order.
pub fn sampled(files: &[(&str, &str)], test: &str) -> tempfile::TempDir {
    let work = tempfile::tempdir().unwrap();
    let mut writer = begin(work.path());
    let mutants = sums(files);
    let outcome = |number: usize| match number % 5 {
        1 => Outcome::Live,
        2 if number % 25 == 2 => Outcome::NotInfected,
        _ => Outcome::Killed { test: TestName::from(test), how: Kill::Failed },
    };
    let mut tests = tests();
    tests[0].name = TestName::from(test);
    writer.record_tests(&tests).unwrap();
    writer.record_mutants(&mutants).unwrap();
    let all: Vec<MutantIdx> = MutantIdx::all(mutants.len()).collect();
    let infected = all.iter().copied().filter(|mutant| mutant.get() % 25 != 2).collect();
    let reach = Reach { test: TestName::from(test), reached: all.iter().copied().collect(), infected };
    writer.record_recordings(&[Recording { reach, statements: Vec::new() }]).unwrap();
    let outcomes: Vec<_> = mutants.iter().zip(0..).map(|(mutant, number)| (mutant.id, outcome(number))).collect();
    let killed = outcomes.iter().filter(|(_, outcome)| outcome.is_killed()).count();
    writer.record(&Batch { outcomes, ..Batch::default() }).unwrap();
    let confidence = Confidence::DEFAULT;
    let killed = Share::new(killed as u64, all.len() as u64);
    let sampled = Sampled {
        strategy: SamplingStrategy::Fsci,
        population: 10 * all.len(),
        drawn: all,
        rule: Rule { width: 0.1, confidence, calibration: None },
        estimate: Estimate { killed, method: Method::Plain, confidence },
        is_complete: true,
    };
    writer.record_sample(&sampled).unwrap();
    writer.finish(Ending::Complete, started() + Duration::from_secs(200)).unwrap();
    work
}

fn sums(files: &[(&str, &str)]) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for (name, text) in files {
        let source = SourceFile::new(*name, text.as_bytes().to_vec());
        let file = Arc::new(MutatedFile { relative: name.into(), source });
        for (start, _) in text.match_indices('+') {
            mutants.push(Mutant {
                id: id(mutants.len()),
                file: file.clone(),
                range: SourceRange::new(start as u32, start as u32 + 1),
                operator: Operator::Aor,
                replacement: (*b"-").into(),
                scope: Arc::new(Scope { name: format!("f{start}"), parameters: String::new(), is_function: true }),
                constant: None,
                suppression: None,
            });
        }
    }
    mutants
}
