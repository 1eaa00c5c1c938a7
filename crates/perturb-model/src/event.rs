//! What the engine tells while it works. Reporters render it; the engine prints nothing.

use crate::{
    AuditCount, Baseline, Comparisons, Contradiction, CoverageGap, Disagreement, Engine, Estimate, Forecast, Judgement,
    MutantIdx, Notice, Outcome, PairCount, TestName,
};
use perturb_csrc::Diagnostic;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// Parsing starts, of so many translation units.
    MutateStarted {
        units: usize,
    },
    /// One translation unit is done.
    UnitMutated {
        file: PathBuf,
    },
    /// The compiler of a file could not be asked, or libclang gave up on it: it has no mutants.
    UnitSkipped {
        file: PathBuf,
        reason: String,
    },
    /// Clang did not understand all of a file: what it did understand is analysed.
    ParseErrors {
        file: PathBuf,
        count: usize,
        first: Diagnostic,
    },
    /// Flags that clang does not know were left out for parsing.
    FlagsLeftOut {
        flags: Vec<String>,
    },
    /// A compiler does not say what it is like, so that files are parsed without its include folders and macros.
    CompilerUnclear {
        compiler: PathBuf,
        reason: String,
    },
    /// Functions with expressions that are nested too deep or too long to be mutated whole.
    ExpressionsTooLarge {
        file: PathBuf,
        functions: Vec<String>,
    },
    /// A comment that starts with `perturb:` says nothing we know.
    CommentMisread {
        file: PathBuf,
        line: u32,
        text: String,
    },
    /// `perturb: off` that no `perturb: on` ends: the rest of the file is suppressed.
    RegionNotClosed {
        file: PathBuf,
        line: u32,
    },
    /// A suppression that does not say why.
    SuppressionWithoutReason {
        file: PathBuf,
        line: u32,
    },
    /// Decisions of the review file that fit no mutant of the project.
    ReviewUnmatched {
        ids: Vec<String>,
    },
    /// The project cannot be built with all mutants in it: each is built by itself.
    NotInstrumented {
        log: PathBuf,
        tail: String,
    },
    MutateFinished {
        mutants: usize,
    },
    /// A build starts: `plain`, `with all mutants`.
    BuildStarted {
        what: &'static str,
    },
    BuildFinished {
        what: &'static str,
        wall: Duration,
    },
    /// The project's tests, and what is to be said of them.
    TestsFound {
        tests: usize,
        notices: Vec<Notice>,
    },
    /// How tests are kept from doing harm.
    Sandboxed {
        layers: String,
        /// What they are not kept from.
        gaps: Vec<String>,
        /// What the machine does not allow.
        missing: Vec<String>,
    },
    /// The project does not build in the sandbox, so that mutants are built outside of it: the last lines of that
    /// build.
    BuildsNotConfined {
        tail: String,
    },
    /// Tests run on the original, so many times in all.
    BaselineStarted {
        runs: usize,
    },
    BaselineAdvanced,
    /// A test that tells nothing: it fails or flaps on the original.
    TestLeftOut {
        test: TestName,
        why: Baseline,
        output: Vec<u8>,
    },
    /// A test passes only without a limit for memory: none is set.
    MemoryNotLimited {
        test: TestName,
    },
    BaselineFinished {
        passed: usize,
        of: usize,
        /// What running them once takes, one after the other.
        wall: Duration,
    },
    /// The instrumented build stands: so many mutants are in it, so many must be built by themselves.
    Instrumented {
        switched: usize,
        rebuilt: usize,
    },
    RecordStarted {
        tests: usize,
    },
    RecordAdvanced,
    /// A test does not pass with this function instrumented: its mutants are built by themselves.
    FunctionLeftOut {
        function: String,
        test: TestName,
    },
    /// A test does not pass on the instrumented program at all.
    TestNotInstrumented {
        test: TestName,
    },
    RecordFinished,
    /// It is not known what these tests execute: they count as executing everything.
    CoverageUnknown {
        tests: Vec<TestName>,
        why: CoverageGap,
    },
    /// What lies in a folder of coverage data and fits no test by its name.
    CoverageUnmatched {
        names: Vec<String>,
    },
    /// Coverage data that do not speak of this file as it is: either they are older, or they know lines that it does
    /// not have. Only in the first case are they used.
    CoverageStale {
        file: PathBuf,
        is_used: bool,
    },
    /// gcov was to stand in for the instrumented build, and cannot.
    GcovUnusable {
        reason: String,
    },
    /// Mutants are drawn, at most so many of so many.
    SampleStarted {
        strategy: String,
        population: usize,
        drawn: usize,
    },
    /// So many count so far.
    SampleAdvanced {
        drawn: usize,
        estimate: Estimate,
        /// No more are needed.
        is_enough: bool,
    },
    /// Mutants are executed: so many, with at most so many runs of tests; of so many more all is known from earlier
    /// runs.
    ExecuteStarted {
        mutants: usize,
        known: usize,
        runs: usize,
        forecast: Forecast,
        /// What is left of the time that the user grants.
        granted: Option<Duration>,
    },
    /// An engine begins with its share of them.
    EngineStarted {
        engine: Engine,
        mutants: usize,
    },
    /// So many more have been executed; what became of them is told by itself.
    ExecuteAdvanced {
        mutants: usize,
    },
    /// What became of a mutant; it is in the store.
    MutantDecided {
        mutant: MutantIdx,
        outcome: Outcome,
    },
    /// Compiled code is compared, and the run waits for it: of functions, or of whole units of mutants that live. So
    /// many parts are done of those that are known.
    Comparing {
        units: bool,
        done: usize,
        total: usize,
    },
    /// Compiled code cannot be compared any further.
    CompareFailed {
        reason: String,
    },
    /// What compiled code says of the mutants, by how many they are. So many of those that are equivalent were found
    /// with their whole units only.
    Compared {
        equivalent: usize,
        duplicate: usize,
        by_unit: usize,
        /// Mutants of which code says something that the tests refute: the tests are right.
        contradicted: Vec<(MutantIdx, Contradiction)>,
    },
    /// What so many mutants execute that live is counted.
    DiscardStarted {
        mutants: usize,
    },
    /// So many of them are likely equivalent.
    Discarded {
        likely: usize,
    },
    /// So many mutants that live are compared with the original, function by function; of so many more that is known.
    EquivalenceStarted {
        mutants: usize,
        known: usize,
        /// Without one, inputs are tried and nothing else is proved.
        has_clang: bool,
    },
    /// What was found of one; it is in the store.
    MutantCompared {
        mutant: MutantIdx,
        judgement: Judgement,
    },
    /// What they came to. So many were left when it was time to stop.
    EquivalenceFinished {
        found: Comparisons,
        left: usize,
    },
    /// Functions cannot be compared any further.
    EquivalenceFailed {
        reason: String,
    },
    /// So many verdicts are found again, each mutant built by itself.
    AuditStarted {
        mutants: usize,
    },
    /// The audit contradicts a verdict: so many others that rest on the same are found again by this engine.
    FindAgainStarted {
        engine: Engine,
        mutants: usize,
    },
    Audited {
        count: AuditCount,
        disagreements: Vec<Disagreement>,
    },
    /// The user has changed these files since they were copied: all that is told is of the text as it was then.
    SourcesChanged {
        files: Vec<PathBuf>,
    },
    /// So many runs of tests were needed; so many verdicts were known from earlier runs.
    ExecuteFinished {
        executions: usize,
        reused: usize,
        /// By engine.
        pairs: Vec<PairCount>,
    },
}
