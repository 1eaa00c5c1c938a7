//! The operators of C expressions: their spelling, their precedence, and their value on constants.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    And,
    Xor,
    Or,
    LogicalAnd,
    LogicalOr,
    Comma,
    /// In a macro's body, or one that no operator mutates.
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOp {
    Not,
    BitNot,
    Minus,
    Plus,
    /// `++` and `--`, before or behind.
    Step,
    /// `&`, `*`, and those of macro bodies.
    Other,
}

impl BinaryOp {
    /// The operator of a token, alternative spellings (`and`, `bitor`) included.
    pub fn from_text(text: &[u8]) -> Self {
        match text {
            b"*" => Self::Mul,
            b"/" => Self::Div,
            b"%" => Self::Rem,
            b"+" => Self::Add,
            b"-" => Self::Sub,
            b"<<" => Self::Shl,
            b">>" => Self::Shr,
            b"<" => Self::Lt,
            b">" => Self::Gt,
            b"<=" => Self::Le,
            b">=" => Self::Ge,
            b"==" => Self::Eq,
            b"!=" | b"not_eq" => Self::Ne,
            b"&" | b"bitand" => Self::And,
            b"^" | b"xor" => Self::Xor,
            b"|" | b"bitor" => Self::Or,
            b"&&" | b"and" => Self::LogicalAnd,
            b"||" | b"or" => Self::LogicalOr,
            b"," => Self::Comma,
            _ => Self::Unknown,
        }
    }

    pub fn text(self) -> &'static str {
        match self {
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::Add => "+",
            Self::Sub => "-",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::Lt => "<",
            Self::Gt => ">",
            Self::Le => "<=",
            Self::Ge => ">=",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::And => "&",
            Self::Xor => "^",
            Self::Or => "|",
            Self::LogicalAnd => "&&",
            Self::LogicalOr => "||",
            Self::Comma => ",",
            Self::Unknown => "?",
        }
    }

    /// How tightly it binds; higher is tighter.
    pub fn precedence(self) -> u8 {
        match self {
            Self::Mul | Self::Div | Self::Rem => 13,
            Self::Add | Self::Sub => 12,
            Self::Shl | Self::Shr => 11,
            Self::Lt | Self::Gt | Self::Le | Self::Ge => 10,
            Self::Eq | Self::Ne => 9,
            Self::And => 8,
            Self::Xor => 7,
            Self::Or => 6,
            Self::LogicalAnd => 5,
            Self::LogicalOr => 4,
            Self::Comma => 1,
            Self::Unknown => 0,
        }
    }

    /// The value of a constant expression; None where C leaves it undefined or it is out of reach.
    pub fn apply(self, left: i128, right: i128) -> Option<i128> {
        let shift = || u32::try_from(right).ok().filter(|&by| by < 64);
        match self {
            Self::Mul => left.checked_mul(right),
            Self::Div => left.checked_div(right),
            Self::Rem => left.checked_rem(right),
            Self::Add => left.checked_add(right),
            Self::Sub => left.checked_sub(right),
            Self::Shl => left.checked_shl(shift()?),
            Self::Shr => left.checked_shr(shift()?),
            Self::Lt => Some((left < right).into()),
            Self::Gt => Some((left > right).into()),
            Self::Le => Some((left <= right).into()),
            Self::Ge => Some((left >= right).into()),
            Self::Eq => Some((left == right).into()),
            Self::Ne => Some((left != right).into()),
            Self::And => Some(left & right),
            Self::Xor => Some(left ^ right),
            Self::Or => Some(left | right),
            Self::LogicalAnd => Some((left != 0 && right != 0).into()),
            Self::LogicalOr => Some((left != 0 || right != 0).into()),
            Self::Comma => Some(right),
            Self::Unknown => None,
        }
    }
}
