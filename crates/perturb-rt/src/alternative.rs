//! The number of an alternative's operation, shared by instrumented code and the runtime (an enumeration in
//! `c/perturb.h`).

/// Never 0, which is the original.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AlternativeCode(pub u8);

impl AlternativeCode {
    pub const ADD: Self = Self(1);
    pub const SUB: Self = Self(2);
    pub const MUL: Self = Self(3);
    pub const DIV: Self = Self(4);
    pub const REM: Self = Self(5);
    pub const SHL: Self = Self(6);
    pub const SHR: Self = Self(7);
    pub const AND: Self = Self(8);
    pub const XOR: Self = Self(9);
    pub const OR: Self = Self(10);
    pub const LT: Self = Self(11);
    pub const GT: Self = Self(12);
    pub const LE: Self = Self(13);
    pub const GE: Self = Self(14);
    pub const EQ: Self = Self(15);
    pub const NE: Self = Self(16);
    /// One operand alone.
    pub const LEFT: Self = Self(17);
    pub const RIGHT: Self = Self(18);
    /// One operand alone, and only whether it is zero.
    pub const LEFT_TRUE: Self = Self(19);
    pub const RIGHT_TRUE: Self = Self(20);
    pub const NEGATED: Self = Self(21);
    pub const PRE_DECREMENT: Self = Self(22);
    pub const POST_DECREMENT: Self = Self(23);
    pub const PRE_INCREMENT: Self = Self(24);
    pub const POST_INCREMENT: Self = Self(25);
    pub const ONE: Self = Self(26);
    pub const MINUS_ONE: Self = Self(27);
    pub const ZERO: Self = Self(28);
    pub const SUCCESSOR: Self = Self(29);
    pub const PREDECESSOR: Self = Self(30);
    /// `&&` for `||`, and `||` for `&&`.
    pub const OTHER_CONNECTOR: Self = Self(31);

    /// The only alternative of its point.
    pub const ONLY: Self = Self(1);

    /// Whether it counts a variable up or down: another state, whatever the value.
    pub fn is_step(self) -> bool {
        (Self::PRE_DECREMENT..=Self::POST_INCREMENT).contains(&self)
    }
}

#[cfg(test)]
mod tests {
    use super::AlternativeCode as Code;

    #[test]
    fn codes_are_those_of_the_runtime() {
        let header = include_str!("../c/perturb.h");
        let start = header.find("PERTURB_ADD = 1").expect("the enumeration is there");
        let end = start + header[start..].find('}').expect("it ends");
        let lines = header[start..end].lines().map(|line| line.split("/*").next().unwrap_or_default());
        let words =
            lines.flat_map(|line| line.split(',')).map(|word| word.split_whitespace().next().unwrap_or_default());
        let in_c: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let codes = [
            (Code::ADD, "PERTURB_ADD"),
            (Code::SUB, "PERTURB_SUB"),
            (Code::MUL, "PERTURB_MUL"),
            (Code::DIV, "PERTURB_DIV"),
            (Code::REM, "PERTURB_REM"),
            (Code::SHL, "PERTURB_SHL"),
            (Code::SHR, "PERTURB_SHR"),
            (Code::AND, "PERTURB_AND"),
            (Code::XOR, "PERTURB_XOR"),
            (Code::OR, "PERTURB_OR"),
            (Code::LT, "PERTURB_LT"),
            (Code::GT, "PERTURB_GT"),
            (Code::LE, "PERTURB_LE"),
            (Code::GE, "PERTURB_GE"),
            (Code::EQ, "PERTURB_EQ"),
            (Code::NE, "PERTURB_NE"),
            (Code::LEFT, "PERTURB_LEFT"),
            (Code::RIGHT, "PERTURB_RIGHT"),
            (Code::LEFT_TRUE, "PERTURB_LEFT_TRUE"),
            (Code::RIGHT_TRUE, "PERTURB_RIGHT_TRUE"),
            (Code::NEGATED, "PERTURB_NEG"),
            (Code::PRE_DECREMENT, "PERTURB_PRE_DEC"),
            (Code::POST_DECREMENT, "PERTURB_POST_DEC"),
            (Code::PRE_INCREMENT, "PERTURB_PRE_INC"),
            (Code::POST_INCREMENT, "PERTURB_POST_INC"),
            (Code::ONE, "PERTURB_ONE"),
            (Code::MINUS_ONE, "PERTURB_MINUS_ONE"),
            (Code::ZERO, "PERTURB_ZERO"),
            (Code::SUCCESSOR, "PERTURB_SUCC"),
            (Code::PREDECESSOR, "PERTURB_PRED"),
            (Code::OTHER_CONNECTOR, "PERTURB_OTHER_CONNECTOR"),
        ];
        assert_eq!(in_c, codes.map(|(_, name)| name));
        assert!(codes.iter().zip(1..).all(|((code, _), number)| code.0 == number));
    }
}
