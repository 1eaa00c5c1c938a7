//! What functions that stand in for others keep of what they are given.

use super::stub::Stub;
use perturb_csrc::{ListBy, Shape, Signature, Signatures, TypeId};
use std::collections::BTreeSet;

/// Of arrays that are given by value, so many elements.
const MOST_ELEMENTS: u64 = 8;

/// A parameter of a function that stands in for another, and what is kept of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptParameter {
    /// A name that C takes, which no other parameter has.
    pub name: String,
    pub parts: Vec<Part>,
}

/// Something that is kept of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// How it is reached from the parameter.
    pub steps: Vec<Step>,
    pub kind: PartKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Through a pointer; never but first.
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
    /// Whether it is null; and what is behind it, if it is not.
    Pointer {
        behind: Vec<Part>,
    },
    /// What characters there are before a zero, of the first few.
    Text,
    /// The same of what `printf` would make of the text and of variable arguments.
    Message(Behind),
}

/// Where variable arguments are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behind {
    /// Behind all parameters.
    Parameters,
    /// In the list that this parameter is.
    List(usize),
}

impl Part {
    /// As C writes it, from what the parameter is called.
    pub fn expression(&self, parameter: &str) -> String {
        self.steps.iter().fold(parameter.to_string(), |path, step| match step {
            Step::Behind => format!("(*{path})"),
            Step::Member(name) => format!("{path}.{name}"),
            Step::Element(at) => format!("{path}[{at}]"),
        })
    }

    /// The same as people write it.
    pub fn shown(&self, parameter: &str) -> String {
        match self.steps.as_slice() {
            [Step::Behind] => format!("*{parameter}"),
            [Step::Behind, Step::Member(name), rest @ ..] => {
                Self { steps: rest.to_vec(), kind: self.kind.clone() }.expression(&format!("{parameter}->{name}"))
            }
            _ => self.expression(parameter),
        }
    }

    /// If it is behind a pointer: how it is reached from what that leads to.
    pub fn from_behind(&self) -> Option<Self> {
        let rest = self.steps.strip_prefix(&[Step::Behind])?;
        Some(Self { steps: rest.to_vec(), kind: self.kind.clone() })
    }
}

/// What is kept of the parameters of each function that stands in for another.
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
            Reader { signatures, stub, formats }.add(*ty, &[], &mut parts);
            KeptParameter { name, parts }
        });
        parameters.collect()
    };
    stubs.iter().map(of).collect()
}

/// Whether a name without the underscores of the system's is one that C lets a parameter have.
fn is_free(name: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "", "auto", "bool", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "errno", "extern", "false", "float", "for",
        "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "true", "typedef",
        "union", "unsigned", "void", "volatile", "while",
    ];
    !WORDS.contains(&name)
}

struct Reader<'r> {
    signatures: &'r Signatures,
    stub: &'r Stub,
    /// Variable arguments come behind the parameter.
    formats: Option<Behind>,
}

impl Reader<'_> {
    /// What is kept of a value. Behind pointers to what it may not change a stand-in looks once.
    fn add(&self, id: TypeId, steps: &[Step], parts: &mut Vec<Part>) {
        let ty = self.signatures.ty(id);
        let with = |step: Step| [steps, &[step]].concat();
        let kind = match &ty.shape {
            Shape::Bool | Shape::Integer { .. } | Shape::Enum { .. } if ty.size <= 8 => {
                let is_signed = matches!(ty.shape, Shape::Integer { signed: true } | Shape::Enum { signed: true, .. });
                PartKind::Integer { ty: id, is_signed }
            }
            Shape::Float => PartKind::Float { size: ty.size },
            Shape::Array { of, count } => {
                (0..(*count).min(MOST_ELEMENTS)).for_each(|at| self.add(*of, &with(Step::Element(at)), parts));
                return;
            }
            Shape::Struct { fields } => {
                let named = fields.iter().filter(|field| !field.name.is_empty());
                named.for_each(|field| self.add(field.ty, &with(Step::Member(field.name.clone())), parts));
                return;
            }
            Shape::Pointer { .. } if self.signatures.list(id).is_some() => return,
            Shape::Pointer { to } if steps.is_empty() => PartKind::Pointer { behind: self.behind(*to) },
            Shape::Pointer { .. } => PartKind::Pointer { behind: Vec::new() },
            _ => return,
        };
        parts.push(Part { steps: steps.to_vec(), kind });
    }

    /// A text is read where nobody says how long it is.
    fn behind(&self, to: TypeId) -> Vec<Part> {
        let ty = self.signatures.ty(to);
        let is_character = matches!(ty.shape, Shape::Integer { .. }) && ty.size == 1;
        let is_number = |parameter: &TypeId| matches!(self.signatures.ty(*parameter).shape, Shape::Integer { .. });
        let mut parts = Vec::new();
        if !ty.is_const || ty.is_volatile || ty.size == 0 {
            return parts;
        }
        if !is_character {
            self.add(to, &[Step::Behind], &mut parts);
        } else if let Some(behind) = self.formats {
            parts.push(Part { steps: Vec::new(), kind: PartKind::Message(behind) });
        } else if !self.stub.parameters.iter().any(is_number) {
            parts.push(Part { steps: Vec::new(), kind: PartKind::Text });
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_written_as_c_and_as_people_write_them() {
        let member = |name: &str| Step::Member(name.to_string());
        for (steps, c, shown) in [
            (vec![], "at", "at"),
            (vec![Step::Behind], "(*at)", "*at"),
            (vec![Step::Behind, member("x"), Step::Element(1)], "(*at).x[1]", "at->x[1]"),
            (vec![Step::Behind, Step::Element(2)], "(*at)[2]", "(*at)[2]"),
            (vec![member("x"), member("y")], "at.x.y", "at.x.y"),
        ] {
            let part = Part { steps, kind: PartKind::Text };
            assert_eq!((part.expression("at").as_str(), part.shown("at").as_str()), (c, shown));
        }
    }
}
