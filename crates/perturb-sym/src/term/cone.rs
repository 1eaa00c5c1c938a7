//! The terms that a term depends on, and its value.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::value::{self, SizedBits};
use super::{Node, Term, Terms, Variable};

impl Terms {
    /// All terms that the roots depend on, with the roots; arguments come first.
    pub fn cone(&self, roots: &[Term]) -> Vec<Term> {
        let mut seen: FxHashSet<Term> = roots.iter().copied().collect();
        let mut open: Vec<Term> = seen.iter().copied().collect();
        while let Some(term) = open.pop() {
            open.extend(self.arguments(term).iter().copied().filter(|argument| seen.insert(*argument)));
        }
        let mut cone: Vec<Term> = seen.into_iter().collect();
        cone.sort_unstable();
        cone
    }

    /// The variables that the roots depend on, and their widths.
    pub fn variables(&self, roots: &[Term]) -> BTreeSet<(Variable, u32)> {
        let cone = self.cone(roots);
        let variable = |term: Term| match self.node(term) {
            Node::Variable(variable) => Some((variable, self.width(term))),
            _ => None,
        };
        cone.into_iter().filter_map(variable).collect()
    }

    /// The values of the roots for these values of variables.
    pub fn evaluate(&self, roots: &[Term], assignment: impl Fn(Variable) -> u128) -> Vec<u128> {
        let cone = self.cone(roots);
        let mut values: FxHashMap<Term, u128> = FxHashMap::with_capacity_and_hasher(cone.len(), Default::default());
        for term in cone {
            let width = self.width(term);
            let bits = match self.node(term) {
                Node::Constant(bits) => bits,
                Node::Variable(variable) => assignment(variable) & super::mask(width),
                Node::Apply(op, arguments) => {
                    let arguments = arguments.map(|term| SizedBits { bits: values[&term], width: self.width(term) });
                    value::of(op, width, &arguments[..op.arity()])
                }
            };
            values.insert(term, bits);
        }
        roots.iter().map(|root| values[root]).collect()
    }
}
