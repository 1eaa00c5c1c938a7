//! The signatures of functions: parameters, results and the outside variables that they use, down to single numbers.
//!
//! Callers that compare or test a function without knowing it make its arguments from this.

mod equal;
mod larger;
mod start;
mod uses;
mod within;

use crate::libclang::{absolute, ClangType, Cursor, Libclang, ParseInput, Unit};
use crate::source::SourceRange;
use crate::{lexer, CsrcError};
use clang_sys::*;
pub use equal::Equal;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use uses::{UsedVariable, Uses};
pub use within::Start;

/// The functions that a unit's own file defines, with the types that they use.
#[derive(Debug, Default)]
pub struct Signatures {
    pub types: Vec<CType>,
    pub functions: Vec<Signature>,
    /// Variables of its own that keep what they are initialised with.
    pub constants: Vec<Constant>,
}

/// Which type, in the list of the unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(usize);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CType {
    /// As it may be written anywhere in the file, behind all declarations.
    pub spelling: String,
    /// In bytes; 0 where it has none.
    pub size: u64,
    pub is_const: bool,
    pub is_volatile: bool,
    pub shape: Shape,
}

/// The structure of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    Void,
    Bool,
    Integer {
        signed: bool,
    },
    Enum {
        signed: bool,
        /// Its enumerators' values.
        values: Vec<i128>,
    },
    /// `float` and `double`: what IEEE 754 has.
    Float,
    Pointer {
        to: TypeId,
    },
    Array {
        of: TypeId,
        count: u64,
    },
    Struct {
        fields: Vec<Field>,
    },
    Union {
        fields: Vec<Field>,
    },
    /// The target of a pointer to a function.
    Function {
        result: TypeId,
        parameters: Vec<TypeId>,
        is_variadic: bool,
    },
    /// The C library's `FILE`: what is in it is the library's business.
    Stream,
    /// What a `va_list` is an array of, or leads to, on x86-64: where the next of so many arguments is.
    VaList,
    /// Types of which no value can be made: types without a definition, `long double`, vectors.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Empty where it has none: what it is made of are members of the record that it is in.
    pub name: String,
    pub offset_bits: u64,
    /// Of a bit-field.
    pub bits: Option<u32>,
    pub ty: TypeId,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    pub name: String,
    /// From its beginning to the end of its body.
    pub range: SourceRange,
    pub result: TypeId,
    pub parameters: Vec<Parameter>,
    pub is_variadic: bool,
    pub is_static: bool,
    /// Pointers that it asks for being the same.
    pub equal: Vec<Equal>,
    /// Variables outside of functions that it may read or write, itself or through what it calls in this unit.
    pub globals: Vec<Global>,
    /// Functions without a body in this unit that it may call so.
    pub externals: Vec<External>,
    /// It calls functions that have one here.
    pub calls_bodies: bool,
    /// Variables in which it, or what it calls, keeps values from call to call.
    pub statics: Vec<StaticLocal>,
    /// The line of assembly in it or in what it calls.
    pub assembly: Option<u32>,
    /// It, or what it calls, has a variable that nothing is written to where it is declared.
    pub has_unwritten: bool,
    /// What is volatile of what it, or what it calls, reads or writes, by name.
    pub volatiles: BTreeSet<String>,
    /// The comment on the line before it.
    pub comment: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    pub name: String,
    pub ty: TypeId,
    /// How many elements are behind it by its declaration, if that says so.
    pub count: Option<u64>,
    /// The function looks for others beside the first of them, or keeps the pointer.
    pub is_indexed: bool,
    /// It points into the object that this parameter points to, as the function's use of both shows.
    pub within: Option<Start>,
    /// It points to a record that starts with its declared type, as the function's use of it shows.
    pub larger: Option<TypeId>,
}

/// How a parameter has a list of variable arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListBy {
    /// `va_list list`
    Itself,
    /// `va_list *list`
    Pointer,
}

/// A variable of the file that nothing writes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constant {
    pub name: String,
    /// Its declaration, with what it is initialised with.
    pub range: SourceRange,
    /// Where its name is.
    pub written: SourceRange,
}

/// A function that is declared here and defined elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct External {
    pub name: String,
    /// Its type: [`Shape::Function`], or another where its parameters are not declared.
    pub ty: TypeId,
    /// The names of its parameters; empty where they have none.
    pub parameters: Vec<String>,
    pub returns: bool,
    /// A header of the system declares it: the C library, or another one, has it.
    pub is_of_system: bool,
}

/// A variable with static storage in a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaticLocal {
    pub name: String,
    pub ty: TypeId,
    pub line: u32,
    /// How it is written; none where a macro writes it.
    pub written: Option<WrittenStatic>,
    /// The bytes that it has when the program starts, if they are known.
    pub start: Option<Vec<u8>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenStatic {
    /// The word `static`.
    pub word: SourceRange,
    /// From `=` on.
    pub initialiser: Option<SourceRange>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Global {
    pub name: String,
    pub ty: TypeId,
    /// It is defined in this unit.
    pub is_defined: bool,
    /// Where it is not: whether it may be, as a variable of the program that can be written.
    pub can_be_defined: bool,
    /// A header of the system declares it: the C library, or another one, has it.
    pub is_of_system: bool,
    /// It has other uses than reading its value or calling its target, which may write to it.
    pub may_be_written: bool,
    /// It is a register at this address, and its name says so: `(*(volatile uint32_t *)0x40021000)`.
    pub address: Option<u64>,
}

impl Signatures {
    pub fn ty(&self, id: TypeId) -> &CType {
        &self.types[id.0]
    }

    /// Whether a parameter of a type is a list of variable arguments, or a pointer to one.
    pub fn list(&self, parameter: TypeId) -> Option<ListBy> {
        let Shape::Pointer { to } = self.ty(parameter).shape else { return None };
        match self.ty(to).shape {
            Shape::VaList => Some(ListBy::Itself),
            Shape::Array { of, .. } if self.ty(of).shape == Shape::VaList => Some(ListBy::Pointer),
            _ => None,
        }
    }

    /// Parses a unit and reads what its own functions take and give.
    pub fn read(libclang: &Libclang, input: &ParseInput) -> Result<Self, CsrcError> {
        let unit = Unit::parse(libclang, input, None)?;
        let main = absolute(&input.directory, &input.file);
        let mut reader = SignatureReader { known: HashMap::new(), signatures: Self::default() };
        let is_in_main = |child: Cursor<'_>| {
            let file = child.location().file;
            !file.is_null() && absolute(&input.directory, &unit.file_name(file)) == main
        };
        let mut functions = Vec::new();
        unit.root().for_each_child(|child| match child.kind() {
            CXCursor_FunctionDecl if child.is_definition() => functions.push(child),
            CXCursor_VarDecl if child.is_definition() && is_in_main(child) => reader.constant(child),
            _ => {}
        });
        let uses: BTreeMap<String, Uses<'_>> =
            functions.iter().map(|function| (function.spelling(), Uses::of(*function, &unit))).collect();
        for function in functions {
            if is_in_main(function) {
                let text = unit.file_text(function.location().file);
                reader.function(function, text, &uses);
            }
        }
        Ok(reader.signatures)
    }
}

struct SignatureReader {
    /// By spelling of the canonical type, with folders.
    known: HashMap<String, TypeId>,
    signatures: Signatures,
}

impl SignatureReader {
    /// A variable that keeps what it is initialised with.
    fn constant(&mut self, variable: Cursor<'_>) {
        if uses::is_constant(variable.type_of()) {
            let ((start, end), at, name) = (variable.extent(), variable.location().offset, variable.spelling());
            let range = SourceRange::new(start.offset, end.offset);
            let written = SourceRange::new(at, at + name.len() as u32);
            self.signatures.constants.push(Constant { name, range, written });
        }
    }

    fn function(&mut self, function: Cursor<'_>, text: &[u8], uses: &BTreeMap<String, Uses<'_>>) {
        let (start, end) = function.extent();
        let parameters = function.children().into_iter().filter(|child| child.kind() == CXCursor_ParmDecl);
        let mut parameters: Vec<Parameter> = parameters.map(|child| self.parameter(child)).collect();
        let larger = larger::larger(function, text);
        for ((parameter, within), larger) in parameters.iter_mut().zip(within::starts(function, text)).zip(larger) {
            parameter.within = within;
            parameter.larger = larger.map(|larger| self.ty(larger));
            parameter.is_indexed = is_indexed(text, (start.offset, end.offset), &parameter.name);
        }
        let name = function.spelling();
        let mut signature = Signature {
            range: SourceRange::new(start.offset, end.offset),
            result: self.ty(function.result_type()),
            parameters,
            is_variadic: function.type_of().is_variadic(),
            is_static: function.storage_class() == CX_SC_Static,
            equal: equal::equal(function, text),
            globals: Vec::new(),
            externals: Vec::new(),
            calls_bodies: false,
            statics: Vec::new(),
            assembly: None,
            has_unwritten: false,
            volatiles: BTreeSet::new(),
            comment: comment_before(text, start.offset),
            name,
        };
        self.add_uses(&mut signature, uses);
        self.signatures.functions.push(signature);
    }

    /// What is written as an array is a pointer to the first of so many elements.
    fn parameter(&mut self, declared: Cursor<'_>) -> Parameter {
        let (name, ty) = (declared.spelling(), declared.type_of());
        let canonical = ty.canonical();
        if canonical.kind() != CXType_ConstantArray {
            return Parameter { name, ty: self.ty(ty), count: None, is_indexed: false, within: None, larger: None };
        }
        let count = u64::try_from(canonical.array_size()).ok();
        let to = self.ty(canonical.element());
        let spelling = format!("{} *", canonical.element().spelling());
        let made = CType { spelling, size: 8, is_const: false, is_volatile: false, shape: Shape::Pointer { to } };
        self.signatures.types.push(made);
        Parameter {
            name,
            ty: TypeId(self.signatures.types.len() - 1),
            count,
            is_indexed: true,
            within: None,
            larger: None,
        }
    }

    /// Its own uses, and those of all that it may call.
    fn add_uses(&mut self, signature: &mut Signature, uses: &BTreeMap<String, Uses<'_>>) {
        let (mut open, mut seen) = (vec![signature.name.clone()], BTreeSet::from([signature.name.clone()]));
        let mut globals: BTreeMap<String, Global> = BTreeMap::new();
        let mut externals: BTreeMap<String, External> = BTreeMap::new();
        while let Some(used) = open.pop().and_then(|name| uses.get(&name)) {
            for (name, UsedVariable { cursor: variable, may_be_written }) in &used.variables {
                let is_defined = variable.storage_class() != CX_SC_Extern || variable.definition().is_some();
                let ty = self.ty(variable.type_of());
                let is_of_system = variable.is_of_system();
                let can_be_defined = !is_of_system && !uses::is_constant(variable.type_of());
                let may_be_written = *may_be_written || globals.get(name).is_some_and(|known| known.may_be_written);
                let (name, address) = (name.clone(), None);
                let global = Global { name, ty, is_defined, can_be_defined, is_of_system, may_be_written, address };
                globals.insert(global.name.clone(), global);
            }
            for (address, ty) in &used.registers {
                let global = self.register(*address, *ty);
                globals.insert(global.name.clone(), global);
            }
            for variable in &used.statics {
                let ty = self.ty(variable.cursor.type_of());
                let (name, line) = (variable.cursor.spelling(), variable.cursor.location().line);
                let start = start::bytes(variable.cursor);
                signature.statics.push(StaticLocal { name, ty, line, written: variable.written, start });
            }
            signature.assembly = signature.assembly.or(used.assembly);
            signature.has_unwritten |= used.has_unwritten;
            signature.volatiles.extend(used.volatiles.iter().cloned());
            for (name, declared) in &used.functions {
                if !seen.insert(name.clone()) {
                    continue;
                }
                if uses.contains_key(name) {
                    signature.calls_bodies = true;
                    open.push(name.clone());
                } else {
                    let ty = self.ty(declared.type_of());
                    let parameters = declared.children().into_iter();
                    let parameters = parameters.filter(|child| child.kind() == CXCursor_ParmDecl);
                    let external = External {
                        name: name.clone(),
                        ty,
                        parameters: parameters.map(Cursor::spelling).collect(),
                        returns: uses::returns(*declared),
                        is_of_system: declared.is_of_system(),
                    };
                    externals.insert(name.clone(), external);
                }
            }
        }
        signature.globals = self.without_overlaps(globals.into_values().collect());
        signature.externals = externals.into_values().collect();
    }

    fn register(&mut self, address: u64, ty: ClangType<'_>) -> Global {
        let spelling = ty.spelling();
        // Whoever looks at a function may write what it only reads.
        let name = format!("(*({} *){address:#x})", spelling.strip_prefix("const ").unwrap_or(&spelling));
        let (ty, address) = (self.ty(ty), Some(address));
        let (is_defined, can_be_defined, is_of_system, may_be_written) = (true, false, false, true);
        Global { name, ty, is_defined, can_be_defined, is_of_system, may_be_written, address }
    }

    /// Of registers that have bytes in common, the largest.
    fn without_overlaps(&self, globals: Vec<Global>) -> Vec<Global> {
        let end = |global: &Global| global.address.map(|start| (start, start + self.signatures.ty(global.ty).size));
        let extents: Vec<Option<(u64, u64)>> = globals.iter().map(end).collect();
        let is_hidden = |at: usize| {
            let Some((start, end)) = extents[at] else { return false };
            let is_larger = |other: usize, (from, to): (u64, u64)| (to - from, at) > (end - start, other);
            let is_over =
                |other: usize, (from, to): (u64, u64)| from < end && start < to && is_larger(other, (from, to));
            extents
                .iter()
                .enumerate()
                .any(|(other, extent)| other != at && extent.is_some_and(|extent| is_over(other, extent)))
        };
        let kept: Vec<bool> = (0..globals.len()).map(|at| !is_hidden(at)).collect();
        globals.into_iter().zip(kept).filter_map(|(global, is_kept)| is_kept.then_some(global)).collect()
    }

    fn ty(&mut self, ty: ClangType<'_>) -> TypeId {
        let canonical = ty.canonical();
        let key = canonical.spelling_with_folders();
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let id = TypeId(self.signatures.types.len());
        self.known.insert(key, id);
        let size = u64::try_from(canonical.size()).unwrap_or(0);
        let (is_const, is_volatile) = (canonical.is_const(), canonical.is_volatile());
        let spelling = ty.spelling();
        // A type may lead back to itself.
        self.signatures.types.push(CType { spelling, size, is_const, is_volatile, shape: Shape::Other });
        let shape = self.shape(canonical);
        let made = &mut self.signatures.types[id.0];
        if shape == Shape::Stream {
            made.spelling = made.spelling.replace("struct _IO_FILE", "FILE");
        }
        made.shape = shape;
        id
    }

    fn shape(&mut self, canonical: ClangType<'_>) -> Shape {
        match canonical.kind() {
            CXType_Void => Shape::Void,
            CXType_Bool => Shape::Bool,
            CXType_Char_S | CXType_SChar | CXType_Short | CXType_Int | CXType_Long | CXType_LongLong => {
                Shape::Integer { signed: true }
            }
            CXType_Char_U | CXType_UChar | CXType_UShort | CXType_UInt | CXType_ULong | CXType_ULongLong => {
                Shape::Integer { signed: false }
            }
            CXType_Float | CXType_Double => Shape::Float,
            CXType_Enum => {
                let signed =
                    matches!(canonical.enum_integer().kind(), CXType_Int | CXType_Long | CXType_SChar | CXType_Short);
                let enumerators = canonical.declaration().map(Cursor::children).unwrap_or_default();
                let is_one = |child: &Cursor<'_>| child.kind() == CXCursor_EnumConstantDecl;
                let values = enumerators.into_iter().filter(is_one).map(Cursor::enumerator_value).collect();
                Shape::Enum { signed, values }
            }
            CXType_Pointer => Shape::Pointer { to: self.ty(canonical.pointee()) },
            CXType_FunctionProto => Shape::Function {
                result: self.ty(canonical.result()),
                parameters: canonical.parameters().into_iter().map(|parameter| self.ty(parameter)).collect(),
                is_variadic: canonical.is_variadic(),
            },
            // As a parameter, an array of any size is a pointer.
            CXType_IncompleteArray => Shape::Pointer { to: self.ty(canonical.element()) },
            CXType_ConstantArray => {
                let count = u64::try_from(canonical.array_size()).unwrap_or(0);
                Shape::Array { of: self.ty(canonical.element()), count }
            }
            // What is in it is the compiler's business; of those that have this name, just this one is so large.
            CXType_Record if canonical.spelling().ends_with("__va_list_tag") && canonical.size() == 24 => Shape::VaList,
            CXType_Record if canonical.spelling().contains("__va_list") => Shape::Other,
            CXType_Record if canonical.declaration().is_some_and(is_stream) => Shape::Stream,
            CXType_Record => self.record(canonical),
            _ => Shape::Other,
        }
    }

    fn record(&mut self, canonical: ClangType<'_>) -> Shape {
        let declarations = canonical.field_declarations();
        let mut fields = Vec::new();
        for declared in &declarations {
            let Some(offset_bits) = declared.offset_in_bits() else { return Shape::Other };
            let bits = declared.is_bit_field().then(|| declared.bit_width().unwrap_or(0));
            fields.push(Field { name: member_name(*declared), offset_bits, bits, ty: self.ty(declared.type_of()) });
        }
        let is_union = canonical.declaration().is_some_and(|declared| declared.kind() == CXCursor_UnionDecl);
        match canonical.size() {
            // It has no definition here.
            ..0 => Shape::Other,
            _ if is_union => Shape::Union { fields },
            _ => Shape::Struct { fields },
        }
    }
}

/// Whether a record is the one that glibc and musl have for streams.
fn is_stream(record: Cursor<'_>) -> bool {
    record.spelling() == "_IO_FILE" && record.is_of_system()
}

/// None for a member without one, for which newer versions of libclang have a description.
fn member_name(member: Cursor<'_>) -> String {
    let name = member.spelling();
    if name.contains('(') {
        String::new()
    } else {
        name
    }
}

/// The comment on the line before a place, without anything else on that line.
fn comment_before(text: &[u8], at: u32) -> Option<String> {
    let before = &text[..at as usize];
    let line_start = before.iter().rposition(|byte| *byte == b'\n')?;
    let before = &before[..line_start];
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let line = String::from_utf8_lossy(&before[start..]).trim().to_string();
    (line.starts_with("//") || line.starts_with("/*")).then_some(line)
}
/// Whether a text uses a pointer as one to the first of several: `p[i]`, `p + i`, `p++`, `q = p`.
fn is_indexed(text: &[u8], (start, end): (u32, u32), name: &str) -> bool {
    let words: Vec<&[u8]> = lexer::tokens(text, start, end).map(|token| token.text(text)).collect();
    let is = |at: usize, known: &[&[u8]]| words.get(at).is_some_and(|word| known.contains(word));
    let is_one = |at: usize| {
        let is_moved = is(at + 1, &[b"[", b"+", b"-", b"++", b"--", b"+=", b"-="]);
        let is_own_member = at > 0 && is(at - 1, &[b".", b"->"]);
        let is_kept = at > 0 && is(at - 1, &[b"="]) && is(at + 1, &[b";", b","]);
        !is_own_member && (is_moved || is_kept || (at > 0 && is(at - 1, &[b"++", b"--"])))
    };
    (0..words.len()).any(|at| words[at] == name.as_bytes() && is_one(at))
}
