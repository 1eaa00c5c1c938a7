//! Types without a name, which clang describes by the position of their declaration: `struct (unnamed at
//! /projects/queue.h:3:9)`. Our output must not depend on the folder of the project, so the description keeps only the
//! file's name.

/// A type's spelling without the folders of files that it names.
pub fn without_folders(spelling: &str) -> String {
    let mut out = String::new();
    let mut rest = spelling;
    while let Some((path, end)) = described(rest) {
        let file = rest[path..end].rfind('/').map_or(path, |slash| path + slash + 1);
        out.push_str(&rest[..path]);
        out.push_str(&rest[file..end]);
        rest = &rest[end..];
    }
    out + rest
}

/// From where to where the path in the first description goes.
fn described(spelling: &str) -> Option<(usize, usize)> {
    let starts = spelling.match_indices('(').map(|(start, _)| start);
    let path = starts.filter_map(|start| path_of(&spelling[start + 1..]).map(|path| start + 1 + path)).next()?;
    let ends = spelling[path..].match_indices(':').map(|(colon, _)| path + colon);
    let end = ends.into_iter().find(|colon| is_line_and_column(&spelling[colon + 1..]))?;
    Some((path, end))
}

/// Where the path starts in `unnamed at PATH`, `unnamed struct at PATH`, `anonymous union at PATH` and `lambda at
/// PATH`.
fn path_of(description: &str) -> Option<usize> {
    let (kind, _) = description.split_once(" at ")?;
    let mut words = kind.split(' ');
    let is_known = matches!(words.next(), Some("unnamed" | "anonymous" | "lambda"));
    let is_short = words.next().is_none_or(|word| word.bytes().all(|letter| letter.is_ascii_lowercase()));
    (is_known && is_short && words.next().is_none()).then_some(kind.len() + " at ".len())
}

/// `12:5)`
fn is_line_and_column(text: &str) -> bool {
    let without_number = |text: &str| {
        let rest = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
        (rest.len() < text.len()).then_some(rest.to_string())
    };
    let after_line = without_number(text);
    let column = after_line.as_deref().and_then(|rest| rest.strip_prefix(':'));
    column.and_then(without_number).is_some_and(|rest| rest.starts_with(')'))
}

#[cfg(test)]
mod tests {
    use super::without_folders;

    #[test]
    fn a_type_without_a_name_is_described_by_its_file_wherever_that_lies() {
        for (spelling, expected) in [
            ("long double", "long double"),
            ("struct (unnamed at /t/lex.h:3:5)", "struct (unnamed at lex.h:3:5)"),
            ("union (unnamed union at /a/b c/lex.h:3:5)", "union (unnamed union at lex.h:3:5)"),
            ("struct (anonymous struct at /a at b/lex.h:3:5)[2]", "struct (anonymous struct at lex.h:3:5)[2]"),
            ("enum (unnamed at lex.h:3:5)", "enum (unnamed at lex.h:3:5)"),
            ("(anonymous namespace)::point", "(anonymous namespace)::point"),
            ("(lambda at /a (1)/b:2/lex.cpp:10:12)", "(lambda at lex.cpp:10:12)"),
            (
                "int (*)(struct (unnamed at /a/x.h:1:1) *, struct (unnamed at /a/y.h:2:2) *)",
                "int (*)(struct (unnamed at x.h:1:1) *, struct (unnamed at y.h:2:2) *)",
            ),
        ] {
            assert_eq!(without_folders(spelling), expected);
        }
    }
}
