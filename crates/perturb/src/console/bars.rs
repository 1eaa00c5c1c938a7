//! The progress bar or spinner at the bottom of a terminal. Without a terminal there is none. Templates are ours; text
//! of others comes only into messages.

use crate::visible;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::RefCell;
use std::time::Duration;

#[derive(Debug)]
pub struct Bars {
    is_hidden: bool,
    current: RefCell<Option<ProgressBar>>,
}

impl Bars {
    pub fn new(is_hidden: bool) -> Self {
        Self { is_hidden, current: RefCell::new(None) }
    }

    /// Prints above the bar.
    pub fn aside(&self, print: impl FnOnce()) {
        match &*self.current.borrow() {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Starts `what [####----] 12/40 items, 3s left`.
    pub fn start(&self, what: &str, items: &str, count: usize) {
        self.show(count, &format!("{what} {{bar:40}} {{pos}}/{{len}} {items}, {{eta}} left"));
    }

    /// Starts a bar with a text behind the items, which `set_text` changes, and with `then` at its end.
    pub fn start_with_text(&self, what: &str, items: &str, count: usize, then: &str) {
        self.show(count, &format!("{what} {{bar:24}} {{pos}}/{{len}} {items}{{msg}}, {{eta}} left{then}"));
    }

    pub fn set_text(&self, text: String) {
        if let Some(bar) = &*self.current.borrow() {
            bar.set_message(visible::line(&text).into_owned());
        }
    }

    pub fn advance(&self, by: usize) {
        if let Some(bar) = &*self.current.borrow() {
            bar.inc(by as u64);
        }
    }

    /// Shows the progress of work whose total may still grow.
    pub fn set(&self, what: &str, items: &str, done: usize, total: usize) {
        if self.current.borrow().as_ref().is_none_or(|bar| bar.prefix() != what) {
            self.show(total, &format!("{what} {{bar:24}} {{pos}}/{{len}} {items}"));
        }
        if let Some(bar) = &*self.current.borrow() {
            bar.set_prefix(what.to_string());
            bar.set_length(total as u64);
            bar.set_position(done as u64);
        }
    }

    pub fn start_spinner(&self, what: String) {
        let bar = ProgressBar::with_draw_target(None, self.target());
        let style = ProgressStyle::with_template("{spinner} {msg}, {elapsed}").expect("the template is well formed");
        bar.set_style(style);
        bar.set_message(visible::line(&what).into_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        self.replace(Some(bar));
    }

    /// Removes the bar or spinner.
    pub fn clear(&self) {
        self.replace(None);
    }

    fn show(&self, count: usize, template: &str) {
        let bar = ProgressBar::with_draw_target(Some(count as u64), self.target());
        bar.set_style(ProgressStyle::with_template(template).expect("the template is well formed"));
        self.replace(Some(bar));
    }

    fn replace(&self, bar: Option<ProgressBar>) {
        if let Some(old) = self.current.replace(bar) {
            old.finish_and_clear();
        }
    }

    fn target(&self) -> ProgressDrawTarget {
        if self.is_hidden {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        }
    }
}
