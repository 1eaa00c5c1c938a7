//! Parses a module. Every definition is on lines of its own, so an unsupported one does not affect others.

mod attributes;
mod calls;
mod computations;
mod constants;
mod cursor;
mod debug;
mod dominance;
mod functions;
mod globals;
mod instructions;
mod literal;
mod parser;
mod types;
mod verify;
mod words;

use super::function::{Body, Function, Global, GlobalKind};
use super::layout::DataLayout;
use super::{Module, Symbol, Unsupported};
use cursor::{Cursor, Token};
use debug::DebugInfo;
use parser::Context;
use std::collections::HashMap;
use std::mem;
use std::sync::Arc;
use types::TypeTable;

pub(super) fn module(text: &str) -> Module {
    let outline = Outline::of(text);
    let layout = DataLayout::parse(outline.layout.unwrap_or_default());
    let mut context = Context {
        types: TypeTable::read(&outline.types, layout.as_ref().unwrap_or(&DataLayout::default())),
        groups: outline.groups.iter().filter_map(|(text, line)| group(Cursor::new(text, *line))).collect(),
        debug: DebugInfo::read(outline.metadata.iter().copied()),
        layout: layout.as_ref().cloned().unwrap_or_default(),
    };
    let mut module = Module {
        layout: context.layout.clone(),
        triple: outline.triple.unwrap_or_default().to_string(),
        globals: Vec::new(),
        functions: Vec::new(),
        files: mem::take(&mut context.debug.files),
        has_assembly: outline.has_assembly,
        unsupported: outline.strange,
        by_name: HashMap::new(),
    };
    for (text, line) in outline.globals {
        match globals::global(&context, text, line) {
            Some(global) => module.add_global(global),
            None => module.unsupported.push(Unsupported { what: "a global without a name".to_string(), line }),
        }
    }
    for (text, line) in outline.functions {
        match functions::function(&context, text, line) {
            Some(function) => module.add_function(function),
            None => module.unsupported.push(Unsupported { what: "a function without a name".to_string(), line }),
        }
    }
    if let Err(what) = layout {
        module.refuse_all(&what);
    }
    module
}

/// The parts of the text, each with its first line.
#[derive(Debug, Default)]
struct Outline<'t> {
    layout: Option<&'t str>,
    triple: Option<&'t str>,
    types: Vec<(&'t str, u32)>,
    globals: Vec<(&'t str, u32)>,
    functions: Vec<(&'t str, u32)>,
    groups: Vec<(&'t str, u32)>,
    metadata: Vec<&'t str>,
    has_assembly: bool,
    strange: Vec<Unsupported>,
}

impl<'t> Outline<'t> {
    fn of(text: &'t str) -> Self {
        let mut outline = Self::default();
        let mut start = 0;
        let mut lines = text.split_inclusive('\n').zip(1_u32..);
        while let Some((line, number)) = lines.next() {
            let mut end = start + line.len();
            if line.starts_with("define") {
                for (line, _) in lines.by_ref() {
                    end += line.len();
                    if line.trim_ascii_end() == "}" {
                        break;
                    }
                }
                outline.functions.push((&text[start..end], number));
            } else {
                outline.note(line.trim_ascii(), number);
            }
            start = end;
        }
        outline
    }

    fn note(&mut self, line: &'t str, number: u32) {
        let at = |list: &mut Vec<(&'t str, u32)>| list.push((line, number));
        match line.as_bytes().first() {
            None | Some(b';' | b'$' | b'^') => {}
            Some(b'!') => self.metadata.push(line),
            Some(b'@') => at(&mut self.globals),
            Some(b'%') => at(&mut self.types),
            _ if line.starts_with("declare") => at(&mut self.functions),
            _ if line.starts_with("attributes #") => at(&mut self.groups),
            _ if line.starts_with("target datalayout") => self.layout = quoted(line),
            _ if line.starts_with("target triple") => self.triple = quoted(line),
            _ if line.starts_with("module asm") => self.has_assembly = true,
            _ if line.starts_with("source_filename") || line.starts_with("uselistorder") => {}
            _ => self.strange.push(Unsupported { what: line.chars().take(40).collect(), line: number }),
        }
    }
}

fn quoted(line: &str) -> Option<&str> {
    line.split('"').nth(1)
}

/// `attributes #0 = { nounwind "a"="b" }`
fn group<'t>(mut cursor: Cursor<'t>) -> Option<(&'t str, Arc<[Box<str>]>)> {
    cursor.take();
    let Token::Hash(number) = cursor.take() else { return None };
    (cursor.eat('=') && cursor.eat('{')).then_some(())?;
    let mut items = Vec::new();
    while let Token::Word(_) | Token::Text(_) = cursor.peek() {
        items.push(parser::attribute(&mut cursor).ok()?);
    }
    cursor.eat('}').then(|| (number, items.into()))
}

impl Module {
    /// A name that is defined twice is unsupported.
    fn add_global(&mut self, global: Global) {
        let line = global.line;
        let symbol = Symbol::Global(self.globals.len());
        match self.by_name.insert(global.name.clone(), symbol) {
            None => self.globals.push(global),
            Some(first) => self.refuse(first, &global.name, line),
        }
    }

    fn add_function(&mut self, function: Function) {
        let line = function.line;
        let symbol = Symbol::Function(self.functions.len());
        match self.by_name.insert(function.name.clone(), symbol) {
            None => self.functions.push(function),
            Some(first) => self.refuse(first, &function.name, line),
        }
    }

    fn refuse(&mut self, first: Symbol, name: &Arc<str>, line: u32) {
        self.by_name.insert(name.clone(), first);
        let twice = Unsupported { what: format!("@{name} is there twice"), line };
        match first {
            Symbol::Global(at) => self.globals[at].kind = GlobalKind::Unsupported(twice),
            Symbol::Function(at) => self.functions[at].body = Body::Unsupported(twice),
        }
    }

    /// Without a data layout, all sizes and offsets are unknown.
    fn refuse_all(&mut self, what: &str) {
        for global in &mut self.globals {
            global.kind = GlobalKind::Unsupported(Unsupported { what: what.to_string(), line: global.line });
        }
        for function in &mut self.functions {
            function.body = Body::Unsupported(Unsupported { what: what.to_string(), line: function.line });
        }
    }
}
