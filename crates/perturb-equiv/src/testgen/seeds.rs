//! Seeds: the arguments with which the project's own tests call the functions that need tests.
//!
//! `capturing_texts` adds code to each function that records its calls; the caller builds and runs that, and passes the
//! recorded calls to `take_captured`. They are the first inputs that are tried and mutated.

use crate::compare::FunctionSubject;
use crate::native::{capture_head, unhex, Captured, Layout};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The names under which a function records its calls, one for each of its layouts.
fn layouts(at: usize, function: &FunctionSubject) -> Vec<(String, &Layout)> {
    let own = (format!("perturb_capture_{at}"), &*function.layout);
    let wider = function.wider.iter().enumerate();
    let wider = wider.map(|(number, wider)| (format!("perturb_capture_{at}_wider_{number}"), &*wider.layout));
    std::iter::once(own).chain(wider).collect()
}

/// The files of these functions, relative to the root, with code that records calls in the file `told`.
pub fn capturing_texts(functions: &[FunctionSubject], told: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut by_file: BTreeMap<&Path, Vec<usize>> = BTreeMap::new();
    for (at, function) in functions.iter().enumerate() {
        by_file.entry(&function.file.relative).or_default().push(at);
    }
    let text = |own: Vec<usize>| {
        let mut text = functions[own[0]].file.source.text().to_vec();
        let (mut calls, mut definitions) = (Vec::new(), capture_head(&told.to_string_lossy()));
        for at in own {
            let function = &functions[at];
            let behind_brace = function.functions[function.at].body.start as usize + 1;
            for (name, layout) in layouts(at, function) {
                let captured = Captured { name: &name, signature: function.signature(), layout };
                calls.push((behind_brace, captured.call()));
                definitions.push_str(&captured.definition());
            }
        }
        // From the end backwards, so that offsets stay valid.
        calls.sort_by_key(|(offset, _)| std::cmp::Reverse(*offset));
        for (offset, call) in calls {
            text.splice(offset..offset, call.into_bytes());
        }
        text.extend(definitions.into_bytes());
        text
    };
    by_file.into_iter().map(|(file, own)| (file.to_path_buf(), text(own))).collect()
}

/// Gives each function the calls recorded for it.
pub fn take_captured(functions: &mut [FunctionSubject], lines: &str) {
    let mut by_name: BTreeMap<&str, Vec<Vec<u8>>> = BTreeMap::new();
    for (name, input) in lines.lines().filter_map(|line| line.split_once(' ')) {
        by_name.entry(name).or_default().extend(unhex(input));
    }
    for seeds in by_name.values_mut() {
        // Tests run in any order.
        seeds.sort();
        seeds.dedup();
    }
    for (at, function) in functions.iter_mut().enumerate() {
        let of = |name: &str, size: usize| -> Vec<Vec<u8>> {
            let all = by_name.get(name).into_iter().flatten();
            all.filter(|seed| seed.len() == size).cloned().collect()
        };
        let found: Vec<Vec<Vec<u8>>> =
            layouts(at, function).into_iter().map(|(name, layout)| of(&name, layout.input_size())).collect();
        let mut found = found.into_iter();
        function.seeds = found.next().unwrap_or_default();
        for (wider, seeds) in function.wider.iter_mut().zip(found) {
            wider.seeds = seeds;
        }
    }
}
