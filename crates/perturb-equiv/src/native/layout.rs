//! The layout of a function's inputs and outputs, as numbers in objects: its arguments and their targets, global
//! variables, the answers of stubs, and its result.

mod afterwards;
mod equal;
mod larger;
pub(super) mod list;
mod make_list;
mod maker;
mod names;
pub(super) mod stream;
pub(super) mod union;

use super::heap::Heap;
use super::kept::{self, KeptParameter};
use super::leaf::{Leaf, LeafKind};
use super::stream::StreamMode;
use super::stub::{Stub, CALLS};
use crate::contract::Contract;
pub use list::List;
use maker::Maker;
use perturb_csrc::{Signature, Signatures, StaticLocal, TypeId};
use std::collections::{BTreeMap, BTreeSet};

/// Why a function cannot be called.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unsupported {
    #[error("{what} is of a type that no value can be made up for: {ty}")]
    Type { what: String, ty: String },
    #[error("it takes a variable number of arguments")]
    Variadic,
    #[error("it takes more than one list of variable arguments")]
    Lists,
    #[error("{name}, in which it keeps values from one call to the next, cannot be set (line {line})")]
    Memory { name: String, line: u32 },
    #[error("it has assembly in it (line {0})")]
    Assembly(u32),
    #[error("it calls {name}, which no stub can replace: {why}")]
    External { name: String, why: &'static str },
    #[error("it uses {0}, which is defined elsewhere")]
    Elsewhere(String),
    #[error("it has too many inputs: {0}")]
    Size(&'static str),
    #[error("{name} has {size} bytes, and {most} is the most that can be made up")]
    Large { name: String, size: u64, most: u64 },
    #[error("its contract says that {name} is from {low} to {high}, which its type does not hold")]
    Range { name: String, low: i128, high: i128 },
    #[error("its contract speaks of {found} parameters, and it has {has}")]
    Parameters { found: usize, has: usize },
    #[error("its contract does not fit {0}")]
    Contract(String),
    #[error("its contract says that {name} may point where {other} does, which is no pointer before it")]
    Alias { name: String, other: String },
    #[error("its contract says that {name} points into the target of {other}, which is no other pointer to an object")]
    Within { name: String, other: String },
}

/// A piece of memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    pub name: String,
    pub size: u64,
    pub kind: ObjectKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ObjectKind {
    /// The value of a parameter.
    Argument(TypeId),
    /// The target of a pointer.
    Pointed,
    /// A variable of the program.
    Global,
    /// A hardware register: memory at this address.
    Register { address: u64 },
    /// Bytes that the glue defines for stubs.
    Made,
    /// A stub, as the target of a pointer.
    Function,
    /// The bytes of a stream that pointers point to, and the object with its final state.
    Stream { mode: StreamMode, state: usize },
}

/// A pointer in an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub object: usize,
    pub offset: u64,
    /// `None`: always null; or, if it may point to another object, otherwise the number that is there.
    pub target: Option<usize>,
    /// The index of the leaf that says whether it is null.
    pub null: Option<usize>,
    /// The object that it may point to instead, and the leaf that says whether it does.
    pub alias: Option<(usize, usize)>,
    /// The leaf with its offset from the start of the target, and the size of each step in bytes.
    pub place: Option<(usize, u64)>,
}

/// The inputs and outputs of a function.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// The parameters come first, one object for each.
    pub objects: Vec<Object>,
    pub leaves: Vec<Leaf>,
    pub links: Vec<Link>,
    /// The numbers that can be observed after a call, without the result.
    pub views: Vec<Leaf>,
    pub result: Vec<Leaf>,
    /// Stubs of functions that are not linked.
    pub stubs: Vec<Stub>,
    /// What each stub records of its arguments.
    pub kept: Vec<Vec<KeptParameter>>,
    /// The object with the call trace, and the one with the number of calls of each stub.
    pub trace: Option<(usize, usize)>,
    /// How allocated memory can be observed, if any is allocated.
    pub heap: Option<Heap>,
    /// Static local variables, which become variables of the file.
    pub statics: Vec<StaticLocal>,
    /// External variables.
    pub elsewhere: Vec<String>,
    /// The values that are tried most often for a leaf, by its index: lengths that fit the targets of pointers, ends of
    /// strings. Others are tried, too.
    pub likely: BTreeMap<usize, (i64, i64)>,
    /// Objects that are larger than the types of the parameters that point to them.
    pub larger: BTreeMap<usize, TypeId>,
    /// The parts of large objects that are always zero.
    pub zeros: Vec<Zeros>,
    /// The parameter that is a `va_list`, if any.
    pub list: Option<List>,
    /// Some stub takes variadic arguments.
    pub passes_lists: bool,
    /// The assumptions behind this layout.
    pub assumptions: Vec<String>,
}

/// A range of bytes in an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Zeros {
    pub object: usize,
    pub offset: u64,
    pub size: u64,
}

const MOST_LEAVES: usize = 2048;
const MOST_OBJECTS: usize = 200;
const MOST_BYTES: u64 = 64 << 10;
/// The size of the driver's buffer for a result.
const MOST_RESULT: u64 = 4096;
/// A larger variable keeps its initial value.
const LARGEST_GLOBAL: u64 = 512;

/// How large inputs are.
#[derive(Debug, Clone, Copy)]
struct InputLimits {
    /// The depth to which pointers are followed.
    deepest: usize,
    /// The number of elements behind a pointer if none is stated.
    elements: u64,
    /// The number of inputs in an array inside of another object; further elements are zero.
    array: u64,
}

/// The same for an array in a large object.
const FEW: u64 = 32;

impl InputLimits {
    /// The sizes to try, in this order, until one is not too large.
    fn all(contract: &Contract) -> Vec<Self> {
        let many = u64::from(contract.array_size());
        let one = if contract.array_size.is_some() { many } else { 1 };
        let all = u64::MAX;
        let reaches = [(3, many, all), (2, many, all), (2, one, all), (1, one, all), (2, many, FEW), (1, one, FEW)];
        reaches.map(|(deepest, elements, array)| Self { deepest, elements, array }).to_vec()
    }
}

/// What is known about functions of other files.
#[derive(Debug, Clone, Default)]
pub struct Others {
    /// Functions that are linked into the program.
    pub linked: BTreeSet<String>,
    /// Functions of the project that have the name of a library function.
    pub own: BTreeSet<String>,
    /// Functions in the same files as linked ones.
    pub beside: BTreeSet<String>,
}

impl Layout {
    pub fn of(
        signatures: &Signatures,
        signature: &Signature,
        contract: &Contract,
        others: &Others,
    ) -> Result<Self, Unsupported> {
        let has = signature.parameters.len();
        let found = contract.parameters.len();
        if found > 0 && found != has {
            return Err(Unsupported::Parameters { found, has });
        }
        if signature.is_variadic {
            return Err(Unsupported::Variadic);
        }
        if let Some(line) = signature.assembly {
            return Err(Unsupported::Assembly(line));
        }
        let mut made = Err(Unsupported::Size("objects"));
        for reach in InputLimits::all(contract) {
            made = Self::within(Maker::new(signatures, contract, reach), signature, others);
            if !matches!(made, Err(Unsupported::Size(_) | Unsupported::Large { .. })) {
                break;
            }
        }
        made
    }

    fn within(mut maker: Maker<'_>, signature: &Signature, others: &Others) -> Result<Self, Unsupported> {
        maker.mode = StreamMode::of(signature, &others.linked);
        maker.arguments(signature)?;
        if maker.contract.may_be_equal {
            maker.may_be_equal(signature);
        }
        maker.globals(signature)?;
        maker.statics(signature)?;
        maker.externals(signature, others)?;
        maker.trace();
        maker.result(signature.result)?;
        maker.heap();
        let signatures = maker.signatures;
        let mut layout = maker.layout;
        layout.kept = kept::kept(signatures, signature, &layout.stubs);
        layout.passes_lists = layout.stubs.iter().any(|stub| stub.takes_variable(signatures));
        let volatiles = signature.volatiles.iter();
        layout
            .assumptions
            .extend(volatiles.map(|name| format!("nobody else reads or changes {name}, which is volatile")));
        if layout.objects.iter().any(|object| object.kind == ObjectKind::Pointed) {
            let is_inside = |link: &Link| link.place.is_some();
            let others = if layout.links.iter().any(is_inside) { "no two others" } else { "no two pointers" };
            layout
                .assumptions
                .push(format!("{others} lead to the same object, and none is null unless its contract says so"));
        }
        let bytes: u64 = layout.objects.iter().map(|object| object.size).sum();
        let limits = [
            (layout.leaves.len() > MOST_LEAVES, "numbers"),
            (layout.objects.len() > MOST_OBJECTS, "objects"),
            (bytes > MOST_BYTES, "bytes"),
        ];
        match limits.into_iter().find(|(is_beyond, _)| *is_beyond) {
            Some((_, what)) => Err(Unsupported::Size(what)),
            None => Ok(layout),
        }
    }

    /// This input with the static variables reset to their initial values; `None` if these are unknown.
    pub fn at_start(&self, input: &[u8]) -> Option<Vec<u8>> {
        let mut started = input.to_vec();
        let mut at = 0;
        for leaf in &self.leaves {
            let size = leaf.size as usize;
            if let Some(variable) = self.kept_inside(leaf.object) {
                let from = leaf.offset as usize;
                started.get_mut(at..at + size)?.copy_from_slice(variable.start.as_ref()?.get(from..from + size)?);
            }
            at += size;
        }
        Some(started)
    }

    /// This layout for programs that begin with the call: static variables have their initial values and are not
    /// observed. `None` if these are unknown, or there are no static variables.
    pub fn from_start(&self) -> Option<Self> {
        let mut layout = self.clone();
        for (at, leaf) in self.leaves.iter().enumerate() {
            let Some(variable) = self.kept_inside(leaf.object) else { continue };
            let from = leaf.offset as usize;
            let bytes = variable.start.as_ref()?.get(from..from + leaf.size as usize)?;
            let bits = bytes.iter().rev().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
            let unused = 64 - 8 * leaf.size;
            let is_wide = matches!((leaf.kind, leaf.size), (LeafKind::Float, 8));
            let value = match leaf.kind {
                LeafKind::Signed => i128::from(((bits << unused) as i64) >> unused),
                _ if is_wide => i128::from(bits as i64),
                _ => i128::from(bits),
            };
            layout.leaves[at].range = Some((value, value));
        }
        layout.views.retain(|view| self.kept_inside(view.object).is_none());
        (!self.statics.is_empty()).then_some(layout)
    }

    /// Whether it is a layout for programs that begin with the call; see [`Self::from_start`].
    pub fn is_from_start(&self) -> bool {
        let mut kept = self.leaves.iter().filter(|leaf| self.kept_inside(leaf.object).is_some());
        !self.statics.is_empty() && kept.all(|leaf| leaf.range.is_some())
    }

    /// The static local variable in an object.
    pub fn kept_inside(&self, object: usize) -> Option<&StaticLocal> {
        let known = self.objects.get(object).filter(|known| known.kind == ObjectKind::Global)?;
        self.statics.iter().find(|variable| variable.name == known.name)
    }

    /// Whether two outputs differ in anything but static local variables.
    pub fn differ_outside(&self, one: &[u8], other: &[u8]) -> bool {
        let mut at = 0;
        let differ = self.result.iter().chain(&self.views).any(|leaf| {
            let own = at..at + leaf.size as usize;
            at = own.end;
            self.kept_inside(leaf.object).is_none() && one.get(own.clone()) != other.get(own)
        });
        // The contents of allocated memory follow.
        let rest = self.output_size()..;
        differ || one.get(rest.clone()) != other.get(rest)
    }

    /// Whether inputs and observations are complete. Variadic arguments can be anything, and a function may access
    /// other registers beside a known one.
    pub fn shows_all(&self) -> bool {
        let is_register = |object: &Object| matches!(object.kind, ObjectKind::Register { .. });
        !self.has_lists() && !self.objects.iter().any(is_register)
    }

    /// Whether variadic arguments are taken or passed.
    pub fn has_lists(&self) -> bool {
        self.list.is_some() || self.passes_lists
    }

    /// The stub and the number of its call, from 0, that a leaf is an answer of.
    pub fn answered(&self, leaf: &Leaf) -> Option<(usize, u64)> {
        let stub = self.stubs.iter().position(|stub| stub.objects().any(|object| object == leaf.object))?;
        let size = self.objects[leaf.object].size / CALLS;
        Some((stub, leaf.offset / size.max(1)))
    }

    /// The size of an input: its leaves in sequence.
    pub fn input_size(&self) -> usize {
        self.leaves.iter().map(|leaf| leaf.size as usize).sum()
    }

    /// The size of an output, without allocated memory.
    pub fn output_size(&self) -> usize {
        self.result.iter().chain(&self.views).map(|leaf| leaf.size as usize).sum()
    }
}
