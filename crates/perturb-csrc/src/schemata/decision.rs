//! Decisions: expressions of which only the truth value matters. If an infected operand leaves the decision's truth
//! value unchanged, the mutant makes no difference; the runtime finds that out by evaluating the decision again. So a
//! decision must be safe to evaluate again, also with another value at one of the points inside.

use super::weave::{Layer, Wrap};
use crate::source::SourceRange;
use crate::tree::{BinaryOp, NodeId, NodeKind, Tree, TypeClass, UnaryOp, Usage};
use std::collections::{BTreeMap, BTreeSet};

/// The number of points that a decision can distinguish, counted from its first.
const MOST_POINTS: u32 = 64;

impl Tree<'_> {
    /// The text of the largest decision that a point at `id` is part of, unless the point's own value is what it comes
    /// to.
    pub(super) fn decision(&self, id: NodeId) -> Option<SourceRange> {
        let point = self.node(id).written?;
        let text_of = |whole: NodeId| {
            let is_whole = |range: &SourceRange| range.contains(point) && self.has_truth_only(whole);
            self.node(whole).written.filter(is_whole)
        };
        let mut largest = text_of(id).filter(|_| !self.is_truth(id));
        let mut inner = id;
        while let Some(outer) = self.node(inner).parent.filter(|&outer| self.bears(outer)) {
            largest = text_of(outer).or(largest);
            inner = outer;
        }
        // The alternatives of a connector evaluate what the original does not.
        let is_connector = matches!(self.node(id).kind, NodeKind::Binary(op) if op.is_connector());
        largest.filter(|_| !is_connector || self.bears(id))
    }

    /// Whether its value is 0 or 1.
    fn is_truth(&self, id: NodeId) -> bool {
        match self.node(id).kind {
            NodeKind::Binary(op) => op.is_relation() || op.is_connector(),
            NodeKind::Unary(op) => op == UnaryOp::Not,
            _ => false,
        }
    }

    /// Whether only its truth counts, and finding it out once more is not noticed.
    fn has_truth_only(&self, id: NodeId) -> bool {
        let node = self.node(id);
        let counts = self.is_truth(id) || matches!(node.usage, Usage::Condition | Usage::Boolean);
        let is_scalar = node.ty.number.is_some() || node.ty.is_pointer();
        counts && is_scalar && self.is_repeatable(id)
    }

    /// Whether it can be evaluated with other values of its operands: it neither traps nor evaluates something that
    /// might.
    fn bears(&self, id: NodeId) -> bool {
        let node = self.node(id);
        match node.kind {
            NodeKind::Paren | NodeKind::Implicit => true,
            NodeKind::Cast => node.ty.number.is_some(),
            NodeKind::Unary(op) => !matches!(op, UnaryOp::Other | UnaryOp::Step),
            NodeKind::Binary(BinaryOp::Div | BinaryOp::Rem | BinaryOp::Comma | BinaryOp::Unknown) => false,
            // What stands right of it is evaluated, or not, by what is left of it.
            NodeKind::Binary(op) if op.is_connector() => {
                self.operands(id).is_some_and(|(_, right)| self.is_total(right))
            }
            NodeKind::Binary(_) => true,
            NodeKind::Conditional => node.children.iter().skip(1).all(|&arm| self.is_total(arm)),
            _ => false,
        }
    }

    /// Whether evaluating it once more is not noticed: it changes nothing, and reads nothing that changes by itself.
    fn is_repeatable(&self, id: NodeId) -> bool {
        let node = self.node(id);
        let is_known = match node.kind {
            NodeKind::Integer | NodeKind::Character | NodeKind::Floating | NodeKind::Boolean(_) => true,
            NodeKind::Reference | NodeKind::Variable { .. } | NodeKind::Postfix => true,
            NodeKind::Paren | NodeKind::Implicit | NodeKind::Cast | NodeKind::Conditional => true,
            // A string, a null pointer; the others have effects.
            NodeKind::OtherExpression => true,
            NodeKind::Unary(op) => op != UnaryOp::Step,
            NodeKind::Binary(op) => !matches!(op, BinaryOp::Comma | BinaryOp::Unknown),
            _ => false,
        };
        // What is atomic others change; what depends on a template may call anything.
        let has_plain_type = !matches!(node.ty.class, TypeClass::Other | TypeClass::Dependent);
        is_known
            && has_plain_type
            && !node.has_effects
            && !node.ty.is_volatile
            && node.children.iter().all(|&child| self.is_repeatable(child))
    }
}

/// The decisions of a function, while its points are numbered.
#[derive(Debug, Default)]
pub(super) struct Decisions {
    /// By their texts: the points that wait for what they come to.
    waiting: BTreeMap<SourceRange, BTreeSet<u32>>,
}

impl Decisions {
    pub(super) fn add(&mut self, decision: SourceRange, point: u32) {
        self.waiting.entry(decision).or_default().insert(point);
    }

    /// Writes the decisions around their texts, and tells all points inside of them where they are: while a decision is
    /// tried, they all keep still.
    pub(super) fn write(self, is_cpp: bool, wraps: &mut Vec<Wrap>) {
        let ranges: Vec<SourceRange> = self.waiting.keys().copied().collect();
        for (range, points) in self.waiting {
            let is_inner = ranges.iter().any(|other| *other != range && other.contains(range));
            let Some(first) = points.first().copied().filter(|_| !is_inner) else { continue };
            let offsets = points.iter().map(|point| point - first).filter(|offset| *offset < MOST_POINTS);
            let waiting = offsets.fold(0u64, |mask, offset| mask | 1 << offset);
            let is_inside = |wrap: &Wrap| match wrap.range == range {
                true => wrap.layer > Layer::Decision,
                false => range.contains(wrap.range),
            };
            for wrap in wraps.iter_mut().filter(|wrap| is_inside(wrap)) {
                wrap.is_inside = true;
            }
            wraps.push(around(range, first, waiting, is_cpp));
        }
    }
}

fn around(range: SourceRange, first: u32, waiting: u64, is_cpp: bool) -> Wrap {
    let declared = format!("struct __perturb_decision __perturb_d={{\u{1},{waiting:#x}u}};int __perturb_t;");
    let tried = "__perturb_d.differ&&(__perturb_t=__perturb_again(&__perturb_d,__perturb_t))>1";
    let (before, after) = if is_cpp { ("((bool)", ")") } else { ("", "") };
    Wrap {
        range,
        layer: Layer::Decision,
        open: format!("{before}(__extension__({{{declared}do __perturb_t=!!(").into_bytes(),
        variants: Vec::new(),
        tail: Vec::new(),
        swap: None,
        close: format!(");while({tried});__perturb_t;}})){after}").into_bytes(),
        number: first,
        is_inside: false,
    }
}

impl BinaryOp {
    fn is_connector(self) -> bool {
        matches!(self, Self::LogicalAnd | Self::LogicalOr)
    }
}
