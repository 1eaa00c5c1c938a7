//! Builds our tree from libclang's cursors: the parts that all kinds of nodes share.

use super::macros::MacroMap;
use super::{
    ConstantContext, IntegerRange, NodeId, NodeKind, SwitchLabels, SyntaxNode, Tree, Type, TypeClass, UnaryOp, Usage,
};
use crate::lexer::has_split_directives;
use crate::libclang::Cursor;
use crate::source::{SourceFile, SourceRange};
use clang_sys::*;
use globset::GlobSet;
use std::collections::HashSet;

/// How deep a tree may be. Deeper code is generated, and would only overflow the stack.
const DEEPEST: u32 = 2000;

/// One file's text and macro uses, as seen in one translation unit.
#[derive(Debug)]
pub struct FileView {
    pub handle: CXFile,
    pub source: SourceFile,
    pub macros: MacroMap,
}

impl FileView {
    /// Where something stands in this file, if it starts and ends in it.
    pub(crate) fn range_of(&self, cursor: Cursor<'_>) -> Option<SourceRange> {
        let (start, end) = cursor.extent();
        let is_here = start.file == self.handle && end.file == self.handle && start.offset < end.offset;
        is_here.then(|| SourceRange::new(start.offset, end.offset))
    }

    /// The body of a function, if it is written in this file as a whole and is all there whatever an `#if` says.
    pub(crate) fn body_of(&self, function: Cursor<'_>) -> Option<SourceRange> {
        let body = function.children().into_iter().rfind(|child| child.kind() == CXCursor_CompoundStmt)?;
        let body = self.range_of(body).filter(|body| self.macros.is_written(*body))?;
        let text = body.text(self.source.text());
        (text.starts_with(b"{") && text.ends_with(b"}") && !has_split_directives(text)).then_some(body)
    }
}

/// What the context of a node requires of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeContext {
    pub usage: Usage,
    pub constant: Option<ConstantContext>,
    pub is_read: bool,
    pub is_tail: bool,
    pub is_condition: bool,
    pub narrow: Option<IntegerRange>,
    pub zero_may_be_null: bool,
    pub depth: u32,
}

impl NodeContext {
    pub fn new(usage: Usage, constant: Option<ConstantContext>) -> Self {
        Self {
            usage,
            constant,
            is_read: false,
            is_tail: false,
            is_condition: false,
            narrow: None,
            zero_may_be_null: false,
            depth: 0,
        }
    }

    /// A place below this one: only what holds for everything below is kept.
    pub fn below(self, usage: Usage) -> Self {
        Self { depth: self.depth + 1, ..NodeContext::new(usage, self.constant) }
    }

    pub fn constant(self, constant: ConstantContext) -> Self {
        Self { constant: Some(constant), ..self }
    }

    pub fn condition(self) -> Self {
        Self { is_condition: true, ..self.below(Usage::Condition) }
    }

    pub fn tail(self, is_tail: bool) -> Self {
        Self { is_tail, ..self }
    }
}

pub(crate) struct Builder<'b, 'f> {
    pub file: &'f FileView,
    pub tree: Tree<'f>,
    /// Names of calls and macros whose arguments are left alone.
    pub never_in: &'b GlobSet,
    pub open_switches: Vec<u32>,
    /// The names in case labels, of this function and of those before it.
    pub label_names: &'b mut HashSet<String>,
    pub result: Usage,
    /// It returns a pointer, or a type that is not known yet.
    pub result_may_be_pointer: bool,
    /// The function may end without a `return`: it returns nothing, or it is `main`.
    pub may_fall_through: bool,
    pub too_deep: bool,
}

impl<'b, 'f> Builder<'b, 'f> {
    pub fn new(file: &'f FileView, is_cpp: bool, never_in: &'b GlobSet, label_names: &'b mut HashSet<String>) -> Self {
        let (nodes, switches, other_enumerators) = (Vec::new(), Vec::new(), Vec::new());
        let tree = Tree { source: &file.source, is_cpp, nodes, switches, other_enumerators };
        let mut builder = Self {
            file,
            tree,
            never_in,
            open_switches: Vec::new(),
            label_names,
            result: Usage::Exact,
            result_may_be_pointer: false,
            may_fall_through: true,
            too_deep: false,
        };
        let whole = SourceRange::new(0, file.source.text().len() as u32);
        let root = builder.blank(NodeKind::Root, None, NodeContext::new(Usage::Discarded, None));
        builder.node_mut(root).raw = Some(whole);
        builder
    }

    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    pub fn text(&self) -> &'f [u8] {
        self.file.source.text()
    }

    pub fn node_mut(&mut self, id: NodeId) -> &mut SyntaxNode {
        &mut self.tree.nodes[id.0 as usize]
    }

    fn blank(&mut self, kind: NodeKind, parent: Option<NodeId>, place: NodeContext) -> NodeId {
        let id = NodeId(self.tree.nodes.len() as u32);
        self.tree.nodes.push(SyntaxNode {
            kind,
            ty: Type::NONE,
            raw: None,
            written: None,
            macro_use: None,
            operator: None,
            usage: place.usage,
            constant: place.constant,
            is_read: place.is_read,
            is_statement: false,
            is_tail: place.is_tail,
            needs_value: !self.may_fall_through,
            is_off_limits: false,
            is_condition: place.is_condition,
            ends_with_semicolon: false,
            holds_labels: false,
            value: None,
            narrow: place.narrow,
            zero_may_be_null: place.zero_may_be_null,
            has_effects: false,
            is_addressable: false,
            initialises: None,
            parent,
            children: Vec::new(),
        });
        if let Some(parent) = parent {
            self.node_mut(parent).children.push(id);
        }
        id
    }

    /// Adds a node for a cursor below `parent`.
    pub fn add(&mut self, cursor: Cursor<'_>, kind: NodeKind, parent: NodeId, place: NodeContext) -> NodeId {
        let id = self.blank(kind, Some(parent), place);
        let raw = self.range_of(cursor);
        self.node_mut(id).raw = raw;
        let written = raw.filter(|&raw| self.stands_for_itself(raw, parent));
        let macro_use = written.and_then(|range| self.file.macros.exactly(range)).map(|used| used.atomic);
        let node = self.node_mut(id);
        node.written = written;
        node.macro_use = macro_use;
        id
    }

    /// Where a cursor is in this file; None for one that is partly elsewhere.
    pub fn range_of(&self, cursor: Cursor<'_>) -> Option<SourceRange> {
        let (start, end) = cursor.extent();
        let here = start.file == self.file.handle && end.file == self.file.handle && start.offset <= end.offset;
        here.then(|| SourceRange::new(start.offset, self.true_end(start.offset, end.offset)))
    }

    /// libclang ends an expression whose last token is a macro, itself in an argument of a macro, where that macro's
    /// use starts: behind white space or an operator, where no expression ends.
    fn true_end(&self, start: u32, end: u32) -> u32 {
        let Some(used) = self.file.macros.covering(end).find(|used| used.range.start == end) else { return end };
        let text = &self.text()[start as usize..end as usize];
        let is_end = match text {
            [.., b'+', b'+'] | [.., b'-', b'-'] => true,
            [.., last] => !last.is_ascii_whitespace() && !b"+-*/%&|^<>=!~?:,(".contains(last),
            [] => false,
        };
        if is_end {
            end
        } else {
            used.range.end
        }
    }

    /// Whether `raw` is written, below the node `parent`. A range that is just one macro use stands for a node only
    /// when the parent is not made by the same macro.
    fn stands_for_itself(&self, raw: SourceRange, parent: NodeId) -> bool {
        if !self.file.macros.is_written(raw) {
            return false;
        }
        let Some(used) = self.file.macros.exactly(raw) else { return true };
        let parent = self.tree.node(parent);
        let Some(outer) = parent.raw.filter(|&outer| outer != raw) else { return false };
        let touches = outer.start == raw.start || outer.end == raw.end;
        if parent.kind.is_expression() {
            used.atomic || !touches
        } else {
            outer.start != raw.start
        }
    }

    /// The tree, with what macros only seem to write taken back.
    pub fn finish(mut self) -> Tree<'f> {
        self.unwrite_scattered();
        self.unread_assigned_arguments();
        if self.tree.is_cpp {
            self.spread_dependence();
        }
        self.tree
    }

    /// Newer versions of clang know the types of more expressions in templates than older ones. To see the same under
    /// each, what has an operand of a type that is not known yet is not known either, and its operands are not read.
    fn spread_dependence(&mut self) {
        use NodeKind::{Binary, Call, Conditional, Implicit, Paren, Postfix, Unary, Variable};
        for index in (0..self.tree.nodes.len()).rev() {
            let node = &self.tree.nodes[index];
            let spreads = matches!(
                node.kind,
                Binary(_) | Call | Conditional | Implicit | Paren | Postfix | Unary(_) | Variable { .. }
            );
            // What is called says nothing of the result; what is passed decides which function it is.
            let operands = &node.children[usize::from(node.kind == Call).min(node.children.len())..];
            let is_unknown = |id: &NodeId| {
                let ty = self.tree.node(*id).ty;
                let follows = matches!(node.kind, Unary(UnaryOp::Step | UnaryOp::Other));
                ty.is_dependent() || follows && ty.points_to_dependent
            };
            if !spreads || !operands.iter().any(is_unknown) {
                continue;
            }
            let read: Vec<_> = node.children.iter().map(|child| self.tree.peel_parens(*child)).collect();
            for id in read.into_iter().chain([NodeId(index as u32)]) {
                if matches!(self.tree.node(id).kind, Variable { .. }) {
                    self.node_mut(id).kind = NodeKind::Reference;
                }
            }
            self.tree.nodes[index].ty.class = TypeClass::Dependent;
        }
    }

    /// A macro may read an argument in one place and assign it in another: then only an object can stand there.
    fn unread_assigned_arguments(&mut self) {
        let in_macro = |range: &SourceRange| self.file.macros.covering(range.start).next().is_some();
        let is_object = |node: &&SyntaxNode| {
            matches!(node.kind, NodeKind::Reference | NodeKind::Postfix) && node.ty.is_arithmetic()
        };
        let assigned = self.tree.nodes.iter().filter(|node| !node.is_read).filter(is_object);
        let assigned: HashSet<SourceRange> = assigned.filter_map(|node| node.raw.filter(in_macro)).collect();
        for node in &mut self.tree.nodes {
            if matches!(node.kind, NodeKind::Variable { .. }) && node.raw.is_some_and(|raw| assigned.contains(&raw)) {
                node.kind = NodeKind::Reference;
            }
        }
    }

    /// A macro that uses an argument twice may put the start of an expression in one copy and its end in another: both
    /// are told to be in the argument, as if it were written there. Such an expression has an operand that lies outside
    /// it, or ends before it starts.
    fn unwrite_scattered(&mut self) {
        let mut is_sound = vec![true; self.tree.nodes.len()];
        // Children come after their parents.
        for index in (0..self.tree.nodes.len()).rev() {
            let node = &self.tree.nodes[index];
            let in_macro = |range: SourceRange| self.file.macros.covering(range.start).next().is_some();
            let inside = |child: &NodeId| {
                let range = self.tree.node(*child).raw;
                matches!((range, node.raw), (Some(inner), Some(outer)) if outer.contains(inner))
            };
            let scattered = node.kind.is_expression() && node.raw.is_none_or(in_macro) && {
                node.raw.is_none() || node.children.iter().any(|child| !is_sound[child.0 as usize] || !inside(child))
            };
            if scattered {
                is_sound[index] = false;
                let node = &mut self.tree.nodes[index];
                (node.written, node.operator) = (None, None);
            }
        }
    }

    /// Whether arguments of this macro or function are left alone.
    pub fn is_never(&self, name: &str) -> bool {
        self.never_in.is_match(name)
    }

    pub fn is_in_never_macro(&self, range: SourceRange) -> bool {
        self.file.macros.covering(range.start).any(|used| used.range.contains(range) && self.is_never(&used.name))
    }

    /// False, and remembered, when the tree is too deep to go on.
    pub fn may_descend(&mut self, place: NodeContext) -> bool {
        self.too_deep |= place.depth > DEEPEST;
        place.depth <= DEEPEST
    }

    pub fn new_switch(&mut self, type_range: Option<IntegerRange>) -> u32 {
        self.tree.switches.push(SwitchLabels { ranges: Vec::new(), type_range });
        self.tree.switches.len() as u32 - 1
    }
}

impl NodeKind {
    pub fn is_expression(self) -> bool {
        !matches!(
            self,
            NodeKind::Root
                | NodeKind::Compound
                | NodeKind::If
                | NodeKind::Loop
                | NodeKind::DoLoop
                | NodeKind::Switch
                | NodeKind::Case
                | NodeKind::Label
                | NodeKind::Return
                | NodeKind::Jump
                | NodeKind::OtherStatement
                | NodeKind::Try
        )
    }
}

// The groups of cursor kinds in clang-c/Index.h. Only their first numbers are fixed; each group has room to grow, and
// the kind of a translation unit itself has moved (300 up to clang 14, 350 since).

pub(super) fn is_expression(kind: CXCursorKind) -> bool {
    (100..200).contains(&kind)
}

pub(super) fn is_statement(kind: CXCursorKind) -> bool {
    (200..300).contains(&kind)
}

pub(super) fn is_declaration(kind: CXCursorKind) -> bool {
    (1..40).contains(&kind) || (600..700).contains(&kind)
}

pub(crate) fn is_translation_unit(kind: CXCursorKind) -> bool {
    matches!(kind, 300 | 350)
}
