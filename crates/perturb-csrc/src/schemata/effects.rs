//! The side effects of evaluating an expression: they decide whether it can be evaluated at another time, not at all,
//! or only where the source does.

use crate::tree::{BinaryOp, NodeId, NodeKind, Tree, TypeClass, UnaryOp};

impl Tree<'_> {
    /// Whether evaluating `id` changes something, or reads what others change.
    pub(super) fn has_effects(&self, id: NodeId) -> bool {
        let node = self.node(id);
        node.has_effects || node.ty.is_volatile || node.children.iter().any(|&child| self.has_effects(child))
    }

    /// Whether `id` can be evaluated anywhere without harm: no effects, and nothing that could trap.
    pub(super) fn is_total(&self, id: NodeId) -> bool {
        let node = self.node(id);
        let by_itself = match node.kind {
            NodeKind::Integer
            | NodeKind::Character
            | NodeKind::Floating
            | NodeKind::Boolean(_)
            | NodeKind::Reference => true,
            NodeKind::Paren | NodeKind::Implicit | NodeKind::Conditional => true,
            NodeKind::Cast => node.ty.number.is_some(),
            NodeKind::Unary(op) => !matches!(op, UnaryOp::Other | UnaryOp::Step),
            NodeKind::Binary(op) => !matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::Unknown),
            // A member of an object is there; one behind a pointer need not be.
            NodeKind::Variable { .. } | NodeKind::Postfix => {
                node.children.iter().all(|&base| self.node(base).ty.class == TypeClass::Record)
            }
            _ => false,
        };
        by_itself
            && !node.has_effects
            && !node.ty.is_volatile
            && node.children.iter().all(|&child| self.is_total(child))
    }

    /// The outermost expression that `id` is part of.
    pub(super) fn full_expression(&self, mut id: NodeId) -> NodeId {
        while let Some(parent) = self.node(id).parent.filter(|&parent| self.node(parent).kind.is_expression()) {
            id = parent;
        }
        id
    }

    /// Whether `++` on the variable `id` has one meaning where it stands: C does not say when it happens among the
    /// other reads and changes of the same expression.
    pub(super) fn may_step(&self, id: NodeId) -> bool {
        let Some(range) = self.node(id).raw else { return false };
        // Arguments of one call are not ordered among each other.
        if self.count_uses(self.sequenced_part(id, false), self.text(range)) != 1 {
            return false;
        }
        let within = self.sequenced_part(id, true);
        // A plain assignment of the result to something else.
        let assigns =
            matches!(self.node(self.peel_parens(within)).kind, NodeKind::Assign | NodeKind::CompoundAssign(_));
        let roots = if assigns { self.node(self.peel_parens(within)).children.clone() } else { vec![within] };
        !roots.iter().any(|&root| self.has_effects_besides_type(root))
    }

    fn has_effects_besides_type(&self, id: NodeId) -> bool {
        let node = self.node(id);
        node.has_effects || node.children.iter().any(|&child| self.has_effects_besides_type(child))
    }

    /// The largest part of the full expression around `id` that has no sequence point in it on the way: an operand of
    /// `&&`, `||`, `,` or `?:`, or the whole; with `by_call`, an argument of a call.
    fn sequenced_part(&self, mut id: NodeId, by_call: bool) -> NodeId {
        while let Some(parent) = self.node(id).parent.filter(|&parent| self.node(parent).kind.is_expression()) {
            let is_boundary = match self.node(parent).kind {
                NodeKind::Call => by_call && self.node(parent).children.first() != Some(&id),
                NodeKind::Conditional => true,
                NodeKind::Binary(op) => matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr | BinaryOp::Comma),
                _ => false,
            };
            if is_boundary {
                return id;
            }
            id = parent;
        }
        id
    }

    /// How often the object written `text` is named below `id`.
    fn count_uses(&self, id: NodeId, text: &[u8]) -> usize {
        let node = self.node(id);
        let names_object = matches!(node.kind, NodeKind::Reference | NodeKind::Variable { .. } | NodeKind::Postfix);
        let is_same = names_object && node.raw.is_some_and(|raw| self.text(raw) == text);
        usize::from(is_same) + node.children.iter().map(|&child| self.count_uses(child, text)).sum::<usize>()
    }
}
