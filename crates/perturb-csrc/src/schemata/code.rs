//! What an alternative does at run time, as a number. The same numbers are in perturb-rt's `perturb.h`.

use crate::operators::Step;
use crate::tree::BinaryOp;

/// Never 0, which is the original.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub u8);

impl Code {
    pub const LEFT: Code = Code(17);
    pub const RIGHT: Code = Code(18);
    pub const LEFT_TRUE: Code = Code(19);
    pub const RIGHT_TRUE: Code = Code(20);
    pub const NEGATED: Code = Code(21);
    pub const ONE: Code = Code(26);
    pub const MINUS_ONE: Code = Code(27);
    pub const ZERO: Code = Code(28);
    pub const SUCCESSOR: Code = Code(29);
    pub const PREDECESSOR: Code = Code(30);
    pub const OTHER_CONNECTOR: Code = Code(31);
    /// The only alternative of its point.
    pub const ONLY: Code = Code(1);

    /// None for what the runtime does not compute.
    pub fn of_operator(op: BinaryOp) -> Option<Self> {
        use BinaryOp::*;
        let known = [Add, Sub, Mul, Div, Rem, Shl, Shr, And, Xor, Or, Lt, Gt, Le, Ge, Eq, Ne];
        known.iter().position(|known| *known == op).map(|at| Code(at as u8 + 1))
    }

    pub fn of_step(step: Step) -> Self {
        match (step.is_increment, step.is_prefix) {
            (false, true) => Code(22),
            (false, false) => Code(23),
            (true, true) => Code(24),
            (true, false) => Code(25),
        }
    }

    /// Whether it counts a variable up or down: another state, whatever the value.
    pub fn is_step(self) -> bool {
        (22..=25).contains(&self.0)
    }

    /// How `value` is made of the literal `of`.
    pub fn of_literal(of: i128, value: i128) -> Option<Self> {
        Some(match value {
            1 => Self::ONE,
            -1 => Self::MINUS_ONE,
            0 => Self::ZERO,
            _ if value == of + 1 => Self::SUCCESSOR,
            _ if value == of - 1 => Self::PREDECESSOR,
            _ if value == -of => Self::NEGATED,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The runtime's enumeration, counted.
    fn in_header(name: &str) -> u8 {
        let header = include_str!("../../../perturb-rt/c/perturb.h");
        let start = header.find("PERTURB_ADD = 1").expect("the enumeration is there");
        let end = start + header[start..].find('}').expect("it ends");
        let names = header[start..end].lines().map(|line| line.split("/*").next().unwrap_or_default());
        let names: Vec<String> = names.flat_map(|line| line.split(',').map(|word| word.trim().to_string())).collect();
        let names = names.iter().filter(|word| !word.is_empty()).map(|word| word.split(' ').next().unwrap_or_default());
        names.into_iter().position(|known| known == format!("PERTURB_{name}")).expect("a known name") as u8 + 1
    }

    #[test]
    fn codes_are_those_of_the_runtime() {
        for (code, name) in [
            (Code::of_operator(BinaryOp::Add).unwrap(), "ADD"),
            (Code::of_operator(BinaryOp::Or).unwrap(), "OR"),
            (Code::of_operator(BinaryOp::Lt).unwrap(), "LT"),
            (Code::of_operator(BinaryOp::Ne).unwrap(), "NE"),
            (Code::LEFT, "LEFT"),
            (Code::RIGHT, "RIGHT"),
            (Code::LEFT_TRUE, "LEFT_TRUE"),
            (Code::RIGHT_TRUE, "RIGHT_TRUE"),
            (Code::NEGATED, "NEG"),
            (Code::of_step(Step { is_prefix: true, is_increment: false }), "PRE_DEC"),
            (Code::of_step(Step { is_prefix: false, is_increment: false }), "POST_DEC"),
            (Code::of_step(Step { is_prefix: true, is_increment: true }), "PRE_INC"),
            (Code::of_step(Step { is_prefix: false, is_increment: true }), "POST_INC"),
            (Code::ONE, "ONE"),
            (Code::MINUS_ONE, "MINUS_ONE"),
            (Code::ZERO, "ZERO"),
            (Code::SUCCESSOR, "SUCC"),
            (Code::PREDECESSOR, "PRED"),
            (Code::OTHER_CONNECTOR, "OTHER_CONNECTOR"),
        ] {
            assert_eq!(code.0, in_header(name), "{name}");
        }
    }
}
