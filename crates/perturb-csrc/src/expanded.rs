//! The declarations of a preprocessed unit: those from files of the project in full, and the system headers before
//! them.
//!
//! No macros and no comments are left, so two units with the same tokens mean the same.

use crate::lexer;
use std::collections::BTreeSet;

/// The declarations of a unit outside of system headers.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Expanded {
    pub declarations: Vec<Declaration>,
    /// The system headers that files of the project include.
    pub headers: Vec<String>,
}

/// A declaration outside of functions, or a function with its body.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Declaration {
    pub tokens: Vec<String>,
    pub kind: DeclarationKind,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeclarationKind {
    /// Where its name and its body are among the tokens.
    Function {
        name: usize,
        body: usize,
    },
    /// A function's declaration, and where its name is.
    Prototype {
        name: usize,
    },
    Other,
}

/// Why a unit cannot be read so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotExpanded {
    #[error("it has bytes in it that are no UTF-8")]
    Bytes,
    #[error("it has the directive `{0}`")]
    Directive(String),
    #[error("a function is defined in a way that is not understood, near `{0}`")]
    Function(String),
}

impl Expanded {
    /// Reads what a preprocessor wrote.
    pub fn read(text: &str) -> Result<Self, NotExpanded> {
        if text.contains(char::REPLACEMENT_CHARACTER) {
            return Err(NotExpanded::Bytes);
        }
        let (own, headers) = own_lines(text)?;
        let mut declarations = Vec::new();
        let mut open = Open::default();
        for token in lexer::tokens(own.as_bytes(), 0, own.len() as u32) {
            if open.add(&own[token.start as usize..token.end as usize]) {
                declarations.extend(std::mem::take(&mut open).declaration()?);
            }
        }
        match open.tokens.first() {
            None => Ok(Self { declarations, headers }),
            Some(first) => Err(NotExpanded::Function(first.clone())),
        }
    }

    pub fn tokens(&self) -> impl Iterator<Item = &str> {
        self.declarations.iter().flat_map(|declaration| declaration.tokens.iter().map(String::as_str))
    }

    /// The functions with a body.
    pub fn functions(&self) -> impl Iterator<Item = &Declaration> {
        self.declarations.iter().filter(|declaration| matches!(declaration.kind, DeclarationKind::Function { .. }))
    }

    pub fn function(&self, name: &str) -> Option<&Declaration> {
        self.functions().find(|function| function.function_name() == Some(name))
    }
}

impl Declaration {
    /// The name of a function, with its body or without.
    pub fn function_name(&self) -> Option<&str> {
        match self.kind {
            DeclarationKind::Function { name, .. } | DeclarationKind::Prototype { name } => Some(&self.tokens[name]),
            DeclarationKind::Other => None,
        }
    }

    /// The names that stand where a declared name does: before its end, its value, its size, the next one or its
    /// parameters.
    pub fn declared(&self) -> BTreeSet<&str> {
        let mut depth = 0;
        let mut found = BTreeSet::new();
        for (at, token) in self.tokens.iter().enumerate() {
            let is_end = |next: &String| matches!(next.as_str(), ";" | "=" | "[" | "," | "(");
            if depth == 0 && is_word(token) && self.tokens.get(at + 1).is_some_and(is_end) {
                found.insert(token.as_str());
            }
            depth += nesting(token);
        }
        found
    }

    /// As it may be shown.
    pub fn shown(&self) -> String {
        const MOST: usize = 12;
        let more = if self.tokens.len() > MOST { " …" } else { "" };
        format!("{}{more}", self.tokens[..self.tokens.len().min(MOST)].join(" "))
    }
}

/// The text of all files that are no system headers, and the system headers that they include.
fn own_lines(text: &str) -> Result<(String, Vec<String>), NotExpanded> {
    let (mut own, mut headers) = (String::new(), Vec::new());
    // One for each file that is being included: whether it is a system header.
    let mut stack: Vec<bool> = Vec::new();
    for line in text.lines() {
        let Some(directive) = line.strip_prefix('#') else {
            if !stack.contains(&true) {
                own.push_str(line);
                own.push('\n');
            }
            continue;
        };
        match marker(directive) {
            Some((file, flags)) if flags.contains(&1) => {
                let is_system = flags.contains(&3);
                if is_system && !stack.contains(&true) {
                    headers.push(file.to_string());
                }
                stack.push(is_system);
            }
            Some((_, flags)) if flags.contains(&2) => drop(stack.pop()),
            Some(_) => {}
            None if stack.contains(&true) || says_nothing(directive) => {}
            None => return Err(NotExpanded::Directive(line.trim().to_string())),
        }
    }
    Ok((own, headers))
}

/// ` 12 "a.c" 1 3`: the file and the flags, 1 for the beginning of a file, 2 for the way back to it, 3 for a system
/// header.
fn marker(directive: &str) -> Option<(&str, Vec<u8>)> {
    let (line, rest) = directive.split_once('"')?;
    line.trim().parse::<u32>().ok()?;
    let (file, flags) = rest.rsplit_once('"')?;
    Some((file, flags.split_whitespace().filter_map(|flag| flag.parse().ok()).collect()))
}

/// Warnings are nobody's business here.
fn says_nothing(directive: &str) -> bool {
    let mut words = directive.split_whitespace();
    words.next() == Some("pragma")
        && matches!((words.next(), words.next()), (Some("GCC" | "clang"), Some("diagnostic")) | (Some("once"), _))
}

/// A declaration that is being read.
#[derive(Default)]
struct Open {
    tokens: Vec<String>,
    depth: i32,
    /// The name before the first parameters.
    name: Option<usize>,
    /// The first brace outside of all others, if a parameter list stands before it.
    body: Option<usize>,
    has_value: bool,
}

impl Open {
    /// Adds a token; whether the declaration ends with it.
    fn add(&mut self, token: &str) -> bool {
        let at = self.tokens.len();
        if self.depth == 0 {
            match token {
                "=" => self.has_value = true,
                "(" if self.name.is_none() => {
                    let before = at.checked_sub(1).filter(|before| is_word(&self.tokens[*before]));
                    self.name = before.filter(|before| !is_attribute(&self.tokens[*before]));
                }
                "{" if !self.has_value && self.tokens.last().is_some_and(|last| last == ")") && self.name.is_some() => {
                    self.body = self.body.or(Some(at));
                }
                _ => {}
            }
        }
        self.tokens.push(token.to_string());
        self.depth += nesting(token);
        self.depth == 0 && (token == ";" || (token == "}" && self.body.is_some()))
    }

    /// None for a lone semicolon.
    fn declaration(self) -> Result<Option<Declaration>, NotExpanded> {
        let Self { tokens, name, body, has_value, .. } = self;
        if tokens.len() == 1 {
            return Ok(None);
        }
        let starts_odd = matches!(tokens[0].as_str(), "{" | "(" | ")" | "asm" | "__asm__" | "__asm");
        let is_nameless = body.is_some() && name.is_none_or(|name| TYPES.contains(&tokens[name].as_str()));
        if starts_odd || is_nameless {
            return Err(NotExpanded::Function(tokens[..tokens.len().min(4)].join(" ")));
        }
        let is_type = matches!(tokens[0].as_str(), "typedef" | "_Static_assert");
        let kind = match (name, body) {
            (Some(name), Some(body)) => DeclarationKind::Function { name, body },
            (Some(name), None) if !is_type && !has_value && is_prototype(&tokens, name) => {
                DeclarationKind::Prototype { name }
            }
            _ => DeclarationKind::Other,
        };
        Ok(Some(Declaration { tokens, kind }))
    }
}

/// `int f(int);` and not `int (*f)(int);` or `int f(int), g;`
fn is_prototype(tokens: &[String], name: usize) -> bool {
    let mut depth = 0;
    let has_others = tokens.iter().any(|token| {
        depth += nesting(token);
        depth == 0 && token == ","
    });
    let is_pointer = tokens.get(name + 2).is_some_and(|next| next == "*");
    name > 0 && !has_others && !is_pointer && !TYPES.contains(&tokens[name].as_str())
}

const TYPES: [&str; 9] = ["void", "char", "short", "int", "long", "float", "double", "signed", "unsigned"];

/// Whether a token is a name or a keyword; not a string, which may have a letter before it.
pub(crate) fn is_word(token: &str) -> bool {
    let is_name = token.bytes().all(lexer::is_identifier_byte);
    is_name && token.starts_with(|first: char| !first.is_ascii_digit())
}

fn is_attribute(token: &str) -> bool {
    matches!(token, "__attribute__" | "__attribute" | "_Alignas" | "__typeof__" | "typeof" | "__asm__" | "__declspec")
}

fn nesting(token: &str) -> i32 {
    match token {
        "(" | "[" | "{" => 1,
        ")" | "]" | "}" => -1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::Share;

    const TEXT: &str = "# 0 \"a.c\"\n# 1 \"/usr/include/string.h\" 1 3 4\nextern int strlen(int);\n# 2 \"a.c\" 2\n\
        struct s { int a; };\nstatic int g(int x);\nint table[2] = { 1, 2 };\nint f(struct s *p)\n{\n  return p ==\n\
        # 9 \"a.c\" 3 4\n  ((void *)0)\n# 9 \"a.c\"\n ;\n}\n__attribute__((noinline)) static int g(int x) { return x; \
        };\n";

    #[test]
    fn declarations_of_the_project_are_told_from_those_of_the_system() {
        let found = Expanded::read(TEXT).unwrap();
        assert_eq!(found.headers, ["/usr/include/string.h"]);
        let kinds: Vec<_> = found.declarations.iter().map(|own| (own.function_name(), own.tokens.len())).collect();
        assert_eq!(kinds, [(None, 8), (Some("g"), 8), (None, 12), (Some("f"), 21), (Some("g"), 18)]);
        let f = found.function("f").unwrap();
        assert_eq!(f.kind, DeclarationKind::Function { name: 1, body: 8 });
        assert!(f.tokens.join(" ").ends_with("== ( ( void * ) 0 ) ; }"), "{f:?}");
    }

    #[test]
    fn prototypes_and_variables_are_told_apart() {
        for (text, name) in [
            ("int f(int);", Some("f")),
            ("extern char *f(void) __attribute__((pure));", Some("f")),
            ("__attribute__((pure)) int f(int);", Some("f")),
            ("int (*f)(int);", None),
            ("static t (*f)(int);", None),
            ("typedef int f(int);", None),
            ("int f(int), g;", None),
            ("int a = f(1);", None),
        ] {
            let found = Expanded::read(text).unwrap();
            assert_eq!(found.declarations[0].function_name(), name, "{text}");
        }
        let declared = |text: &str| -> Vec<String> {
            let found = Expanded::read(text).unwrap();
            found.declarations[0].declared().into_iter().map(str::to_string).collect()
        };
        assert_eq!(declared("static const t x[3] = { a, b }, *y;"), ["x", "y"]);
        assert_eq!(declared("struct s { int a; } v;"), ["v"]);
        assert_eq!(declared("struct s { int a; };"), [""; 0]);
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        assert_eq!(Expanded::read("#pragma pack(1)\n"), Err(NotExpanded::Directive("#pragma pack(1)".to_string())));
        assert_eq!(Expanded::read("#pragma GCC diagnostic pop\n"), Ok(Expanded::default()));
        assert!(matches!(Expanded::read("int f(a) int a; { return a; }"), Err(NotExpanded::Function(_))));
        assert!(matches!(Expanded::read("int f(int a) {"), Err(NotExpanded::Function(_))));
    }

    #[test]
    fn fuzzed_output_of_preprocessors_is_read_or_refused() {
        perturb_fuzz::survives("output of preprocessors", Share::All, &[TEXT], |text| {
            let _ = Expanded::read(&String::from_utf8_lossy(text));
        });
    }
}
