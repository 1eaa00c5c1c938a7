//! Reports a run to people, after its mutants are listed: what was found, how long it will take, how far it is.

use super::Console;
use crate::formats::{plural, time};
use crate::visible;
use perturb_model::{Comparisons, Engine, Event, Forecast, Interval};
use std::fmt::Display;
use std::time::Duration;

/// For a run without a budget that takes longer than this, a note suggests `--budget`.
const LONG: Duration = Duration::from_secs(20 * 60);

/// The output of so many tests that are left out is shown; the others are only named.
const MOST_OUTPUTS: usize = 3;

/// How far a run is.
#[derive(Debug, Default)]
pub(super) struct Progress {
    forecast: Forecast,
    left_out: usize,
    killed: usize,
    live: usize,
}

impl Console {
    pub(super) fn run_event(&self, event: &Event) {
        match event {
            Event::BuildStarted { what } => self.bars.start_spinner(format!("building {what}")),
            Event::BuildFinished { what, wall } => {
                self.clear();
                self.note(format_args!("built {what} in {}", time::duration(*wall)));
            }
            Event::TestsFound { notices, .. } => self.notices(notices),
            Event::Sandboxed { layers, gaps, missing } => {
                self.note(format_args!("mutants run in a sandbox: {layers}"));
                if !gaps.is_empty() {
                    self.warning(format_args!("the sandbox is off: {}", gaps.join("; ")));
                } else if !missing.is_empty() {
                    let missing = missing.join("; ");
                    self.warning(format_args!("the sandbox lacks a layer (see `perturb doctor`): {missing}"));
                }
            }
            Event::BuildsNotConfined { tail } => self.warning(format_args!(
                "the project does not build in the sandbox, so mutants are built outside of it, where whatever the \
                 build runs may do all that you may; name the folders that it needs in perturb.toml (`[sandbox] \
                 readable = [...]`); its last lines there:\n{tail}"
            )),
            Event::BaselineStarted { runs } => self.bars.start("baseline", "runs of tests", *runs),
            Event::BaselineAdvanced | Event::RecordAdvanced => self.bars.advance(1),
            Event::TestLeftOut { test, why, output } => {
                let mut progress = self.progress.borrow_mut();
                progress.left_out += 1;
                let lines = if progress.left_out <= MOST_OUTPUTS { last_lines(output) } else { Vec::new() };
                let output: String = lines.iter().map(|line| format!("\n  | {line}")).collect();
                let test = visible::line(test.as_str());
                self.warning(format_args!("{test} is left out: on the original: {why}{output}"));
            }
            Event::MemoryNotLimited { test } => self.warning(format_args!(
                "memory is not limited: {} passes on the original only without a limit (`--test-memory SIZE` sets \
                 another)",
                visible::line(test.as_str())
            )),
            Event::BaselineFinished { passed, of, wall } => {
                self.clear();
                self.note(baseline(*passed, *of, *wall));
            }
            Event::Instrumented { switched, rebuilt } => {
                if let Some(text) = instrumented(*switched, *rebuilt) {
                    self.note(text);
                }
            }
            Event::RecordStarted { tests } => self.bars.start("recording", "tests", *tests),
            Event::FunctionLeftOut { function, test } => self.warning(format_args!(
                "{} does not pass with this function instrumented, so its mutants are built by themselves: {}",
                visible::line(test.as_str()),
                visible::line(function)
            )),
            Event::TestNotInstrumented { test } => self.warning(format_args!(
                "{} does not pass on the instrumented program, or starts it without its environment: it is run on \
                 builds of single mutants only",
                visible::line(test.as_str())
            )),
            Event::RecordFinished => self.clear(),
            _ => self.execute_event(event),
        }
    }

    fn execute_event(&self, event: &Event) {
        match event {
            Event::ExecuteStarted { mutants, known, runs, forecast, granted } => {
                self.progress.borrow_mut().forecast = *forecast;
                self.note(forecast_line(*mutants, *known, *runs, forecast, *granted));
            }
            Event::SampleStarted { .. } | Event::SampleAdvanced { .. } => self.sample_event(event),
            Event::EngineStarted { engine, mutants } => {
                let (what, then) = match engine {
                    Engine::Split | Engine::Switched => ("executing", then(&self.progress.borrow().forecast)),
                    Engine::Rebuild => ("building and executing", String::new()),
                };
                self.bars.start_with_text(what, "mutants", *mutants, &then);
                self.show_counts();
            }
            Event::DiscardStarted { .. } | Event::Discarded { .. } => self.discard_event(event),
            Event::EquivalenceStarted { .. }
            | Event::MutantCompared { .. }
            | Event::EquivalenceFinished { .. }
            | Event::EquivalenceFailed { .. } => self.equivalence_event(event),
            Event::AuditStarted { mutants } => self.bars.start_with_text("auditing", "verdicts", *mutants, ""),
            Event::FindAgainStarted { engine, mutants } => self.finding_again(*engine, *mutants),
            Event::Audited { count, .. } => self.audited(count),
            Event::ExecuteAdvanced { mutants } => self.bars.advance(*mutants),
            Event::MutantDecided { outcome, .. } => {
                if outcome.is_decided_by_tests() {
                    let mut progress = self.progress.borrow_mut();
                    *(if outcome.is_killed() { &mut progress.killed } else { &mut progress.live }) += 1;
                    drop(progress);
                    self.show_counts();
                }
            }
            Event::ExecuteFinished { .. } => self.clear(),
            Event::Comparing { units, done, total } => {
                let what = if *units { "comparing the code of live mutants" } else { "comparing compiled code" };
                self.bars.set(what, "parts", *done, *total);
            }
            Event::CompareFailed { reason } => {
                self.warning(format_args!("compiled code is not compared any further: {reason}"));
            }
            Event::Compared { equivalent, duplicate, by_unit, .. } => {
                self.clear();
                self.note(compared(*equivalent, *duplicate, *by_unit));
            }
            Event::SourcesChanged { files } => {
                self.clear();
                let files: Vec<_> = files.iter().map(|file| visible::path(file)).collect();
                self.warning(format_args!(
                    "changed while the run went on: {}; its results are about the earlier text: run again",
                    some(&files)
                ));
            }
            _ => self.coverage_event(event),
        }
    }

    fn discard_event(&self, event: &Event) {
        match event {
            Event::DiscardStarted { mutants } => {
                self.bars.start_with_text("counting what live mutants execute", "mutants", *mutants, "")
            }
            Event::Discarded { likely } => {
                self.clear();
                let what = "likely equivalent: no test executes anything else on them, or another number of times";
                self.note(format_args!("{} that live are {what}", plural(*likely, "mutant")));
            }
            _ => {}
        }
    }

    fn equivalence_event(&self, event: &Event) {
        match event {
            Event::EquivalenceStarted { mutants: 0, .. } => {}
            Event::EquivalenceStarted { mutants, has_clang, .. } => {
                if !has_clang {
                    self.note("no clang is installed: inputs of live mutants are tried, and little is proved");
                }
                self.bars.start(&format!("comparing {}", plural(*mutants, "live mutant")), "done", *mutants);
            }
            Event::MutantCompared { .. } => self.bars.advance(1),
            Event::EquivalenceFinished { found, left } => {
                self.clear();
                self.note(functions_compared(found, *left));
            }
            Event::EquivalenceFailed { reason } => {
                self.clear();
                self.warning(format_args!("live mutants are not compared any further: {reason}"));
            }
            _ => {}
        }
    }

    fn sample_event(&self, event: &Event) {
        match event {
            Event::SampleStarted { strategy, population, drawn } => self.note(match population == drawn {
                true => format!("mutants are drawn one after the other from {population} ({strategy})"),
                false => format!("{drawn} of {} are drawn ({strategy})", plural(*population, "mutant")),
            }),
            Event::SampleAdvanced { drawn, estimate, .. } => {
                self.clear();
                let Interval { low, high } = estimate.interval();
                let [low, high] = [low, high].map(|share| 100.0 * share);
                self.note(format_args!(
                    "{} drawn so far: the score is between {low:.1} and {high:.1} %",
                    plural(*drawn, "mutant")
                ));
            }
            _ => {}
        }
    }

    /// Warns about coverage data from gcov or from the user.
    fn coverage_event(&self, event: &Event) {
        match event {
            Event::CoverageUnknown { tests, why } => self.warning(format_args!(
                "it is not known what {} execute{}, so that every mutant is executed with {}: {why}",
                some(tests),
                if tests.len() == 1 { "s" } else { "" },
                if tests.len() == 1 { "it" } else { "them" },
            )),
            Event::CoverageUnmatched { names } => {
                self.warning(format_args!("these coverage data fit no test: {}", some(names)));
            }
            Event::CoverageStale { file, is_used: true } => self.warning(format_args!(
                "{} has changed after the coverage data were collected: if its lines have moved, collect the data \
                 again",
                visible::path(file)
            )),
            Event::CoverageStale { file, is_used: false } => self.warning(format_args!(
                "{}: the coverage data have lines that the file does not have, so perturb does not use them for this \
                 file",
                visible::path(file)
            )),
            Event::GcovUnusable { reason } => {
                self.clear();
                self.warning(format_args!("without gcov, every mutant is executed with every test: {reason}"));
            }
            _ => {}
        }
    }

    fn show_counts(&self) {
        let Progress { killed, live, .. } = *self.progress.borrow();
        self.bars.set_text(format!(": {killed} killed, {live} live"));
    }
}

/// The first few of a list, and how many more there are.
fn some(names: &[impl Display]) -> String {
    const FEW: usize = 5;
    let first: Vec<String> = names.iter().take(FEW).map(|name| visible::line(&name.to_string()).into_owned()).collect();
    match names.len().checked_sub(FEW) {
        None | Some(0) => first.join(", "),
        Some(more) => format!("{} and {more} more", first.join(", ")),
    }
}

fn baseline(passed: usize, of: usize, wall: Duration) -> String {
    let which = match (passed, of) {
        (1, 1) => "the one test passes".to_string(),
        (passed, of) if passed == of => format!("all {of} tests pass"),
        (1, of) => format!("1 of {of} tests passes"),
        (passed, of) => format!("{passed} of {of} tests pass"),
    };
    format!("{which} on the original, twice; one round takes {}", time::duration(wall))
}

/// The note on the instrumented build. None if a warning has said it.
fn instrumented(switched: usize, rebuilt: usize) -> Option<String> {
    match (switched, rebuilt) {
        (0, _) => None,
        (_, 0) => Some("all of them are in that one build".to_string()),
        (_, 1) => Some("all mutants but 1 are in that one build; that one is built by itself".to_string()),
        _ => {
            Some(format!("{} are in that one build; {rebuilt} have to be built one by one", plural(switched, "mutant")))
        }
    }
}

/// `2249 mutants to execute: about 1 min (up to 2942 runs of tests, 231 builds)`
fn forecast_line(mutants: usize, known: usize, runs: usize, forecast: &Forecast, granted: Option<Duration>) -> String {
    let to_execute = plural(mutants, "mutant");
    let known = match (mutants, known) {
        (0, 0) => return "no mutant has to be executed: these tests can kill none".to_string(),
        (0, _) => return "no mutant has to be executed: earlier runs know all of it".to_string(),
        (_, 0) => String::new(),
        (_, known) => format!(" ({known} more are known from earlier runs)"),
    };
    let runs = if runs == 1 { "one run of a test".to_string() } else { format!("up to {runs} runs of tests") };
    let mut parts = vec![runs];
    if forecast.builds > 0 {
        parts.push(plural(forecast.builds, "build"));
    }
    let total = forecast.switched + forecast.rebuild.unwrap_or_default();
    let unknown = if forecast.rebuild.is_none() { ", and what the builds take" } else { "" };
    let hint = match granted {
        Some(granted) if granted < total || forecast.rebuild.is_none() => {
            format!("; as many as fit into the {} that are left are drawn at random", time::duration(granted))
        }
        None if total > LONG => "; `--budget 10m` would end it early, with a fair sample".to_string(),
        _ => String::new(),
    };
    format!("{to_execute} to execute{known}: {}{unknown} ({}){hint}", time::about(total), parts.join(", "))
}

/// `compiled code shows 120 mutants to be equivalent, 3 of them only with their whole units, and 310 to be there twice`
fn compared(equivalent: usize, duplicate: usize, by_unit: usize) -> String {
    let late = match by_unit {
        0 => String::new(),
        late => format!(" ({late} of them only by their whole units)"),
    };
    format!(
        "compiled code shows {} to be equivalent{late} and {duplicate} to be duplicates",
        plural(equivalent, "mutant")
    )
}

/// `compared 9 live mutants with the original: 5 different (4 by their output, 1 endless), 2 equivalent, 1 likely so, 1
/// unknown`
fn functions_compared(found: &Comparisons, left: usize) -> String {
    let Comparisons { output, endless, undefined, equivalent, conditional, unknown } = *found;
    let kinds = [(output, "by their output"), (endless, "endless"), (undefined, "undefined")];
    let kinds: Vec<String> =
        kinds.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    let kinds = if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join(", ")) };
    let rest = if left > 0 { format!("; {left} were not compared: it was time to stop") } else { String::new() };
    format!(
        "compared {} with the original: {} different{kinds}, {equivalent} equivalent, {conditional} likely so, \
         {unknown} unknown{rest}",
        plural(found.total(), "live mutant"),
        found.different()
    )
}

/// The end of the bar's text: the builds that follow.
fn then(forecast: &Forecast) -> String {
    match (forecast.builds, forecast.rebuild) {
        (0, _) => String::new(),
        (builds, None) => format!("; then {}", plural(builds, "build")),
        (builds, Some(time)) => format!("; then {}, {}", plural(builds, "build"), time::about(time)),
    }
}

/// The last lines of a test's output.
pub fn last_lines(output: &[u8]) -> Vec<String> {
    const LINES: usize = 8;
    let text = visible::bytes(output);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(LINES)..];
    last.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn the_note_on_the_baseline_has_singular_and_plural() {
        let note = |passed, of| baseline(passed, of, seconds(2));
        assert_eq!(note(1, 1), "the one test passes on the original, twice; one round takes 2.00 s");
        assert!(note(4, 4).starts_with("all 4 tests pass on"));
        assert!(note(1, 3).starts_with("1 of 3 tests passes on"));
        assert!(note(2, 3).starts_with("2 of 3 tests pass on"));
    }

    #[test]
    fn the_note_on_what_is_to_be_executed_has_an_estimate() {
        let forecast = Forecast { switched: seconds(40), builds: 231, rebuild: Some(seconds(100)) };
        let long = Forecast { switched: seconds(7200), builds: 0, rebuild: Some(seconds(0)) };
        let unmeasured = Forecast { rebuild: None, ..forecast };
        let one_build = Forecast { builds: 1, ..forecast };
        let all = "9 mutants to execute: about 2 min (up to 30 runs of tests, 231 builds)";
        let cut = "; as many as fit into the 10 min 00 s that are left are drawn at random";
        for (mutants, known, runs, forecast, granted, expected) in [
            (9, 0, 30, forecast, None, all.to_string()),
            (9, 0, 30, forecast, Some(seconds(600)), all.to_string()),
            (
                9,
                0,
                30,
                long,
                None,
                "9 mutants to execute: about 2 h (up to 30 runs of tests); `--budget 10m` would end it early, with a \
                 fair sample"
                    .to_string(),
            ),
            (
                9,
                0,
                30,
                long,
                Some(seconds(600)),
                format!("9 mutants to execute: about 2 h (up to 30 runs of tests){cut}"),
            ),
            (
                9,
                0,
                30,
                unmeasured,
                Some(seconds(600)),
                format!(
                    "9 mutants to execute: about 40 s, and what the builds take (up to 30 runs of tests, 231 \
                     builds){cut}"
                ),
            ),
            (
                2,
                7,
                1,
                one_build,
                None,
                "2 mutants to execute (7 more are known from earlier runs): about 2 min (one run of a test, 1 build)"
                    .to_string(),
            ),
            (0, 7, 0, one_build, None, "no mutant has to be executed: earlier runs know all of it".to_string()),
            (0, 0, 0, long, None, "no mutant has to be executed: these tests can kill none".to_string()),
        ] {
            assert_eq!(forecast_line(mutants, known, runs, &forecast, granted), expected);
        }
    }
}
