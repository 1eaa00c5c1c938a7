//! Expressions: their operators as written, their types, and what each context requires of its operands.

use super::build::{is_expression, is_statement, Builder, NodeContext};
use super::types::holds_pointers;
use super::{BinaryOp, ConstantContext, IntegerRange, NodeId, NodeKind, Type, TypeClass, UnaryOp, Usage};
use crate::lexer::{self, TokenKind};
use crate::libclang::Cursor;
use crate::literal;
use crate::source::SourceRange;
use clang_sys::*;

/// Whether a `0` that meets this type may be a null pointer.
pub(super) fn may_be_null(ty: Type) -> bool {
    ty.is_pointer() || ty.is_dependent()
}

/// Whether what a name or a member stands for can be pointed to.
fn has_address(cursor: Cursor<'_>) -> bool {
    cursor.referenced().is_some_and(|declared| !declared.is_bit_field() && declared.storage_class() != CX_SC_Register)
}

impl Builder<'_, '_> {
    /// An expression and all below it; None where it is too deep to go on.
    pub fn expression(&mut self, cursor: Cursor<'_>, parent: NodeId, place: NodeContext) -> Option<NodeId> {
        if !self.may_descend(place) {
            return None;
        }
        let kind = cursor.kind();
        let id = self.add(cursor, NodeKind::OtherExpression, parent, place);
        self.node_mut(id).ty = Type::of(cursor.type_of());
        if self.is_off_limits(cursor) {
            self.node_mut(id).is_off_limits = true;
            self.node_mut(id).has_effects = true;
            self.known_value(id, cursor);
            return Some(id);
        }
        match kind {
            CXCursor_IntegerLiteral => self.integer(id, cursor),
            CXCursor_CharacterLiteral => self.literal(id, NodeKind::Character, TokenKind::Character),
            CXCursor_FloatingLiteral => self.literal(id, NodeKind::Floating, TokenKind::Number),
            CXCursor_CXXBoolLiteralExpr => self.boolean(id),
            CXCursor_DeclRefExpr => self.reference(id, cursor, place),
            CXCursor_MemberRefExpr => self.member(id, cursor, place),
            CXCursor_BinaryOperator => self.binary(id, cursor, place),
            CXCursor_CompoundAssignOperator => self.compound_assign(id, cursor, place),
            CXCursor_UnaryOperator => self.unary(id, cursor, place),
            CXCursor_ConditionalOperator => self.conditional(id, cursor, place),
            CXCursor_ParenExpr => self.paren(id, cursor, place),
            CXCursor_CallExpr => self.call(id, cursor, place),
            CXCursor_ArraySubscriptExpr => self.subscript(id, cursor, place),
            CXCursor_InitListExpr => self.init_list(id, cursor, place),
            CXCursor_StmtExpr => self.statement_expression(id, cursor, place),
            CXCursor_LambdaExpr => self.lambda(id, cursor, place),
            CXCursor_GenericSelectionExpr => self.generic(id, cursor, place),
            CXCursor_CompoundLiteralExpr => self.compound_literal(id, cursor, place),
            CXCursor_CXXNewExpr => self.allocation(id, cursor, place),
            CXCursor_UnexposedExpr => self.unexposed(id, cursor, place),
            CXCursor_UnaryExpr | CXCursor_CXXTypeidExpr | CXCursor_SizeOfPackExpr => self.unevaluated(id, cursor),
            CXCursor_CStyleCastExpr..=CXCursor_CStyleCastExpr
            | CXCursor_CXXStaticCastExpr..=CXCursor_CXXFunctionalCastExpr => self.cast(id, cursor, place),
            _ => self.others(id, cursor, place),
        }
        Some(id)
    }

    /// What stands in an assertion, an `offsetof` or the like is never mutated.
    fn is_off_limits(&self, cursor: Cursor<'_>) -> bool {
        let Some(range) = self.range_of(cursor) else { return false };
        self.is_in_never_macro(range)
            || cursor.kind() == CXCursor_CallExpr && self.is_never(&cursor.spelling())
            || cursor.kind() == CXCursor_UnexposedExpr && {
                let token = lexer::token_at(self.text(), range.start);
                matches!(
                    token.text(self.text()),
                    b"noexcept" | b"requires" | b"__builtin_offsetof" | b"__builtin_va_arg"
                )
            }
    }

    fn unevaluated(&mut self, id: NodeId, cursor: Cursor<'_>) {
        self.known_value(id, cursor);
    }

    /// clang evaluates the leaves of constants, so that the value of a mutated constant is known.
    fn known_value(&mut self, id: NodeId, cursor: Cursor<'_>) {
        let needed = !matches!(self.tree.node(id).constant, None | Some(ConstantContext::StaticInitialiser));
        if needed {
            self.node_mut(id).value = cursor.integer_value();
        }
    }

    /// A literal is mutable if it is a token of this text, not one of a macro's body.
    fn literal(&mut self, id: NodeId, kind: NodeKind, token_kind: TokenKind) {
        let Some(raw) = self.tree.node(id).raw else { return };
        let token = lexer::token_at(self.text(), raw.start);
        if token.kind == token_kind && (token.start, token.end) == (raw.start, raw.end) {
            let value = literal::value(token.text(self.text()));
            let node = self.node_mut(id);
            node.kind = kind;
            node.value = value;
        }
    }

    fn integer(&mut self, id: NodeId, cursor: Cursor<'_>) {
        self.literal(id, NodeKind::Integer, TokenKind::Number);
        if self.tree.node(id).kind == NodeKind::Integer {
            return;
        }
        self.known_value(id, cursor);
        // <stdbool.h> makes `true` and `false` macros in C.
        let named = self.tree.node(id).raw.and_then(|raw| self.file.macros.exactly(raw));
        if let Some(used) = named.filter(|used| matches!(&*used.name, "true" | "false")) {
            let (range, value) = (used.range, &*used.name == "true");
            let node = self.node_mut(id);
            node.kind = NodeKind::Boolean(value);
            node.written = Some(range);
        }
    }

    fn boolean(&mut self, id: NodeId) {
        let Some(raw) = self.tree.node(id).written else { return };
        match self.tree.text(raw) {
            b"true" => self.node_mut(id).kind = NodeKind::Boolean(true),
            b"false" => self.node_mut(id).kind = NodeKind::Boolean(false),
            _ => {}
        }
    }

    fn reference(&mut self, id: NodeId, cursor: Cursor<'_>, place: NodeContext) {
        self.node_mut(id).kind = NodeKind::Reference;
        self.known_value(id, cursor);
        self.template_arguments(id, cursor, place);
        let node = self.tree.node(id);
        if !node.is_read || !node.ty.is_arithmetic() || node.written.is_none() {
            return;
        }
        let kind = cursor.referenced().map(|declared| declared.kind());
        let named = node.written.is_some_and(|range| self.file.macros.exactly(range).is_none());
        // A structured binding is a declaration that libclang has no name for.
        let is_variable =
            matches!(kind, Some(CXCursor_VarDecl | CXCursor_ParmDecl | CXCursor_FieldDecl | CXCursor_UnexposedDecl));
        if named && is_variable {
            let modifiable = !node.ty.is_const;
            // Behind a structured binding there may be a bit-field.
            let is_addressable = kind != Some(CXCursor_UnexposedDecl) && has_address(cursor);
            let node = self.node_mut(id);
            (node.kind, node.is_addressable) = (NodeKind::Variable { modifiable }, is_addressable);
        }
    }

    fn member(&mut self, id: NodeId, cursor: Cursor<'_>, place: NodeContext) {
        let mut base = None;
        for (i, child) in cursor.children().into_iter().filter(|c| is_expression(c.kind())).enumerate() {
            if i == 0 && child.kind() != CXCursor_IntegerLiteral {
                base = self.expression(child, id, place.below(Usage::Exact));
            } else {
                self.expression(child, id, place.below(Usage::Exact).constant(ConstantContext::TemplateArgument));
            }
        }
        let node = self.tree.node(id);
        let declared = || cursor.referenced().map(|declared| declared.kind());
        if !node.is_read || !node.ty.is_arithmetic() || node.written.is_none() {
            self.node_mut(id).kind = NodeKind::Postfix;
        } else if matches!(declared(), Some(CXCursor_FieldDecl | CXCursor_VarDecl)) {
            // A member of a value that is only passing by cannot be changed; one behind a pointer can.
            let of_object = base.is_none_or(|base| {
                let base = self.tree.node(self.tree.peel_parens(base));
                let is_named = matches!(base.kind, NodeKind::Reference | NodeKind::Variable { .. } | NodeKind::Postfix);
                is_named || base.ty.is_pointer() || matches!(base.kind, NodeKind::Unary(UnaryOp::Step | UnaryOp::Other))
            });
            let modifiable = !node.ty.is_const && of_object;
            let node = self.node_mut(id);
            (node.kind, node.is_addressable) = (NodeKind::Variable { modifiable }, has_address(cursor));
        } else {
            self.node_mut(id).kind = NodeKind::Postfix;
        }
        self.unwritten(id);
    }

    /// A call of a conversion function or constructor that is not written is a conversion.
    fn unwritten(&mut self, id: NodeId) {
        let node = self.tree.node(id);
        if let [only] = node.children.as_slice() {
            if node.raw.is_some() && self.tree.node(*only).raw == node.raw {
                self.node_mut(id).kind = NodeKind::Implicit;
            }
        }
    }

    fn template_arguments(&mut self, id: NodeId, cursor: Cursor<'_>, place: NodeContext) {
        if self.tree.is_cpp {
            for child in cursor.children().into_iter().filter(|c| is_expression(c.kind())) {
                let place = place.below(Usage::Exact).constant(ConstantContext::TemplateArgument);
                self.expression(child, id, place);
            }
        }
    }

    fn binary(&mut self, id: NodeId, cursor: Cursor<'_>, place: NodeContext) {
        let children = cursor.children();
        let [left, right] = children.as_slice() else { return self.others(id, cursor, place) };
        let token = self.operator_between(*left, *right);
        let text = token.map(|token| self.tree.text(token));
        let (left_type, right_type) = (Type::of(left.type_of()), Type::of(right.type_of()));
        if text == Some(b"=") {
            self.node_mut(id).kind = NodeKind::Assign;
            self.node_mut(id).has_effects = true;
            self.expression(*left, id, place.below(Usage::Exact));
            let zero_may_be_null = may_be_null(left_type);
            let place = place.below(self.usage_for(left_type));
            self.expression(*right, id, NodeContext { zero_may_be_null, ..place });
            return;
        }
        let op = text.map_or(BinaryOp::Unknown, BinaryOp::from_text);
        self.node_mut(id).kind = NodeKind::Binary(op);
        self.node_mut(id).operator = token;
        let both_numbers = left_type.is_arithmetic() && right_type.is_arithmetic();
        let integer_above = place.usage == Usage::Integer;
        use BinaryOp::*;
        let usage = match op {
            LogicalAnd | LogicalOr => Usage::Condition,
            Rem | Shl | Shr | And | Xor | Or => Usage::Integer,
            Mul | Div | Add | Sub if both_numbers && integer_above => Usage::Integer,
            Mul | Div | Add | Sub | Lt | Gt | Le | Ge | Eq | Ne if both_numbers => Usage::Arithmetic,
            Add | Sub => Usage::Integer,
            _ => Usage::Exact,
        };
        let (left_usage, right_usage) = if op == Comma { (Usage::Discarded, place.usage) } else { (usage, usage) };
        // In a template, what is compared with a pointer is not converted yet.
        let is_comparison = matches!(op, Eq | Ne) && self.tree.is_cpp;
        let operand = |usage: Usage, other: Type| NodeContext {
            zero_may_be_null: is_comparison && may_be_null(other),
            ..place.below(usage)
        };
        let (left_place, right_place) = (operand(left_usage, right_type), operand(right_usage, left_type));
        self.expression(*left, id, left_place);
        self.expression(*right, id, right_place);
    }

    fn compound_assign(&mut self, id: NodeId, cursor: Cursor<'_>, place: NodeContext) {
        let children = cursor.children();
        let [left, right] = children.as_slice() else { return self.others(id, cursor, place) };
        let token = self.operator_between(*left, *right);
        let text = token.map(|token| self.tree.text(token)).unwrap_or_default();
        let op = match text {
            b"and_eq" => BinaryOp::And,
            b"or_eq" => BinaryOp::Or,
            b"xor_eq" => BinaryOp::Xor,
            _ => text.strip_suffix(b"=").map_or(BinaryOp::Unknown, BinaryOp::from_text),
        };
        self.node_mut(id).kind = NodeKind::CompoundAssign(op);
        self.node_mut(id).has_effects = true;
        self.node_mut(id).operator = token;
        self.expression(*left, id, place.below(Usage::Exact));
        let number = Type::of(left.type_of()).is_arithmetic();
        let any_number = matches!(op, BinaryOp::Mul | BinaryOp::Div | BinaryOp::Add | BinaryOp::Sub) && number;
        self.expression(*right, id, place.below(if any_number { Usage::Arithmetic } else { Usage::Integer }));
    }

    /// The operator's token between two operands, when it is written in this file.
    fn operator_between(&self, left: Cursor<'_>, right: Cursor<'_>) -> Option<SourceRange> {
        let (left, right) = (self.range_of(left)?, self.range_of(right)?);
        let token = lexer::token_at(self.text(), left.end);
        // A token that goes on behind a spliced line end is another one than it seems.
        let is_spliced = self.text().get(token.end as usize) == Some(&b'\\');
        let is_between = left.end <= token.start && token.end <= right.start;
        (is_between && !is_spliced).then(|| SourceRange::new(token.start, token.end))
    }

    fn unary(&mut self, id: NodeId, cursor: Cursor<'_>, place: NodeContext) {
        let raw = self.tree.node(id).raw;
        let token = raw.map(|raw| lexer::token_at(self.text(), raw.start));
        let text = raw.map(|raw| self.tree.text(raw)).unwrap_or_default();
        let op = match token.map(|token| token.text(self.text())) {
            Some(b"!" | b"not") => UnaryOp::Not,
            Some(b"~" | b"compl") => UnaryOp::BitNot,
            Some(b"-") => UnaryOp::Minus,
            Some(b"+") => UnaryOp::Plus,
            Some(b"*" | b"&") => UnaryOp::Other,
            Some(b"++" | b"--") => UnaryOp::Step,
            _ if text.ends_with(b"++") || text.ends_with(b"--") => UnaryOp::Step,
            _ => UnaryOp::Other,
        };
        self.node_mut(id).kind = NodeKind::Unary(op);
        let usage = match op {
            UnaryOp::Not => Usage::Condition,
            UnaryOp::BitNot => Usage::Integer,
            UnaryOp::Minus | UnaryOp::Plus if place.usage == Usage::Integer => Usage::Integer,
            UnaryOp::Minus | UnaryOp::Plus => Usage::Arithmetic,
            UnaryOp::Step | UnaryOp::Other => Usage::Exact,
        };
        // A macro may hide what it does.
        let is_hidden = self.tree.node(id).written.is_none() && op == UnaryOp::Other;
        self.node_mut(id).has_effects = op == UnaryOp::Step || is_hidden;
        for child in cursor.children() {
            self.expression(child, id, place.below(usage));
        }
    }

    fn conditional(&mut self, id: NodeId, cursor: Cursor<'_>, place: NodeContext) {
        self.node_mut(id).kind = NodeKind::Conditional;
        for (i, child) in cursor.children().into_iter().enumerate() {
            let branch = NodeContext { is_read: place.is_read, ..place.below(place.usage) };
            self.expression(child, id, if i == 0 { place.condition() } else { branch });
        }
    }

    fn paren(&mut self, id: NodeId, cursor: Cursor<'_>, place: NodeContext) {
        self.node_mut(id).kind = NodeKind::Paren;
        for child in cursor.children() {
            let NodeContext { is_read, narrow, zero_may_be_null, .. } = place;
            let inner = NodeContext { is_read, narrow, zero_may_be_null, ..place.below(place.usage) };
            self.expression(child, id, inner);
        }
    }

    fn call(&mut self, id: NodeId, cursor: Cursor<'_>, place: NodeContext) {
        self.node_mut(id).kind = NodeKind::Call;
        self.node_mut(id).has_effects = true;
        self.known_value(id, cursor);
        let usage = if self.tree.is_cpp { Usage::Exact } else { Usage::Arithmetic };
        for child in cursor.children().into_iter().filter(|c| is_expression(c.kind())) {
            self.expression(child, id, place.below(usage));
        }
        if self.tree.is_cpp {
            self.unwritten(id);
        }
    }

    fn subscript(&mut self, id: NodeId, cursor: Cursor<'_>, place: NodeContext) {
        self.node_mut(id).kind = NodeKind::Postfix;
        for child in cursor.children() {
            self.expression(child, id, place.below(Usage::Integer));
        }
    }

    /// In C++ a constant in braces must fit the type it initialises.
    fn init_list(&mut self, id: NodeId, cursor: Cursor<'_>, place: NodeContext) {
        // A list has no type of its own: its context says what it initialises.
        let narrow = place.narrow.or_else(|| IntegerRange::of_all_in(cursor.type_of())).filter(|_| self.tree.is_cpp);
        let zero_may_be_null = place.zero_may_be_null || holds_pointers(cursor.type_of());
        for child in cursor.children().into_iter().filter(|c| is_expression(c.kind())) {
            let usage = if self.tree.is_cpp { Usage::Exact } else { self.usage_for(Type::of(child.type_of())) };
            self.expression(child, id, NodeContext { narrow, zero_may_be_null, ..place.below(usage) });
        }
    }

    fn statement_expression(&mut self, id: NodeId, cursor: Cursor<'_>, place: NodeContext) {
        self.node_mut(id).has_effects = true;
        for block in cursor.children() {
            let inner = self.add(block, NodeKind::Compound, id, place.below(Usage::Discarded));
            let statements = block.children();
            for (i, statement) in statements.iter().enumerate() {
                let before = self.tree.node(inner).children.len();
                self.statement(*statement, inner, place.below(Usage::Discarded));
                // The last one is the value of the whole.
                if i + 1 == statements.len() {
                    if let Some(&value) = self.tree.node(inner).children[before..].last() {
                        self.node_mut(value).is_statement = false;
                        self.node_mut(value).usage = Usage::Exact;
                    }
                }
            }
        }
    }

    /// A lambda's statements belong to the function that it stands in; its `return`s are of its own type.
    fn lambda(&mut self, id: NodeId, cursor: Cursor<'_>, place: NodeContext) {
        self.node_mut(id).has_effects = true;
        let outer = (self.result, self.may_fall_through);
        let switches = std::mem::take(&mut self.open_switches);
        (self.result, self.may_fall_through) = (Usage::Exact, false);
        // It runs when it is called, wherever it is made.
        let constant = place.constant.filter(|context| *context == ConstantContext::Constexpr);
        let place = NodeContext { constant, ..place };
        for child in cursor.children() {
            if is_statement(child.kind()) {
                self.statement(child, id, place.below(Usage::Discarded).tail(true));
            } else if is_expression(child.kind()) {
                self.expression(child, id, place.below(Usage::Exact));
            }
        }
        (self.result, self.may_fall_through) = outer;
        self.open_switches = switches;
    }

    /// The first operand of `_Generic` is only looked at for its type.
    fn generic(&mut self, id: NodeId, cursor: Cursor<'_>, place: NodeContext) {
        let mut children: Vec<_> = cursor.children().into_iter().filter(|c| is_expression(c.kind())).collect();
        children.sort_by_key(|child| child.start().offset);
        for child in children.into_iter().skip(1) {
            self.expression(child, id, place.below(Usage::Exact));
        }
    }

    /// libclang's name for conversions that are not written, and for rare expressions.
    fn unexposed(&mut self, id: NodeId, cursor: Cursor<'_>, place: NodeContext) {
        let children: Vec<_> = cursor.children().into_iter().filter(|c| is_expression(c.kind())).collect();
        let [child] = children.as_slice() else { return self.others(id, cursor, place) };
        if self.range_of(*child) != self.tree.node(id).raw {
            return self.others(id, cursor, place);
        }
        self.node_mut(id).kind = NodeKind::Implicit;
        let (outer, inner) = (self.tree.node(id).ty, Type::of(child.type_of()));
        if inner.is_integral() && outer.is_pointer() {
            // `0` as a null pointer: any other number would be another program, or none.
            return self.known_value(id, cursor);
        }
        let usage = match place.usage {
            Usage::Integer | Usage::Condition | Usage::Discarded => place.usage,
            _ if outer.class == inner.class => place.usage,
            _ => self.usage_for(outer),
        };
        let is_read = outer.class == inner.class && !outer.is_const && child.kind() != CXCursor_UnexposedExpr;
        let NodeContext { narrow, zero_may_be_null, .. } = place;
        let inner = NodeContext { is_read, narrow, zero_may_be_null, ..place.below(usage) };
        self.expression(*child, id, inner);
    }

    fn cast(&mut self, id: NodeId, cursor: Cursor<'_>, place: NodeContext) {
        self.node_mut(id).kind = NodeKind::Cast;
        let usage = match self.tree.node(id).ty {
            ty if ty.is_pointer() => Usage::Integer,
            ty if ty.class == TypeClass::Void => Usage::Discarded,
            ty if ty.is_enum() => Usage::Integer,
            ty => self.usage_for(ty),
        };
        let children = cursor.children();
        // What comes before the operand belongs to the type that is written.
        if let Some(operand) = children.last().filter(|c| is_expression(c.kind())) {
            self.expression(*operand, id, place.below(usage));
        }
    }

    /// `(int[3]){1, 2}`: what is written before the list belongs to the type. In C it is an object, in C++ a value.
    fn compound_literal(&mut self, id: NodeId, cursor: Cursor<'_>, place: NodeContext) {
        if !self.tree.is_cpp {
            self.node_mut(id).kind = NodeKind::Postfix;
        }
        let zero_may_be_null = holds_pointers(cursor.type_of());
        for child in cursor.children().into_iter().filter(|c| c.kind() == CXCursor_InitListExpr) {
            self.expression(child, id, NodeContext { zero_may_be_null, ..place.below(Usage::Exact) });
        }
    }

    /// C++ refuses `new int[-1]`.
    fn allocation(&mut self, id: NodeId, cursor: Cursor<'_>, place: NodeContext) {
        self.node_mut(id).has_effects = true;
        let narrow = Some(IntegerRange { min: 0, max: i128::from(i32::MAX) });
        for child in cursor.children().into_iter().filter(|c| is_expression(c.kind())) {
            let is_size = self.range_of(child).and_then(|range| self.token_before(range.start)) == Some(b'[');
            let narrow = narrow.filter(|_| is_size);
            self.expression(child, id, NodeContext { narrow, ..place.below(Usage::Exact) });
        }
    }

    fn others(&mut self, id: NodeId, cursor: Cursor<'_>, place: NodeContext) {
        let is_plain = matches!(
            cursor.kind(),
            CXCursor_StringLiteral
                | CXCursor_CXXThisExpr
                | CXCursor_CXXNullPtrLiteralExpr
                | CXCursor_GNUNullExpr
                | CXCursor_AddrLabelExpr
                | CXCursor_IntegerLiteral
                | CXCursor_FloatingLiteral
        );
        self.node_mut(id).has_effects = !is_plain;
        for child in cursor.children() {
            if is_expression(child.kind()) && !self.is_designator(child) {
                let NodeContext { narrow, zero_may_be_null, .. } = place;
                self.expression(child, id, NodeContext { narrow, zero_may_be_null, ..place.below(Usage::Exact) });
            }
        }
    }

    /// `[3] =` in an initialiser: another index is out of range or already taken.
    fn is_designator(&self, cursor: Cursor<'_>) -> bool {
        let Some(range) = self.range_of(cursor) else { return false };
        let before = self.text()[..range.start as usize].iter().rfind(|b| !b.is_ascii_whitespace());
        let close = lexer::token_at(self.text(), range.end);
        before == Some(&b'[') && close.text(self.text()) == b"]" && {
            let next = lexer::token_at(self.text(), close.end);
            matches!(next.text(self.text()), b"=" | b"." | b"[" | b"{")
        }
    }

    /// What a value of this type may be initialised from.
    pub fn usage_for(&self, target: Type) -> Usage {
        match target.class {
            TypeClass::Bool => Usage::Boolean,
            TypeClass::Integer { .. } | TypeClass::Floating => Usage::Arithmetic,
            TypeClass::Enum { scoped: false } if !self.tree.is_cpp => Usage::Arithmetic,
            TypeClass::Void => Usage::Discarded,
            _ => Usage::Exact,
        }
    }
}
