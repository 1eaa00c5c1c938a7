//! The second half of MASS step 7 within a run: the functions of live mutants are compared with the original's, unless
//! the result is stored.

use super::Run;
use crate::ledger::{Entry, Ledger};
use crate::steps::discard::equivalence::{outcome, EquivalenceWhen};
use crate::PipelineError;
use perturb_equiv::code::{BuiltTree, Holders};
use perturb_equiv::compare::{judge, settings, EquivalenceOptions, FileKey, Tiers};
use perturb_equiv::MutatedProject;
use perturb_host::{find_clang, MayBeStop, Project, Shadow};
use perturb_model::{Comparisons, Event, Judgement, MutantIdx, Step, StepTime};
use perturb_store::{ExecutionKey, JudgedMutant, StoreError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The results so far.
#[derive(Debug, Default)]
pub(crate) struct ComparisonProgress {
    found: Comparisons,
    cpu: Duration,
}

impl<'r> Run<'r> {
    /// Compares live mutants with the original. Returns whether all of them were compared, as far as that is possible.
    pub(super) fn compare_live(&mut self, plain: &Shadow) -> Result<bool, PipelineError> {
        let survives = |mutant: &MutantIdx| self.ledger.outcome(*mutant).survives();
        let survivors: Vec<MutantIdx> = MutantIdx::all(self.mutants.len()).filter(survives).collect();
        if self.options.equivalence == EquivalenceWhen::Never || survivors.is_empty() {
            return Ok(true);
        }
        if self.stop.is_due() {
            return Ok(false);
        }
        let start = Instant::now();
        let mut progress = ComparisonProgress::default();
        let compared = self.compare_mutants(plain, &survivors, &mut progress);
        let ComparisonProgress { found, cpu } = progress;
        self.ledger.store().record_step(StepTime { step: Step::Equivalence, wall: start.elapsed(), cpu })?;
        let left = survivors.len() - found.total();
        match compared {
            Ok(()) => {
                self.ledger.report(Event::EquivalenceFinished { found, left });
                Ok(left == 0)
            }
            Err(error @ PipelineError::Store(_)) => Err(error),
            Err(error) if error.is_stop() => Ok(false),
            Err(error) => {
                self.ledger.report(Event::EquivalenceFailed { reason: error.to_string() });
                Ok(true)
            }
        }
    }

    fn compare_mutants(
        &mut self,
        plain: &Shadow,
        indices: &[MutantIdx],
        progress: &mut ComparisonProgress,
    ) -> Result<(), PipelineError> {
        let Some(keys) = self.keys_of_files(plain, indices)? else { return Ok(()) };
        let mutants = self.mutants;
        let key = |index: MutantIdx| &keys[mutants[index].file.relative.as_path()];
        let row = |index: MutantIdx, judgement| JudgedMutant {
            mutant: index,
            id: mutants[index].id,
            key: ExecutionKey(key(index).key),
            judgement,
        };
        let asked: Vec<_> = indices.iter().map(|index| (mutants[*index].id, ExecutionKey(key(*index).key))).collect();
        let known = self.ledger.store().known_judgements(&asked)?;
        let (mut settled, mut open) = (Vec::new(), Vec::new());
        for &index in indices {
            match known.get(&mutants[index].id) {
                Some(judgement) => settled.push(row(index, judgement.clone())),
                None if !key(index).is_known => {
                    let why = "its file cannot be preprocessed by itself".to_string();
                    settled.push(row(index, Judgement::Unknown { why }));
                }
                None => open.push(index),
            }
        }
        let known = settled.len();
        let has_clang = find_clang().is_some();
        tracing::debug!(known, open = open.len(), "judgements of earlier runs");
        take_judgements(&mut self.ledger, settled, progress)?;
        self.ledger.report(Event::EquivalenceStarted { mutants: open.len(), known, has_clang });
        if open.is_empty() {
            return Ok(());
        }
        let project = as_built(self.project, plain);
        let copyable = self.mutated.copyable.as_slice();
        let libclang = self.libclang;
        let subject = MutatedProject { project: &project, mutants, copyable, libclang };
        let options = self.equivalence_options();
        let stop = self.stop;
        judge(subject, &open, &options, stop, |judged| {
            progress.cpu += judged.iter().map(|judged| judged.cpu).sum::<Duration>();
            let rows = judged.iter().map(|judged| {
                let mut judgement = judged.verdict.judgement();
                if let Judgement::Equivalent(proved) = &mut judgement {
                    proved.assumptions.extend(key(judged.mutant).assumption.clone());
                }
                row(judged.mutant, judgement)
            });
            Ok(take_judgements(&mut self.ledger, rows.collect(), progress)?)
        })
    }

    fn equivalence_options(&self) -> EquivalenceOptions {
        EquivalenceOptions {
            work: self.options.work.clone(),
            jobs: self.options.jobs,
            seed: self.options.seed,
            inputs: EquivalenceOptions::INPUTS,
            exhaust: EquivalenceOptions::EXHAUST,
            steps: EquivalenceOptions::STEPS,
            // MASS step 4 compares compiled code.
            tiers: Tiers { native: true, exhaustive: true, code: false, clang: false, proof: true, paths: true },
            sandbox: self.options.confinement.sandbox,
            contracts: self.options.contracts.clone(),
            witnesses: None,
        }
    }

    /// The keys of judgements, for each file with one of these mutants; None if it is time to stop.
    fn keys_of_files(
        &self,
        plain: &Shadow,
        indices: &[MutantIdx],
    ) -> Result<Option<BTreeMap<&'r Path, FileKey>>, PipelineError> {
        let mut files: Vec<PathBuf> = self.mutated.copyable.iter().map(|file| file.file.relative.clone()).collect();
        files.sort();
        let holders = match &self.holders {
            Some(holders) => holders.clone(),
            None => {
                let units = plain.commands(self.project);
                let home = self.options.work.join("tce");
                let stop = self.stop;
                let built = BuiltTree { tree: plain.tree(), units: &units, home: &home, jobs: self.options.jobs };
                let Some(read) = Holders::read(built, &files, &|| stop.is_due(), &|_| {})? else { return Ok(None) };
                Arc::new(read)
            }
        };
        let settings = settings(&self.equivalence_options(), self.libclang);
        let mutants = self.mutants;
        let contracts = &self.options.contracts;
        let mut keys = BTreeMap::new();
        for index in indices {
            let file = &*mutants[*index].file;
            keys.entry(file.relative.as_path()).or_insert_with(|| {
                let of_file = files.binary_search(&file.relative).map(|at| holders.by_file[at].as_slice());
                let units = of_file.unwrap_or_default().iter().map(|unit| &holders.units[*unit]);
                FileKey::new(file, &units.collect::<Vec<_>>(), &holders.units, plain.tree(), &settings, contracts)
            });
        }
        Ok(Some(keys))
    }
}

/// Records judgements, and decides the mutants whose outcome they change.
pub(crate) fn take_judgements(
    ledger: &mut Ledger<'_>,
    judged: Vec<JudgedMutant>,
    progress: &mut ComparisonProgress,
) -> Result<(), StoreError> {
    ledger.store().record_judgements(&judged)?;
    let changed = |row: &JudgedMutant| Some((row.mutant, outcome(ledger.outcome(row.mutant), &row.judgement)?));
    let decided = judged.iter().filter_map(changed).collect();
    ledger.record(&mut Entry::of(decided))?;
    for JudgedMutant { mutant, judgement, .. } in judged {
        progress.found.add(&judgement);
        ledger.report(Event::MutantCompared { mutant, judgement });
    }
    Ok(())
}

/// The project as it is in the copy that was built: the user may have changed the original since.
fn as_built(project: &Project, plain: &Shadow) -> Project {
    Project { source_root: plain.tree().to_path_buf(), units: plain.commands(project), ..project.clone() }
}
