//! The events that the engine emits while it works. Reporters render them; the engine prints nothing.

use crate::{
    AuditCount, Baseline, Comparisons, Contradiction, CoverageGap, Disagreement, Engine, Estimate, Forecast, Judgement,
    MutantIdx, Notice, Outcome, PairCount, TestName,
};
use perturb_csrc::Diagnostic;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// Parsing starts.
    MutateStarted {
        units: usize,
    },
    /// One translation unit has been parsed.
    UnitMutated {
        file: PathBuf,
    },
    /// The compiler of a file did not answer, or libclang gave up on the file: it has no mutants.
    UnitSkipped {
        file: PathBuf,
        reason: String,
    },
    /// Clang could not parse all of a file: the rest of it is analysed.
    ParseErrors {
        file: PathBuf,
        count: usize,
        first: Diagnostic,
    },
    /// Flags that clang does not know were dropped for parsing.
    FlagsLeftOut {
        flags: Vec<String>,
    },
    /// A compiler does not report its include folders and macros, so that files are parsed without them.
    CompilerUnclear {
        compiler: PathBuf,
        reason: String,
    },
    /// Functions in which some expressions are nested too deep or are too long, so that these are not fully mutated.
    ExpressionsTooLarge {
        file: PathBuf,
        functions: Vec<String>,
    },
    /// A comment starts with `perturb:` and is not one that perturb knows.
    CommentMisread {
        file: PathBuf,
        line: u32,
        text: String,
    },
    /// A `perturb: off` without a `perturb: on`: the rest of the file is suppressed.
    RegionNotClosed {
        file: PathBuf,
        line: u32,
    },
    /// A suppression without a reason.
    SuppressionWithoutReason {
        file: PathBuf,
        line: u32,
    },
    /// The review file has decisions on ids that no mutant of the project has.
    ReviewUnmatched {
        ids: Vec<String>,
    },
    /// The project does not build with all mutants in it, so that each mutant is built by itself.
    NotInstrumented {
        log: PathBuf,
        tail: String,
    },
    MutateFinished {
        mutants: usize,
    },
    /// A build starts; `what` is `plain` or `with all mutants`.
    BuildStarted {
        what: &'static str,
    },
    BuildFinished {
        what: &'static str,
        wall: Duration,
    },
    /// The project's tests, with notices about them.
    TestsFound {
        tests: usize,
        notices: Vec<Notice>,
    },
    /// The sandbox that tests run in.
    Sandboxed {
        layers: String,
        /// What the sandbox does not protect from.
        gaps: Vec<String>,
        /// Layers that the machine does not allow.
        missing: Vec<String>,
    },
    /// The project does not build in the sandbox, so that mutants are built outside of it. `tail` has the last lines of
    /// that build.
    BuildsNotConfined {
        tail: String,
    },
    /// The tests start to run on the original; `runs` counts all their runs.
    BaselineStarted {
        runs: usize,
    },
    BaselineAdvanced,
    /// A test does not take part, because it fails or is flaky on the original.
    TestLeftOut {
        test: TestName,
        why: Baseline,
        output: Vec<u8>,
    },
    /// A test passes only without a limit of memory, so that none is set for it.
    MemoryNotLimited {
        test: TestName,
    },
    BaselineFinished {
        passed: usize,
        of: usize,
        /// The time of running all tests once, one after the other.
        wall: Duration,
    },
    /// The instrumented build is done. `switched` mutants are in it, `rebuilt` mutants are built by themselves.
    Instrumented {
        switched: usize,
        rebuilt: usize,
    },
    RecordStarted {
        tests: usize,
    },
    RecordAdvanced,
    /// A test does not pass when this function is instrumented, so that the function's mutants are built by themselves.
    FunctionLeftOut {
        function: String,
        test: TestName,
    },
    /// A test does not pass on the instrumented program at all.
    TestNotInstrumented {
        test: TestName,
    },
    RecordFinished,
    /// The coverage of these tests is unknown, so that they count as executing everything.
    CoverageUnknown {
        tests: Vec<TestName>,
        why: CoverageGap,
    },
    /// Entries of a folder of coverage data whose names match no test.
    CoverageUnmatched {
        names: Vec<String>,
    },
    /// Coverage data do not belong to the current text of this file: they are older, or they have lines that the file
    /// does not have. They are used only in the first case.
    CoverageStale {
        file: PathBuf,
        is_used: bool,
    },
    /// gcov should replace the instrumented build, and cannot.
    GcovUnusable {
        reason: String,
    },
    /// The run draws at most `drawn` mutants out of `population`.
    SampleStarted {
        strategy: String,
        population: usize,
        drawn: usize,
    },
    /// `drawn` mutants count so far.
    SampleAdvanced {
        drawn: usize,
        estimate: Estimate,
        /// Whether the sample needs no more mutants.
        is_enough: bool,
    },
    /// `mutants` start to be executed, with at most `runs` runs of tests. The outcomes of `known` others follow from
    /// earlier runs.
    ExecuteStarted {
        mutants: usize,
        known: usize,
        runs: usize,
        forecast: Forecast,
        /// The rest of the time that the user allows.
        granted: Option<Duration>,
    },
    /// An engine starts with its share of the mutants.
    EngineStarted {
        engine: Engine,
        mutants: usize,
    },
    /// `mutants` more have been executed; their outcomes are events of their own.
    ExecuteAdvanced {
        mutants: usize,
    },
    /// A mutant has an outcome, which is in the store.
    MutantDecided {
        mutant: MutantIdx,
        outcome: Outcome,
    },
    /// The run waits while compiled code is compared: that of functions, or that of whole units of live mutants. `done`
    /// and `total` count units of work.
    Comparing {
        units: bool,
        done: usize,
        total: usize,
    },
    /// Comparing compiled code stops with an error.
    CompareFailed {
        reason: String,
    },
    /// The results of comparing compiled code, as numbers of mutants. `by_unit` of the equivalent ones were found by
    /// comparing whole units only.
    Compared {
        equivalent: usize,
        duplicate: usize,
        by_unit: usize,
        /// Mutants where a test refutes what the code says. The test is right.
        contradicted: Vec<(MutantIdx, Contradiction)>,
    },
    /// The statement counts of live mutants are compared with the original's.
    DiscardStarted {
        mutants: usize,
    },
    /// `likely` of them are likely equivalent.
    Discarded {
        likely: usize,
    },
    /// The functions of `mutants` live mutants are compared with the original's. The results of `known` others are
    /// stored.
    EquivalenceStarted {
        mutants: usize,
        known: usize,
        /// Whether clang is there. Without it, inputs are tried, and proofs are left out.
        has_clang: bool,
    },
    /// The comparison of a mutant has a result, which is in the store.
    MutantCompared {
        mutant: MutantIdx,
        judgement: Judgement,
    },
    /// All results of the comparison. `left` mutants were not compared when the time was up.
    EquivalenceFinished {
        found: Comparisons,
        left: usize,
    },
    /// Comparing functions stops with an error.
    EquivalenceFailed {
        reason: String,
    },
    /// The audit starts: the rebuild engine checks these verdicts.
    AuditStarted {
        mutants: usize,
    },
    /// The audit contradicts a verdict, so that this engine checks other verdicts that rest on the same engine and
    /// test.
    FindAgainStarted {
        engine: Engine,
        mutants: usize,
    },
    Audited {
        count: AuditCount,
        disagreements: Vec<Disagreement>,
    },
    /// The user has changed these files since they were copied. All results are about the text that was copied.
    SourcesChanged {
        files: Vec<PathBuf>,
    },
    /// All mutants have been executed, with `executions` runs of tests. `reused` verdicts are from earlier runs.
    ExecuteFinished {
        executions: usize,
        reused: usize,
        /// By engine.
        pairs: Vec<PairCount>,
    },
}
