//! Texts of the golden tests: the line of a mutant, the place of a range, and the difference of two lists.

use super::fixture::Mutant;

/// One line of a golden file: the readable name, and what it does not tell.
pub fn golden_line(mutant: &Mutant) -> String {
    let mut line = mutant.name.clone();
    if !line.ends_with(&format!("-> '{}'", mutant.replacement)) {
        line += &format!(" {{{:?}}}", mutant.replacement);
    }
    if !mutant.switchable {
        line += &format!(" [constant: {}]", mutant.not_switchable_because.as_deref().unwrap_or("no reason given"));
    }
    if mutant.suppressed {
        line += &format!(" [suppressed: {}]", mutant.suppression_reason.as_deref().unwrap_or("no reason given"));
    }
    line
}

pub fn golden_text(mutants: &[Mutant]) -> String {
    mutants.iter().map(|mutant| golden_line(mutant) + "\n").collect()
}

/// The byte at which a line and a column (both from 1, columns in bytes) are; None if the text has no such place.
pub fn offset(text: &[u8], line: usize, column: usize) -> Option<usize> {
    let start = match line.checked_sub(2) {
        None => 0,
        Some(before) => text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(before)?.0 + 1,
    };
    let at = start + column.checked_sub(1)?;
    let inside = text.get(start..at)?;
    (!inside.contains(&b'\n')).then_some(at)
}

/// The lines that only one of two texts has, in order: `-` for the expected, `+` for the found.
pub fn difference(expected: &str, found: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (expected.lines().collect(), found.lines().collect());
    // common[i][j]: the length of the longest common subsequence of old[i..] and new[j..].
    let mut common = vec![vec![0u32; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            let skip = common[i + 1][j].max(common[i][j + 1]);
            common[i][j] = if old[i] == new[j] { common[i + 1][j + 1] + 1 } else { skip };
        }
    }
    let (mut i, mut j, mut text) = (0, 0, String::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || i < old.len() && common[i + 1][j] >= common[i][j + 1] {
            text += &format!("    - {}\n", old[i]);
            i += 1;
        } else {
            text += &format!("    + {}\n", new[j]);
            j += 1;
        }
    }
    text
}

#[test]
fn offsets_are_counted_in_bytes_and_stay_in_their_line() {
    let text = "ab\r\nä=1\n".as_bytes();
    assert_eq!(offset(text, 1, 1), Some(0));
    assert_eq!(offset(text, 2, 1), Some(4));
    assert_eq!(offset(text, 2, 3), Some(6));
    assert_eq!(offset(text, 3, 1), Some(9));
    assert_eq!(offset(text, 1, 6), None);
    assert_eq!(offset(text, 4, 1), None);
}

#[test]
fn a_difference_shows_only_the_lines_that_differ() {
    assert_eq!(difference("a\nb\nc\n", "a\nc\nd\n"), "    - b\n    + d\n");
    assert_eq!(difference("a\n", "a\n"), "");
}
