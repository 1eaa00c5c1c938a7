//! The overview of the run: its scores, the outcomes of mutants, and the sample.

use super::text::{count, Escaped};
use super::{outcomes, plot, source, Report};
use crate::formats::generated::WithTests;
use crate::formats::scores;
use crate::formats::summary::{self, percent, range};
use crate::formats::{plural, time};
use crate::visible;
use maud::{html, Markup};
use perturb_model::{Interval, Projected, Sampled, Tally};
use perturb_pipeline::steps::score::{is_part, Rate, Scores};
use std::path::Path;

pub fn section(report: &Report<'_>) -> Markup {
    let run = report.run;
    let tally = report.run.tally();
    let sampled = run.sampled.as_ref().filter(|sampled| is_part(sampled));
    html! {
        section #overview aria-labelledby="title" {
            h1 #title { (Escaped(&name(report))) " " small { "mutation analysis" } }
            p.about {
                "Run " (run.id) " of " (time::date(run.started)) ", " (plural(run.tests.len(), "test")) ", "
                (plural(report.files.len(), "file"))
                @if !run.steps.is_empty() { ", " (time::duration(run.steps.iter().map(|step| step.wall).sum())) }
                ", perturb " (Escaped(&run.version))
            }
            @if let Some(why) = summary::unfinished(run) {
                p.warning role="note" { strong { "Not finished: " } (why) "." }
            }
            @if let Some(with) = WithTests::of(run) {
                p.note { (Escaped(&with.sentence())) }
            }
            div.cards {
                (scores(report, &tally))
                div.card {
                    h2 { (count(tally.total())) " mutants" }
                    (stack(&tally))
                    (counts(&tally))
                }
                @if let Some(sampled) = sampled { (sample(report, sampled)) }
            }
        }
    }
}

/// The name of the project's folder.
pub fn name(report: &Report<'_>) -> String {
    let root = &report.run.root;
    visible::name(Path::new(root.file_name().unwrap_or(root.as_os_str()))).into_owned()
}

fn scores(report: &Report<'_>, tally: &Tally) -> Markup {
    let run = report.run;
    let Some(Scores { covered, all, adjusted, confidence, .. }) = Scores::of(tally, run.sampled.as_ref()) else {
        return html! { div.card.score { h2 { "Score" } p.headline { "none" } p { "No mutant was decided." } } };
    };
    let sure = |rate: Rate| rate.interval.map(|interval| format!("{}, {confidence} sure", range(interval)));
    let projected = scores::projection(run, tally).filter(|_| covered.interval.is_none());
    let [of_covered, of_all] = match projected {
        Some(Projected { covered, all }) => {
            let note = format!("expected, if the rest is like the {} executed", tally.executed());
            [covered, all].map(|percent| Gauge {
                value: scores::projected(percent),
                share: percent / 100.0,
                interval: None,
                note: Some(note.clone()),
            })
        }
        None => [covered, all].map(|rate| Gauge {
            value: percent(rate.share),
            share: rate.share,
            interval: rate.interval,
            note: sure(rate),
        }),
    };
    let exact = |score: Option<perturb_model::Score>| {
        score
            .filter(|_| covered.interval.is_none() && projected.is_none())
            .map(|score| format!("{} of {} killed", count(score.killed()), count(score.of())))
    };
    html! {
        div.card.score {
            h2 { "Score" }
            (of_covered.show("covered code", "headline", exact(tally.score_of_covered())))
            (of_all.show("all code", "second", exact(tally.score_of_all())))
            @if !summary::discarded(tally).is_empty() && projected.is_none() {
                p.note { (percent(adjusted.share)) " of covered code without " (summary::discarded(tally)) "." }
            }
        }
    }
}

/// A score as a bar from 0 to 100 %.
struct Gauge {
    value: String,
    share: f64,
    interval: Option<Interval>,
    note: Option<String>,
}

impl Gauge {
    fn show(&self, what: &str, class: &str, exact: Option<String>) -> Markup {
        let note = self.note.as_ref().or(exact.as_ref());
        let label = format!("{} of {what}{}", self.value, note.map(|note| format!(", {note}")).unwrap_or_default());
        let at = |share: f64| format!("{:.2}%", 100.0 * share.clamp(0.0, 1.0));
        html! {
            div.gauge {
                p.(class) { (self.value) " " small { "of " (what) } }
                div.track role="img" aria-label=(label) {
                    i.fill style={ "width:" (at(self.share)) } {}
                    @if let Some(Interval { low, high }) = self.interval {
                        i.band style={ "left:" (at(low)) ";width:" (at(high - low)) } {}
                    }
                    i.tick style={ "left:" (at(self.share)) } {}
                }
                @if let Some(note) = note { p.note { (note) } }
            }
        }
    }
}

/// All outcomes as one bar.
pub fn stack(tally: &Tally) -> Markup {
    let total = tally.total().max(1) as f64;
    let words = source::words(tally);
    html! {
        div.stack role="img" aria-label=(words) title=(words) {
            @for counted in outcomes(tally) {
                i.(counted.class) style={ "width:" (format!("{:.2}%", 100.0 * counted.count as f64 / total)) } {}
            }
        }
    }
}

fn counts(tally: &Tally) -> Markup {
    html! {
        table.counts {
            tbody { @for counted in outcomes(tally) {
                tr {
                    th scope="row" { span.swatch.(counted.class) aria-hidden="true" {} (counted.word) }
                    td.n { (count(counted.count)) }
                    td.note { (counted.note) }
                }
            } }
        }
    }
}

fn sample(report: &Report<'_>, sampled: &Sampled) -> Markup {
    let Sampled { strategy, population, estimate, .. } = sampled;
    html! {
        div.card.sample {
            h2 { "Sample" }
            p.note {
                (count(estimate.killed.of() as usize)) " of " (count(*population)) " mutants were drawn at random ("
                (strategy.to_string()) ", seed " (report.run.seed) "), "
                (count(estimate.killed.hits() as usize)) " of them killed."
                @if !sampled.is_complete { " The sample is not complete: the run ended early." }
            }
            (plot::narrowing(report.run, sampled))
        }
    }
}
