//! Texts of compilers that something has happened to are read, or told to be unreadable, and never trusted too far.

use super::walk::walk;
use perturb_fuzz::Share;
use perturb_sym::ir::{DataLayout, Module};

/// With typed pointers, with opaque ones, and optimised with debug records: written by clang 14, 16 and 19.
const TEXTS: [&str; 3] =
    [include_str!("texts/typed.ll"), include_str!("texts/opaque.ll"), include_str!("texts/records.ll")];

#[test]
fn fuzzed_code_is_read_or_told_to_be_unreadable() {
    perturb_fuzz::survives("LLVM's code", Share::OneIn(2), &TEXTS, |text| {
        walk(&Module::parse(&String::from_utf8_lossy(text)));
    });
}

#[test]
fn fuzzed_data_layouts_are_read_or_refused() {
    let examples =
        ["e-m:e-p270:32:32-p:64:64:64:32-i64:64-i128:128-f80:128-n8:16:32:64-S128", "E-a:8:16-v128:64-A0-Fn32"];
    perturb_fuzz::survives("data layouts", Share::All, &examples, |text| {
        let _ = DataLayout::parse(&String::from_utf8_lossy(text));
    });
}

#[test]
fn the_texts_that_are_spoiled_are_read_as_they_are() {
    for text in TEXTS {
        let module = Module::parse(text);
        assert_eq!(module.unsupported, []);
        assert!(module.functions.iter().all(|function| function.unsupported().is_none()));
        assert!(module.functions.len() > 10 && module.globals.len() > 5);
        walk(&module);
    }
}
