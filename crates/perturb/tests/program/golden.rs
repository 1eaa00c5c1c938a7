//! The golden mutant lists of `fixtures/`, and the properties that hold for every mutant in them. After a change that
//! is meant, `scripts/bless` writes the lists anew: read the difference.

mod compiling;
mod diffs;
mod fixture;
mod text;

pub use fixture::in_parallel;
pub use text::difference;

use fixture::{all, parse, Listed, Mutant, GOLDEN};
use perturb_fuzz::golden::{is_blessing, HINT};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Fails with the problems, each under the name of its fixture; of very many, only the first.
fn expect_none(problems: impl IntoIterator<Item = String>, hint: &str) {
    const SHOWN: usize = 50;
    let mut problems: Vec<_> = problems.into_iter().filter(|problem| !problem.is_empty()).collect();
    let more = problems.len().saturating_sub(SHOWN);
    problems.truncate(SHOWN);
    let more = if more > 0 { format!("and {more} more\n") } else { String::new() };
    assert!(problems.is_empty(), "\n{}\n{more}{hint}\n", problems.join("\n"));
}

#[test]
fn every_fixture_has_the_mutants_of_its_golden_list() {
    let is_blessing = is_blessing();
    let check = |listed: &Listed| {
        let found = text::golden_text(&listed.mutants);
        let file = listed.fixture.folder.join(GOLDEN);
        let expected = fs::read_to_string(&file).unwrap_or_default();
        if is_blessing {
            fs::write(&file, found).expect("a golden file");
            return String::new();
        }
        let difference = text::difference(&expected, &found);
        if difference.is_empty() {
            String::new()
        } else {
            format!("fixtures/{}: - expected, + found\n{difference}", listed.fixture.name)
        }
    };
    expect_none(all().iter().map(check), HINT);
}

#[test]
fn every_golden_fixture_says_its_purpose_on_the_first_line() {
    let says_it = |listed: &&Listed| {
        let folder = &listed.fixture.folder;
        let sources = listed.fixture.source.map(|source| vec![source.to_owned()]);
        let sources = sources.unwrap_or_else(|| files_with_mutants(listed));
        let starts = |file: &String| {
            let bytes = fs::read(folder.join(file)).unwrap_or_default();
            bytes.starts_with(b"// ") || bytes.starts_with(b"/* ")
        };
        sources.iter().any(starts)
    };
    let silent = all().iter().filter(|listed| !says_it(listed));
    expect_none(silent.map(|listed| listed.fixture.name.clone()), "Start the source with a comment of one line.");
}

fn files_with_mutants(listed: &Listed) -> Vec<String> {
    let files: BTreeSet<_> = listed.mutants.iter().map(|mutant| mutant.file.clone()).collect();
    files.into_iter().collect()
}

#[test]
fn every_libclang_gives_the_same_golden_mutants() {
    let mut tried = 0;
    for version in ["14", "16", "19"] {
        let probe = all()[0].fixture.copy().output(&["mutants", "--libclang", version]);
        if !probe.status.success() {
            eprintln!(
                "libclang {version} is not installed: its lists are not compared (apt install libclang1-{version})"
            );
            continue;
        }
        tried += 1;
        let check = |listed: &Listed| {
            let found = parse(&listed.fixture.copy().list(&["--libclang", version]));
            let difference = text::difference(&text::golden_text(&listed.mutants), &text::golden_text(&found));
            let same_ids = ids(&found) == ids(&listed.mutants);
            match (difference.is_empty(), same_ids) {
                (true, true) => String::new(),
                (true, false) => format!("fixtures/{}: other ids with libclang {version}", listed.fixture.name),
                _ => format!("fixtures/{}: - newest libclang, + libclang {version}\n{difference}", listed.fixture.name),
            }
        };
        expect_none(in_parallel(all(), check), "A list must not depend on the version of libclang.");
    }
    assert!(tried > 0, "none of libclang 14, 16 and 19 is installed");
}

fn ids(mutants: &[Mutant]) -> Vec<&str> {
    mutants.iter().map(|mutant| mutant.id.as_str()).collect()
}

#[test]
fn golden_lists_come_out_byte_for_byte_the_same_when_made_twice() {
    let check = |listed: &Listed| {
        let again = listed.fixture.copy().list(&["--jobs", "1"]);
        if again == listed.output {
            String::new()
        } else {
            format!("fixtures/{}", listed.fixture.name)
        }
    };
    expect_none(
        in_parallel(all(), check),
        "Another folder, another number of jobs, and another list: who saw to that?",
    );
}

#[test]
fn applying_a_golden_mutant_changes_exactly_its_range_and_reverting_gives_the_original() {
    let check = |listed: &Listed| {
        let wrong = listed.mutants.iter().filter_map(|mutant| {
            let problem = wrong_edit(listed, mutant)?;
            Some(format!("fixtures/{}: {}: {problem}", listed.fixture.name, mutant.name))
        });
        wrong.collect::<Vec<_>>()
    };
    expect_none(all().iter().flat_map(check), "See `perturb apply --all`.");
}

/// What is wrong with the mutated file, seen from the place that the list gives.
fn wrong_edit(listed: &Listed, mutant: &Mutant) -> Option<String> {
    let original = listed.fixture.original(&mutant.file);
    let mutated = listed.mutated(mutant);
    let Some(start) = text::offset(&original, mutant.line, mutant.column) else {
        return Some("its start is not in the file".into());
    };
    let Some(end) = text::offset(&original, mutant.end_line, mutant.end_column).filter(|&end| start <= end) else {
        return Some("its end is not in the file".into());
    };
    let (before, range, after) = (&original[..start], &original[start..end], &original[end..]);
    let Some(middle) = mutated.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)) else {
        return Some("something outside its range changed".into());
    };
    // Bytes that are no UTF-8 cannot be told in JSON, but must be kept in the file.
    let invented = String::from_utf8(middle.to_vec()).is_ok_and(|text| text.contains('\u{fffd}'));
    if String::from_utf8_lossy(range) != mutant.original.as_str() {
        Some(format!("its range holds {:?}", String::from_utf8_lossy(range)))
    } else if String::from_utf8_lossy(middle) != mutant.replacement.as_str() {
        Some(format!("its range became {:?}", String::from_utf8_lossy(middle)))
    } else if invented {
        Some("bytes that are no UTF-8 were replaced by others".into())
    } else if mutated == original {
        Some("it is the original".into())
    } else if [before, range, after].concat() != original {
        Some("reverting does not give the original".into())
    } else {
        None
    }
}

#[test]
fn golden_ids_are_unique_and_survive_a_new_function_above() {
    const UNRELATED: &[u8] = b"int unrelated_to_all(int first, int second) { return first + second * 3 < 5; }\n";
    let check = |listed: &Listed| {
        let name = &listed.fixture.name;
        let old = by_id(&listed.mutants);
        if old.len() != listed.mutants.len() {
            return format!("fixtures/{name}: two mutants have one id");
        }
        let Some(source) = listed.fixture.source else { return String::new() };
        let copy = listed.fixture.copy();
        let original = listed.fixture.original(source);
        let first = original.iter().position(|&byte| byte == b'\n').expect("a first line") + 1;
        let longer = [&original[..first], UNRELATED, &original[first..]].concat();
        fs::write(copy.project.join(source), longer).expect("a longer source");
        let found = parse(&copy.list(&[]));
        let new = by_id(&found);
        let lost = listed.mutants.iter().filter(|mutant| new.get(mutant.id.as_str()) != old.get(mutant.id.as_str()));
        lost.map(|mutant| format!("fixtures/{name}: {} {}\n", mutant.id, mutant.name)).collect()
    };
    expect_none(in_parallel(all(), check), "These ids are gone, or mean something else.");
}

/// What a mutant's id stands for: operator, replaced text, replacement.
fn by_id(mutants: &[Mutant]) -> BTreeMap<&str, [&str; 3]> {
    mutants
        .iter()
        .map(|m| (m.id.as_str(), [m.operator.as_str(), m.original.as_str(), m.replacement.as_str()]))
        .collect()
}
