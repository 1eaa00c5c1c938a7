//! The findings of compiled code on sources for which the truth is known, with every installed compiler.

mod scene;
mod slow_way;
mod traps;
mod units;

use perturb_model::Level;
use scene::{compilers, Source};

#[test]
fn mutants_that_compute_the_same_are_equivalent_and_others_are_not() {
    for compiler in compilers() {
        let source = "int f(unsigned x) { return x > 0; }\nint g(int x) { return x > 0; }\n";
        let found = Source::new(source).compiled_by(&compiler).find();
        assert!(found.is_equivalent("f", "> => !="), "{compiler}: {found}");
        assert!(!found.is_equivalent("g", "> => !=") && !found.is_equivalent("f", "> => >="), "{compiler}: {found}");
    }
}

#[test]
fn mutants_that_compute_the_same_as_another_are_its_duplicates() {
    for compiler in compilers() {
        let source = "void a(void); void f(int x) { if (x) { a(); } }\n";
        let found = Source::new(source).compiled_by(&compiler).find();
        // Without the call, the condition before it has no effect.
        assert!(found.is_duplicate("f", "a(); => ;"), "{compiler}: {found}");
        assert!(!found.is_equivalent("f", "a(); => ;"), "{compiler}: {found}");
    }
}

#[test]
fn one_level_is_enough_and_only_the_chosen_levels_are_used() {
    let source = "int f(int x) { int y = x; y = y + 0; return y; }\n";
    let optimised = Source::new(source).at(&[Level::O1]).find();
    assert!(optimised.is_equivalent("f", "+ => -"), "{optimised}");
    let plain = Source::new(source).at(&[Level::O0]).find();
    assert!(plain.all().iter().all(|line| line.contains("-O0")), "{plain}");
}

#[test]
fn the_fastest_level_finds_nothing_in_floating_point_unless_it_is_trusted() {
    let source = "int f(double x) { return x != x; }\n";
    let careful = Source::new(source).at(&[Level::Ofast]).find();
    assert!(!careful.is_duplicate("f", "!= => >") && !careful.is_equivalent("f", "!= => >"), "{careful}");
    let trusting = Source::new(source).at(&[Level::Ofast]).with_fast_floats().find();
    assert!(trusting.is_equivalent("f", "!= => >"), "{trusting}");
}

#[test]
fn findings_are_repeated_from_the_cache_without_a_compiler() {
    let source = Source::new("int f(unsigned x) { return x > 0; }\n");
    let first = source.find();
    let again = source.find();
    assert!(first.cpu_ms > 0 && again.compilations == 0, "{} ms, {}", first.cpu_ms, again.compilations);
    assert_eq!(first.all(), again.all());
}

#[test]
fn a_cross_compiler_is_used_like_any_other() {
    if perturb_host::find_program("arm-none-eabi-gcc").is_none() {
        eprintln!("skipped: arm-none-eabi-gcc is not installed");
        return;
    }
    let source = "static int count, sum; void add(int x) { count++; sum += x; }\n\
                  int f(unsigned x) { return x > 0 ? count : sum; }\n";
    let found = Source::new(source).compiled_by("arm-none-eabi-gcc").with_flags(&["-mcpu=cortex-m3", "-mthumb"]).find();
    assert!(found.is_equivalent("f", "> => !="), "{found}");
    assert!(!found.is_equivalent("add", "+= => -="), "{found}");
}
