//! Declarations: functions with their bodies, and the constants that stand in declarations.

use super::build::{is_declaration, is_expression, is_statement, Builder, NodeContext};
use super::expressions::may_be_null;
use super::types::holds_pointers;
use super::{ConstantContext, IntegerRange, NodeId, NodeKind, Type, TypeClass, Usage};
use crate::lexer;
use crate::libclang::Cursor;
use clang_sys::*;

impl Builder<'_, '_> {
    /// A function, method, constructor, operator or function template: its body, and its constructor's initialisers.
    pub fn function(&mut self, cursor: Cursor<'_>, parent: NodeId) {
        let result = Type::of(cursor.result_type());
        let nothing = result.class == TypeClass::Void
            || matches!(cursor.kind(), CXCursor_Constructor | CXCursor_Destructor)
            || cursor.spelling() == "main";
        let outer = (self.result, self.may_fall_through);
        let switches = std::mem::take(&mut self.open_switches);
        (self.result, self.may_fall_through) = (self.usage_for(result), nothing);
        self.result_may_be_pointer = may_be_null(result);
        let constant = self.is_constexpr(cursor).then_some(ConstantContext::Constexpr);
        let place = NodeContext::new(Usage::Discarded, constant);
        for child in cursor.children() {
            if is_statement(child.kind()) {
                self.statement(child, parent, place.tail(true));
            } else if is_expression(child.kind()) && cursor.kind() == CXCursor_Constructor {
                self.part(child, parent, place.below(Usage::Exact));
            } else if child.kind() == CXCursor_ParmDecl {
                self.default_argument(child, parent);
            }
        }
        (self.result, self.may_fall_through) = outer;
        self.open_switches = switches;
    }

    fn default_argument(&mut self, parameter: Cursor<'_>, parent: NodeId) {
        for child in parameter.children().into_iter().filter(|c| is_expression(c.kind())) {
            let before = self.range_of(child).and_then(|range| self.token_before(range.start));
            if before == Some(b'=') {
                let usage = self.usage_for(Type::of(parameter.type_of()));
                self.part(child, parent, NodeContext::new(usage, Some(ConstantContext::DefaultArgument)));
            }
        }
    }

    /// A declaration in a function or at file scope.
    pub fn declaration(&mut self, cursor: Cursor<'_>, parent: NodeId, place: NodeContext) {
        if !self.may_descend(place) {
            return;
        }
        match cursor.kind() {
            CXCursor_VarDecl => self.variable(cursor, parent, place),
            CXCursor_FieldDecl => self.field(cursor, parent, place),
            CXCursor_EnumConstantDecl => {
                self.enumerator(cursor, parent, place);
            }
            kind if is_function(kind) => self.function(cursor, parent),
            // A mutated static assertion either stops the build or changes nothing.
            CXCursor_StaticAssert | CXCursor_ParmDecl | CXCursor_TypedefDecl | CXCursor_TypeAliasDecl => {}
            _ => {
                for child in cursor.children().into_iter().filter(|c| is_declaration(c.kind())) {
                    self.declaration(child, parent, place);
                }
            }
        }
    }

    fn enumerator(&mut self, cursor: Cursor<'_>, parent: NodeId, place: NodeContext) {
        for child in cursor.children().into_iter().filter(|c| is_expression(c.kind())) {
            let Some(of) = cursor.semantic_parent() else { return };
            // Two enumerators that are labels must differ: a switch over both would not compile.
            let is_label = |c: Cursor<'_>| self.label_names.contains(&c.spelling());
            let all = of.children().into_iter().filter(|c| c.kind() == CXCursor_EnumConstantDecl);
            let others = all.filter(|other| is_label(cursor) && !other.is_same(cursor) && is_label(*other));
            self.tree.other_enumerators = others.map(|other| other.enumerator_value()).collect();
            // Only a type that is written limits the values.
            let has_type = self.tree.is_cpp
                && self.range_of(of).is_some_and(|range| {
                    let mut words =
                        lexer::tokens(self.text(), range.start, range.end).map(|word| word.text(self.text()));
                    words.find(|word| matches!(*word, b":" | b"{")) == Some(b":")
                });
            let narrow = has_type.then(|| IntegerRange::of(of.enum_type())).flatten();
            let place = place.below(Usage::Integer).constant(ConstantContext::Enumerator);
            self.part(child, parent, NodeContext { narrow, ..place });
        }
    }

    fn variable(&mut self, cursor: Cursor<'_>, parent: NodeId, place: NodeContext) {
        let raw_type = cursor.type_of();
        let ty = Type::of(raw_type);
        let initial = cursor.initializer();
        let at_file_scope = self.tree.node(parent).kind == NodeKind::Root;
        let is_static = at_file_scope || cursor.storage_class() == CX_SC_Static;
        let constant = if self.is_constexpr(cursor) || self.is_constant_in_cpp(cursor, ty) {
            Some(ConstantContext::Constexpr)
        } else if is_static {
            Some(ConstantContext::StaticInitialiser)
        } else {
            place.constant
        };
        // What is only declared must keep the size of its definition. (C calls `int a[4];` a definition too late for
        // clang.)
        let is_definition = !self.tree.is_cpp || cursor.is_definition();
        // In C an expression in the type of what is no array is the operand of a `typeof`.
        let has_size = self.tree.is_cpp || ty.class == TypeClass::Array;
        let mutable_size = has_size && is_definition && cursor.storage_class() != CX_SC_Extern;
        let runtime_size = raw_type.canonical().kind() == CXType_VariableArray;
        let size = if ty.class == TypeClass::Array {
            ConstantContext::ArraySize { initialised: initial.is_some() }
        } else {
            ConstantContext::TemplateArgument
        };
        for child in cursor.children().into_iter().filter(|c| is_expression(c.kind())) {
            if initial.is_some_and(|initial| initial.is_same(child)) {
                let usage = self.usage_for(ty);
                let in_braces = self.tree.is_cpp && child.kind() == CXCursor_InitListExpr;
                let narrow = in_braces.then(|| IntegerRange::of_all_in(raw_type)).flatten();
                let in_list = child.kind() == CXCursor_InitListExpr;
                let zero_may_be_null = if in_list { holds_pointers(raw_type) } else { may_be_null(ty) };
                let before = self.tree.node(parent).children.len();
                self.part(child, parent, NodeContext { constant, narrow, zero_may_be_null, ..place.below(usage) });
                if let Some(&value) = self.tree.node(parent).children.get(before) {
                    self.node_mut(value).initialises = ty.number;
                }
            } else if runtime_size {
                self.part(child, parent, place.below(Usage::Integer));
            } else if mutable_size {
                self.part(child, parent, place.below(Usage::Integer).constant(size));
            }
        }
        self.nested_declarations(cursor, parent, place);
    }

    /// `struct { int a[4]; } x;` declares a type on the way.
    fn nested_declarations(&mut self, cursor: Cursor<'_>, parent: NodeId, place: NodeContext) {
        for child in cursor.children() {
            if matches!(child.kind(), CXCursor_StructDecl | CXCursor_UnionDecl | CXCursor_EnumDecl) {
                self.declaration(child, parent, place);
            }
        }
    }

    fn field(&mut self, cursor: Cursor<'_>, parent: NodeId, place: NodeContext) {
        let ty = Type::of(cursor.type_of());
        let bits = match ty.class {
            TypeClass::Bool => 1,
            _ => u32::try_from(cursor.type_of().size()).unwrap_or(0) * 8,
        };
        for child in cursor.children().into_iter().filter(|c| is_expression(c.kind())) {
            let before = self.range_of(child).and_then(|range| self.token_before(range.start));
            let (context, usage) = match (before, ty.class) {
                (Some(b':'), _) => (ConstantContext::BitFieldWidth { bits }, Usage::Integer),
                (Some(b'[' | b'<' | b','), TypeClass::Array) | (Some(b'['), _) => {
                    (ConstantContext::ArraySize { initialised: false }, Usage::Integer)
                }
                (Some(b'=' | b'{'), _) => (ConstantContext::MemberInitialiser, self.usage_for(ty)),
                // `std::array<int, 4> a{}`: an initialiser without `=` is a list, anything else an argument.
                _ if child.kind() == CXCursor_InitListExpr => (ConstantContext::MemberInitialiser, Usage::Exact),
                _ => (ConstantContext::TemplateArgument, Usage::Integer),
            };
            self.part(child, parent, place.below(usage).constant(context));
        }
        self.nested_declarations(cursor, parent, place);
    }

    pub fn token_before(&self, offset: u32) -> Option<u8> {
        self.text()[..offset as usize].iter().rfind(|b| !b.is_ascii_whitespace()).copied()
    }

    /// Whether the words before the declared name say `constexpr` or `consteval`.
    fn is_constexpr(&self, cursor: Cursor<'_>) -> bool {
        let Some(range) = self.range_of(cursor).filter(|_| self.tree.is_cpp) else { return false };
        let words = lexer::tokens(self.text(), range.start, range.end);
        let mut words =
            words.map(|word| word.text(self.text())).take_while(|word| !matches!(*word, b"(" | b"=" | b"{"));
        words.any(|word| matches!(word, b"constexpr" | b"consteval" | b"constinit"))
    }

    /// In C++ a `const` integer with a constant initialiser may be an array's size, a case label, a template argument.
    fn is_constant_in_cpp(&self, cursor: Cursor<'_>, ty: Type) -> bool {
        self.tree.is_cpp && ty.is_const && (ty.is_integral() || ty.is_enum()) && {
            let initial = cursor.initializer();
            initial.is_some_and(|initial| initial.integer_value().is_some())
        }
    }
}

pub(crate) fn is_function(kind: CXCursorKind) -> bool {
    matches!(
        kind,
        CXCursor_FunctionDecl
            | CXCursor_CXXMethod
            | CXCursor_Constructor
            | CXCursor_Destructor
            | CXCursor_ConversionFunction
            | CXCursor_FunctionTemplate
    )
}
