//! Two versions of a file in one text, so that one program can call functions of both: the first version as it is,
//! followed by the functions of the second under other names.
//!
//! For each compared function there is a caller, which calls that of the first version; with another name in its place,
//! it calls that of the second. If the second version could mean something else here than by itself, no text is made.

use crate::expanded::{is_word, Declaration, DeclarationKind, Expanded};
use crate::source::SourceRange;
use std::collections::BTreeSet;

/// The files.
#[derive(Debug, Clone, Copy)]
pub struct Versions<'v> {
    pub first: &'v Expanded,
    pub second: &'v Expanded,
    /// The first as it is written, and what it calls itself.
    pub text: &'v str,
    pub path: &'v str,
}

/// A function that both have.
#[derive(Debug, Clone)]
pub struct Twin<'t> {
    pub name: &'t str,
    /// The names of its parameters in the first file.
    pub parameters: Vec<&'t str>,
    /// A comment with what it may be given.
    pub contract: Option<&'t str>,
}

/// The text with both.
#[derive(Debug)]
pub struct Joined {
    pub text: String,
    /// One for each function, in their order.
    pub calls: Vec<Call>,
    /// What stands behind the first file, as tokens.
    pub added: Vec<String>,
}

/// The function that calls one of the first file.
#[derive(Debug, PartialEq, Eq)]
pub struct Call {
    pub caller: String,
    /// Where the function's name stands in it.
    pub called: SourceRange,
    /// The name to be put there for that of the second.
    pub other: String,
}

/// Why there is no such text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotJoined {
    #[error("the files differ outside of functions: `{0}` is only in the second")]
    Declaration(String),
    #[error("`{0}`, outside of functions, names one")]
    NamesFunction(String),
    #[error("{0}() is inline and not static, so that it may be defined elsewhere")]
    Inline(String),
    #[error("a parameter of {0}() has no name")]
    Nameless(String),
}

/// Writes it.
pub fn joined(versions: Versions<'_>, twins: &[Twin<'_>]) -> Result<Joined, NotJoined> {
    let Versions { first, second, text, path } = versions;
    if let Some(odd) = first.functions().find(|function| is_plain_inline(function)) {
        return Err(NotJoined::Inline(odd.function_name().unwrap_or_default().to_string()));
    }
    let names: BTreeSet<&str> = second.functions().filter_map(Declaration::function_name).collect();
    // Under the first file's name, for code that uses its own position.
    let mut head = format!("#line 1 {path:?}\n{text}\n");
    for header in second.headers.iter().filter(|header| !first.headers.contains(header)) {
        let include = match header.rsplit_once("/include/") {
            Some((_, name)) => format!("#include <{name}>\n"),
            None => format!("#include {header:?}\n"),
        };
        head.push_str(&include);
    }
    // What comes now has no macros in it.
    let words: BTreeSet<&str> = first.tokens().chain(second.tokens()).filter(|token| is_word(token)).collect();
    head.extend(words.into_iter().map(|word| format!("#undef {word}\n")));
    let mut writer = JoinedWriter { suffix: suffix(versions), names, text: head, added: Vec::new() };
    let known: BTreeSet<&Declaration> = first.declarations.iter().collect();
    let declared: BTreeSet<&str> = first.declarations.iter().flat_map(Declaration::declared).collect();
    for declaration in &second.declarations {
        writer.declaration(declaration, &known, &declared)?;
    }
    let calls = twins.iter().map(|twin| writer.caller(first, second, twin)).collect::<Result<_, _>>()?;
    Ok(Joined { text: writer.text, calls, added: writer.added })
}

/// What no name in either has in it.
fn suffix(versions: Versions<'_>) -> String {
    let mut suffix = "__second".to_string();
    let is_taken = |suffix: &str| {
        let mut tokens = versions.first.tokens().chain(versions.second.tokens());
        tokens.any(|token| token.contains(suffix)) || versions.text.contains(suffix)
    };
    while is_taken(&suffix) {
        suffix.push('2');
    }
    suffix
}

const INLINE: [&str; 3] = ["inline", "__inline", "__inline__"];

/// With one of these, a declaration may refer to a function.
const VALUES: [&str; 5] = ["=", "sizeof", "typeof", "__typeof__", "__attribute__"];

fn head(function: &Declaration) -> &[String] {
    match function.kind {
        DeclarationKind::Function { body, .. } => &function.tokens[..body],
        DeclarationKind::Prototype { .. } | DeclarationKind::Other => &function.tokens,
    }
}

/// Another file may have the body that counts.
fn is_plain_inline(function: &Declaration) -> bool {
    let has = |word: &str| head(function).iter().any(|token| token == word);
    INLINE.iter().any(|word| has(word)) && !has("static")
}

struct JoinedWriter<'w> {
    suffix: String,
    /// The functions of the second file.
    names: BTreeSet<&'w str>,
    text: String,
    added: Vec<String>,
}

impl JoinedWriter<'_> {
    fn declaration(
        &mut self,
        declaration: &Declaration,
        known: &BTreeSet<&Declaration>,
        declared: &BTreeSet<&str>,
    ) -> Result<(), NotJoined> {
        let own = declaration.function_name().filter(|name| self.names.contains(name));
        let is_prototype = matches!(declaration.kind, DeclarationKind::Prototype { .. });
        if own.is_some() {
            self.function(declaration);
            return Ok(());
        }
        // A member may be called the same.
        let has_value = declaration.tokens.iter().any(|token| VALUES.contains(&token.as_str()));
        if has_value && declaration.tokens.iter().any(|token| self.names.contains(token.as_str())) {
            return Err(NotJoined::NamesFunction(declaration.shown()));
        }
        if known.contains(declaration) {
            return Ok(());
        }
        // What it declares might be taken for the same thing of the first file.
        let is_pointer = declaration.tokens.windows(2).any(|pair| pair[0] == "(" && pair[1] == "*");
        if !is_prototype && (is_pointer || !declaration.declared().is_disjoint(declared)) {
            return Err(NotJoined::Declaration(declaration.shown()));
        }
        self.write(declaration.tokens.iter().cloned());
        Ok(())
    }

    /// A function of the second file, or its declaration. It is called from here only.
    fn function(&mut self, declaration: &Declaration) {
        let head = head(declaration).len();
        let is_kept =
            |at: usize, token: &str| at >= head || !(INLINE.contains(&token) || matches!(token, "static" | "extern"));
        let mut tokens = vec!["static".to_string()];
        for (at, token) in declaration.tokens.iter().enumerate().filter(|(at, token)| is_kept(*at, token)) {
            let is_member = at > 0 && matches!(declaration.tokens[at - 1].as_str(), "." | "->");
            let is_own = self.names.contains(token.as_str()) && !is_member;
            tokens.push(if is_own { format!("{token}{}", self.suffix) } else { token.clone() });
        }
        self.write(tokens);
    }

    fn write(&mut self, tokens: impl IntoIterator<Item = String>) {
        let start = self.added.len();
        self.added.extend(tokens);
        self.text.push_str(&self.added[start..].join(" "));
        self.text.push('\n');
    }

    /// The function that calls both, with the head of the first file's. It names both, so that it uses what both use.
    fn caller(&mut self, first: &Expanded, second: &Expanded, twin: &Twin<'_>) -> Result<Call, NotJoined> {
        let Twin { name, parameters, contract } = twin;
        if parameters.iter().any(|parameter| parameter.is_empty()) {
            return Err(NotJoined::Nameless(name.to_string()));
        }
        let (other, caller) = (format!("{name}{}", self.suffix), format!("{name}{}_caller", self.suffix));
        let versions = [first, second].map(|version| version.function(name).expect("both versions have it"));
        let mut tokens = plain_head(versions[0], &caller);
        tokens.extend(["{", "(", "void", ")", "&", other.as_str(), ";", "return"].map(str::to_string));
        // Numbers that are written in both are worth a try.
        let is_number = |token: &&String| token.starts_with(|first: char| first.is_ascii_digit() || first == '\'');
        let numbers: BTreeSet<&String> =
            first.functions().chain(second.functions()).flat_map(|own| &own.tokens).filter(is_number).collect();
        let numbers: Vec<&str> = numbers.into_iter().map(String::as_str).collect();
        let contract = contract.map(|contract| format!("{contract}\n")).unwrap_or_default();
        self.text.push_str(&format!("\n{contract}{} /* {} */ ", tokens.join(" "), numbers.join(" ")));
        let start = self.text.len() as u32;
        let called = SourceRange::new(start, start + name.len() as u32);
        let mut call = vec![name.to_string(), "(".to_string()];
        for (at, parameter) in parameters.iter().enumerate() {
            call.extend((at > 0).then(|| ",".to_string()));
            call.push(parameter.to_string());
        }
        call.extend([")", ";", "}"].map(str::to_string));
        self.added.extend(tokens);
        self.write(call);
        Ok(Call { caller, called, other })
    }
}

/// The head of a function for another name, without what says how it is kept or compiled.
fn plain_head(function: &Declaration, name: &str) -> Vec<String> {
    let DeclarationKind::Function { name: name_at, .. } = function.kind else { return Vec::new() };
    let mut tokens = Vec::new();
    let mut attribute: Option<i32> = None;
    for (at, token) in head(function).iter().enumerate() {
        if let Some(depth) = &mut attribute {
            *depth += i32::from(token == "(") - i32::from(token == ")");
            if *depth == 0 {
                attribute = None;
            }
            continue;
        }
        match token.as_str() {
            "__attribute__" | "__attribute" => attribute = Some(0),
            "static" | "extern" | "_Noreturn" | "__extension__" => {}
            word if INLINE.contains(&word) => {}
            _ if at == name_at => tokens.push(name.to_string()),
            _ => tokens.push(token.clone()),
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join(first: &str, second: &str) -> Result<Joined, NotJoined> {
        let versions = [first, second].map(|text| Expanded::read(text).unwrap());
        let versions = Versions { first: &versions[0], second: &versions[1], text: first, path: "a.c" };
        joined(versions, &[Twin { name: "f", parameters: vec!["a"], contract: Some("// @perturb(sym)") }])
    }

    #[test]
    fn functions_of_the_second_file_stand_behind_the_first_under_other_names() {
        let first = "int x;\nint g(int a) { return a; }\nint f(int a) { return g(a) + x; }\n";
        let second = "int x;\nstatic inline int g(int a) { return a + 12; }\nint f(int b) { return x + g(b); }\n";
        let joined = join(first, second).unwrap();
        let expected = format!(
            "#line 1 \"a.c\"\n{first}\n\
             #undef a\n#undef b\n#undef f\n#undef g\n#undef inline\n#undef int\n#undef return\n#undef static\n#undef \
             x\n\
             static int g__second ( int a ) {{ return a + 12 ; }}\n\
             static int f__second ( int b ) {{ return x + g__second ( b ) ; }}\n\n\
             // @perturb(sym)\n\
             int f__second_caller ( int a ) {{ ( void ) & f__second ; return /* 12 */ f ( a ) ; }}\n"
        );
        assert_eq!(joined.text, expected);
        let [Call { caller, called, other }] = &joined.calls[..] else { panic!("one function") };
        assert_eq!((caller.as_str(), other.as_str()), ("f__second_caller", "f__second"));
        assert_eq!(&joined.text[called.start as usize..called.end as usize], "f");
        assert!(joined.text[called.end as usize..].starts_with(" ( a )"));
    }

    #[test]
    fn names_are_made_that_nobody_has_and_members_keep_theirs() {
        let second = "struct s { int f; } __second;\nint f(int a) { return __second.f + f(a); }\n";
        let joined = join(&second.replace("+ f(a)", ""), second).unwrap();
        assert!(joined.text.contains("{ return __second . f + f__second2 ( a ) ; }"), "{}", joined.text);
    }

    #[test]
    fn what_could_mean_something_else_is_refused() {
        let f = "int f(int a) { return a; }";
        for (first, second, why) in [
            ("int x;", "int x = 5;", "the files differ outside of functions: `int x = 5 ;` is only in the second"),
            (
                "",
                "static int (*p)(int);",
                "the files differ outside of functions: `static int ( * p ) ( int ) ;` is only in the second",
            ),
            ("int *p = (int *)f;", "int *p = (int *)f;", "`int * p = ( int * ) f ;`, outside of functions, names one"),
            (
                "inline int g(void) { return 1; }",
                "",
                "g() is inline and not static, so that it may be defined elsewhere",
            ),
        ] {
            let error = join(&format!("{first}\n{f}"), &format!("{second}\n{f}")).unwrap_err();
            assert_eq!(error.to_string(), why);
        }
        // New types, constants and declarations of functions have names of their own.
        let new =
            "typedef struct { int a; } t; static const int table[2] = { 1, 2 }; int elsewhere(int); int f(int a);";
        let joined = join(f, &format!("{new}\n{f}")).unwrap();
        assert!(
            joined.text.contains("static const int table [ 2 ]")
                && joined.text.contains("static int f__second ( int a ) ;")
        );
    }
}
