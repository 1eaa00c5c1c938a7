//! Why a mutant lives, or is not decided, in a sentence.

use super::plural;
use perturb_model::{Judgement, Outcome, ProvedBy};
use perturb_store::MutantState;

/// How many tests reach, infect and were executed on a mutant.
#[derive(Debug, Clone, Copy, Default)]
pub struct Part {
    pub reaching: usize,
    /// 0 if it is not known.
    pub infecting: usize,
    pub executed: usize,
}

/// The judgement on a mutant's function, if a list should show it: a witness, or a proof with its assumptions.
pub fn evidence(state: &MutantState) -> Option<String> {
    match (&state.outcome, &state.judgement) {
        (_, Some(Judgement::Different(shown))) => Some(shown.to_string()),
        (Outcome::LikelyEquivalent, Some(Judgement::Equivalent(proved))) => Some(proved.to_string()),
        _ => None,
    }
}

pub fn why(state: &MutantState, part: Part, is_finished: bool) -> Option<String> {
    let Part { reaching, infecting, executed } = part;
    let outcome = &state.outcome;
    let pass = |tests: usize| format!("{} {}", plural(tests, "test"), if tests == 1 { "passes" } else { "pass" });
    Some(match outcome {
        Outcome::Live if infecting > 0 => {
            format!("{} although it makes a difference where it stands: no assertion notices", pass(infecting))
        }
        Outcome::Live if reaching > 0 => format!("{} although it is executed: no assertion notices", pass(reaching)),
        Outcome::Live => format!("{} with it", pass(executed)),
        Outcome::LikelyEquivalent if matches!(state.judgement, Some(Judgement::Equivalent(_))) => {
            "its function does the same as the original's, but under a bound or an assumption: it may be equivalent"
                .to_string()
        }
        Outcome::LikelyEquivalent => {
            let tests = [infecting, reaching, executed].into_iter().find(|tests| *tests > 0);
            format!(
                "{}no test executes other statements of its file than on the original, or the same another number of \
                 times: it may be equivalent",
                tests.map_or_else(String::new, |tests| format!("{} with it, and ", pass(tests)))
            )
        }
        Outcome::NotInfected => format!(
            "{} it, but never with values for which it differs from the original",
            if reaching == 1 { "1 test executes".to_string() } else { format!("{reaching} tests execute") }
        ),
        Outcome::NotCovered => "no test executes the mutated statement".to_string(),
        Outcome::Pending if is_finished => {
            "the run ended before its turn came: `perturb run` goes on from there".to_string()
        }
        Outcome::Pending => "the run goes on, or it was killed".to_string(),
        Outcome::Equivalent { by: ProvedBy::SameFunction { level } } => format!(
            "at {level} your compiler makes the same code of its function as of the original's: as long as nothing \
             undefined happens, no test can tell them apart"
        ),
        Outcome::Equivalent { by: ProvedBy::SameUnit { level } } => format!(
            "at {level} your compiler makes the same code of its whole file: as long as nothing undefined happens, no \
             test can tell them apart"
        ),
        Outcome::Equivalent { by: ProvedBy::SameByClang } => {
            "clang makes the same code of its function as of the original's: as long as nothing undefined happens, no \
             test can tell them apart"
                .to_string()
        }
        Outcome::Equivalent {
            by: ProvedBy::AllInputs | ProvedBy::AllOrders | ProvedBy::SameTerms | ProvedBy::Solver | ProvedBy::Paths,
        } => "its function does the same as the original's, whatever it is given: no test can tell them apart"
            .to_string(),
        Outcome::Duplicate { of, level } => format!(
            "at {level} your compiler makes the same code of its function as of that of {of}, which counts for both \
             (perturb show {of})"
        ),
        Outcome::Killed { .. } | Outcome::CompileError | Outcome::Unstable { .. } | Outcome::Skipped(_) => return None,
    })
}
