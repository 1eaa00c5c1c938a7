//! Parses types, and the table of named types.
//!
//! A type is parsed in two steps: first its text, then its names are resolved. In LLVM 14, a struct may hold a pointer
//! that names the struct itself; the target type of a pointer is dropped before it is resolved.

use super::cursor::{Cursor, Read, Token};
use super::literal;
use crate::ir::layout::DataLayout;
use crate::ir::types::{FloatKind, FunctionType, StructType, Type, MAX_VECTOR};
use crate::ir::Unsupported;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The greatest nesting depth of brackets.
pub(super) const MAX_NESTING: u32 = 100;

/// The widest integer that LLVM has.
const MAX_BITS: u32 = 1 << 23;

/// A type as it is written.
#[derive(Debug, Clone)]
enum ParsedType<'t> {
    Known(Type),
    Named(&'t str),
    Array(u64, Box<Self>),
    Vector(u64, Box<Self>),
    Struct { fields: Vec<Self>, is_packed: bool },
    Function { result: Box<Self>, parameters: Vec<Self>, is_variadic: bool },
    Opaque,
}

/// The types with names.
#[derive(Debug, Default)]
pub(super) struct TypeTable<'t> {
    types: HashMap<&'t str, Read<Type>>,
}

impl<'t> TypeTable<'t> {
    /// Parses all lines that define types, `%name = type …`.
    pub fn read(definitions: &[(&'t str, u32)], layout: &DataLayout) -> Self {
        let mut written: HashMap<&'t str, Read<(ParsedType<'t>, u32)>> = HashMap::new();
        for (text, line) in definitions {
            let mut cursor = Cursor::new(text, *line);
            let Token::Local(name) = cursor.take() else { continue };
            let read = definition(&mut cursor).map(|written| (written, *line));
            let twice = Unsupported { what: format!("%{name} is defined twice"), line: *line };
            written.entry(name).and_modify(|first| *first = Err(twice)).or_insert(read);
        }
        let mut resolver = Resolver { layout, written: &written, done: Self::default(), open: HashSet::new() };
        for name in written.keys() {
            // An error is reported at its uses.
            let _ = resolver.named(name, 0);
        }
        resolver.done
    }
}

fn definition<'t>(cursor: &mut Cursor<'t>) -> Read<ParsedType<'t>> {
    cursor.expect('=')?;
    cursor.expect_word("type")?;
    let written = if cursor.eat_word("opaque") { ParsedType::Opaque } else { written(cursor, 0)? };
    match cursor.peek() {
        Token::End => Ok(written),
        _ => Err(cursor.unexpected("the end of a type")),
    }
}

/// Parses a type that may contain names.
pub(super) fn read<'t>(cursor: &mut Cursor<'t>, layout: &DataLayout, table: &TypeTable<'t>) -> Read<Type> {
    let line = cursor.line();
    let written = written(cursor, 0)?;
    let named = |name: &str| table.types.get(name).cloned().unwrap_or_else(|| Err(unknown(name)));
    resolve(&written, layout, &mut |name| named(name)).map_err(|error| Unsupported { line, ..error })
}

/// Whether a type starts with this token.
pub(super) fn starts(token: Token<'_>) -> bool {
    match token {
        Token::Word(word) => simple(word).is_some() || is_known_and_unsupported(word),
        Token::Local(_) | Token::Sign('[' | '{' | '<') => true,
        _ => false,
    }
}

fn written<'t>(cursor: &mut Cursor<'t>, depth: u32) -> Read<ParsedType<'t>> {
    if depth > MAX_NESTING {
        return Err(cursor.fail("types nested too deep"));
    }
    let mut ty = base(cursor, depth)?;
    loop {
        match cursor.peek() {
            Token::Sign('*') => drop(cursor.take()),
            Token::Word("addrspace") => return Err(cursor.fail("another address space")),
            Token::Sign('(') => {
                ty = function(cursor, ty, depth)?;
                continue;
            }
            _ => return Ok(ty),
        }
        ty = ParsedType::Known(Type::Pointer);
    }
}

fn base<'t>(cursor: &mut Cursor<'t>, depth: u32) -> Read<ParsedType<'t>> {
    let wrong = cursor.complaint("a type");
    match cursor.take() {
        Token::Word(word) => match simple(word) {
            Some(Type::Pointer) if cursor.peek() == Token::Word("addrspace") => {
                Err(cursor.fail("another address space"))
            }
            Some(ty) => Ok(ParsedType::Known(ty)),
            None => Err(if is_known_and_unsupported(word) { cursor.fail(format!("type {word}")) } else { wrong() }),
        },
        Token::Local(name) => Ok(ParsedType::Named(name)),
        Token::Sign('[') => {
            let (count, element) = counted(cursor, depth)?;
            cursor.expect(']')?;
            Ok(ParsedType::Array(count, element))
        }
        Token::Sign('{') => fields(cursor, false, depth),
        Token::Sign('<') if cursor.eat('{') => {
            let fields = fields(cursor, true, depth)?;
            cursor.expect('>')?;
            Ok(fields)
        }
        Token::Sign('<') => {
            if cursor.peek() == Token::Word("vscale") {
                return Err(cursor.fail("a scalable vector"));
            }
            let (count, element) = counted(cursor, depth)?;
            cursor.expect('>')?;
            Ok(ParsedType::Vector(count, element))
        }
        _ => Err(wrong()),
    }
}

fn simple(word: &str) -> Option<Type> {
    Some(match word {
        "void" => Type::Void,
        "ptr" => Type::Pointer,
        "half" => Type::Float(FloatKind::Half),
        "bfloat" => Type::Float(FloatKind::BFloat),
        "float" => Type::Float(FloatKind::Single),
        "double" => Type::Float(FloatKind::Double),
        "x86_fp80" => Type::Float(FloatKind::X87),
        "fp128" => Type::Float(FloatKind::Quad),
        "label" => Type::Label,
        "metadata" => Type::Metadata,
        "token" => Type::Token,
        _ => {
            let digits = word.strip_prefix('i').filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
            Type::Int(digits.parse().ok().filter(|bits| (1..=MAX_BITS).contains(bits))?)
        }
    })
}

fn is_known_and_unsupported(word: &str) -> bool {
    matches!(word, "ppc_fp128" | "x86_mmx" | "x86_amx" | "target")
}

/// `4 x i32`, of an array or a vector.
fn counted<'t>(cursor: &mut Cursor<'t>, depth: u32) -> Read<(u64, Box<ParsedType<'t>>)> {
    let count = cursor.number()?;
    cursor.expect_word("x")?;
    Ok((count, Box::new(written(cursor, depth + 1)?)))
}

fn fields<'t>(cursor: &mut Cursor<'t>, is_packed: bool, depth: u32) -> Read<ParsedType<'t>> {
    let mut fields = Vec::new();
    if !cursor.eat('}') {
        loop {
            fields.push(written(cursor, depth + 1)?);
            if !cursor.eat(',') {
                break;
            }
        }
        cursor.expect('}')?;
    }
    Ok(ParsedType::Struct { fields, is_packed })
}

fn function<'t>(cursor: &mut Cursor<'t>, result: ParsedType<'t>, depth: u32) -> Read<ParsedType<'t>> {
    cursor.expect('(')?;
    let (mut parameters, mut is_variadic) = (Vec::new(), false);
    while cursor.peek() != Token::Sign(')') {
        if cursor.eat_token(Token::Ellipsis) {
            is_variadic = true;
            break;
        }
        parameters.push(written(cursor, depth + 1)?);
        if !cursor.eat(',') {
            break;
        }
    }
    cursor.expect(')')?;
    Ok(ParsedType::Function { result: Box::new(result), parameters, is_variadic })
}

/// A type with its names resolved.
fn resolve<'t>(
    written: &ParsedType<'t>,
    layout: &DataLayout,
    named: &mut dyn FnMut(&'t str) -> Read<Type>,
) -> Read<Type> {
    let mut all =
        |types: &[ParsedType<'t>]| -> Read<Vec<Type>> { types.iter().map(|ty| resolve(ty, layout, named)).collect() };
    match written {
        ParsedType::Known(ty) => Ok(ty.clone()),
        ParsedType::Named(name) => named(name),
        ParsedType::Array(count, element) => {
            let element = resolve(element, layout, named)?;
            let is_possible = element.is_value() && layout.allows_array(&element, *count);
            is_possible.then(|| Type::array(element, *count)).ok_or_else(|| problem("an array of this type"))
        }
        ParsedType::Vector(count, element) => {
            let element = resolve(element, layout, named)?;
            let is_scalar = matches!(element, Type::Int(_) | Type::Float(_) | Type::Pointer);
            let is_possible = is_scalar && (1..=MAX_VECTOR).contains(count);
            is_possible.then(|| Type::vector(element, *count as u32)).ok_or_else(|| problem("a vector of this type"))
        }
        ParsedType::Struct { fields, is_packed } => {
            let made = layout.structure(None, all(fields)?, *is_packed);
            made.map(|made| Type::Struct(Arc::new(made))).ok_or_else(|| problem("a struct of these types"))
        }
        ParsedType::Function { result, parameters, is_variadic } => {
            let parameters = all(parameters)?;
            let result = resolve(result, layout, named)?;
            if !(result == Type::Void || result.is_value()) {
                return Err(problem(&format!("a function that returns {result}")));
            }
            Ok(Type::Function(Arc::new(FunctionType { result, parameters, is_variadic: *is_variadic })))
        }
        ParsedType::Opaque => Err(problem("an opaque type without a name")),
    }
}

/// Resolves the remaining names.
struct Resolver<'r, 't> {
    layout: &'r DataLayout,
    written: &'r HashMap<&'t str, Read<(ParsedType<'t>, u32)>>,
    done: TypeTable<'t>,
    /// The names being resolved: a struct that contains itself has no size.
    open: HashSet<&'t str>,
}

impl<'t> Resolver<'_, 't> {
    fn named(&mut self, name: &'t str, depth: u32) -> Read<Type> {
        if let Some(done) = self.done.types.get(name) {
            return done.clone();
        }
        if depth > MAX_NESTING || !self.open.insert(name) {
            return Err(problem(&format!("%{name} is in itself")));
        }
        let made = self.make(name, depth);
        self.open.remove(name);
        self.done.types.insert(name, made.clone());
        made
    }

    fn make(&mut self, name: &'t str, depth: u32) -> Read<Type> {
        let (written, line) = match self.written.get(name) {
            Some(Ok(written)) => written,
            Some(Err(error)) => return Err(error.clone()),
            None => return Err(unknown(name)),
        };
        let layout = self.layout;
        let own = || literal::name(name).map(Arc::from);
        if let ParsedType::Opaque = written {
            return Ok(Type::Struct(Arc::new(StructType {
                name: own(),
                is_packed: false,
                fields: vec![],
                shape: None,
            })));
        }
        let ty = resolve(written, layout, &mut |inner| self.named(inner, depth + 1));
        match ty.map_err(|error| Unsupported { line: *line, ..error })? {
            Type::Struct(made) if matches!(written, ParsedType::Struct { .. }) => {
                Ok(Type::Struct(Arc::new(StructType { name: own(), ..(*made).clone() })))
            }
            other => Ok(other),
        }
    }
}

fn unknown(name: &str) -> Unsupported {
    problem(&format!("type %{name} is not defined"))
}

/// The caller adds the line.
fn problem(what: &str) -> Unsupported {
    Unsupported { what: what.to_string(), line: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A type as it is understood, or what is wrong with it.
    fn check(definitions: &str, text: &str) -> String {
        let lines: Vec<(&str, u32)> = definitions.lines().zip(1..).collect();
        let layout = DataLayout::default();
        let table = TypeTable::read(&lines, &layout);
        let mut cursor = Cursor::new(text, 9);
        match read(&mut cursor, &layout, &table) {
            Ok(ty) => format!("{ty} {}", layout.size(&ty).map_or("-".to_string(), |size| size.to_string())),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn types_of_both_kinds_of_pointers_are_read() {
        for (text, expected) in [
            ("i32", "i32 4"),
            ("i32*", "ptr 8"),
            ("i32**", "ptr 8"),
            ("ptr", "ptr 8"),
            ("void (i8*, ...)*", "ptr 8"),
            ("i32 (i8*, ...)", "i32 (ptr, ...) -"),
            ("i32 (...)", "i32 (...) -"),
            ("void (i32 (i32)*)* (i8)**", "ptr 8"),
            ("[2 x [3 x i16]]", "[2 x [3 x i16]] 12"),
            ("<4 x float>", "<4 x float> 16"),
            ("<{ i8, i32 }>", "<{ i8, i32 }> 5"),
            ("{ i8, { i64, i8* } }", "{ i8, { i64, ptr } } 24"),
            ("{}", "{} 0"),
            ("x86_fp80", "x86_fp80 16"),
        ] {
            assert_eq!(check("", text), expected, "{text}");
        }
    }

    #[test]
    fn named_structs_may_point_to_themselves_and_come_in_any_order() {
        let definitions = "%list = type { %item, %list*, %list (%list)* }\n%item = type { i32 }\n%none = type opaque";
        assert_eq!(check(definitions, "%list"), "%list 24");
        assert_eq!(check(definitions, "%none*"), "ptr 8");
        assert_eq!(check(definitions, "%none"), "%none -");
    }

    #[test]
    fn what_cannot_be_is_told() {
        let endless = "%a = type { %b }\n%b = type { [2 x %a] }\n%o = type opaque\n%a2 = type { %a }\n\
                       %d = type i32\n%d = type i8";
        for (text, expected) in [
            ("%a", "line 9: "),
            ("%a2", "line 9: "),
            ("%d", "line 9: %d is defined twice"),
            ("%gone", "line 9: type %gone is not defined"),
            ("[2 x %o]", "line 9: an array of this type"),
            ("[2 x void]", "line 9: an array of this type"),
            ("{ label }", "line 9: a struct of these types"),
            ("[9999999999999999999 x i64]", "line 9: an array of this type"),
            ("<99999999 x i8>", "line 9: a vector of this type"),
            ("<2 x { i8 }>", "line 9: a vector of this type"),
            ("<vscale x 4 x i32>", "line 9: a scalable vector"),
            ("i0", "line 9: a type expected at: i0"),
            ("i99999999", "line 9: a type expected at: i99999999"),
            ("ptr addrspace(1)", "line 9: another address space"),
            ("i8 addrspace(1)*", "line 9: another address space"),
            ("ppc_fp128", "line 9: type ppc_fp128"),
            ("[2 x i32", "line 9: ']' expected at: "),
        ] {
            let found = check(endless, text);
            assert!(found.starts_with(expected), "{text}: {found}");
        }
    }

    #[test]
    fn types_that_double_at_every_step_take_no_time() {
        let doubling: String = (1..90).map(|n| format!("%a{n} = type {{ %a{}, %a{} }}\n", n - 1, n - 1)).collect();
        let definitions = format!("%a0 = type {{ i8 }}\n{doubling}");
        assert!(check(&definitions, "%a59").starts_with("%a59 576460752303423488"));
        assert!(check(&definitions, "%a89").contains("a struct of these types"));
        let deep = "[1 x ".repeat(5000);
        assert!(check("", &deep).contains("too deep"));
    }
}
