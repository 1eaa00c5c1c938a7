//! What cannot be derived is asked for by a line for perturb.toml, and what stands there is obeyed.

use super::whole::untested;
use super::{claims, count, generate};
use crate::run::fine;
use crate::scene::{has, text, Scene, FINE, USAGE};
use serde_json::Value;

/// More than anybody would make up is behind the pointer.
const SOURCE: &str = "int tail(const unsigned char *frame)\n{\n    return frame[99] > 7 ? frame[3] : 0;\n}\n\n\
                      int twice(int x)\n{\n    return 2 * x;\n}\n";

const SELECTION: [&str; 2] = ["--operators", "ROR"];

fn contracts(scene: &Scene, line: &str) {
    scene.write("perturb.toml", format!("[contracts]\n{line}\n"));
}

#[test]
fn a_function_that_is_unknown_gets_tests_with_the_proposed_line_and_its_numbers_changed() {
    if !has("cmake") {
        return;
    }
    let scene = untested(SOURCE);
    let (told, _) = generate(&scene, "before", &SELECTION);
    let all = told["mutants"].as_array().unwrap().len() as u64;
    assert_eq!(count(&told, "unknown"), all, "{told:#}");
    let proposal = &told["proposals"].as_array().unwrap()[..];
    let [proposal] = proposal else { panic!("{told:#}") };
    let line = text(proposal, "line");
    assert_eq!(line, "\"work.c:tail\" = \"@perturb(sym[6])\"");
    assert_eq!((text(proposal, "function"), proposal["mutants"].as_u64()), ("tail", Some(all)));
    let said = scene.run(&[&["testgen", "-q"], &SELECTION[..]].concat()).expect(FINE).stdout;
    assert!(said.contains(&format!("\n  [contracts]\n  {line}  # tail(frame): {all} mutants\n")), "{said}");
    // As it is proposed it says what is taken for granted anyway.
    contracts(&scene, line);
    assert_eq!(count(&generate(&scene, "same", &SELECTION).0, "unknown"), all);
    contracts(&scene, &line.replace('6', "100"));
    let (told, out) = generate(&scene, "after", &SELECTION);
    assert!(count(&told, "killed") >= all - 1, "{told:#}");
    assert_eq!(told["proposals"], Value::from(Vec::<Value>::new()));
    claims::check(&scene, &told, &out, &SELECTION);
    // Nothing of what was found under another contract is used.
    contracts(&scene, line);
    assert_eq!(count(&generate(&scene, "same", &SELECTION).0, "unknown"), all);
}

#[test]
fn a_contract_in_perturb_toml_decides_in_equiv_and_in_a_run_and_old_verdicts_do_not_count() {
    if !has("make") {
        return;
    }
    let test = "int tail(const unsigned char *);\nint main(void)\n{\n    static unsigned char frame[100];\n    \
                tail(frame);\n    return 0;\n}\n";
    let makefile = "check: t\n\t./t\nt: work.c t.c\n\tcc -o $@ $^\n";
    let scene = Scene::new(&[("work.c", SOURCE), ("t.c", test), ("Makefile", makefile)]);
    let selection = [&SELECTION[..], &["--function", "tail"]].concat();
    let in_equiv = || {
        let all = scene.run(&[&["equiv", "--format", "json"], &selection[..]].concat()).expect(FINE).mutants();
        all.iter().filter(|mutant| text(mutant, "verdict") == "different").count()
    };
    let in_a_run = || {
        let told = fine(&scene, &[&["--equivalence", "live"], &selection[..]].concat());
        let all = told.all("mutant compared");
        (all.len(), all.iter().filter(|mutant| text(mutant, "verdict") == "different").count())
    };
    let (all, different) = in_a_run();
    assert_eq!((in_equiv(), different), (0, 0));
    contracts(&scene, "\"work.c:tail\" = \"@perturb(sym[100])\"");
    assert!(in_equiv() >= 4);
    assert!(matches!(in_a_run(), (again, 4..) if again == all), "{all}");
    let annotated = scene.run(&["equiv", "--annotate", "work.c"]).expect(FINE).stdout;
    assert!(annotated.contains("@perturb(sym)") && !annotated.contains("sym["), "{annotated}");
}

#[test]
fn a_contract_that_is_wrong_is_told_with_its_key() {
    let scene = Scene::compiled(&[
        ("work.c", SOURCE),
        ("said.c", "// @perturb(0..9)\nint said(int x)\n{\n    return x + 1;\n}\n"),
    ]);
    for (line, parts) in [
        ("tail = \"@perturb\"", &["\"tail\"", "it names no function", "\"src/ring.c:ring_put\""][..]),
        ("\"other.c:tail\" = \"@perturb\"", &["\"other.c:tail\"", "other.c is no source file under test"]),
        ("\"work.c:head\" = \"@perturb\"", &["\"work.c:head\"", "work.c defines no function head"]),
        ("\"work.c:tail\" = \"sym\"", &["\"work.c:tail\"", "it is no contract", "@perturb("]),
        ("\"work.c:tail\" = \"@perturb(sym[0])\"", &["\"work.c:tail\"", "`0` is no size"]),
        ("\"work.c:tail\" = \"@perturb(sym, sym)\"", &["speaks of 2 parameters, and it has 1"]),
        ("\"work.c:tail\" = \"@perturb(0..300)\"", &["from 0 to 300, which its type does not hold"]),
        ("\"work.c:tail\" = \"@perturb(sym[size])\"", &["[size] speaks of a parameter that is no number of tail"]),
        ("\"said.c:said\" = \"@perturb(0..8)\"", &["the comment before said says something else: // @perturb(0..9)"]),
    ] {
        contracts(&scene, line);
        let all = [&["perturb.toml: [contracts] "], parts].concat();
        scene.run(&["equiv"]).expect_error(USAGE, &all);
    }
    contracts(&scene, "\"said.c:said\" = \"@perturb(0..9)\"");
    scene.run(&["equiv", "said.c", "--tiers", "native"]).expect(FINE);
    run_refuses(&scene);
}

/// A run says so before it builds anything.
fn run_refuses(scene: &Scene) {
    contracts(scene, "tail = \"@perturb\"");
    scene.run(&["run"]).expect_error(USAGE, &["[contracts] \"tail\""]);
}
