//! Events as JSON, one object a line, for programs that follow a run.

use super::equivalence::kind;
use super::json::write_line;
use crate::visible;
use perturb_model::{
    AuditCount, Contradiction, Disagreement, Engine, Event, Forecast, Judgement, Mutant, MutantIdx, Outcome, PairCount,
};
use serde_json::{json, Value};
use std::io::Write;

/// Writes one event. Ignores errors: the reader may have gone away.
pub fn write(event: &Event, mutants: &[Mutant], out: &mut impl Write) {
    if let Some(value) = value(event, mutants) {
        let _ = write_line(&value, out);
    }
}

fn decided(mutant: &Mutant, outcome: &Outcome) -> Value {
    let id = mutant.id.to_string();
    let name = mutant.name();
    let (word, detail) = (outcome.word(), outcome.to_string());
    let mut value = json!({ "event": "mutant", "id": id, "name": name, "outcome": word, "detail": detail });
    if let Outcome::Killed { test, how } = outcome {
        value["test"] = json!(test.as_str());
        value["how"] = json!(how.to_string());
    }
    value
}

/// The start of execution, with what is to be executed.
fn to_execute(mutants: usize, known: usize, runs: usize, forecast: &Forecast) -> Value {
    json!({
        "event": "execute started",
        "mutants": mutants,
        "runs": runs,
        "known": known,
        "builds": forecast.builds,
        "seconds_switched": forecast.switched.as_secs_f64(),
        "seconds_rebuild": forecast.rebuild.map(|time| time.as_secs_f64()),
    })
}

/// The end of execution, with the work of the engines.
fn executed(executions: usize, reused: usize, pairs: &[PairCount]) -> Value {
    let of =
        |count: &PairCount| json!({ "engine": count.engine.to_string(), "why_not": count.why, "pairs": count.pairs });
    let pairs: Vec<Value> = pairs.iter().map(of).collect();
    json!({ "event": "execute finished", "executions": executions, "reused": reused, "pairs": pairs })
}

/// The mutants drawn, and the score so far.
fn drawn(event: &Event) -> Value {
    match event {
        Event::SampleStarted { strategy, population, drawn } => {
            json!({ "event": "sample started", "strategy": strategy, "population": population, "at_most": drawn })
        }
        Event::SampleAdvanced { drawn, estimate, is_enough } => {
            let killed = estimate.killed;
            let interval = estimate.interval();
            json!({
                "event": "sample",
                "drawn": drawn,
                "killed": killed.hits(),
                "of": killed.of(),
                "low": interval.low,
                "high": interval.high,
                "enough": is_enough,
            })
        }
        _ => Value::Null,
    }
}

/// The result of the audit.
fn audited(count: &AuditCount, disagreements: &[Disagreement], mutants: &[Mutant]) -> Value {
    let of = |found: &Disagreement| {
        json!({
            "id": mutants[found.mutant].id.to_string(),
            "instrumented": found.fast.to_string(),
            "rebuilt": found.rebuilt.to_string(),
            "log": visible::name(&found.log),
        })
    };
    let disagreements: Vec<Value> = disagreements.iter().map(of).collect();
    json!({
        "event": "audited",
        "checked": count.checked,
        "disagreements": disagreements,
        "confirmed": count.confirmed,
        "changed": count.changed,
        "in_doubt": count.in_doubt,
    })
}

/// The sandbox of the run.
fn sandboxed(layers: &str, gaps: &[String], missing: &[String]) -> Value {
    json!({ "event": "sandbox", "layers": layers, "gaps": gaps, "missing": missing })
}

fn find_again_started(engine: Engine, mutants: usize) -> Value {
    json!({ "event": "find again started", "engine": engine.to_string(), "mutants": mutants })
}

fn engine_started(engine: Engine, mutants: usize) -> Value {
    json!({ "event": "engine started", "engine": engine.to_string(), "mutants": mutants })
}

/// The comparison of live mutants with the original.
fn functions_compared(event: &Event, mutants: &[Mutant]) -> Value {
    match event {
        Event::EquivalenceStarted { mutants, known, has_clang } => {
            json!({ "event": "equivalence started", "mutants": mutants, "known": known, "clang": has_clang })
        }
        Event::MutantCompared { mutant, judgement } => {
            let mut value = judgement_value(judgement);
            value["event"] = json!("mutant compared");
            value["id"] = json!(mutants[*mutant].id.to_string());
            value
        }
        Event::EquivalenceFinished { found, left } => json!({
            "event": "equivalence finished",
            "output": found.output,
            "endless": found.endless,
            "undefined": found.undefined,
            "equivalent": found.equivalent,
            "likely_equivalent": found.conditional,
            "unknown": found.unknown,
            "left": left,
        }),
        Event::EquivalenceFailed { reason } => json!({ "event": "equivalence failed", "reason": reason }),
        _ => unreachable!("the caller passes events of the equivalence step"),
    }
}

/// The judgement on one mutant, in the words of `perturb equiv`.
fn judgement_value(judgement: &Judgement) -> Value {
    match judgement {
        Judgement::Different(shown) => json!({
            "verdict": "different",
            "kind": kind(shown.kind),
            "tier": shown.by.to_string(),
            "witness": { "input": shown.input, "told": shown.effects() },
        }),
        Judgement::Equivalent(proved) => json!({
            "verdict": "equivalent",
            "tier": proved.by.to_string(),
            "bound": proved.bound,
            "assumptions": proved.assumptions,
        }),
        Judgement::Unknown { why } => json!({ "verdict": "unknown", "why": why }),
    }
}

/// The comparison of compiled code.
fn compared(event: &Event, mutants: &[Mutant]) -> Value {
    match event {
        Event::Compared { equivalent, duplicate, by_unit, contradicted } => {
            let says = |(mutant, found): &(MutantIdx, Contradiction)| {
                json!({
                    "id": mutants[*mutant].id.to_string(),
                    "code_says": found.says.to_string(),
                    "assumes": found.assumes.map(|assumption| assumption.to_string()),
                })
            };
            json!({
                "event": "compared",
                "equivalent": equivalent,
                "duplicate": duplicate,
                "by_unit": by_unit,
                "contradicted": contradicted.iter().map(says).collect::<Vec<Value>>(),
            })
        }
        Event::CompareFailed { reason } => json!({ "event": "compare failed", "reason": reason }),
        _ => Value::Null,
    }
}

/// Problems with coverage.
fn coverage_problem(event: &Event) -> Value {
    match event {
        Event::CoverageUnknown { tests, why } => {
            let tests: Vec<&str> = tests.iter().map(|test| test.as_str()).collect();
            json!({ "event": "coverage unknown", "tests": tests, "why": why.to_string() })
        }
        Event::CoverageUnmatched { names } => json!({ "event": "coverage unmatched", "names": names }),
        Event::CoverageStale { file, is_used } => {
            json!({ "event": "coverage stale", "file": visible::name(file), "used": is_used })
        }
        Event::GcovUnusable { reason } => json!({ "event": "gcov unusable", "reason": reason }),
        _ => Value::Null,
    }
}

/// The event as JSON. None for events that only people need.
fn value(event: &Event, mutants: &[Mutant]) -> Option<Value> {
    Some(match event {
        Event::MutateFinished { mutants } => json!({ "event": "mutants", "count": mutants }),
        Event::BuildStarted { what } => json!({ "event": "build started", "what": what }),
        Event::BuildFinished { what, wall } => {
            json!({ "event": "build finished", "what": what, "seconds": wall.as_secs_f64() })
        }
        Event::Sandboxed { layers, gaps, missing } => sandboxed(layers, gaps, missing),
        Event::BuildsNotConfined { tail } => json!({ "event": "builds not confined", "tail": tail }),
        Event::BaselineStarted { runs } => json!({ "event": "baseline started", "runs": runs }),
        Event::TestLeftOut { test, why, .. } => {
            json!({ "event": "test left out", "test": test.as_str(), "why": why.to_string() })
        }
        Event::TestsFound { tests, .. } => json!({ "event": "tests", "count": tests }),
        Event::MemoryNotLimited { test } => json!({ "event": "memory not limited", "test": test.as_str() }),
        Event::BaselineFinished { passed, of, wall } => {
            json!({ "event": "baseline finished", "passed": passed, "of": of, "seconds": wall.as_secs_f64() })
        }
        Event::NotInstrumented { log, .. } => json!({ "event": "not instrumented", "log": visible::name(log) }),
        Event::Instrumented { switched, rebuilt } => {
            json!({ "event": "instrumented", "switched": switched, "rebuilt": rebuilt })
        }
        Event::RecordStarted { tests } => json!({ "event": "record started", "tests": tests }),
        Event::FunctionLeftOut { function, test } => {
            json!({ "event": "function left out", "function": function, "test": test.as_str() })
        }
        Event::TestNotInstrumented { test } => json!({ "event": "test not instrumented", "test": test.as_str() }),
        Event::CoverageUnknown { .. }
        | Event::CoverageUnmatched { .. }
        | Event::CoverageStale { .. }
        | Event::GcovUnusable { .. } => coverage_problem(event),
        Event::RecordFinished => json!({ "event": "record finished" }),
        Event::SampleStarted { .. } | Event::SampleAdvanced { .. } => drawn(event),
        Event::ExecuteStarted { mutants, known, runs, forecast, .. } => to_execute(*mutants, *known, *runs, forecast),
        Event::EngineStarted { engine, mutants } => engine_started(*engine, *mutants),
        Event::MutantDecided { mutant, outcome } => decided(&mutants[*mutant], outcome),
        Event::Compared { .. } | Event::CompareFailed { .. } => compared(event, mutants),
        Event::DiscardStarted { mutants } => json!({ "event": "discard started", "mutants": mutants }),
        Event::Discarded { likely } => json!({ "event": "discarded", "likely_equivalent": likely }),
        Event::EquivalenceStarted { .. }
        | Event::MutantCompared { .. }
        | Event::EquivalenceFinished { .. }
        | Event::EquivalenceFailed { .. } => functions_compared(event, mutants),
        Event::AuditStarted { mutants } => json!({ "event": "audit started", "mutants": mutants }),
        Event::FindAgainStarted { engine, mutants } => find_again_started(*engine, *mutants),
        Event::Audited { count, disagreements } => audited(count, disagreements, mutants),
        Event::SourcesChanged { files } => {
            let files: Vec<_> = files.iter().map(|file| visible::name(file)).collect();
            json!({ "event": "sources changed", "files": files })
        }
        Event::ExecuteFinished { executions, reused, pairs } => executed(*executions, *reused, pairs),
        Event::MutateStarted { .. }
        | Event::UnitMutated { .. }
        | Event::UnitSkipped { .. }
        | Event::ParseErrors { .. }
        | Event::FlagsLeftOut { .. }
        | Event::CompilerUnclear { .. }
        | Event::ExpressionsTooLarge { .. }
        | Event::CommentMisread { .. }
        | Event::RegionNotClosed { .. }
        | Event::SuppressionWithoutReason { .. }
        | Event::ReviewUnmatched { .. }
        | Event::BaselineAdvanced
        | Event::RecordAdvanced
        | Event::Comparing { .. }
        | Event::ExecuteAdvanced { .. } => return None,
    })
}
