//! Contracts: which inputs a function may get, written in a one-line comment before it.
//!
//! The grammar is the one that Nequivack published, and `@perturb` extends it:
//!
//! ```text
//! // @klee[inArraySize=5,outArraySize=4](sym,1)
//! // @perturb[arraySize=6](sym[4] nullable, 0..10, in[count], 'a')
//! ```
//!
//! The parentheses have one entry for each parameter: `sym` for any value, a number for just that value, `low..high`
//! for a range. `[6]` is the number of elements behind a pointer, `[count]` names the parameter that holds this number,
//! and further words say whether the pointer may be null and whether its target is also an output.

mod derive;
mod parse;

pub(crate) use derive::{counted_by, counts, measures, named};
pub use derive::{derive, proposed};
pub use parse::{parse, ContractError};
use perturb_csrc::{Shape, Signature, Signatures};

/// The default number of elements behind a pointer.
pub const ARRAY_SIZE: u32 = 6;

/// The same for the second attempt, where the first was not enough.
const WIDE_SIZE: u32 = 80;

/// The inputs that a function may get.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Contract {
    /// The number of elements behind each pointer whose parameter states none.
    pub array_size: Option<u32>,
    /// The number of elements of an array that is returned.
    pub result_size: Option<u32>,
    /// One for each parameter, or empty: then each may have any value.
    pub parameters: Vec<ParameterContract>,
    /// Pointers that the function compares for equality may be equal. No comment can state this.
    pub may_be_equal: bool,
}

/// The permitted values of one parameter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParameterContract {
    pub value: PermittedValues,
    /// Of a pointer.
    pub size: Option<Size>,
    pub is_nullable: bool,
    /// Whether its target is an input, an output, or both; derived from the type if not stated.
    pub direction: Option<Direction>,
    /// It may point to the same object as that parameter.
    pub alias: Option<String>,
    /// It points into the target of this one, which is a parameter or, with `*` before it, the target of one.
    pub within: Option<String>,
}

/// The values that a parameter, or the elements behind it, may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PermittedValues {
    #[default]
    Any,
    Integer(i128),
    /// By its bits, so that contracts can be compared for equality.
    Float(u64),
    /// Inclusive.
    Range {
        low: i128,
        high: i128,
    },
}

/// The number of elements behind a pointer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Size {
    Elements(u32),
    /// The value of that parameter.
    Parameter(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    In,
    Out,
    InOut,
}

impl Contract {
    /// The entry of a parameter, whether or not it is written.
    pub fn parameter(&self, index: usize) -> ParameterContract {
        self.parameters.get(index).cloned().unwrap_or_default()
    }

    /// A wider contract for functions that have none: more elements behind pointers to numbers, and pointers that may
    /// be null. One record is behind a pointer to records.
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

    /// The number of elements behind a pointer whose parameter states none.
    pub fn array_size(&self) -> u32 {
        self.array_size.unwrap_or(ARRAY_SIZE)
    }
}

/// In the grammar of `@perturb`.
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
            PermittedValues::Any => f.write_str("sym")?,
            PermittedValues::Integer(value) => write!(f, "{value}")?,
            PermittedValues::Float(bits) => write!(f, "{:?}", f64::from_bits(bits))?,
            PermittedValues::Range { low, high } => write!(f, "{low}..{high}")?,
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
