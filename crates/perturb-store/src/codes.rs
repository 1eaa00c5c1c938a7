//! The numbers that stand for enums in the store, both ways. A number keeps its meaning until the version of the schema
//! changes.

use super::blob::Malformed;
use super::Ending;
use perturb_model::ConstantContext;
use perturb_model::{
    Baseline, Clock, Disposition, Engine, Judgement, Kill, Kind, Level, MutantId, Outcome, ProvedBy, Skip, TestName,
    Tier, Verdict,
};

/// A crash is 128 plus the signal's number, as in shells.
const CRASHED: i64 = 128;

pub(super) fn of_verdict(verdict: Verdict) -> i64 {
    match verdict {
        Verdict::Survived => 0,
        Verdict::Killed(kill) => of_kill(kill),
    }
}

pub(super) fn verdict(code: i64) -> Result<Verdict, Malformed> {
    match code {
        0 => Ok(Verdict::Survived),
        _ => kill(code).map(Verdict::Killed),
    }
}

fn of_kill(kill: Kill) -> i64 {
    match kill {
        Kill::Failed => 1,
        Kill::TimedOut { clock: Clock::Cpu } => 2,
        Kill::TimedOut { clock: Clock::Wall } => 3,
        Kill::OutputDiffers => 4,
        Kill::Skipped => 5,
        Kill::Crashed { signal } => CRASHED + i64::from(signal),
    }
}

fn kill(code: i64) -> Result<Kill, Malformed> {
    Ok(match code {
        1 => Kill::Failed,
        2 => Kill::TimedOut { clock: Clock::Cpu },
        3 => Kill::TimedOut { clock: Clock::Wall },
        4 => Kill::OutputDiffers,
        5 => Kill::Skipped,
        CRASHED.. => Kill::Crashed { signal: i32::try_from(code - CRASHED).map_err(|_| Malformed)? },
        _ => return Err(Malformed),
    })
}

pub(super) fn of_engine(engine: Engine) -> i64 {
    match engine {
        Engine::Switched => 1,
        Engine::Rebuild => 2,
        Engine::Split => 3,
    }
}

pub(super) fn engine(code: i64) -> Result<Engine, Malformed> {
    match code {
        1 => Ok(Engine::Switched),
        2 => Ok(Engine::Rebuild),
        3 => Ok(Engine::Split),
        _ => Err(Malformed),
    }
}

/// An outcome as a row of the store. `Pending` has no row.
#[derive(Debug)]
pub(super) struct OutcomeRow<'o> {
    pub(super) kind: i64,
    pub(super) detail: Option<i64>,
    pub(super) test: Option<&'o TestName>,
    pub(super) why: Option<&'o str>,
}

pub(super) fn of_outcome(outcome: &Outcome) -> Option<OutcomeRow<'_>> {
    let row = |kind, detail| Some(OutcomeRow { kind, detail, test: None, why: None });
    match outcome {
        Outcome::Killed { test, how } => {
            Some(OutcomeRow { kind: 1, detail: Some(of_kill(*how)), test: Some(test), why: None })
        }
        Outcome::Live => row(2, None),
        Outcome::NotCovered => row(3, None),
        Outcome::NotInfected => row(4, None),
        Outcome::Equivalent { by } => row(5, Some(of_proof(*by))),
        Outcome::LikelyEquivalent => row(6, None),
        Outcome::Duplicate { of, level } => {
            Some(OutcomeRow { kind: 7, detail: Some(of.bits() as i64), test: None, why: Some(level.word()) })
        }
        Outcome::CompileError => row(8, None),
        Outcome::Unstable { why } => Some(OutcomeRow { kind: 9, detail: None, test: None, why: Some(why) }),
        Outcome::Skipped(Skip::Suppressed) => row(10, Some(1)),
        Outcome::Skipped(Skip::OutOfScope) => row(10, Some(2)),
        Outcome::Skipped(Skip::NotSampled) => row(10, Some(3)),
        Outcome::Pending => None,
    }
}

pub(super) fn outcome(row: &OutcomeRow<'_>) -> Result<Outcome, Malformed> {
    Ok(match (row.kind, row.detail, row.test) {
        (1, Some(how), Some(test)) => Outcome::Killed { test: test.clone(), how: kill(how)? },
        (2, ..) => Outcome::Live,
        (3, ..) => Outcome::NotCovered,
        (4, ..) => Outcome::NotInfected,
        (5, Some(by), _) => Outcome::Equivalent { by: proof(by)? },
        (6, ..) => Outcome::LikelyEquivalent,
        (7, Some(of), _) => {
            let level = row.why.unwrap_or_default().parse().map_err(|_| Malformed)?;
            Outcome::Duplicate { of: MutantId::from_bits(of as u64), level }
        }
        (8, ..) => Outcome::CompileError,
        (9, ..) => Outcome::Unstable { why: row.why.unwrap_or_default().to_string() },
        (10, Some(1), _) => Outcome::Skipped(Skip::Suppressed),
        (10, Some(2), _) => Outcome::Skipped(Skip::OutOfScope),
        (10, Some(3), _) => Outcome::Skipped(Skip::NotSampled),
        _ => return Err(Malformed),
    })
}

/// The index of a level in `Level::ALL`.
pub(super) fn of_level(level: Level) -> i64 {
    Level::ALL.into_iter().position(|known| known == level).map_or(0, |at| at as i64)
}

pub(super) fn level(code: i64) -> Result<Level, Malformed> {
    usize::try_from(code).ok().and_then(|at| Level::ALL.get(at).copied()).ok_or(Malformed)
}

const SAME_FUNCTION: i64 = 10;
const SAME_UNIT: i64 = 20;

fn of_proof(proof: ProvedBy) -> i64 {
    match proof {
        ProvedBy::SameFunction { level } => SAME_FUNCTION + of_level(level),
        ProvedBy::SameUnit { level } => SAME_UNIT + of_level(level),
        ProvedBy::Solver => 2,
        ProvedBy::AllInputs => 3,
        ProvedBy::AllOrders => 4,
        ProvedBy::SameTerms => 5,
        ProvedBy::Paths => 6,
        ProvedBy::SameByClang => 7,
    }
}

fn proof(code: i64) -> Result<ProvedBy, Malformed> {
    Ok(match code {
        2 => ProvedBy::Solver,
        3 => ProvedBy::AllInputs,
        4 => ProvedBy::AllOrders,
        5 => ProvedBy::SameTerms,
        6 => ProvedBy::Paths,
        7 => ProvedBy::SameByClang,
        SAME_FUNCTION..SAME_UNIT => ProvedBy::SameFunction { level: level(code - SAME_FUNCTION)? },
        SAME_UNIT.. => ProvedBy::SameUnit { level: level(code - SAME_UNIT)? },
        _ => return Err(Malformed),
    })
}

/// The result of comparing functions, without its evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JudgedCode {
    Different(Kind),
    Equivalent(Tier),
    Unknown,
}

/// The first of the codes of tiers.
pub(super) const BY_CALLING: i64 = 10;

const BY_CODE: i64 = 20;

pub(super) fn of_judged(judgement: &Judgement) -> i64 {
    match judgement {
        Judgement::Different(shown) => of_kind(shown.kind),
        Judgement::Unknown { .. } => 4,
        Judgement::Equivalent(proved) => of_tier(proved.by),
    }
}

pub(super) fn of_kind(kind: Kind) -> i64 {
    match kind {
        Kind::Output => 1,
        Kind::Undefined => 2,
        Kind::Endless => 3,
        Kind::Ended => 5,
    }
}

pub(super) fn kind(code: i64) -> Result<Kind, Malformed> {
    match judged(code)? {
        JudgedCode::Different(kind) => Ok(kind),
        JudgedCode::Equivalent(_) | JudgedCode::Unknown => Err(Malformed),
    }
}

pub(super) fn of_tier(tier: Tier) -> i64 {
    match tier {
        Tier::Native => BY_CALLING,
        Tier::Exhaustive => 11,
        Tier::Order => 12,
        Tier::Structural => 13,
        Tier::Proof => 14,
        Tier::Paths => 15,
        Tier::Clang => 16,
        Tier::Code { level } => BY_CODE + of_level(level),
    }
}

pub(super) fn tier(code: i64) -> Result<Tier, Malformed> {
    Ok(match code {
        BY_CALLING => Tier::Native,
        11 => Tier::Exhaustive,
        12 => Tier::Order,
        13 => Tier::Structural,
        14 => Tier::Proof,
        15 => Tier::Paths,
        16 => Tier::Clang,
        BY_CODE.. => Tier::Code { level: level(code - BY_CODE)? },
        _ => return Err(Malformed),
    })
}

pub(super) fn judged(code: i64) -> Result<JudgedCode, Malformed> {
    Ok(match code {
        1 => JudgedCode::Different(Kind::Output),
        2 => JudgedCode::Different(Kind::Undefined),
        3 => JudgedCode::Different(Kind::Endless),
        4 => JudgedCode::Unknown,
        5 => JudgedCode::Different(Kind::Ended),
        code => JudgedCode::Equivalent(tier(code)?),
    })
}

pub(super) fn of_baseline(baseline: &Baseline) -> (i64, Option<&str>) {
    match baseline {
        Baseline::Passed => (1, None),
        Baseline::Failed { why } => (2, Some(why)),
        Baseline::Flaky { why } => (3, Some(why)),
        Baseline::Skipped { why } => (4, Some(why)),
    }
}

pub(super) fn baseline(code: i64, why: Option<String>) -> Result<Baseline, Malformed> {
    let why = why.unwrap_or_default();
    Ok(match code {
        1 => Baseline::Passed,
        2 => Baseline::Failed { why },
        3 => Baseline::Flaky { why },
        4 => Baseline::Skipped { why },
        _ => return Err(Malformed),
    })
}

/// A suppression's disposition; a comment has none.
pub(super) fn of_disposition(disposition: Option<Disposition>) -> i64 {
    match disposition {
        None => 0,
        Some(Disposition::Equivalent) => 1,
        Some(Disposition::Accepted) => 2,
        Some(Disposition::Todo) => 3,
    }
}

pub(super) fn disposition(code: i64) -> Result<Option<Disposition>, Malformed> {
    Ok(match code {
        0 => None,
        1 => Some(Disposition::Equivalent),
        2 => Some(Disposition::Accepted),
        3 => Some(Disposition::Todo),
        _ => return Err(Malformed),
    })
}

/// The number of a context, and the number that some contexts carry.
pub(super) fn of_constant(constant: ConstantContext) -> (i64, Option<u32>) {
    match constant {
        ConstantContext::ArraySize { initialised } => (1, Some(u32::from(initialised))),
        ConstantContext::CaseLabel { switch } => (2, Some(switch)),
        ConstantContext::BitFieldWidth { bits } => (3, Some(bits)),
        ConstantContext::Enumerator => (4, None),
        ConstantContext::StaticInitialiser => (5, None),
        ConstantContext::TemplateArgument => (6, None),
        ConstantContext::Constexpr => (7, None),
        ConstantContext::DefaultArgument => (8, None),
        ConstantContext::MemberInitialiser => (9, None),
        ConstantContext::MacroBody => (10, None),
    }
}

pub(super) fn constant(code: i64, of: Option<u32>) -> Result<ConstantContext, Malformed> {
    Ok(match (code, of) {
        (1, Some(initialised)) => ConstantContext::ArraySize { initialised: initialised != 0 },
        (2, Some(switch)) => ConstantContext::CaseLabel { switch },
        (3, Some(bits)) => ConstantContext::BitFieldWidth { bits },
        (4, None) => ConstantContext::Enumerator,
        (5, None) => ConstantContext::StaticInitialiser,
        (6, None) => ConstantContext::TemplateArgument,
        (7, None) => ConstantContext::Constexpr,
        (8, None) => ConstantContext::DefaultArgument,
        (9, None) => ConstantContext::MemberInitialiser,
        (10, None) => ConstantContext::MacroBody,
        _ => return Err(Malformed),
    })
}

pub(super) fn of_ending(ending: Ending) -> i64 {
    match ending {
        Ending::Complete => 1,
        Ending::Stopped => 2,
        Ending::Interrupted => 3,
        Ending::OutOfBudget => 4,
        Ending::Failed => 5,
    }
}

pub(super) fn ending(code: i64) -> Result<Ending, Malformed> {
    Ok(match code {
        1 => Ending::Complete,
        2 => Ending::Stopped,
        3 => Ending::Interrupted,
        4 => Ending::OutOfBudget,
        5 => Ending::Failed,
        _ => return Err(Malformed),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::prelude::*;
    use perturb_fuzz::Share;

    #[test]
    fn every_number_stands_for_one_value() {
        for code in 0..300 {
            assert!(verdict(code).is_err() || verdict(code).map(of_verdict) == Ok(code), "verdict {code}");
            assert!(engine(code).is_err() || engine(code).map(of_engine) == Ok(code), "engine {code}");
            assert!(ending(code).is_err() || ending(code).map(of_ending) == Ok(code), "ending {code}");
            let known = disposition(code);
            assert!(known.is_err() || known.map(of_disposition) == Ok(code), "disposition {code}");
            let known = baseline(code, None);
            assert!(known.is_err() || known.is_ok_and(|known| of_baseline(&known).0 == code), "baseline {code}");
            for of in [None, Some(1)] {
                assert!(constant(code, of).is_err() || constant(code, of).map(of_constant) == Ok((code, of)), "{code}");
            }
        }
        assert_eq!((verdict(300).is_ok(), verdict(-1), verdict(6)), (true, Err(Malformed), Err(Malformed)));
    }

    #[test]
    fn outcomes_survive_a_round_trip() {
        let test = TestName::from("t");
        let mut outcomes = vec![
            Outcome::Live,
            Outcome::NotCovered,
            Outcome::NotInfected,
            Outcome::LikelyEquivalent,
            Outcome::CompileError,
            Outcome::Unstable { why: "they disagree".into() },
            Outcome::Duplicate { of: MutantId::from_bits(u64::MAX - 1), level: Level::Os },
        ];
        let kills = [Kill::Failed, Kill::Crashed { signal: 11 }, Kill::OutputDiffers, Kill::Skipped];
        let clocks = [Clock::Cpu, Clock::Wall].map(|clock| Kill::TimedOut { clock });
        let kills = kills.into_iter().chain(clocks);
        outcomes.extend(kills.map(|how| Outcome::Killed { test: test.clone(), how }));
        let by_terms = [ProvedBy::Solver, ProvedBy::SameTerms, ProvedBy::Paths];
        let engine = [ProvedBy::AllInputs, ProvedBy::AllOrders, ProvedBy::SameByClang].into_iter().chain(by_terms);
        let proofs =
            Level::ALL.into_iter().flat_map(|level| [ProvedBy::SameFunction { level }, ProvedBy::SameUnit { level }]);
        outcomes.extend(proofs.chain(engine).map(|by| Outcome::Equivalent { by }));
        outcomes.extend([Skip::Suppressed, Skip::OutOfScope, Skip::NotSampled].map(Outcome::Skipped));
        for expected in outcomes {
            let row = of_outcome(&expected).expect("all but pending have a row");
            assert_eq!(outcome(&row), Ok(expected));
        }
        assert!(of_outcome(&Outcome::Pending).is_none());
    }

    #[test]
    fn fuzzed_numbers_are_known_or_refused() {
        let code = || prop_oneof![-3..40_i64, any::<i64>()];
        let row = (code(), prop::option::of(code()), any::<bool>(), prop::option::of("O[0-9s]"));
        perturb_fuzz::holds("codes of the store", Share::All, row, |(kind, detail, has_test, why)| {
            let test = TestName::from("t");
            let row = OutcomeRow { kind, detail, test: has_test.then_some(&test), why: why.as_deref() };
            if let Ok(known) = outcome(&row) {
                assert_eq!(of_outcome(&known).map(|row| row.kind), Some(kind));
            }
            assert!(verdict(kind).is_ok_and(|known| of_verdict(known) == kind) || verdict(kind).is_err());
            let _ = (
                engine(kind),
                proof(kind),
                judged(kind),
                level(kind),
                ending(kind),
                disposition(kind),
                baseline(kind, why.clone()),
            );
            let _ = constant(kind, detail.and_then(|of| u32::try_from(of).ok()));
        });
    }
}
