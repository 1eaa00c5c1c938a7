//! Just enough of Rust's lexical structure to measure functions and to search code without being fooled by strings and
//! comments. No parser: it knows literals, comments and brackets, and nothing of what they mean.

/// One function of a file, by its lines (from 1, both inclusive).
#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    pub first_line: usize,
    pub last_line: usize,
}

impl Function {
    pub fn lines(&self) -> usize {
        self.last_line - self.first_line + 1
    }
}

/// The source with the insides of comments, strings and characters blanked. Line and column of all else stay.
pub fn code_only(source: &str) -> String {
    let chars: Vec<char> = source.chars().collect();
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    while at < chars.len() {
        let end = end_of_opaque(&chars, at);
        if end == at {
            out.push(chars[at]);
            at += 1;
        } else {
            out.extend(chars[at..end].iter().map(|&c| if c == '\n' { '\n' } else { ' ' }));
            at = end;
        }
    }
    out
}

/// Where the comment or literal that starts at `at` ends; `at` itself if none starts there.
fn end_of_opaque(chars: &[char], at: usize) -> usize {
    let next = chars.get(at + 1).copied();
    let in_word = at > 0 && is_word(chars[at - 1]);
    match chars[at] {
        '/' if next == Some('/') => find_from(chars, at, |c| c == '\n'),
        '/' if next == Some('*') => end_of_block_comment(chars, at),
        '"' => end_of_quoted(chars, at, '"'),
        '\'' if is_character(chars, at) => end_of_quoted(chars, at, '\''),
        'r' | 'b' | 'c' if !in_word => end_of_raw_string(chars, at).unwrap_or(at),
        _ => at,
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn find_from(chars: &[char], from: usize, wanted: impl Fn(char) -> bool) -> usize {
    (from..chars.len()).find(|&i| wanted(chars[i])).unwrap_or(chars.len())
}

/// A quote that opens a character literal, not a lifetime or a label.
fn is_character(chars: &[char], at: usize) -> bool {
    chars.get(at + 1) == Some(&'\\') || chars.get(at + 2) == Some(&'\'')
}

fn end_of_quoted(chars: &[char], open: usize, quote: char) -> usize {
    let mut at = open + 1;
    while at < chars.len() && chars[at] != quote {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(chars.len())
}

fn end_of_block_comment(chars: &[char], open: usize) -> usize {
    let mut depth = 0;
    let mut at = open;
    while at + 1 < chars.len() {
        match (chars[at], chars[at + 1]) {
            ('/', '*') => depth += 1,
            ('*', '/') => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    chars.len()
}

/// `r"…"`, `r#"…"#`, also after `b` or `c`; `None` for a word that merely starts with one of these letters.
fn end_of_raw_string(chars: &[char], start: usize) -> Option<usize> {
    let mut at = start;
    if chars[at] != 'r' {
        at += 1;
    }
    if chars.get(at) != Some(&'r') {
        return None;
    }
    at += 1;
    let hashes = chars[at..].iter().take_while(|&&c| c == '#').count();
    at += hashes;
    if chars.get(at) != Some(&'"') {
        return None;
    }
    let closes = |i: usize| chars[i] == '"' && chars[i + 1..].iter().take_while(|&&c| c == '#').count() >= hashes;
    let close = (at + 1..chars.len()).find(|&i| closes(i));
    Some(close.map_or(chars.len(), |i| i + 1 + hashes))
}

/// Every function with a body, nested ones too, in the order of their first lines.
pub fn functions(source: &str) -> Vec<Function> {
    let chars: Vec<char> = code_only(source).chars().collect();
    let mut found = Vec::new();
    let mut line = 1;
    for at in 0..chars.len() {
        if chars[at] == '\n' {
            line += 1;
        } else if let Some((name, end)) = function_at(&chars, at) {
            let last_line = line + chars[at..end].iter().filter(|&&c| c == '\n').count();
            found.push(Function { name, first_line: line, last_line });
        }
    }
    found
}

/// The name of the function whose `fn` is at `at`, and where its closing brace is.
fn function_at(chars: &[char], at: usize) -> Option<(String, usize)> {
    let starts_word = at == 0 || !is_word(chars[at - 1]);
    if !starts_word || !chars[at..].starts_with(&['f', 'n']) || !chars.get(at + 2)?.is_whitespace() {
        return None;
    }
    let name_at = find_from(chars, at + 2, |c| !c.is_whitespace());
    let name_end = find_from(chars, name_at, |c| !is_word(c));
    if name_at == name_end {
        return None;
    }
    let body = body_start(chars, name_end)?;
    Some((chars[name_at..name_end].iter().collect(), closing_brace(chars, body)))
}

/// The opening brace of a body; `None` if a semicolon comes first. The one in `[u8; 4]` does not count.
fn body_start(chars: &[char], from: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, &c) in chars.iter().enumerate().skip(from) {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '{' if depth == 0 => return Some(at),
            ';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

fn closing_brace(chars: &[char], open: usize) -> usize {
    let mut depth = 0;
    for (at, &c) in chars.iter().enumerate().skip(open) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    chars.len()
}

/// Like `code_only`, with what stands under `#[cfg(test)]` blanked as well.
pub fn shipped_code(source: &str) -> String {
    let mut chars: Vec<char> = code_only(source).chars().collect();
    let marker: Vec<char> = "#[cfg(test)]".chars().collect();
    let mut at = 0;
    while at < chars.len() {
        if chars[at..].starts_with(&marker) {
            let end = body_start(&chars, at).map_or(at + marker.len(), |open| closing_brace(&chars, open));
            let end = end.min(chars.len());
            chars[at..end].iter_mut().filter(|c| **c != '\n').for_each(|c| *c = ' ');
            at = end;
        } else {
            at += 1;
        }
    }
    chars.into_iter().collect()
}

#[track_caller]
fn check(source: &str, expected: &[(&str, usize, usize)]) {
    let found = functions(source);
    let found: Vec<_> = found.iter().map(|f| (f.name.as_str(), f.first_line, f.last_line)).collect();
    assert_eq!(found, expected, "in:\n{source}");
}

#[test]
fn a_function_reaches_from_fn_to_its_closing_brace() {
    check("fn a() {}\n", &[("a", 1, 1)]);
    check("/// Doc.\npub fn a(\n    x: u8,\n) -> u8 {\n    x\n}\n", &[("a", 2, 6)]);
    check("impl A {\n    fn a() {\n        if b {\n        }\n    }\n    fn c() {}\n}\n", &[("a", 2, 5), ("c", 6, 6)]);
}

#[test]
fn a_long_function_is_measured() {
    let source = format!("fn long() {{\n{}}}\n", "    step();\n".repeat(80));
    let found = functions(&source);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].lines(), 82);
}

#[test]
fn a_nested_function_counts_for_itself_too() {
    check("fn a() {\n    fn b() {\n    }\n}\n", &[("a", 1, 4), ("b", 2, 3)]);
}

#[test]
fn braces_in_strings_characters_and_comments_do_not_count() {
    check("fn a() {\n    f(\"}\");\n}\n", &[("a", 1, 3)]);
    check("fn a() {\n    f(\"\\\"}\");\n}\n", &[("a", 1, 3)]);
    check("fn a() {\n    f(r#\"\"}\"#, br\"}\\\", c\"}\");\n}\n", &[("a", 1, 3)]);
    check("fn a() {\n    f('}', '\\'', b'{', '\\u{7d}');\n}\n", &[("a", 1, 3)]);
    check("fn a() {\n    // }\n    /* } /* } */ } */\n}\n", &[("a", 1, 4)]);
    check("fn a<'x>(s: &'x str) {\n    'l: loop { break 'l; }\n}\n", &[("a", 1, 3)]);
}

#[test]
fn what_is_no_function_with_a_body_is_passed_over() {
    check("// fn a() {}\nconst S: &str = \"fn b() {}\";\n", &[]);
    check("trait T {\n    fn a(x: [u8; 4]) -> u8;\n    fn b() {}\n}\n", &[("b", 3, 3)]);
    check("type F = fn (u8) -> u8;\nstruct S { fn_count: u8 }\n", &[]);
    check("macro_rules! m { ($n:ident) => { fn $n() {} } }\n", &[]);
}

#[test]
fn code_under_cfg_test_is_not_shipped() {
    let source = "fn a() { one!() }\n#[cfg(test)]\nmod tests {\n    fn b() { two!() }\n}\nfn c() { three!() }\n";
    let shipped = shipped_code(source);
    assert!(shipped.contains("one!") && shipped.contains("three!"));
    assert!(!shipped.contains("two!"));
    assert_eq!(shipped.lines().count(), source.lines().count());
    assert!(shipped_code("#[cfg(test)]\nmod tests;\nfn a() { one!() }\n").contains("one!"));
}
