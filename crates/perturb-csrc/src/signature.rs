//! What functions take and give: parameters, results and the variables outside that they use, down to the numbers in them.
//!
//! Whoever calls a function without knowing it, to compare it or to test it, makes its arguments from this.

use crate::libclang::{absolute, ClangType, Cursor, Libclang, ParseInput, Unit};
use crate::source::SourceRange;
use crate::CsrcError;
use clang_sys::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The functions that a unit's own file defines, with the types that they use.
#[derive(Debug, Default)]
pub struct Signatures {
    pub types: Vec<CType>,
    pub functions: Vec<Signature>,
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

/// What a type is made of.
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
    /// What nobody can make up: functions, types without a definition, `long double`, vectors.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
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
    /// Variables outside of functions that it may read or write, itself or through what it calls in this unit.
    pub globals: Vec<Global>,
    /// Functions without a body in this unit that it may call so.
    pub externals: BTreeSet<String>,
    /// It, or what it calls, keeps values from call to call in variables of its own.
    pub has_memory: bool,
    /// It, or what it calls, calls what a pointer says.
    pub calls_pointers: bool,
    /// The comment on the line before it.
    pub comment: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    pub name: String,
    pub ty: TypeId,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Global {
    pub name: String,
    pub ty: TypeId,
    /// It is defined in this unit.
    pub is_defined: bool,
}

impl Signatures {
    pub fn ty(&self, id: TypeId) -> &CType {
        &self.types[id.0]
    }

    /// Parses a unit and reads what its own functions take and give.
    pub fn read(libclang: &Libclang, input: &ParseInput) -> Result<Self, CsrcError> {
        let unit = Unit::parse(libclang, input, None)?;
        let main = absolute(&input.directory, &input.file);
        let mut reader = Reader { known: HashMap::new(), signatures: Self::default() };
        let mut functions = Vec::new();
        unit.root().for_each_child(|child| {
            if child.kind() == CXCursor_FunctionDecl && child.is_definition() {
                functions.push(child);
            }
        });
        let uses: BTreeMap<String, Uses<'_>> =
            functions.iter().map(|function| (function.spelling(), Uses::of(*function))).collect();
        for function in functions {
            let file = function.location().file;
            if !file.is_null() && absolute(&input.directory, &unit.file_name(file)) == main {
                let text = unit.file_text(file);
                reader.function(function, text, &uses);
            }
        }
        Ok(reader.signatures)
    }
}

/// What a function's own body uses.
#[derive(Debug, Default)]
struct Uses<'u> {
    variables: BTreeMap<String, Cursor<'u>>,
    functions: BTreeSet<String>,
    has_memory: bool,
    calls_pointers: bool,
}

impl<'u> Uses<'u> {
    fn of(function: Cursor<'u>) -> Self {
        let mut uses = Self::default();
        uses.collect(function);
        uses
    }

    fn collect(&mut self, cursor: Cursor<'u>) {
        cursor.for_each_child(|child| {
            if child.kind() == CXCursor_VarDecl && child.storage_class() == CX_SC_Static {
                self.has_memory |= !is_constant(child.type_of());
            }
            if child.kind() == CXCursor_CallExpr {
                self.calls_pointers |= child.referenced().is_none_or(|called| called.kind() != CXCursor_FunctionDecl);
            }
            if child.kind() == CXCursor_DeclRefExpr {
                if let Some(declared) = child.referenced() {
                    self.add(declared);
                }
            }
            self.collect(child);
        });
    }

    fn add(&mut self, declared: Cursor<'u>) {
        match declared.kind() {
            CXCursor_FunctionDecl => {
                self.functions.insert(declared.spelling());
            }
            CXCursor_VarDecl => {
                let is_local = declared.semantic_parent().is_some_and(|parent| parent.kind() == CXCursor_FunctionDecl);
                if !is_local && !is_constant(declared.type_of()) {
                    self.variables.insert(declared.spelling(), declared);
                }
            }
            _ => {}
        }
    }
}

/// Of an array, clang says it of the whole or of its elements.
fn is_constant(ty: ClangType<'_>) -> bool {
    let mut ty = ty.canonical();
    let mut is_constant = ty.is_const();
    while ty.element().kind() != CXType_Invalid {
        ty = ty.element();
        is_constant |= ty.is_const();
    }
    is_constant
}

struct Reader {
    /// By spelling of the canonical type.
    known: HashMap<String, TypeId>,
    signatures: Signatures,
}

impl Reader {
    fn function(&mut self, function: Cursor<'_>, text: &[u8], uses: &BTreeMap<String, Uses<'_>>) {
        let (start, end) = function.extent();
        let parameters = function.children().into_iter().filter(|child| child.kind() == CXCursor_ParmDecl);
        let parameters: Vec<Parameter> =
            parameters.map(|child| Parameter { name: child.spelling(), ty: self.ty(child.type_of()) }).collect();
        let name = function.spelling();
        let mut signature = Signature {
            range: SourceRange::new(start.offset, end.offset),
            result: self.ty(function.result_type()),
            parameters,
            is_variadic: function.type_of().is_variadic(),
            is_static: function.storage_class() == CX_SC_Static,
            globals: Vec::new(),
            externals: BTreeSet::new(),
            has_memory: false,
            calls_pointers: false,
            comment: comment_before(text, start.offset),
            name,
        };
        self.add_uses(&mut signature, uses);
        self.signatures.functions.push(signature);
    }

    /// Its own uses, and those of all that it may call.
    fn add_uses(&mut self, signature: &mut Signature, uses: &BTreeMap<String, Uses<'_>>) {
        let (mut open, mut seen) = (vec![signature.name.clone()], BTreeSet::new());
        let mut globals: BTreeMap<String, Global> = BTreeMap::new();
        while let Some(name) = open.pop() {
            if !seen.insert(name.clone()) {
                continue;
            }
            let Some(used) = uses.get(&name) else {
                signature.externals.insert(name);
                continue;
            };
            signature.has_memory |= used.has_memory;
            signature.calls_pointers |= used.calls_pointers;
            open.extend(used.functions.iter().cloned());
            for (name, variable) in &used.variables {
                let (ty, is_defined) = (self.ty(variable.type_of()), variable.storage_class() != CX_SC_Extern);
                globals.insert(name.clone(), Global { name: name.clone(), ty, is_defined });
            }
        }
        signature.globals = globals.into_values().collect();
    }

    fn ty(&mut self, ty: ClangType<'_>) -> TypeId {
        let canonical = ty.canonical();
        let key = canonical.spelling();
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
        self.signatures.types[id.0].shape = self.shape(canonical);
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
            CXType_Pointer => {
                let to = canonical.pointee();
                match to.canonical().kind() {
                    CXType_FunctionProto | CXType_FunctionNoProto => Shape::Other,
                    _ => Shape::Pointer { to: self.ty(to) },
                }
            }
            // As a parameter, an array of any size is a pointer.
            CXType_IncompleteArray => Shape::Pointer { to: self.ty(canonical.element()) },
            CXType_ConstantArray => {
                let count = u64::try_from(canonical.array_size()).unwrap_or(0);
                Shape::Array { of: self.ty(canonical.element()), count }
            }
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
            fields.push(Field { name: declared.spelling(), offset_bits, bits, ty: self.ty(declared.type_of()) });
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

/// The comment on the line before a place, without anything else on that line.
fn comment_before(text: &[u8], at: u32) -> Option<String> {
    let before = &text[..at as usize];
    let line_start = before.iter().rposition(|byte| *byte == b'\n')?;
    let before = &before[..line_start];
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let line = String::from_utf8_lossy(&before[start..]).trim().to_string();
    (line.starts_with("//") || line.starts_with("/*")).then_some(line)
}
