//! Floats. Few rules hold for all of them: zeros have signs, NaNs are not equal to themselves, sums are not associative.

use super::super::{FloatFormat, FloatOp, Node, Op, Term, Terms};

pub(super) fn float(terms: &mut Terms, op: FloatOp, a: Term, b: Term) -> Option<Term> {
    match op {
        // One in every case but for NaNs, which become canonical.
        FloatOp::Mul | FloatOp::Div if is_one(terms, b) => Some(terms.canonical(a)),
        FloatOp::Mul if is_one(terms, a) => Some(terms.canonical(b)),
        FloatOp::Round(_) => match terms.node(a) {
            // What is integral stays so.
            Node::Apply(Op::Float(FloatOp::Round(_)), _) => Some(a),
            _ => None,
        },
        _ => None,
    }
}

fn is_one(terms: &Terms, a: Term) -> bool {
    terms.is_constant(a, FloatFormat::of_width(terms.width(a)).power_of_two(0))
}
