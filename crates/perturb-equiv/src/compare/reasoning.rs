//! The proof tiers: functions are executed symbolically, and a solver is asked. A difference that they find is run
//! before it is believed.

use super::comparison::Comparison;
use super::driver_request::{Domain, Guard};
use super::tool::Tool;
use super::{FunctionSubject, Tiers};
use crate::native::{is_known, library, DriverReport, VersionIdx};
use crate::order;
use crate::symbolic::{Compared, PathLimits, Paths, Sought, Symbolic};
use crate::EquivError;
use perturb_csrc::copies::{Shown, Tag};
use perturb_host::{compile_to_intermediate, find_clang, thread_cpu, CompileCommand, CompileError};
use perturb_model::{Difference, Kind, MutantIdx, Tier};
use perturb_sym::execute::ExecutionLimits;
use perturb_sym::ir::{with_own_names, Module};
use perturb_sym::solve::Budget;
use std::collections::BTreeMap;
use std::path::Path;

/// The budget of one question.
const BUDGET: Budget = Budget { conflicts: 10_000, ticks: 30_000_000, variables: 600_000 };

impl Tool<'_> {
    /// Reasons about the open mutants. Returns why that was impossible, if the reason is the same for all.
    pub(super) fn reason(
        &mut self,
        comparison: &mut Comparison<'_>,
        zeros: &Path,
        pattern: &Path,
    ) -> Result<Option<String>, EquivError> {
        let Tiers { proof, paths, .. } = self.options.tiers;
        let open = if proof { comparison.sought_mutants() } else { comparison.open_mutants() };
        if open.is_empty() || self.stop.is_due() {
            return Ok(None);
        }
        let Some(clang) = find_clang() else { return Ok(Some("without clang nothing can be proved".to_string())) };
        let module = match self.module(comparison, &open, &clang)? {
            Ok(module) => module,
            Err(why) => return Ok(Some(why)),
        };
        let programs = [zeros, pattern];
        let mut why = None;
        if proof {
            self.try_orders(comparison, programs, &module)?;
            why = self.reason_merged(comparison, &open, programs, &module)?;
        }
        // Where one question about all paths is too hard, many easier ones may not be.
        if paths && !comparison.open_mutants().is_empty() {
            why = self.reason_by_paths(comparison, &open, programs, &module)?;
        }
        Ok(why)
    }

    /// One question for each mutant, about all paths at once.
    fn reason_merged(
        &mut self,
        comparison: &mut Comparison<'_>,
        mutants: &[MutantIdx],
        programs: [&Path; 2],
        module: &Module,
    ) -> Result<Option<String>, EquivError> {
        let (layout, stop) = (&comparison.subject.layout, self.code.stop);
        let mut symbolic =
            match self.counted(|| Symbolic::new(module, layout, ExecutionLimits::default(), BUDGET, stop)) {
                Ok(symbolic) => symbolic,
                Err(trouble) => return Ok(Some(trouble.to_string())),
            };
        let by = |is_solved| if is_solved { Tier::Proof } else { Tier::Structural };
        self.ask_all(comparison, mutants, programs, by, |which, sought| Some(symbolic.compare(which, sought)))?;
        Ok(None)
    }

    /// One question for each pair of paths of each mutant.
    fn reason_by_paths(
        &mut self,
        comparison: &mut Comparison<'_>,
        mutants: &[MutantIdx],
        programs: [&Path; 2],
        module: &Module,
    ) -> Result<Option<String>, EquivError> {
        let (layout, stop, paths) = (&comparison.subject.layout, self.code.stop, PathLimits::default());
        let start = thread_cpu();
        let paths = Paths::new(module, layout, ExecutionLimits::default(), paths, BUDGET, stop);
        // Only mutants without any verdict are worth it.
        let open = comparison.open_mutants();
        let share = thread_cpu().saturating_sub(start) / u32::try_from(open.len().max(1)).unwrap_or(1);
        open.into_iter().for_each(|mutant| *comparison.costs.entry(mutant).or_default() += share);
        let mut paths = match paths {
            Ok(paths) => paths,
            Err(trouble) => return Ok(Some(trouble.to_string())),
        };
        // This is too expensive for mutants of which one difference is known.
        let compare = |which, sought| (sought == Sought::Difference).then(|| paths.compare(which));
        self.ask_all(comparison, mutants, programs, |_| Tier::Paths, compare)?;
        Ok(None)
    }

    /// Compares the open mutants by the code of their functions, and runs the inputs found.
    fn ask_all(
        &mut self,
        comparison: &mut Comparison<'_>,
        mutants: &[MutantIdx],
        programs: [&Path; 2],
        by: impl Fn(bool) -> Tier,
        mut compare: impl FnMut(VersionIdx, Sought) -> Option<Compared>,
    ) -> Result<(), EquivError> {
        let mut candidates = BTreeMap::new();
        for (version, mutant) in VersionIdx::of_mutants().zip(mutants) {
            if self.stop.is_due() {
                break;
            }
            let Some(sought) = comparison.sought(*mutant) else { continue };
            let before = thread_cpu();
            let Some(compared) = compare(version, sought) else { continue };
            *comparison.costs.entry(*mutant).or_default() += thread_cpu().saturating_sub(before);
            match compared {
                Compared::Candidate { input } => {
                    candidates.insert(*mutant, input);
                }
                Compared::Equivalent { is_solved, is_bounded } => {
                    let turns = ExecutionLimits::default().turns;
                    let turns = is_bounded.then(|| format!("no loop takes more than {turns} turns"));
                    let verdict = comparison.subject.proved(by(is_solved), turns);
                    comparison.believe(*mutant, verdict);
                }
                Compared::Unknown { why } => {
                    comparison.give_reason(*mutant, why);
                }
            }
        }
        // Every input found came from a solver.
        self.try_candidates(comparison, programs, by(true), candidates)
    }

    /// The intermediate code of a function, of some of its mutants, and of the functions they call in other files; or
    /// the reason why there is none.
    fn module(
        &mut self,
        comparison: &Comparison<'_>,
        mutants: &[MutantIdx],
        clang: &Path,
    ) -> Result<Result<Module, String>, EquivError> {
        let FunctionSubject { file, command, clang: arguments, linked, .. } = comparison.subject;
        let part = Comparison { mutants: mutants.to_vec(), ..Comparison::new(comparison.subject) };
        let mut text = part.text(self.mutants, Shown::File);
        if comparison.subject.signature().externals.iter().any(|external| is_known(&external.name))
            || !linked.is_empty()
        {
            text.extend_from_slice(format!("#line 1 \"perturb-library\"\n{}", library()).as_bytes());
        }
        self.code.mirror.put(&file.relative, &text)?;
        let text = match self.intermediate(clang, command, arguments)? {
            Ok(text) => text,
            Err(why) => return Ok(Err(why)),
        };
        let mut module = self.counted(|| Module::parse(&text));
        for unit in linked {
            let text = match self.intermediate(clang, &unit.command, &unit.clang)? {
                Ok(text) => text,
                Err(why) => return Ok(Err(why)),
            };
            self.counted(|| module.link(Module::parse(&with_own_names(&text, &format!(".perturb{}", unit.number)))));
        }
        Ok(Ok(module))
    }

    /// The intermediate code of a unit, or the reason why clang rejects it.
    fn intermediate(
        &mut self,
        clang: &Path,
        command: &CompileCommand,
        arguments: &[String],
    ) -> Result<Result<String, String>, EquivError> {
        let interrupt = self.stop.interrupt;
        let mirror = &self.code.mirror;
        let (text, cpu) = compile_to_intermediate(clang, command, arguments, mirror, &|| interrupt.is_raised())?;
        self.cpu += cpu;
        Ok(text.map_err(|error| match error {
            Some(CompileError { file, line, message }) => {
                format!("clang does not take it: {}:{line}: {message}", mirror.named(&file).display())
            }
            None => format!("clang does not take {}", command.file.display()),
        }))
    }

    /// Runs something and counts its CPU time.
    fn counted<R>(&mut self, work: impl FnOnce() -> R) -> R {
        let start = thread_cpu();
        let done = work();
        self.cpu += thread_cpu().saturating_sub(start);
        done
    }

    /// Where only the order of elements matters, all orders of them are tried.
    fn try_orders(
        &mut self,
        comparison: &mut Comparison<'_>,
        programs: [&Path; 2],
        module: &Module,
    ) -> Result<(), EquivError> {
        let FunctionSubject { file, functions, at, layout, .. } = comparison.subject;
        let Some((of, bits)) = order::elements(layout) else { return Ok(()) };
        let own = file.source.lossy(functions[*at].name);
        let original = format!("{own}{}", Tag::Original(*at));
        if !order::only_orders(module, &[&original], &own, bits) {
            return Ok(());
        }
        let is_fit = |version: &VersionIdx| {
            let copy = format!("{own}{}", Tag::Copy(comparison.mutant(*version).get() as u32));
            order::only_orders(module, &[&original, &copy], &own, bits)
        };
        let versions = comparison.sought_versions().into_iter().filter(is_fit).collect();
        self.exhaust(comparison, programs, Domain::Orders { of, versions })
    }

    /// Runs the inputs found. A mutant whose input shows nothing stays open.
    fn try_candidates(
        &mut self,
        comparison: &mut Comparison<'_>,
        programs: [&Path; 2],
        tier: Tier,
        candidates: BTreeMap<MutantIdx, Vec<u8>>,
    ) -> Result<(), EquivError> {
        if candidates.is_empty() {
            return Ok(());
        }
        let nothing = |input: &Vec<u8>| Difference {
            kind: Kind::Output,
            input: input.clone(),
            original: Vec::new(),
            other: Vec::new(),
        };
        let found: BTreeMap<VersionIdx, Difference> = VersionIdx::of_mutants()
            .zip(&comparison.mutants)
            .filter_map(|(version, mutant)| Some((version, nothing(candidates.get(mutant)?))))
            .collect();
        for guard in [Guard::Behind, Guard::Before] {
            let answers: Vec<DriverReport> = self.replay(programs[0], guard, &found)?.into_values().collect();
            self.confirm(comparison, programs, guard, tier, answers)?;
        }
        let is_open = |mutant: &MutantIdx| !comparison.verdicts.contains_key(mutant);
        let unseen: Vec<MutantIdx> = candidates.into_keys().filter(is_open).collect();
        unseen.into_iter().for_each(|mutant| comparison.doubt(mutant));
        Ok(())
    }
}
