//! Differences that depend on static variables, which no program can set or read from outside. Such a difference is
//! searched again with the initial values of these variables.

use crate::compare::comparison::Comparison;
use crate::compare::driver_request::{Effort, Guard};
use crate::compare::tool::Tool;
use crate::compare::FunctionSubject;
use crate::native::{Layout, VersionIdx};
use crate::EquivError;
use perturb_host::Unwritten;
use perturb_model::{Difference, Kind, MutantIdx, Tier};
use std::collections::BTreeMap;
use std::sync::Arc;

impl Tool<'_> {
    /// Replaces differences that no program can show by ones that a program can, where there are any.
    pub(super) fn move_to_start(&mut self, comparison: &mut Comparison<'_>) -> Result<(), EquivError> {
        let layout = comparison.subject.layout.clone();
        let hidden = comparison.verdicts.iter().filter_map(|(mutant, verdict)| {
            let by = &verdict.witness()?.by;
            why_hidden(&layout, by).map(|_| (*mutant, by.clone()))
        });
        let hidden: BTreeMap<MutantIdx, Difference> = hidden.collect();
        let Some(from_start) = layout.from_start().filter(|_| !hidden.is_empty()) else { return Ok(()) };
        let subject = FunctionSubject { layout: Arc::new(from_start), ..comparison.subject.clone() };
        let mut again = Comparison::new(&subject);
        again.mutants = hidden.keys().copied().collect();
        self.search_from_start(&mut again, &hidden)?;
        for (mutant, verdict) in again.verdicts {
            let is_better = verdict.kind().is_some_and(|kind| [Kind::Output, hidden[&mutant].kind].contains(&kind));
            if is_better {
                comparison.verdicts.insert(mutant, verdict);
            }
        }
        Ok(())
    }

    /// The known inputs with static variables reset, and others.
    fn search_from_start(
        &mut self,
        again: &mut Comparison<'_>,
        hidden: &BTreeMap<MutantIdx, Difference>,
    ) -> Result<(), EquivError> {
        let zeros = self.build(again, Unwritten::Zeros)?;
        let pattern = self.build(again, Unwritten::Pattern)?;
        let (Some(zeros), Some(pattern)) = (zeros, pattern) else { return Ok(()) };
        let known = VersionIdx::of_mutants().zip(hidden.values()).filter_map(|(version, by)| {
            let input = again.subject.layout.at_start(&by.input)?;
            Some((version, Difference { input, ..by.clone() }))
        });
        let known = self.replay(&zeros, Guard::Behind, &known.collect())?.into_values().collect();
        self.confirm(again, [&zeros, &pattern], Guard::Behind, Tier::Native, known)?;
        let found =
            self.search(again, &zeros, Effort { inputs: self.options.inputs, steps: None }, Guard::Behind, None)?;
        self.confirm(again, [&zeros, &pattern], Guard::Behind, Tier::Native, found)
    }
}

/// The reason why no program can show a difference from outside, if so.
pub(super) fn why_hidden(layout: &Layout, by: &Difference) -> Option<String> {
    let names: Vec<&str> = layout.statics.iter().map(|variable| variable.name.as_str()).collect();
    let names = names.join(" or ");
    if layout.at_start(&by.input).is_none_or(|started| started != by.input) {
        return Some(format!(
            "it shows where {names} is not as the program starts, and that cannot be set from outside"
        ));
    }
    let is_inside = by.kind == Kind::Output && !layout.differ_outside(&by.original, &by.other);
    is_inside.then(|| format!("it shows only in {names}, which cannot be seen from outside"))
}
