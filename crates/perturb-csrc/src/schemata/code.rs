//! The number by which the runtime knows a mutation.

use crate::operators::IncrementOrDecrement;
use crate::tree::BinaryOp;
use perturb_rt::AlternativeCode;

/// None for what the runtime does not compute.
pub(super) fn of_operator(op: BinaryOp) -> Option<AlternativeCode> {
    Some(match op {
        BinaryOp::Add => AlternativeCode::ADD,
        BinaryOp::Sub => AlternativeCode::SUB,
        BinaryOp::Mul => AlternativeCode::MUL,
        BinaryOp::Div => AlternativeCode::DIV,
        BinaryOp::Rem => AlternativeCode::REM,
        BinaryOp::Shl => AlternativeCode::SHL,
        BinaryOp::Shr => AlternativeCode::SHR,
        BinaryOp::And => AlternativeCode::AND,
        BinaryOp::Xor => AlternativeCode::XOR,
        BinaryOp::Or => AlternativeCode::OR,
        BinaryOp::Lt => AlternativeCode::LT,
        BinaryOp::Gt => AlternativeCode::GT,
        BinaryOp::Le => AlternativeCode::LE,
        BinaryOp::Ge => AlternativeCode::GE,
        BinaryOp::Eq => AlternativeCode::EQ,
        BinaryOp::Ne => AlternativeCode::NE,
        _ => return None,
    })
}

pub(super) fn of_step(step: IncrementOrDecrement) -> AlternativeCode {
    match (step.is_increment, step.is_prefix) {
        (false, true) => AlternativeCode::PRE_DECREMENT,
        (false, false) => AlternativeCode::POST_DECREMENT,
        (true, true) => AlternativeCode::PRE_INCREMENT,
        (true, false) => AlternativeCode::POST_INCREMENT,
    }
}

/// How `value` is made of the literal `of`.
pub(super) fn of_literal(of: i128, value: i128) -> Option<AlternativeCode> {
    Some(match value {
        1 => AlternativeCode::ONE,
        -1 => AlternativeCode::MINUS_ONE,
        0 => AlternativeCode::ZERO,
        _ if value == of + 1 => AlternativeCode::SUCCESSOR,
        _ if value == of - 1 => AlternativeCode::PREDECESSOR,
        _ if value == -of => AlternativeCode::NEGATED,
        _ => return None,
    })
}
