//! What a function may be given: its contract, written in a comment of one line before it.
//!
//! Nequivack's grammar is taken as it was published, and `@perturb` adds to it:
//!
//! ```text
//! // @klee[inArraySize=5,outArraySize=4](sym,1)
//! // @perturb[arraySize=6](sym[4] nullable, 0..10, in[count], 'a')
//! ```
//!
//! In parentheses stands one entry for each parameter: `sym` for any value, a number for just that one, `low..high` for
//! those from one to the other. `[6]` says how many elements there are behind a pointer, `[count]` that the parameter
//! of that name says so, and further words whether it may be null and whether what it points to is also looked at
//! afterwards.

mod derive;
mod parse;

pub(crate) use derive::{counted_by, counts, measures, named};
pub use derive::{derive, proposed};
pub use parse::{parse, ContractError};
use perturb_csrc::{Shape, Signature, Signatures};

/// How many elements there are behind a pointer where nobody says.
pub const ARRAY_SIZE: u32 = 6;

/// The same where that was not enough.
const WIDE_SIZE: u32 = 80;

/// What a function may be given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Contract {
    /// Elements behind each pointer of which its parameter says nothing.
    pub array_size: Option<u32>,
    /// Elements of an array that is returned.
    pub result_size: Option<u32>,
    /// One for each parameter, or none at all: then each may have any value.
    pub parameters: Vec<ParameterContract>,
    /// Pointers that the function asks for being the same may be. No comment says that.
    pub may_be_equal: bool,
}

/// What one parameter may be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParameterContract {
    pub value: Given,
    /// Of a pointer.
    pub size: Option<Size>,
    pub is_nullable: bool,
    /// Whether what it points to is an input, an output, or both; what its type says where nobody does.
    pub direction: Option<Direction>,
    /// It may point to the same object as that parameter.
    pub alias: Option<String>,
    /// It points into the object that this one leads to, which is a parameter or, with `*` before it, what one leads
    /// to.
    pub within: Option<String>,
}

/// Which values a parameter, or the elements behind one, may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Given {
    #[default]
    Any,
    Integer(i128),
    /// By its bits, so that contracts can be compared.
    Float(u64),
    /// Both ends included.
    Range {
        low: i128,
        high: i128,
    },
}

/// How many elements there are behind a pointer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Size {
    Elements(u32),
    /// As many as that parameter says.
    Parameter(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    In,
    Out,
    InOut,
}

impl Contract {
    /// Of a parameter, whether or not it is written.
    pub fn parameter(&self, index: usize) -> ParameterContract {
        self.parameters.get(index).cloned().unwrap_or_default()
    }

    /// For looking further where nobody has said what a function is given: more elements behind pointers to numbers,
    /// and pointers that may be null. Of records there is one.
    pub fn wide(signatures: &Signatures, signature: &Signature) -> Self {
        let parameter = |parameter: &perturb_csrc::Parameter| {
            let to = match signatures.ty(parameter.ty).shape {
                Shape::Pointer { to } => Some(&signatures.ty(to).shape),
                _ => None,
            };
            let is_record = matches!(to, Some(Shape::Struct { .. } | Shape::Union { .. }));
            let is_one = is_record && parameter.count.is_none() && parameter.within.is_none();
            let size = is_one.then_some(Size::Elements(1));
            ParameterContract { size, is_nullable: to.is_some(), ..ParameterContract::default() }
        };
        let parameters = signature.parameters.iter().map(parameter).collect();
        Self { array_size: Some(WIDE_SIZE), parameters, ..Self::default() }
    }

    /// Elements behind a pointer of which its parameter says nothing.
    pub fn array_size(&self) -> u32 {
        self.array_size.unwrap_or(ARRAY_SIZE)
    }
}

/// As `@perturb` has it.
impl std::fmt::Display for Contract {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("@perturb")?;
        let sizes = [("arraySize", self.array_size), ("outArraySize", self.result_size)];
        let sizes: Vec<String> =
            sizes.into_iter().filter_map(|(name, size)| Some(format!("{name}={}", size?))).collect();
        if !sizes.is_empty() {
            write!(f, "[{}]", sizes.join(","))?;
        }
        if !self.parameters.is_empty() {
            let parameters: Vec<String> = self.parameters.iter().map(ToString::to_string).collect();
            write!(f, "({})", parameters.join(", "))?;
        }
        Ok(())
    }
}

impl std::fmt::Display for ParameterContract {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.value {
            Given::Any => f.write_str("sym")?,
            Given::Integer(value) => write!(f, "{value}")?,
            Given::Float(bits) => write!(f, "{:?}", f64::from_bits(bits))?,
            Given::Range { low, high } => write!(f, "{low}..{high}")?,
        }
        match &self.size {
            None => {}
            Some(Size::Elements(count)) => write!(f, "[{count}]")?,
            Some(Size::Parameter(name)) => write!(f, "[{name}]")?,
        }
        match self.direction {
            None => {}
            Some(Direction::In) => f.write_str(" in")?,
            Some(Direction::Out) => f.write_str(" out")?,
            Some(Direction::InOut) => f.write_str(" inout")?,
        }
        if self.is_nullable {
            f.write_str(" nullable")?;
        }
        for (word, other) in [("alias", &self.alias), ("within", &self.within)] {
            if let Some(other) = other {
                write!(f, " {word}={other}")?;
            }
        }
        Ok(())
    }
}
