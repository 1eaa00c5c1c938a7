//! The table of attacks in the book.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use perturb_fuzz::golden::{self, HINT};

use super::answers::NOT_CONTAINED;
use super::settings::SETTINGS;
use super::{Attack, Results};

/// What the table stands between in the book.
const BEGIN: &str = "<!-- The table is written by crates/perturb-cell/tests/cell/attacks.rs. -->\n";
const END: &str = "<!-- The end of the table. -->\n";

/// For an attack that this machine has nothing for.
const NOTHING: &str = "–";

type Topics = [(&'static str, Vec<Attack>)];

/// Compares what was found with the table, in the columns and rows that this machine can play; or writes it. If the
/// attacked folders lie in one that a cell has of its own (`is_covered`), Landlock lets jobs write there: then the view
/// of what is readable answers instead.
pub fn check(topics: &Topics, found: &Results, is_covered: bool) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src/attacks.md");
    let book = fs::read_to_string(&file).unwrap_or_default();
    let (head, rest) = book.split_once(BEGIN).expect("the book says where the table begins");
    let (table, tail) = rest.split_once(END).expect("the book says where the table ends");
    let known = read(table);
    let is_view = |expected: &str, word: &str| is_covered && expected == "Landlock" && word == "nobody there";
    // What cannot be played here stays as it was.
    let mut all = known.clone();
    all.extend(
        found.clone().into_iter().filter(|(row, word)| known.get(row).is_none_or(|known| !is_view(known, word))),
    );
    if golden::is_blessing() {
        assert!(!is_covered, "the table is written where the repository is in no temporary folder");
        fs::write(&file, format!("{head}{BEGIN}{}{END}{tail}", written(topics, &all))).unwrap();
        return;
    }
    let mut differences = String::new();
    for ((attack, setting), word) in found {
        let expected = known.get(&(attack.clone(), setting.clone())).map_or("no such row", String::as_str);
        if expected != NOTHING && expected != word && !is_view(expected, word) {
            let _ = writeln!(differences, "{attack}: {setting}: expected {expected}, found {word}");
        }
    }
    let is_whole = written(topics, &all) == table;
    assert!(differences.is_empty(), "\n{differences}{HINT}");
    assert!(is_whole, "the table of book/src/attacks.md has other rows than there are attacks. {HINT}");
}

fn written(topics: &Topics, results: &Results) -> String {
    let mut text = String::new();
    for (topic, attacks) in topics {
        let titles: Vec<&str> = SETTINGS.iter().map(|setting| setting.title).collect();
        let _ = write!(
            text,
            "\n## {topic}\n\n| A job … | {} |\n|---|{}\n",
            titles.join(" | "),
            "---|".repeat(titles.len())
        );
        for attack in attacks {
            let _ = write!(text, "| {} |", attack.name);
            for setting in &SETTINGS {
                let word = results.get(&(attack.name.to_string(), setting.name.to_string()));
                let word = word.map_or(NOTHING, String::as_str);
                let bold = if word == NOT_CONTAINED { "**" } else { "" };
                let _ = write!(text, " {bold}{word}{bold} |");
            }
            text.push('\n');
        }
    }
    text.push('\n');
    text
}

/// The table as it is in the book, by attack and setting.
fn read(table: &str) -> Results {
    let mut results = Results::new();
    for line in table.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| A job")) {
        let mut cells = line.trim_matches('|').split(" |").map(|cell| cell.trim().trim_matches('*').to_string());
        let attack = cells.next().unwrap_or_default();
        for (setting, word) in SETTINGS.iter().zip(cells) {
            results.insert((attack.clone(), setting.name.to_string()), word);
        }
    }
    results
}
