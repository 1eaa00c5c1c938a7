//! Fills a store with a run of many mutants that were never executed, for benchmarks of reports: `many_mutants WORK
//! MUTANTS FILES`. One file in ten is ten times as long as the others. The outcomes of the mutants depend on their
//! numbers alone.

use perturb_model::{
    Baseline, Confidence, ContentHash, Engine, Estimate, Kill, Method, Mutant, MutantId, MutantIdx, MutantSet,
    MutatedFile, Outcome, Reach, Recording, Rule, Sampled, SamplingStrategy, Share, Skip, Step, StepTime, Test,
    TestName,
};
use perturb_model::{Operator, Scope, SourceFile, SourceRange};
use perturb_store::{Batch, Ending, EngineAssignment, NewRun, Store};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

const TESTS: usize = 300;
const MUTANTS_OF_A_FUNCTION: usize = 36;
const FUNCTION: &str = "
static int limit_N(int value, int low, int high, int *strikes)
{
\tif (value < low || value > high) {
\t\tif (++*strikes >= 3)
\t\t\treturn 2;
\t\treturn 1; /* <b>not</b> yet & only \"once\" */
\t}
\tif (*strikes > 0)
\t\t--*strikes;
\treturn value - low;
}
";
/// The changes of one function: the text that is replaced, and its replacements.
const CHANGES: [(&str, Operator, &[&str]); 6] = [
    ("<", Operator::Ror, &["<=", ">", "==", "!=", ">="]),
    ("||", Operator::Lcr, &["&&", "==", "!=", "|", "&"]),
    (">=", Operator::Ror, &[">", "<", "==", "!=", "<="]),
    ("return 2;", Operator::Sdl, &[";", "return 0;", "return -2;", "return 1;", "return 3;"]),
    ("> 0", Operator::Ror, &[">= 0", "< 0", "== 0", "!= 0", "<= 0"]),
    ("value - low", Operator::Aor, &["value + low", "value * low", "value / low", "value % low", "low"]),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [work, mutants, files] = arguments.as_slice() else { return Err("WORK MUTANTS FILES".into()) };
    let mutants = mutants_of(mutants.parse()?, files.parse()?);
    let started = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    let arguments = ["perturb", "run", "--sample", "fsci"].map(String::from).to_vec();
    let manifest = serde_json::json!({"compilers": ["cc"], "build": "cmake"});
    let run = NewRun { started, root: "/projects/flight".into(), arguments, seed: 1, manifest };
    let mut writer = Store::open(Path::new(work))?.begin(&run)?;
    writer.record_tests(&(0..TESTS).map(test).collect::<Vec<_>>())?;
    writer.record_mutants(&mutants)?;
    let plan = EngineAssignment { engine: Engine::Split, why: String::new() };
    writer.record_plans(&mutants.iter().map(|mutant| (mutant.id, plan.clone())).collect::<Vec<_>>())?;
    writer.record_recordings(&(0..TESTS).map(|number| recording(number, mutants.len())).collect::<Vec<_>>())?;
    let outcomes = MutantIdx::enumerate(&mutants).map(|(index, mutant)| (mutant.id, outcome(index))).collect();
    writer.record(&Batch { outcomes, ..Batch::default() })?;
    let wall = Duration::from_secs(600);
    writer.record_step(StepTime { step: Step::Execute, wall, cpu: 2 * wall })?;
    writer.record_sample(&sampled(mutants.len()))?;
    writer.finish(Ending::Complete, started + wall)?;
    Ok(())
}

fn mutants_of(count: usize, files: usize) -> Vec<Mutant> {
    let shares: Vec<usize> = (0..files).map(|file| if file % 10 == 0 { 10 } else { 1 }).collect();
    let whole: usize = shares.iter().sum();
    let mut mutants = Vec::with_capacity(count);
    for (file, share) in shares.iter().enumerate() {
        let wanted = if file + 1 == files { count - mutants.len() } else { count * share / whole };
        let functions = wanted.div_ceil(MUTANTS_OF_A_FUNCTION);
        let text: String = (0..functions).map(|number| FUNCTION.replace('N', &number.to_string())).collect();
        let name = format!("src/part{}/module_{file}.c", file / 20);
        let source = SourceFile::new(&name, text.into_bytes());
        let file = Arc::new(MutatedFile { relative: name.into(), source });
        mutants.extend((0..wanted).map(|number| mutant(file.clone(), number)));
    }
    for (mutant, number) in mutants.iter_mut().zip(1..) {
        mutant.id = id(number);
    }
    mutants
}

/// Ids that are spread like those of real mutants.
fn id(number: u64) -> MutantId {
    let digits = format!("{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    digits.parse().expect("16 digits are an id")
}

fn mutant(file: Arc<MutatedFile>, number: usize) -> Mutant {
    let function = number / MUTANTS_OF_A_FUNCTION;
    let number = number % MUTANTS_OF_A_FUNCTION;
    let (what, operator, others) = CHANGES[number % CHANGES.len()];
    let name = format!("limit_{function}(");
    let text = String::from_utf8_lossy(file.source.text()).into_owned();
    let from = text.find(&name).expect("each function is there");
    let start = from + text[from..].find(what).expect("each function is the same");
    Mutant {
        id: id(0),
        range: SourceRange::new(start as u32, (start + what.len()) as u32),
        operator,
        replacement: others[number / CHANGES.len() % others.len()].as_bytes().into(),
        scope: Arc::new(Scope { name: format!("limit_{function}"), parameters: String::new(), is_function: true }),
        constant: None,
        suppression: None,
        file,
    }
}

fn outcome(mutant: MutantIdx) -> Outcome {
    let test = || name(mutant.get() % TESTS);
    match mutant.get() * 7 % 20 {
        0 => Outcome::Live,
        1 => Outcome::NotInfected,
        2 | 3 => Outcome::NotCovered,
        4 => Outcome::Skipped(Skip::NotSampled),
        5 => Outcome::CompileError,
        6 => Outcome::Killed { test: test(), how: Kill::Crashed { signal: 11 } },
        _ => Outcome::Killed { test: test(), how: Kill::Failed },
    }
}

fn name(number: usize) -> TestName {
    TestName::from(format!("Module{number}.KeepsWithinItsLimits"))
}

fn test(number: usize) -> Test {
    let name = name(number);
    Test {
        command: format!("./tests --gtest_filter={name}"),
        wall: Duration::from_millis(12),
        cpu: Duration::from_millis(9),
        baseline: Baseline::Passed,
        hash: ContentHash::of(name.as_str().as_bytes()),
        name,
    }
}

fn recording(test: usize, mutants: usize) -> Recording {
    let is_reached = |index: &usize| index * 7 % 20 > 3 && (index / 50 + test).is_multiple_of(25);
    let reached: MutantSet = (0..mutants).filter(is_reached).map(MutantIdx::new).collect();
    let infected = reached.iter().filter(|mutant| mutant.get() % 3 > 0).collect();
    Recording { reach: Reach { test: name(test), reached, infected }, statements: Vec::new() }
}

fn sampled(mutants: usize) -> Sampled {
    let is_in_score = |mutant: &MutantIdx| outcome(*mutant).is_scored_of_covered();
    let spread = (0..mutants).map(|number| MutantIdx::new(number * 7_919 % mutants));
    let drawn: Vec<MutantIdx> = spread.filter(is_in_score).take(400).collect();
    let killed = drawn.iter().filter(|mutant| outcome(**mutant).is_killed()).count();
    let confidence = Confidence::DEFAULT;
    let estimate =
        Estimate { killed: Share::new(killed as u64, drawn.len() as u64), method: Method::Plain, confidence };
    let rule = Rule { width: 0.1, confidence, calibration: None };
    Sampled { strategy: SamplingStrategy::Fsci, population: mutants * 3 / 4, drawn, rule, estimate, is_complete: true }
}
