//! One round: the analysis of the made-up project, continued from the store of earlier rounds, as far as the world
//! allows. The steps are those of `analysis`; builds, compiled code and proofs are simulated.

use super::host::FailingHost;
use super::world::{Fault, Stage, World};
use crate::analysis::audit::{Audit, Engines};
use crate::analysis::{compare, discarding, equivalence};
use crate::bench::Bench;
use crate::gate::Gate;
use crate::ledger::Ledger;
use crate::steps::coverage::{baseline, BaselineOptions, InstrumentedBench, InstrumentedFiles, Recorded, Suite};
use crate::steps::discard::Counting;
use crate::steps::distance::Distance;
use crate::steps::execute::{
    execute_alone, execute_instrumented, settled, Executed, ExecutionContext, ExecutionResults, Keys, Results,
    SplitResults, TimeLimits, Work,
};
use crate::steps::tce::Findings;
use crate::PipelineError;
use perturb_cell::CellError;
use perturb_host::Stop;
use perturb_model::{ContentHash, Engine, Event, MutantIdx, Outcome, TestIdx, Verdict};
use perturb_store::{Execution, ExecutionKey, JudgedMutant, NewRun, Store};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The result of a round.
pub struct Round {
    /// The last reported outcome of each mutant.
    pub reported: BTreeMap<MutantIdx, Outcome>,
    /// Mutants that were reported as killed or live.
    pub executed: BTreeSet<MutantIdx>,
    /// Reported outcomes that are impossible in this world.
    pub impossible: Vec<(MutantIdx, Outcome)>,
    /// Mutants whose functions were compared.
    pub compared: Vec<MutantIdx>,
    pub result: Result<(), PipelineError>,
}

/// Opens the store and analyses the project as far as the world allows.
pub fn run_round(world: &Arc<World>, work: &Path) -> Round {
    let mutants = world.mutant_list();
    let mut reported = BTreeMap::new();
    let mut executed = BTreeSet::new();
    let mut impossible = Vec::new();
    let mut compared = Vec::new();
    let mut events = |event| {
        if let Event::MutantDecided { mutant, outcome } = event {
            if !world.outcomes(&mutants, mutant).contains(&outcome) {
                impossible.push((mutant, outcome.clone()));
            }
            if outcome.is_decided_by_tests() {
                executed.insert(mutant);
            }
            reported.insert(mutant, outcome);
        }
    };
    let result = try_round(world, work, &mut events, &mut compared);
    Round { reported, executed, impossible, compared, result }
}

fn try_round(
    world: &Arc<World>,
    work: &Path,
    events: &mut dyn FnMut(Event),
    compared: &mut Vec<MutantIdx>,
) -> Result<(), PipelineError> {
    let mutants = world.mutant_list();
    let cases = world.cases();
    let gate = Gate::default();
    let arguments = Vec::new();
    let manifest = serde_json::Value::Null;
    let new = NewRun { started: SystemTime::now(), root: "/project".into(), arguments, seed: world.seed, manifest };
    let mut ledger = Ledger::new(&mutants, Store::open(work)?.begin(&new)?, events);
    ledger.store().record_mutants(&mutants)?;
    let host = || Box::new(FailingHost::new(world));
    let mut benches: Vec<Bench<'_>> = (0..super::WORKERS).map(|_| Bench::on(host(), &cases, &gate)).collect();
    let stop = Stop { interrupt: &world.interrupt, deadline: None };
    let suite = suite(&cases, &mut benches, stop)?;
    ledger.store().record_tests(&suite.tests)?;
    let keys = Keys::new(&mutants, &suite, &[], "");
    let known = ledger.store().known(&keys.all())?;
    let recorded = Recorded {
        off: Default::default(),
        recordings: Vec::new(),
        cpu: vec![Duration::from_millis(2); cases.len()],
        shares: HashMap::new(),
        not_instrumented: HashSet::new(),
    };
    let order: Vec<TestIdx> = TestIdx::all(cases.len()).collect();
    let context = ExecutionContext {
        mutants: &mutants,
        suite: &suite,
        keys: &keys,
        known: &known,
        found: &SplitResults::default(),
        test_order: &order,
        time_limits: TimeLimits { factor: None, least: Duration::from_millis(10), is_bounded: true },
        instrumented: Some((&world.board, &recorded)),
        kill_matrix: false,
    };
    let files = InstrumentedFiles {
        record: "/nowhere".into(),
        record_bytes: world.board.layout().size(),
        sheet: "/nowhere".into(),
        sheet_bytes: world.board.sheet().size(),
        lost: "/nowhere".into(),
    };
    let joined = benches.into_iter().map(|bench| InstrumentedBench { bench, files: files.clone() });
    let benches: Vec<InstrumentedBench<'_>> = joined.collect();
    let work_of = |mutant| Work { mutant, switched: order.clone(), rebuilt: Vec::new() };
    let works = MutantIdx::all(mutants.len()).map(work_of).collect();
    Analysed { world, ledger, context, works, benches, stop }.steps(compared)
}

fn suite(cases: &[perturb_host::TestCase], benches: &mut [Bench<'_>], stop: Stop<'_>) -> Result<Suite, PipelineError> {
    let options = BaselineOptions {
        timeout: Duration::from_secs(1),
        inputs: ContentHash::of(b""),
        programs: &[],
        home: Path::new("/nowhere"),
    };
    baseline(cases.to_vec(), benches, &options, stop, &mut |_| {})
}

/// The project during its analysis.
struct Analysed<'a, 'r> {
    world: &'a World,
    ledger: Ledger<'r>,
    context: ExecutionContext<'a>,
    works: Vec<Work>,
    benches: Vec<InstrumentedBench<'a>>,
    stop: Stop<'a>,
}

impl Analysed<'_, '_> {
    fn steps(mut self, compared: &mut Vec<MutantIdx>) -> Result<(), PipelineError> {
        self.disturb(Stage::Execute)?;
        let done = self.execute()?;
        self.disturb(Stage::Audit)?;
        self.world.is_auditing.store(true, Ordering::SeqCst);
        self.audit(done)?;
        self.world.is_auditing.store(false, Ordering::SeqCst);
        self.disturb(Stage::Tce)?;
        self.apply_findings()?;
        self.disturb(Stage::Discard)?;
        let recordings = self.world.recordings();
        let distance = Distance::Cosine;
        let switchboard = &self.world.board;
        let context = self.context;
        let counting = Counting { context, switchboard, recordings: &recordings, distance, threshold: 0.0 };
        discarding::discard(&mut self.ledger, counting, &self.works, &mut self.benches, self.stop)?;
        self.disturb(Stage::Equivalence)?;
        self.compare(compared)
    }

    /// Applies the fault of the round before a step, where it is not a job that fails.
    fn disturb(&mut self, stage: Stage) -> Result<(), PipelineError> {
        match self.world.fault {
            Fault::StoreFull if self.world.stage == stage => self.ledger.store().fill_up(),
            Fault::Death if self.world.stage == stage && stage != Stage::Execute => {
                return Err(CellError::Lost { reason: "the machine dies".into() }.into());
            }
            Fault::Interrupt if self.world.stage == stage => self.world.interrupt.raise(),
            _ => {}
        }
        Ok(())
    }

    fn findings(&self) -> Option<Arc<Findings>> {
        self.world.has_early_findings().then(|| {
            let findings = Findings::default();
            for (mutant, found) in self.world.findings() {
                findings.add(BTreeMap::from([(mutant, found.same)]), found.by_unit);
            }
            Arc::new(findings)
        })
    }

    fn execute(&mut self) -> Result<ExecutionResults, PipelineError> {
        let findings = self.findings();
        let context = self.context;
        let world = self.world;
        let mut results = Results::new(ExecutionResults::default(), &mut self.ledger).with_findings(findings);
        let mut open = Vec::new();
        for work in &self.works {
            match settled(context, work)? {
                Some(executed) => results.add(work.mutant, executed)?,
                None => open.push(work),
            }
        }
        let benches = &mut self.benches;
        let board = &world.board;
        let ended = execute_instrumented(context, board, benches, &open, world.splits(), self.stop, &mut results);
        if world.fault == Fault::Death {
            // A dead process writes nothing.
            ended?;
            return results.finish();
        }
        let done = results.finish()?;
        ended.map(|()| done)
    }

    fn audit(&mut self, done: ExecutionResults) -> Result<(), PipelineError> {
        let is_sampled = |work: &&Work| {
            let outcome = self.ledger.outcome(work.mutant);
            self.world.is_audited(work.mutant) && outcome.is_decided_by_tests()
        };
        let sample: Vec<Work> = self.works.iter().filter(is_sampled).cloned().collect();
        if sample.is_empty() || self.stop.is_due() {
            return Ok(());
        }
        let findings = self.findings();
        let context = self.context;
        let world = self.world;
        let stop = self.stop;
        let mut engines = SimulatedEngines { world, context, bench: &mut self.benches[0], stop };
        let audit = Audit { ledger: &mut self.ledger, context, works: &self.works, findings };
        audit.run(&sample, &mut engines, done).map(drop)
    }

    /// Applies the findings of compiled code, as at the end of `Run::finish_comparing`.
    fn apply_findings(&mut self) -> Result<(), PipelineError> {
        let found = self.world.findings();
        let contradicted = compare::apply(&mut self.ledger, &found)?;
        let levels = compare::levels_of(&self.ledger, &contradicted, &found);
        let undefined = self.world.undefined(levels.keys().copied());
        compare::decide_unwritten(&mut self.ledger, &levels, &undefined)?;
        Ok(self.ledger.record(&mut compare::entry_of(self.context.mutants, &contradicted))?)
    }

    fn compare(&mut self, compared: &mut Vec<MutantIdx>) -> Result<(), PipelineError> {
        let mutants = self.context.mutants;
        let key = ExecutionKey(ContentHash::of(b"function"));
        let survives = |mutant: &MutantIdx| self.ledger.outcome(*mutant).survives();
        let survivors: Vec<MutantIdx> = MutantIdx::all(mutants.len()).filter(survives).collect();
        if self.stop.is_due() {
            return Ok(());
        }
        let asked: Vec<_> = survivors.iter().map(|mutant| (mutants[*mutant].id, key)).collect();
        let known = self.ledger.store().known_judgements(&asked)?;
        let row = |mutant: MutantIdx, judgement| JudgedMutant { mutant, id: mutants[mutant].id, key, judgement };
        let (settled, open): (Vec<MutantIdx>, Vec<MutantIdx>) =
            survivors.into_iter().partition(|mutant| known.contains_key(&mutants[*mutant].id));
        let settled = settled.into_iter().map(|mutant| row(mutant, known[&mutants[mutant].id].clone()));
        let mut progress = equivalence::ComparisonProgress::default();
        equivalence::take_judgements(&mut self.ledger, settled.collect(), &mut progress)?;
        for function in open.chunks(4) {
            compared.extend(function);
            let judged = function.iter().map(|mutant| row(*mutant, self.world.judgement(*mutant))).collect();
            equivalence::take_judgements(&mut self.ledger, judged, &mut progress)?;
        }
        Ok(())
    }
}

/// The switched engine on a failing host, and a simulated rebuild engine.
struct SimulatedEngines<'e, 'b> {
    world: &'e World,
    context: ExecutionContext<'e>,
    bench: &'e mut InstrumentedBench<'b>,
    stop: Stop<'e>,
}

impl Engines for SimulatedEngines<'_, '_> {
    fn execute(
        &mut self,
        works: &[Work],
        engine: Engine,
        advanced: &mut dyn FnMut(),
    ) -> Result<Vec<(Work, Executed)>, PipelineError> {
        let mut all = Vec::new();
        for work in works {
            if self.stop.is_due() {
                break;
            }
            let executed = match engine {
                Engine::Rebuild => self.rebuild(work),
                Engine::Split | Engine::Switched => execute_alone(self.context, &self.world.board, self.bench, work)?,
            };
            all.push((work.clone(), executed));
            advanced();
        }
        Ok(all)
    }
}

impl SimulatedEngines<'_, '_> {
    fn rebuild(&self, work: &Work) -> Executed {
        let outcome = self.world.rebuilt_outcome(work.mutant);
        let mut executed = Executed::new(outcome.clone());
        if let Outcome::Killed { test, how } = outcome {
            let at = self.context.suite.tests.iter().position(|of| of.name == test).map(TestIdx::new).unwrap();
            executed.kills.push(at);
            let mutant = &self.context.mutants[work.mutant];
            executed.executions.push(Execution {
                mutant: mutant.id,
                test,
                key: self.context.keys.of(&mutant.file, at),
                engine: Engine::Rebuild,
                verdict: Verdict::Killed(how),
                cpu: Duration::from_millis(2),
                wall: Duration::from_millis(3),
                output: Vec::new(),
            });
        }
        executed
    }
}
