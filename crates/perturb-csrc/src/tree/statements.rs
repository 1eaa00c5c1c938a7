//! Statements: which part is the condition, which is the body, and where control goes after them.

use super::build::{is_declaration, is_expression, is_statement, Builder, NodeContext};
use super::{ConstantContext, IntegerRange, NodeId, NodeKind, Usage};
use crate::lexer;
use crate::libclang::Cursor;
use clang_sys::*;

impl Builder<'_, '_> {
    /// A statement, in a place where it could be left out.
    pub fn statement(&mut self, cursor: Cursor<'_>, parent: NodeId, place: NodeContext) {
        if !self.may_descend(place) {
            return;
        }
        let kind = cursor.kind();
        if is_expression(kind) {
            let inner = place.below(Usage::Discarded).tail(place.is_tail);
            if let Some(id) = self.expression(cursor, parent, inner) {
                self.node_mut(id).is_statement = !self.tree.node(id).is_off_limits;
                self.node_mut(id).ends_with_semicolon = true;
            }
            return;
        }
        if is_declaration(kind) {
            self.declaration(cursor, parent, place);
            return;
        }
        let id = self.add(cursor, kind_of(kind), parent, place);
        self.node_mut(id).is_statement =
            self.tree.node(id).kind != NodeKind::OtherStatement && kind != CXCursor_CompoundStmt;
        let children = cursor.children();
        match kind {
            CXCursor_CompoundStmt => self.block(id, &children, place),
            CXCursor_IfStmt => self.if_statement(id, &children, place),
            CXCursor_WhileStmt | CXCursor_CXXForRangeStmt => self.headed_loop(id, kind, &children, place),
            CXCursor_ForStmt => self.for_loop(id, &children, place),
            CXCursor_DoStmt => self.do_loop(id, &children, place),
            CXCursor_SwitchStmt => self.switch(id, &children, place),
            CXCursor_CaseStmt => self.case(id, &children, place),
            CXCursor_DefaultStmt | CXCursor_LabelStmt => self.labelled(id, &children, place),
            CXCursor_ReturnStmt => self.returned(id, &children, place),
            CXCursor_DeclStmt => self.declared(id, &children, place),
            CXCursor_CXXTryStmt | CXCursor_CXXCatchStmt => self.guarded(id, &children, place),
            CXCursor_BreakStmt | CXCursor_ContinueStmt | CXCursor_GotoStmt => {
                self.node_mut(id).ends_with_semicolon = true;
            }
            // `[[likely]] x = 1;`: the attribute is no expression and is passed over.
            CXCursor_UnexposedStmt => self.guarded(id, &children, place),
            // `asm`, empty statements and what libclang does not name hold nothing that we mutate.
            _ => {}
        }
    }

    fn block(&mut self, id: NodeId, children: &[Cursor<'_>], place: NodeContext) {
        for (i, child) in children.iter().enumerate() {
            let last = i + 1 == children.len();
            self.statement(*child, id, place.below(Usage::Discarded).tail(place.is_tail && last));
        }
        self.statements_of_one_macro(id);
        self.inherit_labels(id);
    }

    /// Two statements that one macro use made cannot be deleted apart.
    fn statements_of_one_macro(&mut self, id: NodeId) {
        let children = self.tree.node(id).children.clone();
        let start = |builder: &Self, id: NodeId| builder.tree.node(id).raw.map(|raw| raw.start);
        for pair in children.windows(2) {
            if start(self, pair[0]).is_none() || start(self, pair[0]) == start(self, pair[1]) {
                self.node_mut(pair[0]).is_statement = false;
                self.node_mut(pair[1]).is_statement = false;
            }
        }
    }

    fn if_statement(&mut self, id: NodeId, children: &[Cursor<'_>], place: NodeContext) {
        let (header, branches) = self.split_header(id, children, children.len().saturating_sub(1).clamp(1, 2));
        self.header(id, header, place);
        for branch in branches {
            self.statement(*branch, id, place.below(Usage::Discarded).tail(place.is_tail));
        }
        self.end_like_last_child(id);
    }

    fn headed_loop(&mut self, id: NodeId, kind: CXCursorKind, children: &[Cursor<'_>], place: NodeContext) {
        let Some((body, header)) = children.split_last() else { return };
        if kind == CXCursor_WhileStmt {
            self.header(id, header, place);
        } else {
            for part in header {
                self.part(*part, id, place.below(Usage::Exact));
            }
        }
        self.statement(*body, id, place.below(Usage::Discarded));
        self.end_like_last_child(id);
    }

    /// The two semicolons of a `for` header separate its parts.
    fn for_loop(&mut self, id: NodeId, children: &[Cursor<'_>], place: NodeContext) {
        let Some((body, header)) = children.split_last() else { return };
        let semicolons = self.header_semicolons(id);
        for part in header {
            let start = self.range_of(*part).map(|range| range.start);
            let is_condition =
                matches!((start, semicolons), (Some(at), Some((first, second))) if first < at && at < second);
            let declared = is_declaration(part.kind()) || part.kind() == CXCursor_DeclStmt;
            match (is_condition, declared) {
                (true, false) => self.part(*part, id, place.condition()),
                (false, false) if semicolons.is_some() => self.part(*part, id, place.below(Usage::Discarded)),
                _ => self.part(*part, id, place.below(Usage::Exact)),
            }
        }
        self.statement(*body, id, place.below(Usage::Discarded));
        self.end_like_last_child(id);
    }

    fn do_loop(&mut self, id: NodeId, children: &[Cursor<'_>], place: NodeContext) {
        if let [body, condition] = children {
            self.statement(*body, id, place.below(Usage::Discarded));
            self.part(*condition, id, place.condition());
        }
        self.node_mut(id).ends_with_semicolon = true;
        self.inherit_labels(id);
    }

    fn switch(&mut self, id: NodeId, children: &[Cursor<'_>], place: NodeContext) {
        let Some((body, header)) = children.split_last() else { return };
        let type_range = header.last().filter(|_| self.tree.is_cpp).and_then(|c| IntegerRange::of(c.type_of()));
        for part in header {
            self.part(*part, id, place.below(Usage::Integer));
        }
        let switch = self.new_switch(type_range);
        self.open_switches.push(switch);
        self.statement(*body, id, place.below(Usage::Discarded).tail(place.is_tail));
        self.open_switches.pop();
        // Its own cases are reached through it, but a plain label may be jumped to from outside.
        let plain = self.holds_plain_label(id);
        self.end_like_last_child(id);
        self.node_mut(id).holds_labels = plain;
    }

    fn case(&mut self, id: NodeId, children: &[Cursor<'_>], place: NodeContext) {
        let Some((body, labels)) = children.split_last() else { return };
        let switch = self.open_switches.last().copied().unwrap_or_default();
        let values: Vec<_> = labels.iter().map(|label| label.integer_value()).collect();
        if let (Some(&Some(low)), Some(&Some(high)), Some(known)) =
            (values.first(), values.last(), self.tree.switches.get_mut(switch as usize))
        {
            known.ranges.push((low, high));
        }
        for label in labels {
            self.note_names(*label);
            let context = ConstantContext::CaseLabel { switch };
            self.part(*label, id, place.below(Usage::Integer).constant(context));
        }
        self.statement(*body, id, place.below(Usage::Discarded).tail(place.is_tail));
        self.end_like_last_child(id);
        self.node_mut(id).holds_labels = true;
        self.node_mut(id).is_statement = false;
    }

    fn note_names(&mut self, label: Cursor<'_>) {
        if label.kind() == CXCursor_DeclRefExpr {
            self.label_names.insert(label.spelling());
        }
        label.for_each_child(|child| self.note_names(child));
    }

    fn labelled(&mut self, id: NodeId, children: &[Cursor<'_>], place: NodeContext) {
        for child in children.iter().filter(|c| c.kind() != CXCursor_LabelRef) {
            self.statement(*child, id, place.below(Usage::Discarded).tail(place.is_tail));
        }
        self.end_like_last_child(id);
        self.node_mut(id).holds_labels = true;
        self.node_mut(id).is_statement = false;
    }

    fn returned(&mut self, id: NodeId, children: &[Cursor<'_>], place: NodeContext) {
        self.node_mut(id).ends_with_semicolon = true;
        for child in children {
            let zero_may_be_null = self.result_may_be_pointer;
            self.part(*child, id, NodeContext { zero_may_be_null, ..place.below(self.result) });
        }
    }

    fn declared(&mut self, id: NodeId, children: &[Cursor<'_>], place: NodeContext) {
        for child in children {
            self.declaration(*child, id, place.below(Usage::Exact));
        }
    }

    fn guarded(&mut self, id: NodeId, children: &[Cursor<'_>], place: NodeContext) {
        for child in children.iter().filter(|c| is_statement(c.kind()) || is_expression(c.kind())) {
            self.statement(*child, id, place.below(Usage::Discarded).tail(place.is_tail));
        }
        self.inherit_labels(id);
    }

    /// The declarations and the condition between the parentheses of `if`, `while` and `switch`.
    fn header(&mut self, id: NodeId, header: &[Cursor<'_>], place: NodeContext) {
        let declares = header.iter().any(|c| is_declaration(c.kind()));
        for (i, part) in header.iter().enumerate() {
            if i + 1 == header.len() && !declares {
                let constexpr = self.is_constexpr_if(id);
                let place = place.condition();
                let place = if constexpr { place.constant(ConstantContext::Constexpr) } else { place };
                self.part(*part, id, place);
            } else if !(declares && i + 1 == header.len()) {
                // With a condition variable the last part is an unwritten read of it.
                self.part(*part, id, place.below(Usage::Exact));
            }
        }
    }

    fn is_constexpr_if(&self, id: NodeId) -> bool {
        let Some(raw) = self.tree.node(id).raw.filter(|_| self.tree.is_cpp) else { return false };
        let keyword = lexer::token_at(self.text(), raw.start);
        keyword.text(self.text()) == b"if"
            && lexer::token_at(self.text(), keyword.end).text(self.text()) == b"constexpr"
    }

    /// An expression, declaration or statement that is part of another statement and cannot be left out.
    pub fn part(&mut self, cursor: Cursor<'_>, parent: NodeId, place: NodeContext) {
        if is_expression(cursor.kind()) {
            self.expression(cursor, parent, place);
        } else if is_declaration(cursor.kind()) {
            self.declaration(cursor, parent, place);
        } else if cursor.kind() == CXCursor_DeclStmt {
            for child in cursor.children() {
                self.declaration(child, parent, place);
            }
        }
    }

    /// Splits a statement's children at the parenthesis that closes its header; `count` branches if it is in a macro.
    fn split_header<'c, 'u>(
        &self,
        id: NodeId,
        children: &'c [Cursor<'u>],
        count: usize,
    ) -> (&'c [Cursor<'u>], &'c [Cursor<'u>]) {
        let at = match self.header_end(id) {
            Some(close) => {
                let inside = |c: &Cursor<'_>| self.range_of(*c).is_some_and(|range| range.start < close);
                children.iter().take_while(|c| inside(c)).count()
            }
            None => children.len().saturating_sub(count),
        };
        children.split_at(at)
    }

    fn header_open(&self, id: NodeId) -> Option<u32> {
        let raw = self.tree.node(id).raw?;
        let mut tokens = lexer::tokens(self.text(), raw.start, raw.end);
        let keyword = tokens.next()?;
        let is_keyword = matches!(keyword.text(self.text()), b"if" | b"while" | b"for" | b"switch");
        let open = tokens.find(|token| token.text(self.text()) != b"constexpr").filter(|_| is_keyword)?;
        (open.text(self.text()) == b"(").then_some(open.start)
    }

    fn header_end(&self, id: NodeId) -> Option<u32> {
        lexer::matching_bracket(self.text(), self.header_open(id)?)
    }

    fn header_semicolons(&self, id: NodeId) -> Option<(u32, u32)> {
        let open = self.header_open(id)?;
        let close = lexer::matching_bracket(self.text(), open)?;
        let (mut depth, mut found) = (0, Vec::new());
        for token in lexer::tokens(self.text(), open + 1, close) {
            match token.text(self.text()) {
                b"(" | b"[" | b"{" => depth += 1,
                b")" | b"]" | b"}" => depth -= 1,
                b";" if depth == 0 => found.push(token.start),
                _ => {}
            }
        }
        match found.as_slice() {
            [first, second] => Some((*first, *second)),
            _ => None,
        }
    }

    fn end_like_last_child(&mut self, id: NodeId) {
        if let Some(&last) = self.tree.node(id).children.last() {
            let last = self.tree.node(last);
            // An empty statement ends with its own semicolon, which its range includes.
            self.node_mut(id).ends_with_semicolon = last.ends_with_semicolon;
        }
        self.inherit_labels(id);
    }

    fn inherit_labels(&mut self, id: NodeId) {
        let holds = self.tree.node(id).children.iter().any(|&child| self.tree.node(child).holds_labels);
        self.node_mut(id).holds_labels |= holds;
    }

    fn holds_plain_label(&self, id: NodeId) -> bool {
        let node = self.tree.node(id);
        node.kind == NodeKind::Label || node.children.iter().any(|&child| self.holds_plain_label(child))
    }
}

fn kind_of(kind: CXCursorKind) -> NodeKind {
    match kind {
        CXCursor_CompoundStmt => NodeKind::Compound,
        CXCursor_IfStmt => NodeKind::If,
        CXCursor_WhileStmt | CXCursor_ForStmt | CXCursor_CXXForRangeStmt => NodeKind::Loop,
        CXCursor_DoStmt => NodeKind::DoLoop,
        CXCursor_SwitchStmt => NodeKind::Switch,
        CXCursor_CaseStmt | CXCursor_DefaultStmt => NodeKind::Case,
        CXCursor_LabelStmt => NodeKind::Label,
        CXCursor_ReturnStmt => NodeKind::Return,
        CXCursor_BreakStmt | CXCursor_ContinueStmt | CXCursor_GotoStmt => NodeKind::Jump,
        CXCursor_CXXTryStmt => NodeKind::Try,
        _ => NodeKind::OtherStatement,
    }
}
