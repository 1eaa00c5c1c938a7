//! What a function is given and leaves behind, as numbers in objects: its arguments, what they point to, the variables of
//! its file, and its result.

use crate::contract::{Contract, Given, Size};
use perturb_csrc::{CType, Field, Shape, Signature, Signatures, TypeId};

/// Why a function cannot be called.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unsupported {
    #[error("{what} is of a type that no value can be made up for: {ty}")]
    Type { what: String, ty: String },
    #[error("{0} is volatile")]
    Volatile(String),
    #[error("it takes a variable number of arguments")]
    Variadic,
    #[error("it keeps values from one call to the next")]
    Memory,
    #[error("it calls what a pointer says")]
    Pointers,
    #[error("it calls {0}, of which nothing is known")]
    External(String),
    #[error("it uses {0}, which is defined elsewhere")]
    Elsewhere(String),
    #[error("it has too many inputs: {0}")]
    Size(&'static str),
    #[error("its contract speaks of {found} parameters, and it has {has}")]
    Parameters { found: usize, has: usize },
    #[error("its contract does not fit {0}")]
    Contract(String),
    #[error("its contract says what {0} may point to as well, which is not done yet")]
    Alias(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeafKind {
    Signed,
    Unsigned,
    Float,
    Bool,
    /// Whether a pointer is null.
    Null,
    /// Where a pointer leads: see [`super::Place`]. Only seen, never given.
    Pointer,
}

/// A number in an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// As C would write it: `values[2].x`.
    pub name: String,
    pub kind: LeafKind,
    pub size: u32,
    pub object: usize,
    pub offset: u64,
    /// One of several alike.
    pub is_element: bool,
    /// What it may be; both ends included.
    pub range: Option<(i128, i128)>,
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
    /// What a pointer leads to.
    Pointed,
    /// A variable of the program.
    Global,
}

/// A pointer in an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub object: usize,
    pub offset: u64,
    /// None: always null.
    pub target: Option<usize>,
    /// The leaf that says whether it is null.
    pub null: Option<usize>,
}

/// All of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// One for each parameter comes first.
    pub objects: Vec<Object>,
    pub leaves: Vec<Leaf>,
    pub links: Vec<Link>,
    /// What can be seen afterwards, but for the result.
    pub views: Vec<Leaf>,
    pub result: Vec<Leaf>,
    /// What was taken for granted to get here.
    pub assumptions: Vec<String>,
}

const MOST_LEAVES: usize = 2048;
const MOST_OBJECTS: usize = 200;
const MOST_BYTES: u64 = 16 << 10;
/// Pointers in what pointers lead to are followed so far.
const DEEPEST: usize = 3;
/// A variable that is larger keeps what it is initialised with.
const LARGEST_GLOBAL: u64 = 512;

impl Layout {
    pub fn of(signatures: &Signatures, signature: &Signature, contract: &Contract) -> Result<Self, Unsupported> {
        let has = signature.parameters.len();
        let found = contract.parameters.len();
        if found > 0 && found != has {
            return Err(Unsupported::Parameters { found, has });
        }
        if signature.is_variadic {
            return Err(Unsupported::Variadic);
        }
        if signature.has_memory {
            return Err(Unsupported::Memory);
        }
        if signature.calls_pointers {
            return Err(Unsupported::Pointers);
        }
        let mut maker = Maker { signatures, contract, layout: Self::default(), depth: 0 };
        maker.arguments(signature)?;
        maker.globals(signature)?;
        maker.result(signature.result)?;
        let mut layout = maker.layout;
        if layout.objects.iter().any(|object| object.kind == ObjectKind::Pointed) {
            layout.assumptions.push(
                "no two pointers lead to the same object, and none is null unless its contract says so".to_string(),
            );
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

    /// How many bytes an input has: its leaves, one behind the other.
    pub fn input_size(&self) -> usize {
        self.leaves.iter().map(|leaf| leaf.size as usize).sum()
    }

    pub fn output_size(&self) -> usize {
        self.result.iter().chain(&self.views).map(|leaf| leaf.size as usize).sum()
    }
}

struct Maker<'m> {
    signatures: &'m Signatures,
    contract: &'m Contract,
    layout: Layout,
    depth: usize,
}

/// Where a value is.
#[derive(Clone)]
struct Spot {
    name: String,
    object: usize,
    offset: u64,
    is_element: bool,
    given: Given,
}

impl Maker<'_> {
    fn ty(&self, id: TypeId) -> &CType {
        self.signatures.ty(id)
    }

    fn arguments(&mut self, signature: &Signature) -> Result<(), Unsupported> {
        for parameter in &signature.parameters {
            let size = self.size_of(parameter.ty);
            let name = parameter.name.clone();
            self.layout.objects.push(Object { name, size, kind: ObjectKind::Argument(parameter.ty) });
        }
        for (index, parameter) in signature.parameters.iter().enumerate() {
            let contract = self.contract.parameter(index);
            let given = contract.value;
            let spot = Spot { name: parameter.name.clone(), object: index, offset: 0, is_element: false, given };
            if contract.alias.is_some() {
                return Err(Unsupported::Alias(parameter.name.clone()));
            }
            let Some(to) = self.pointee(parameter.ty) else {
                let given = self.counted(signature, index).unwrap_or(given);
                self.value(parameter.ty, Spot { given, ..spot })?;
                continue;
            };
            let by_default = u64::from(self.contract.array_size());
            let count = match contract.size {
                Some(Size::Elements(count)) => u64::from(count),
                Some(Size::Parameter(_)) => by_default,
                None => parameter.count.unwrap_or(by_default),
            };
            self.pointer(to, spot, count, contract.is_nullable)?;
        }
        Ok(())
    }

    /// What a parameter may be that says how many elements there are behind another one.
    fn counted(&self, signature: &Signature, index: usize) -> Option<Given> {
        let name = &signature.parameters[index].name;
        let is_counted = |of: &&crate::contract::ParameterContract| of.size == Some(Size::Parameter(name.clone()));
        let found = self.contract.parameters.iter().find(is_counted)?;
        let own = self.contract.parameter(index).value;
        let most = i128::from(self.contract.array_size());
        (found.size.is_some() && own == Given::Any).then_some(Given::Range { low: 0, high: most })
    }

    fn globals(&mut self, signature: &Signature) -> Result<(), Unsupported> {
        for global in &signature.globals {
            if !global.is_defined {
                return Err(Unsupported::Elsewhere(global.name.clone()));
            }
            let (size, object) = (self.size_of(global.ty), self.layout.objects.len());
            self.layout.objects.push(Object { name: global.name.clone(), size, kind: ObjectKind::Global });
            let (name, given) = (global.name.clone(), Given::Any);
            let spot = Spot { name, object, offset: 0, is_element: false, given };
            if size > LARGEST_GLOBAL {
                self.layout.assumptions.push(format!("{} is as it is initialised", global.name));
                self.bytes(&spot, size, false);
                continue;
            }
            self.value(global.ty, spot)?;
        }
        Ok(())
    }

    fn result(&mut self, ty: TypeId) -> Result<(), Unsupported> {
        let mut inner =
            Maker { signatures: self.signatures, contract: self.contract, layout: Layout::default(), depth: DEEPEST };
        let name = "the result".to_string();
        if self.ty(ty).shape != Shape::Void {
            inner.value(ty, Spot { name, object: usize::MAX, offset: 0, is_element: false, given: Given::Any })?;
        }
        self.layout.result = inner.layout.views;
        Ok(())
    }

    fn size_of(&self, id: TypeId) -> u64 {
        match self.ty(id).shape {
            Shape::Pointer { .. } => 8,
            _ => self.ty(id).size,
        }
    }

    /// What a parameter points to; an array as a parameter is a pointer.
    fn pointee(&self, id: TypeId) -> Option<TypeId> {
        match self.ty(id).shape {
            Shape::Pointer { to } => Some(to),
            _ => None,
        }
    }

    fn value(&mut self, id: TypeId, spot: Spot) -> Result<(), Unsupported> {
        let ty = self.ty(id);
        if ty.is_volatile {
            return Err(Unsupported::Volatile(spot.name));
        }
        let size = ty.size as u32;
        match ty.shape.clone() {
            Shape::Bool => self.leaf(LeafKind::Bool, 1, &spot),
            Shape::Integer { signed } | Shape::Enum { signed, .. } if size <= 8 => {
                self.leaf(if signed { LeafKind::Signed } else { LeafKind::Unsigned }, size, &spot)
            }
            Shape::Float => self.leaf(LeafKind::Float, size, &spot),
            Shape::Pointer { to } => self.pointer(to, spot, 1, true),
            Shape::Array { of, count } => {
                let step = self.size_of(of);
                for at in 0..count.min(MOST_LEAVES as u64 + 1) {
                    let name = format!("{}[{at}]", spot.name);
                    self.value(of, Spot { name, offset: spot.offset + at * step, is_element: true, ..spot.clone() })?;
                }
                Ok(())
            }
            Shape::Struct { fields } => self.fields(&fields, &spot),
            Shape::Union { fields } if !fields.iter().any(|field| self.holds_pointer(field.ty)) => {
                let size = ty.size;
                self.bytes(&spot, size, true);
                Ok(())
            }
            _ => Err(Unsupported::Type { what: spot.name, ty: self.ty(id).spelling.clone() }),
        }
    }

    fn fields(&mut self, fields: &[Field], spot: &Spot) -> Result<(), Unsupported> {
        let mut written: Option<u64> = None;
        for field in fields {
            let name = match field.name.as_str() {
                "" => spot.name.clone(),
                name => format!("{}.{name}", spot.name),
            };
            let offset = spot.offset + field.offset_bits / 8;
            match field.bits {
                None => self.value(field.ty, Spot { name, offset, is_element: false, ..spot.clone() })?,
                Some(0) => {}
                Some(bits) => {
                    // Bit-fields share bytes: each of these once.
                    let last = spot.offset + (field.offset_bits + u64::from(bits) - 1) / 8;
                    for at in offset..=last {
                        if written.is_none_or(|written| at > written) {
                            let byte = Spot {
                                name: format!("{name} (byte {at})"),
                                offset: at,
                                is_element: false,
                                ..spot.clone()
                            };
                            self.leaf(LeafKind::Unsigned, 1, &byte)?;
                            written = Some(at);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn holds_pointer(&self, id: TypeId) -> bool {
        match &self.ty(id).shape {
            Shape::Pointer { .. } | Shape::Other => true,
            Shape::Array { of, .. } => self.holds_pointer(*of),
            Shape::Struct { fields } | Shape::Union { fields } => {
                fields.iter().any(|field| self.holds_pointer(field.ty))
            }
            _ => false,
        }
    }

    fn leaf(&mut self, kind: LeafKind, size: u32, spot: &Spot) -> Result<(), Unsupported> {
        let range = match (spot.given, kind) {
            (Given::Any, _) => None,
            (Given::Integer(value), LeafKind::Signed | LeafKind::Unsigned | LeafKind::Bool) => Some((value, value)),
            (Given::Range { low, high }, LeafKind::Signed | LeafKind::Unsigned | LeafKind::Bool) => Some((low, high)),
            (Given::Integer(value), LeafKind::Float) => Some(float_range(value as f64, size)),
            (Given::Float(bits), LeafKind::Float) => Some(float_range(f64::from_bits(bits), size)),
            _ => return Err(Unsupported::Contract(spot.name.clone())),
        };
        let (name, object, offset, is_element) = (spot.name.clone(), spot.object, spot.offset, spot.is_element);
        let leaf = Leaf { name, kind, size, object, offset, is_element, range };
        let is_argument = matches!(self.layout.objects.get(object), Some(Object { kind: ObjectKind::Argument(_), .. }));
        if !is_argument {
            self.layout.views.push(Leaf { range: None, ..leaf.clone() });
        }
        self.layout.leaves.push(leaf);
        Ok(())
    }

    /// Raw memory.
    fn bytes(&mut self, spot: &Spot, size: u64, is_input: bool) {
        for at in 0..size {
            let (name, offset) = (format!("{} (byte {at})", spot.name), spot.offset + at);
            let (kind, object) = (LeafKind::Unsigned, spot.object);
            let leaf = Leaf { name, kind, size: 1, object, offset, is_element: true, range: None };
            self.layout.views.push(leaf.clone());
            if is_input {
                self.layout.leaves.push(leaf);
            }
        }
    }

    fn pointer(&mut self, to: TypeId, spot: Spot, count: u64, is_nullable: bool) -> Result<(), Unsupported> {
        let (object, offset) = (spot.object, spot.offset);
        let is_parameter =
            matches!(self.layout.objects.get(object), Some(Object { kind: ObjectKind::Argument(_), .. }));
        if !is_parameter {
            let name = spot.name.clone();
            let (kind, is_element) = (LeafKind::Pointer, false);
            self.layout.views.push(Leaf { name, kind, size: 8, object, offset, is_element, range: None });
        }
        let is_global = matches!(self.layout.objects.get(object), Some(Object { kind: ObjectKind::Global, .. }));
        if object == usize::MAX {
            return Ok(());
        }
        if is_global {
            self.layout.assumptions.push(format!("{} points where it is initialised to", spot.name));
            return Ok(());
        }
        if self.depth >= DEEPEST {
            self.layout.assumptions.push(format!("{} is null", spot.name));
            self.layout.links.push(Link { object, offset, target: None, null: None });
            return Ok(());
        }
        let null = is_nullable.then(|| {
            let (name, kind) = (format!("{} == NULL", spot.name), LeafKind::Null);
            self.layout.leaves.push(Leaf { name, kind, size: 1, object, offset, is_element: false, range: None });
            self.layout.leaves.len() - 1
        });
        let target = self.layout.objects.len();
        let shape = self.ty(to).shape.clone();
        let (step, name) = (self.size_of(to), format!("*{}", spot.name));
        let size = if shape == Shape::Void { count } else { step * count };
        self.layout.objects.push(Object { name, size, kind: ObjectKind::Pointed });
        self.layout.links.push(Link { object, offset, target: Some(target), null });
        self.depth += 1;
        let pointed = Spot { object: target, offset: 0, is_element: true, ..spot };
        match shape {
            Shape::Void => self.bytes(&pointed, count, true),
            // Nobody can look behind it.
            Shape::Other if step == 0 => {}
            _ => {
                for at in 0..count {
                    let name =
                        if count == 1 { format!("*{}", pointed.name) } else { format!("{}[{at}]", pointed.name) };
                    self.value(to, Spot { name, offset: at * step, ..pointed.clone() })?;
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }
}

/// By the bits, which the driver copies.
fn float_range(value: f64, size: u32) -> (i128, i128) {
    let bits = if size == 4 { i128::from((value as f32).to_bits()) } else { i128::from(value.to_bits() as i64) };
    (bits, bits)
}
