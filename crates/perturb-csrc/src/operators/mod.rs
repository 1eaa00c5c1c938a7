//! The mutation operators, one per file, each under its published acronym.
//!
//! An operator is a function from a node of the tree to mutations. It never reads text or calls libclang: it decides by
//! types, by how a value is used, and by where the text is written.

mod abs;
mod aod;
mod aor;
mod bod;
mod change;
mod icr;
mod lcr;
mod lod;
mod lvr;
mod milu;
mod operand;
mod rod;
mod ror;
pub(crate) mod sdl;
mod set;
mod sod;
mod uoi;

pub use change::{Change, IncrementOrDecrement};
pub use set::{OperatorSet, UnknownOperator};

use crate::edit::Edit;
use crate::tree::{ConstantContext, NodeId, Tree};
use std::fmt;
use std::str::FromStr;

/// A mutation operator: those of the `mass` group, then those of the `milu` group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    Abs,
    Aor,
    Icr,
    Lcr,
    Ror,
    Sdl,
    Uoi,
    Aod,
    Lod,
    Rod,
    Bod,
    Sod,
    Lvr,
    Sbrc,
    MiluAbs,
    Crcr,
    Oaaa,
    Oaan,
    Obba,
    Obbn,
    Ocng,
    Oido,
    Olln,
    Olng,
    Orrn,
    MiluUoi,
}

impl Operator {
    pub const ALL: [Operator; 26] = [
        Self::Abs,
        Self::Aor,
        Self::Icr,
        Self::Lcr,
        Self::Ror,
        Self::Sdl,
        Self::Uoi,
        Self::Aod,
        Self::Lod,
        Self::Rod,
        Self::Bod,
        Self::Sod,
        Self::Lvr,
        Self::Sbrc,
        Self::MiluAbs,
        Self::Crcr,
        Self::Oaaa,
        Self::Oaan,
        Self::Obba,
        Self::Obbn,
        Self::Ocng,
        Self::Oido,
        Self::Olln,
        Self::Olng,
        Self::Orrn,
        Self::MiluUoi,
    ];

    /// The operators of MASS.
    pub fn mass() -> &'static [Operator] {
        &Self::ALL[..13]
    }

    /// The operators of Milu.
    pub fn milu() -> &'static [Operator] {
        &Self::ALL[13..]
    }

    /// The published one. Milu has an ABS and a UOI of its own.
    pub fn acronym(self) -> &'static str {
        match self {
            Self::Abs => "ABS",
            Self::Aor => "AOR",
            Self::Icr => "ICR",
            Self::Lcr => "LCR",
            Self::Ror => "ROR",
            Self::Sdl => "SDL",
            Self::Uoi => "UOI",
            Self::Aod => "AOD",
            Self::Lod => "LOD",
            Self::Rod => "ROD",
            Self::Bod => "BOD",
            Self::Sod => "SOD",
            Self::Lvr => "LVR",
            Self::Sbrc => "SBRC",
            Self::MiluAbs => "milu:ABS",
            Self::Crcr => "CRCR",
            Self::Oaaa => "OAAA",
            Self::Oaan => "OAAN",
            Self::Obba => "OBBA",
            Self::Obbn => "OBBN",
            Self::Ocng => "OCNG",
            Self::Oido => "OIDO",
            Self::Olln => "OLLN",
            Self::Olng => "OLNG",
            Self::Orrn => "ORRN",
            Self::MiluUoi => "milu:UOI",
        }
    }

    /// The name behind the acronym.
    pub fn title(self) -> &'static str {
        match self {
            Self::Abs => "absolute value insertion",
            Self::Aor => "arithmetic operator replacement",
            Self::Icr => "integer constant replacement",
            Self::Lcr => "logical connector replacement",
            Self::Ror => "relational operator replacement",
            Self::Sdl => "statement deletion",
            Self::Uoi => "unary operator insertion",
            Self::Aod => "arithmetic operator deletion",
            Self::Lod => "logical operator deletion",
            Self::Rod => "relational operator deletion",
            Self::Bod => "bitwise operator deletion",
            Self::Sod => "shift operator deletion",
            Self::Lvr => "literal value replacement",
            Self::Sbrc => "break replacement",
            Self::MiluAbs => "absolute value insertion",
            Self::Crcr => "constant replacement",
            Self::Oaaa => "arithmetic assignment mutation",
            Self::Oaan => "arithmetic operator mutation",
            Self::Obba => "bitwise assignment mutation",
            Self::Obbn => "bitwise operator mutation",
            Self::Ocng => "logical context negation",
            Self::Oido => "increment or decrement mutation",
            Self::Olln => "logical operator mutation",
            Self::Olng => "logical negation",
            Self::Orrn => "relational operator mutation",
            Self::MiluUoi => "unary operator insertion",
        }
    }

    fn mutate(self) -> fn(&Tree<'_>, NodeId, &mut Mutations) {
        match self {
            Self::Abs => abs::mutate,
            Self::Aor => aor::mutate,
            Self::Icr => icr::mutate,
            Self::Lcr => lcr::mutate,
            Self::Ror => ror::mutate,
            Self::Sdl => sdl::mutate,
            Self::Uoi => uoi::mutate,
            Self::Aod => aod::mutate,
            Self::Lod => lod::mutate,
            Self::Rod => rod::mutate,
            Self::Bod => bod::mutate,
            Self::Sod => sod::mutate,
            Self::Lvr => lvr::mutate,
            Self::Sbrc => milu::sbrc::mutate,
            Self::MiluAbs => milu::abs::mutate,
            Self::Crcr => milu::crcr::mutate,
            Self::Oaaa => milu::oaaa::mutate,
            Self::Oaan => milu::oaan::mutate,
            Self::Obba => milu::obba::mutate,
            Self::Obbn => milu::obbn::mutate,
            Self::Ocng => milu::ocng::mutate,
            Self::Oido => milu::oido::mutate,
            Self::Olln => milu::olln::mutate,
            Self::Olng => milu::olng::mutate,
            Self::Orrn => milu::orrn::mutate,
            Self::MiluUoi => milu::uoi::mutate,
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.acronym())
    }
}

impl FromStr for Operator {
    type Err = UnknownOperator;

    fn from_str(text: &str) -> Result<Self, UnknownOperator> {
        let known = Self::ALL.into_iter().find(|operator| operator.acronym().eq_ignore_ascii_case(text));
        known.ok_or_else(|| UnknownOperator(text.to_string()))
    }
}

/// One change of the source: an operator, a range, a replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutation {
    pub operator: Operator,
    pub edit: Edit,
    /// Why it cannot be switched at run time, if it cannot.
    pub constant: Option<ConstantContext>,
    pub(crate) change: Change,
    /// The node it changes, in the tree it was made from.
    pub(crate) node: NodeId,
}

/// An expression that is longer is generated; to write out each of its operands would take space without bounds.
const LONGEST_EXPRESSION_BYTES: usize = 4096;

/// The mutations of one tree.
#[derive(Debug)]
pub struct Mutations {
    operator: Operator,
    pub found: Vec<Mutation>,
    /// An expression was too long to be written out with a change in it.
    pub has_too_long: bool,
}

impl Mutations {
    /// Adds an edit of node `id`. `value` is what the node then is worth, where it must be a constant.
    fn push(&mut self, tree: &Tree<'_>, id: NodeId, change: Change, edit: Edit, value: Option<i128>) {
        let longest = edit.replacement.len().max(edit.range.len() as usize);
        if longest > LONGEST_EXPRESSION_BYTES && self.operator != Operator::Sdl {
            self.has_too_long = true;
            return;
        }
        let changes = tree.text(edit.range) != edit.replacement;
        let whole_directives = holds_whole_directives(tree.text(edit.range), self.operator == Operator::Sdl);
        if changes && whole_directives && tree.constant_may_become(id, value) {
            let (operator, constant) = (self.operator, tree.node(id).constant);
            self.found.push(Mutation { operator, edit, constant, change, node: id });
        }
    }
}

/// Whether what an edit replaces holds no part of an `#if`: a deletion may take a whole one along, nothing else may.
fn holds_whole_directives(text: &[u8], may_hold: bool) -> bool {
    let mut depth = 0;
    for line in text.split(|&b| b == b'\n').skip(1) {
        let Some(directive) = line.trim_ascii_start().strip_prefix(b"#") else { continue };
        let directive = directive.trim_ascii_start();
        match directive {
            _ if !may_hold => return false,
            _ if directive.starts_with(b"if") => depth += 1,
            _ if directive.starts_with(b"endif") => depth -= 1,
            _ if directive.starts_with(b"el") && depth == 0 => return false,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

/// All mutations of a tree by the given operators.
pub fn mutate(tree: &Tree<'_>, operators: &OperatorSet) -> Mutations {
    let mut mutations = Mutations { operator: Operator::Abs, found: Vec::new(), has_too_long: false };
    for operator in operators.iter() {
        mutations.operator = operator;
        let mutate = operator.mutate();
        for id in tree.ids() {
            mutate(tree, id, &mut mutations);
        }
    }
    mutations
}
