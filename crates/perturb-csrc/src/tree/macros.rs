//! The macro uses of a file, and the spans of its text that are free of them.
//!
//! libclang maps a token of a macro's body to the position of the macro use, and an argument to where it is written. So
//! the range of an expression may cover a macro that is only partly in that expression. A range is *written* when
//! replacing its text replaces exactly that expression: it contains every macro use it touches as a whole, or lies in
//! one argument.

use crate::lexer;
use crate::source::SourceRange;

/// One use of a macro in the file's own text.
#[derive(Debug, Clone)]
pub struct Invocation {
    pub range: SourceRange,
    pub name: Box<str>,
    /// Its expansion binds like one operand: a single token, something in parentheses, or a call.
    pub atomic: bool,
    /// It pastes tokens: a changed argument may no longer fit.
    pastes: bool,
    arguments: Vec<SourceRange>,
    outer: Option<u32>,
}

/// All macro uses of a file, ordered, with their nesting.
#[derive(Debug, Default)]
pub struct MacroMap {
    invocations: Vec<Invocation>,
}

/// A macro use as clang reports it, before it is checked against the text.
#[derive(Debug)]
pub struct ReportedUse {
    pub range: SourceRange,
    pub name: String,
    pub shape: MacroShape,
}

/// What a macro's definition says of its uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MacroShape {
    /// It expands to something that binds as one operand.
    pub atomic: bool,
    /// It pastes tokens with `##`.
    pub pastes: bool,
}

impl MacroMap {
    pub fn new(text: &[u8], mut uses: Vec<ReportedUse>) -> Self {
        // A use inside another macro's body is reported at the outer use: the text there has another name.
        uses.retain(|u| {
            (u.range.end as usize) <= text.len() && lexer::token_at(text, u.range.start).start == u.range.start
        });
        uses.retain(|u| lexer::token_at(text, u.range.start).text(text) == u.name.as_bytes());
        uses.sort_by_key(|u| (u.range.start, std::cmp::Reverse(u.range.end)));
        uses.dedup_by_key(|u| u.range);
        let mut invocations: Vec<Invocation> = Vec::with_capacity(uses.len());
        for ReportedUse { range, name, shape: MacroShape { atomic, pastes } } in uses {
            let mut outer = invocations.len().checked_sub(1).map(|last| last as u32);
            while let Some(at) = outer.filter(|&at| invocations[at as usize].range.end <= range.start) {
                outer = invocations[at as usize].outer;
            }
            let arguments = arguments(text, range);
            invocations.push(Invocation { range, name: name.into(), atomic, pastes, arguments, outer });
        }
        Self { invocations }
    }

    /// The macro uses that cover a byte, the innermost first.
    pub fn covering(&self, offset: u32) -> impl Iterator<Item = &Invocation> {
        let mut at = self.invocations.partition_point(|i| i.range.start <= offset).checked_sub(1).map(|i| i as u32);
        std::iter::from_fn(move || {
            while let Some(index) = at {
                let invocation = &self.invocations[index as usize];
                at = invocation.outer;
                if offset < invocation.range.end {
                    return Some(invocation);
                }
            }
            None
        })
    }

    /// The macro use that is exactly this range.
    pub fn exactly(&self, range: SourceRange) -> Option<&Invocation> {
        self.covering(range.start).find(|i| i.range == range)
    }

    /// Whether the text of `range` stands for itself (see the module's header).
    pub fn is_written(&self, range: SourceRange) -> bool {
        if self.invocations.is_empty() || range.is_empty() {
            return !range.is_empty();
        }
        self.covering(range.start).chain(self.covering(range.end - 1)).all(|used| used.is_respected_by(range))
    }

    /// Where the use of a macro starts that has this place in it, or the place itself.
    pub fn start_of_use(&self, at: u32) -> u32 {
        self.covering(at).map(|used| used.range.start).min().unwrap_or(at)
    }
}

impl Invocation {
    fn is_respected_by(&self, range: SourceRange) -> bool {
        if range == self.range {
            true
        } else if range.contains(self.range) {
            self.atomic || (range.start != self.range.start && range.end != self.range.end)
        } else {
            !self.pastes && self.arguments.iter().any(|argument| argument.contains(range))
        }
    }
}

/// The arguments between the parentheses of a macro use, split at the commas outside nested brackets.
pub fn arguments(text: &[u8], range: SourceRange) -> Vec<SourceRange> {
    let name = lexer::token_at(text, range.start);
    let open = lexer::token_at(text, name.end);
    if open.end >= range.end || open.text(text) != b"(" {
        return Vec::new();
    }
    let (mut depth, mut start, mut found) = (0, open.end, Vec::new());
    for token in lexer::tokens(text, open.end, range.end - 1) {
        match token.text(text) {
            b"(" | b"[" | b"{" => depth += 1,
            b")" | b"]" | b"}" => depth -= 1,
            b"," if depth == 0 => {
                found.push(SourceRange::new(start, token.start));
                start = token.end;
            }
            _ => {}
        }
    }
    found.push(SourceRange::new(start, range.end - 1));
    found
}

impl MacroShape {
    pub fn of_definition(definition: &[u8]) -> Self {
        let tokens = lexer::tokens(definition, 0, definition.len() as u32);
        let words: Vec<_> = tokens.map(|token| token.text(definition)).collect();
        // GNU's `, ## __VA_ARGS__` only drops a comma.
        let pastes = words.windows(2).any(|pair| pair[0] != b"," && matches!(pair[1], b"##" | b"%:%:"));
        Self { atomic: is_atomic_definition(definition), pastes }
    }
}

/// Whether a macro's definition (`NAME body` or `NAME(parameters) body`) expands to something that binds as one
/// operand.
fn is_atomic_definition(definition: &[u8]) -> bool {
    let name = lexer::token_at(definition, 0);
    let mut body = name.end;
    if definition.get(body as usize) == Some(&b'(') {
        body = lexer::matching_bracket(definition, body).map_or(body, |close| close + 1);
    }
    let end = definition.len() as u32;
    let mut tokens = lexer::tokens(definition, body, end);
    let Some(first) = tokens.next() else { return true };
    let opening = match tokens.next() {
        None => return true,
        Some(_) if first.text(definition) == b"(" => first,
        Some(second) if second.text(definition) == b"(" && first.kind == lexer::TokenKind::Identifier => second,
        Some(_) => return false,
    };
    let close = lexer::matching_bracket(definition, opening.start);
    close.is_some_and(|close| lexer::skip_trivia(definition, close + 1) >= end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range_of(text: &str, part: &str) -> SourceRange {
        let start = text.find(part).unwrap_or_else(|| panic!("{part} in {text}")) as u32;
        SourceRange::new(start, start + part.len() as u32)
    }

    fn check(text: &str, uses: &[(&str, bool)], part: &str, expect: bool) {
        let reported = uses.iter().map(|(used, atomic)| ReportedUse {
            range: range_of(text, used),
            name: used.split('(').next().unwrap().to_string(),
            shape: MacroShape { atomic: *atomic, pastes: false },
        });
        let map = MacroMap::new(text.as_bytes(), reported.collect());
        assert_eq!(map.is_written(range_of(text, part)), expect, "{part} in {text}");
    }

    #[test]
    fn a_range_is_written_when_it_holds_macro_uses_whole_or_lies_in_one_argument() {
        check("a + b", &[], "a + b", true);
        check("a + MAX(b, c)", &[("MAX(b, c)", true)], "a + MAX(b, c)", true);
        check("a + MAX(b, c)", &[("MAX(b, c)", false)], "a + MAX(b, c)", false);
        check("a + MAX(b, c)", &[("MAX(b, c)", false)], "MAX(b, c)", true);
        check("a + MAX(b, c) + d", &[("MAX(b, c)", false)], "a + MAX(b, c) + d", true);
        check("MAX(b, c + 1)", &[("MAX(b, c + 1)", true)], "c + 1", true);
        check("MAX(b, c)", &[("MAX(b, c)", true)], "b, c", false);
        check("MAX(b, c)", &[("MAX(b, c)", true)], "c)", false);
        check("MAX(f(b, c), d)", &[("MAX(f(b, c), d)", true)], "f(b, c)", true);
        check("A(B(x) + 1)", &[("A(B(x) + 1)", false), ("B(x)", true)], "B(x) + 1", true);
        check("A(B(x) + 1)", &[("A(B(x) + 1)", false), ("B(x)", false)], "B(x) + 1", false);
    }

    #[test]
    fn a_definition_is_atomic_when_it_is_a_token_a_parenthesis_or_a_call() {
        let check = |text: &str, expect| assert_eq!(is_atomic_definition(text.as_bytes()), expect, "{text}");
        check("SIZE 16", true);
        check("EMPTY", true);
        check("NEG (-1)", true);
        check("MAX(a, b) ((a) > (b) ? (a) : (b))", true);
        check("GET(a) get(a)", true);
        check("SUM x + y", false);
        check("TWICE(a) (a) + (a)", false);
        check("MINUS -1", false);
    }
}
