//! Calls functions that take a `va_list`: a variadic function builds it from its own arguments.

use super::declared::DeclaredObject;
use super::literal::{literal, quoted, NumberKind};
use super::names::free;
use super::stage::Stage;
use super::stand_ins::StandIns;
use crate::native::layout::list::{List, FRACTIONS, FRACTION_SIZE, TEXT_SIZE, WORDS, WORD_SIZE};
use perturb_csrc::{ListBy, Parameter, Shape};
use std::collections::BTreeSet;

impl StandIns<'_> {
    /// Defines the variadic function; its first argument is the number of the others.
    pub(super) fn caller_definition(&self, caller: &str, list: List) -> String {
        let mut taken: BTreeSet<String> = self.signature.parameters.iter().map(|own| own.name.clone()).collect();
        taken.insert(self.signature.name.clone());
        let [count, result] = ["count", "result"].map(|name| free(name, &mut taken));
        let own = &self.signature.parameters[list.parameter].name;
        let others = self.signature.parameters.iter().filter(|parameter| parameter.name != *own);
        let mut head: Vec<String> = others.map(|other| self.types.declared(other.ty, &other.name)).collect();
        head.extend([format!("int {count}"), "...".to_string()]);
        let passed = |parameter: &Parameter| match list.by {
            ListBy::Pointer if parameter.name == *own => format!("&{own}"),
            _ => parameter.name.clone(),
        };
        let passed: Vec<String> = self.signature.parameters.iter().map(passed).collect();
        let name = &self.signature.name;
        let call = format!("{name}({});", passed.join(", "));
        let head = self.types.declared(self.signature.result, &format!("{caller}({})", head.join(", ")));
        let (declared, call, returned) = match self.types.shape(self.signature.result) {
            Shape::Void => (String::new(), call, String::new()),
            _ => (
                format!("    {};\n", self.types.declared(self.signature.result, &result)),
                format!("{result} = {call}"),
                format!("    return {result};\n"),
            ),
        };
        format!(
            "/* Calls {name}() with a list of {count} arguments: whole numbers and pointers, and then fractions. */\n\
             static {head}\n{{\n    va_list {own};\n{declared}\n    va_start({own}, {count});\n    {call}\n    \
             va_end({own});\n{returned}}}\n"
        )
    }
}

impl Stage<'_> {
    /// The arguments of the list, after their number.
    pub(super) fn list_arguments(&mut self, list: List) -> Vec<String> {
        let mut arguments = vec![(WORDS + FRACTIONS).to_string()];
        for at in 0..WORDS {
            arguments.push(self.list_word(list.parameter, at * WORD_SIZE));
        }
        let fraction = |at| self.input.bits(list.fractions, at * FRACTION_SIZE, WORD_SIZE).unwrap_or(0);
        arguments.extend((0..FRACTIONS).map(|at| literal(NumberKind::Float, WORD_SIZE, fraction(at))));
        arguments
    }

    /// An integer, as wide as any type that the function may read; or a string.
    fn list_word(&mut self, object: usize, offset: u64) -> String {
        let mut links = self.layout.links.iter();
        let link = links.find(|link| link.object == object && link.offset == offset);
        match link.and_then(|link| self.target(link)) {
            Some(text) => self.list_text(text),
            None => match self.input.bits(object, offset, WORD_SIZE).unwrap_or(0) as i64 {
                i64::MIN => literal(NumberKind::Signed, WORD_SIZE, i64::MIN as u64),
                number => format!("{number}ll"),
            },
        }
    }

    /// Declares a string with room for whatever the function writes there.
    fn list_text(&mut self, text: usize) -> String {
        let bytes = self.input.bytes(text, 0, TEXT_SIZE).unwrap_or_default();
        let name = self.fresh(&self.layout.objects[text].name.clone());
        let value = match bytes.iter().rposition(|byte| *byte != 0) {
            Some(last) if last + 1 == bytes.len() => {
                let letter = |byte: &u8| literal(NumberKind::Letter { is_signed: true }, 1, u64::from(*byte));
                format!("{{{}}}", bytes.iter().map(letter).collect::<Vec<_>>().join(", "))
            }
            last => quoted(&bytes[..last.map_or(0, |last| last + 1)]),
        };
        self.statements.push(format!("char {name}[{TEXT_SIZE}] __attribute__((aligned({TEXT_SIZE}))) = {value};"));
        self.reached[text] = Some(DeclaredObject { name: name.clone(), ty: None, count: TEXT_SIZE });
        name
    }

    /// Whether an object is a string argument of a `va_list`.
    pub(super) fn is_list_text(&self, object: usize) -> bool {
        let is_it = |list: List| {
            let mut links = self.layout.links.iter().filter(|link| link.object == list.parameter);
            links.any(|link| link.alias.is_some_and(|(text, _)| text == object))
        };
        self.layout.list.is_some_and(is_it)
    }
}
