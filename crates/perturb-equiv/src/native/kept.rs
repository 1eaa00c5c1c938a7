//! Decides which parts of their arguments stubs record.

use super::stub::Stub;
use perturb_csrc::{ListBy, Shape, Signature, Signatures, TypeId};
use std::collections::BTreeSet;

/// The greatest number of elements recorded of an array passed by value.
const MOST_ELEMENTS: u64 = 8;

/// A parameter of a stub, and what is recorded of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptParameter {
    /// A valid C name, unique among the parameters.
    pub name: String,
    pub parts: Vec<RecordedPart>,
}

/// A recorded part of an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedPart {
    /// The access path from the parameter.
    pub steps: Vec<PathStep>,
    pub kind: PartKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathStep {
    /// Through a pointer; only as the first step.
    Behind,
    Member(String),
    Element(u64),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartKind {
    Integer {
        ty: TypeId,
        is_signed: bool,
    },
    Float {
        size: u64,
    },
    /// Whether it is null; and the parts of its target, if it is not.
    Pointer {
        behind: Vec<RecordedPart>,
    },
    /// The first few characters of a string.
    Text,
    /// The same of what `printf` would make of a format and variadic arguments.
    Message(Behind),
}

/// Where the variadic arguments are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behind {
    /// After all parameters.
    Parameters,
    /// In the `va_list` that is this parameter.
    List(usize),
}

impl RecordedPart {
    /// As a C expression, from the name of the parameter.
    pub fn expression(&self, parameter: &str) -> String {
        self.steps.iter().fold(parameter.to_string(), |path, step| match step {
            PathStep::Behind => format!("(*{path})"),
            PathStep::Member(name) => format!("{path}.{name}"),
            PathStep::Element(at) => format!("{path}[{at}]"),
        })
    }

    /// The same in conventional notation, for display.
    pub fn shown(&self, parameter: &str) -> String {
        match self.steps.as_slice() {
            [PathStep::Behind] => format!("*{parameter}"),
            [PathStep::Behind, PathStep::Member(name), rest @ ..] => {
                Self { steps: rest.to_vec(), kind: self.kind.clone() }.expression(&format!("{parameter}->{name}"))
            }
            _ => self.expression(parameter),
        }
    }

    /// For a part behind a pointer: the part relative to the target.
    pub fn from_behind(&self) -> Option<Self> {
        let rest = self.steps.strip_prefix(&[PathStep::Behind])?;
        Some(Self { steps: rest.to_vec(), kind: self.kind.clone() })
    }
}

/// What is recorded of the parameters of each stub.
pub(super) fn kept(signatures: &Signatures, signature: &Signature, stubs: &[Stub]) -> Vec<Vec<KeptParameter>> {
    let of = |stub: &Stub| {
        let external = signature.externals.iter().find(|external| !stub.is_callback && external.name == stub.name);
        let names = external.map_or(&[][..], |external| &external.parameters);
        let mut taken = BTreeSet::new();
        let parameters = stub.parameters.iter().enumerate().map(|(at, ty)| {
            let own = names.get(at).map(|name| name.trim_start_matches('_')).filter(|name| is_free(name));
            let own = own.filter(|name| taken.insert(name.to_string()));
            let name = own.map_or_else(|| format!("argument_{}", at + 1), str::to_string);
            let mut parts = Vec::new();
            let formats = match stub.parameters.get(at + 1) {
                None => stub.is_variadic.then_some(Behind::Parameters),
                Some(next) => (signatures.list(*next) == Some(ListBy::Itself)).then_some(Behind::List(at + 1)),
            };
            PartsCollector { signatures, stub, formats }.add(*ty, &[], &mut parts);
            KeptParameter { name, parts }
        });
        parameters.collect()
    };
    stubs.iter().map(of).collect()
}

/// Whether a name, without the leading underscores of system headers, is a valid name for a parameter.
fn is_free(name: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "", "auto", "bool", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum",
        "errno", "extern", "false", "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict",
        "return", "short", "signed", "sizeof", "static", "struct", "switch", "true", "typedef", "union", "unsigned",
        "void", "volatile", "while",
    ];
    !WORDS.contains(&name)
}

struct PartsCollector<'r> {
    signatures: &'r Signatures,
    stub: &'r Stub,
    /// The variadic arguments that a format in this parameter refers to.
    formats: Option<Behind>,
}

impl PartsCollector<'_> {
    /// Adds the parts of a value. A stub follows one level of pointers to constant data.
    fn add(&self, id: TypeId, steps: &[PathStep], parts: &mut Vec<RecordedPart>) {
        let ty = self.signatures.ty(id);
        let with = |step: PathStep| [steps, &[step]].concat();
        let kind = match &ty.shape {
            Shape::Bool | Shape::Integer { .. } | Shape::Enum { .. } if ty.size <= 8 => {
                let is_signed = matches!(ty.shape, Shape::Integer { signed: true } | Shape::Enum { signed: true, .. });
                PartKind::Integer { ty: id, is_signed }
            }
            Shape::Float => PartKind::Float { size: ty.size },
            Shape::Array { of, count } => {
                (0..(*count).min(MOST_ELEMENTS)).for_each(|at| self.add(*of, &with(PathStep::Element(at)), parts));
                return;
            }
            Shape::Struct { fields } => {
                let named = fields.iter().filter(|field| !field.name.is_empty());
                named.for_each(|field| self.add(field.ty, &with(PathStep::Member(field.name.clone())), parts));
                return;
            }
            Shape::Pointer { .. } if self.signatures.list(id).is_some() => return,
            Shape::Pointer { to } if steps.is_empty() => PartKind::Pointer { behind: self.behind(*to) },
            Shape::Pointer { .. } => PartKind::Pointer { behind: Vec::new() },
            _ => return,
        };
        parts.push(RecordedPart { steps: steps.to_vec(), kind });
    }

    /// A string is recorded if no parameter states its length.
    fn behind(&self, to: TypeId) -> Vec<RecordedPart> {
        let ty = self.signatures.ty(to);
        let is_character = matches!(ty.shape, Shape::Integer { .. }) && ty.size == 1;
        let is_number = |parameter: &TypeId| matches!(self.signatures.ty(*parameter).shape, Shape::Integer { .. });
        let mut parts = Vec::new();
        if !ty.is_const || ty.is_volatile || ty.size == 0 {
            return parts;
        }
        if !is_character {
            self.add(to, &[PathStep::Behind], &mut parts);
        } else if let Some(behind) = self.formats {
            parts.push(RecordedPart { steps: Vec::new(), kind: PartKind::Message(behind) });
        } else if !self.stub.parameters.iter().any(is_number) {
            parts.push(RecordedPart { steps: Vec::new(), kind: PartKind::Text });
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_written_as_c_and_as_people_write_them() {
        let member = |name: &str| PathStep::Member(name.to_string());
        for (steps, c, shown) in [
            (vec![], "at", "at"),
            (vec![PathStep::Behind], "(*at)", "*at"),
            (vec![PathStep::Behind, member("x"), PathStep::Element(1)], "(*at).x[1]", "at->x[1]"),
            (vec![PathStep::Behind, PathStep::Element(2)], "(*at)[2]", "(*at)[2]"),
            (vec![member("x"), member("y")], "at.x.y", "at.x.y"),
        ] {
            let part = RecordedPart { steps, kind: PartKind::Text };
            assert_eq!((part.expression("at").as_str(), part.shown("at").as_str()), (c, shown));
        }
    }
}
