//! Variable arguments: lists of them as parameters, and functions that are called with some.
//! Every verdict that is asserted here was thought through by hand.

use super::reach::Said;
use crate::scene::{text, Scene};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

const PUT: &str = "\
#include <stdarg.h>
#include <stdio.h>

static long kept;

int put(char *to, const char *format, ...)
{
    va_list list;
    int length;
    va_start(list, format);
    length = vsnprintf(to, 6, format, list);
    va_end(list);
    return length;
}

long elsewhere(int count, ...)
{
    return kept += count;
}
";

/// What is said without comparing code, in which compilers see more than can be seen here; and the programs that show
/// it, by their paths.
static ALL: LazyLock<(Said, BTreeMap<PathBuf, String>)> = LazyLock::new(|| {
    let scene = Scene::compiled(&[("variable.c", include_str!("variable.c")), ("put.c", PUT)]);
    let folder = scene.outside("programs");
    let tiers = ["--tiers", "native,exhaustive,proof,paths", "--operators", "AOR,ROR,ICR"];
    let said = Said::of(&scene, &[&["variable.c", "--witnesses", folder.to_str().unwrap()], &tiers[..]].concat());
    let paths = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let programs = paths.map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect();
    (said, programs)
});

#[track_caller]
fn holds(found: &Value, what: &str) {
    assert!(found.to_string().contains(what), "{what}: {found:#}");
}

#[test]
fn a_function_of_the_project_that_takes_variable_arguments_comes_along() {
    let said = &ALL.0;
    let found = said.check("shown", "'-' -> '+'", "different", Some("output"));
    holds(&found["witness"]["mutant"], "to[0]");
    assert!(!found["witness"]["input"].to_string().contains("put()"), "{found:#}");
}

#[test]
fn what_stands_in_for_one_sees_what_it_would_print() {
    let said = &ALL.0;
    let found = said.check("told", "'/' -> '*'", "different", Some("output"));
    holds(&found["witness"]["original"], "what format prints in call 1 of tell()");
    said.check("told", "'2' -> '3'", "different", Some("output"));
    let found = said.check("spoken", "'*' -> '+'", "different", Some("output"));
    holds(&found["witness"]["original"], "what format prints in call 1 of pass()");
}

#[test]
fn what_nobody_sees_of_variable_arguments_is_never_taken_for_the_same() {
    let said = &ALL.0;
    // There are 256 inputs, all of which could be tried.
    for change in ["'>' -> '>='", "'>' -> '<'", "'3' -> '0'"] {
        said.check("sent", change, "unknown", None);
        said.check("handed", change, "unknown", None);
    }
    let found = said.check("sent", "'2' -> '3'", "different", Some("output"));
    holds(&found["witness"]["original"], "count in call 1 of emit()");
    said.check("counted", "'0' -> '1'", "unknown", None);
    said.check("counted", "'/' -> '*'", "different", Some("output"));
}

#[test]
fn lists_deliver_numbers_texts_and_fractions() {
    let said = &ALL.0;
    let found = said.check("less", "'-' -> '+'", "different", Some("output"));
    holds(&found["witness"]["input"], "argument 1 of list = ");
    let found = said.check("letters", "'+' -> '-'", "different", Some("output"));
    holds(&found["witness"]["input"], "*argument 1 of list (byte 0) = ");
    said.check("letters", "'==' -> '!='", "different", Some("output"));
    let found = said.check("mixed", "'*' -> '/'", "different", Some("output"));
    holds(&found["witness"]["input"], "fraction 1 of list = ");
    said.check("mixed", "'+' -> '-'", "different", Some("output"));
    let found = said.check("stored", "'+' -> '-'", "different", Some("output"));
    holds(&found["witness"]["original"], "*argument 1 of list = ");
}

#[test]
fn nothing_is_proved_of_a_list_and_only_one_that_is_a_parameter_can_be_made_up() {
    let said = &ALL.0;
    for (function, change, why) in [
        ("same", "'3' -> '0'", "a list of variable arguments"),
        ("two", "'+' -> '-'", "it takes more than one list of variable arguments"),
        ("held", "'+' -> '-'", "of a type that no value can be made up for: struct __va_list_tag"),
        ("said", "'+' -> '-'", "its contract does not fit list"),
    ] {
        let found = said.check(function, change, "unknown", None);
        assert!(text(found, "why").contains(why), "{found:#}");
    }
}

#[test]
fn programs_make_the_list_and_keep_stand_ins_apart_from_what_comes_along() {
    let said = &ALL.0;
    let program = |function: &str, change: &str| {
        let found = said.check(function, change, "different", Some("output"));
        let file = found["witness"]["file"].as_str().unwrap_or_else(|| panic!("{found:#}"));
        &ALL.1[Path::new(file)]
    };
    for (function, change, parts) in [
        ("letters", "'+' -> '-'", &["static int call_letters(int count, ...)", "result = letters(&list);"][..]),
        ("mixed", "'*' -> '/'", &["result = mixed(kind, list);", "call_mixed("]),
        ("stored", "'+' -> '-'", &["stored(value, list);", "EXPECT(__builtin_memcmp(argument_1_of_list, "]),
        ("told", "'/' -> '*'", &["void tell(const char *format, ...)", " of 9\") == 0);"]),
        ("spoken", "'*' -> '+'", &["void pass(const char *format, va_list list)", "va_copy(arguments, list);"]),
        ("beside", "'+' -> '-'", &["#pragma redefine_extname elsewhere elsewhere_stand_in"]),
    ] {
        let text = program(function, change);
        parts.iter().for_each(|part| assert!(text.contains(part), "{part}: {text}"));
    }
}
