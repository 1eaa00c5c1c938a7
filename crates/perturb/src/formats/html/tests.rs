//! The table of tests.

use super::text::{count, prose, Escaped};
use super::Report;
use crate::formats::time;
use crate::page::Page;
use maud::{html, Markup};

pub fn section(report: &Report<'_>) -> Markup {
    let table = &report.tests;
    let mut remarks = Page::default();
    let _ = table.write_remarks(&mut remarks);
    let remarks = remarks.plain();
    let known = |number: Option<usize>| number.map_or_else(|| "?".to_string(), count);
    html! {
        section #tests aria-labelledby="tests-h" {
            h2 #tests-h { "Tests" " " small { (count(table.tests.len())) } }
            @if table.tests.is_empty() { p { "None was found yet." } } @else {
                div.scroll { table.tests {
                    thead { tr {
                        th scope="col" { "test" }
                        @for word in ["CPU", "reached", "infected", "killed", "killed alone"] {
                            th.n scope="col" { (word) }
                        }
                    } }
                    tbody { @for test in &table.tests {
                        @if test.baseline == "passed" {
                            tr {
                                th scope="row" { (Escaped(test.test)) }
                                td.n { (time::duration(test.cpu)) }
                                td.n { (known(test.reached)) }
                                td.n { (known(test.infected)) }
                                td.n { (count(test.killed)) }
                                td.n { (known(test.killed_alone)) }
                            }
                        } @else {
                            tr.out {
                                th scope="row" { (Escaped(test.test)) }
                                td colspan="5" { "left out: " (test.baseline) }
                            }
                        }
                    } }
                } }
                @for remark in remarks.lines() { p.note { (prose(remark)) } }
            }
        }
    }
}
