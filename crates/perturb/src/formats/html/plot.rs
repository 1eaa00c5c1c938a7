//! A plot of how the interval of the score narrows while mutants are drawn.

use crate::formats::plural;
use crate::formats::summary::range;
use maud::{html, Markup};
use perturb_model::{Interval, Method, Sampled, Share};
use perturb_store::StoredRun;
use std::fmt::Write as _;

const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 230.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 34.0;
/// More points would not be visible.
const POINTS: usize = 160;
/// The plot starts after so many mutants: before, the interval is so wide that the rest would be small.
const FIRST: usize = 20;

/// The score after so many mutants drawn.
struct Point {
    drawn: usize,
    share: f64,
    interval: Interval,
}

pub fn narrowing(run: &StoredRun, sampled: &Sampled) -> Markup {
    let points = points(run, sampled);
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return html! {} };
    let most = last.drawn.max(2) as f64;
    let x = |drawn: usize| LEFT + (WIDTH - LEFT - RIGHT) * drawn as f64 / most;
    // The axis has whole tenths, and contains the widest interval.
    let lowest = (10.0 * points.iter().map(|point| point.interval.low).fold(1.0, f64::min)).floor() / 10.0;
    let highest = (10.0 * points.iter().map(|point| point.interval.high).fold(0.0, f64::max)).ceil() / 10.0;
    let is_on_axis = |percent: i32| (lowest - 0.01..=highest + 0.01).contains(&(f64::from(percent) / 100.0));
    let y = |share: f64| TOP + (HEIGHT - TOP - BOTTOM) * (highest - share) / (highest - lowest);
    let upper = path(points.iter().map(|point| (x(point.drawn), y(point.interval.high))));
    let lower = path(points.iter().rev().map(|point| (x(point.drawn), y(point.interval.low))));
    let line = path(points.iter().map(|point| (x(point.drawn), y(point.share))));
    let description = format!(
        "After {} the interval was {}; after {} it is {}.",
        plural(first.drawn, "mutant"),
        range(first.interval),
        last.drawn,
        range(last.interval)
    );
    html! {
        figure.plot {
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-labelledby="plot-t plot-d" {
                title #plot-t { "The interval of the score over the sample" }
                desc #plot-d { (description) }
                @for percent in (0..=100).step_by(10).filter(|percent| is_on_axis(*percent)) {
                    @let at = format!("{:.1}", y(f64::from(percent) / 100.0));
                    line.grid x1=(LEFT) x2=(WIDTH - RIGHT) y1=(at) y2=(at) {}
                    text x=(LEFT - 8.0) y=(at) dy="4" text-anchor="end" { (percent) " %" }
                }
                @for drawn in ticks(last.drawn) {
                    @let at = format!("{:.1}", x(drawn));
                    line.grid x1=(at) x2=(at) y1=(HEIGHT - BOTTOM) y2=(HEIGHT - BOTTOM + 4.0) {}
                    text x=(at) y=(HEIGHT - BOTTOM + 17.0) text-anchor="middle" { (drawn) }
                }
                text x=(WIDTH - RIGHT) y=(HEIGHT - 3.0) text-anchor="end" { "mutants drawn" }
                path.band d={ (upper) "L" (&lower[1..]) "Z" } {}
                path.line d=(line) {}
            }
            figcaption {
                (description)
                @if let Method::Corrected { .. } = sampled.estimate.method {
                    " Before it is corrected by what reduced suites miss."
                }
            }
        }
    }
}

/// The points, in the order in which mutants were drawn.
fn points(run: &StoredRun, sampled: &Sampled) -> Vec<Point> {
    let mut killed = Share::default();
    let mut points = Vec::new();
    let step = sampled.drawn.len().div_ceil(POINTS).max(1);
    let first = FIRST.min(sampled.drawn.len());
    for (at, mutant) in sampled.drawn.iter().enumerate() {
        let Some(state) = run.mutants.get(mutant.get()) else { continue };
        killed.add(state.outcome.is_killed());
        let drawn = at + 1;
        if drawn == first || drawn == sampled.drawn.len() || (drawn > first && drawn.is_multiple_of(step)) {
            let interval = Interval::clopper_pearson(killed, sampled.rule.confidence);
            points.push(Point { drawn, share: killed.value().unwrap_or_default(), interval });
        }
    }
    points
}

fn path(points: impl Iterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (at, (x, y)) in points.enumerate() {
        let _ = write!(path, "{}{x:.1} {y:.1}", if at == 0 { 'M' } else { 'L' });
    }
    path
}

/// Round numbers, about five of them.
fn ticks(most: usize) -> Vec<usize> {
    let rough = (most / 5).max(1);
    let power = 10_usize.pow(rough.ilog10());
    let step = [1, 2, 5, 10].into_iter().map(|factor| factor * power).find(|step| *step >= rough).unwrap_or(rough);
    (0..=most / step).map(|number| number * step).collect()
}
