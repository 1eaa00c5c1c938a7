//! The order of terms that a condition states: which are less than which, and which are equal.
//!
//! The condition of a path through a sorting function is often just that. Then no solver is needed to see that a branch
//! is impossible or two terms are equal. Only literal comparisons are used.

use rustc_hash::FxHashMap;

use super::{Node, Op, Term, Terms};

/// The greatest number of terms: the work grows with the third power.
const MOST: usize = 24;

/// The relation of two terms, the weaker first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Unknown,
    AtMost,
    Less,
}

/// Orders of terms, by their values with and without a sign.
#[derive(Debug, Default)]
pub struct Ranks {
    signed: TermOrder,
    unsigned: TermOrder,
    /// The condition also states something else.
    is_part: bool,
}

#[derive(Debug, Default)]
struct TermOrder {
    terms: Vec<Term>,
    ranks: Vec<[Rank; MOST]>,
}

impl TermOrder {
    fn index(&mut self, term: Term) -> Option<usize> {
        if let Some(known) = self.terms.iter().position(|known| *known == term) {
            return Some(known);
        }
        if self.terms.len() == MOST {
            return None;
        }
        self.terms.push(term);
        self.ranks.push([Rank::Unknown; MOST]);
        Some(self.terms.len() - 1)
    }

    fn add(&mut self, a: Term, b: Term, rank: Rank) {
        let (Some(a), Some(b)) = (self.index(a), self.index(b)) else { return };
        self.ranks[a][b] = self.ranks[a][b].max(rank);
    }

    /// Computes the transitive closure. False on a contradiction.
    fn close(&mut self) -> bool {
        let count = self.terms.len();
        for through in 0..count {
            for a in 0..count {
                let first = self.ranks[a][through];
                for b in 0..count {
                    let second = self.ranks[through][b];
                    if first != Rank::Unknown && second != Rank::Unknown {
                        self.ranks[a][b] = self.ranks[a][b].max(first.max(second));
                    }
                }
            }
        }
        (0..count).all(|at| self.ranks[at][at] != Rank::Less)
    }

    /// For each term, an older term that equals it.
    fn equal(&self, equal: &mut FxHashMap<Term, Term>) {
        let is_equal = |a: usize, b: usize| self.ranks[a][b] == Rank::AtMost && self.ranks[b][a] == Rank::AtMost;
        for at in 0..self.terms.len() {
            let oldest =
                (0..self.terms.len()).filter(|other| is_equal(at, *other)).map(|other| self.terms[other]).min();
            if let Some(oldest) = oldest.filter(|oldest| *oldest < self.terms[at]) {
                equal.insert(self.terms[at], oldest);
            }
        }
    }
}

impl Ranks {
    /// The order that the condition implies; `None` if it never holds.
    pub fn of(terms: &Terms, condition: Term) -> Option<Ranks> {
        let mut ranks = Ranks::default();
        // Each term with its truth value.
        let mut open = vec![(condition, true)];
        while let Some((term, holds)) = open.pop() {
            let Node::Apply(op, [a, b, _]) = terms.node(term) else {
                ranks.is_part |= terms.as_constant(term) != Some(u128::from(holds));
                continue;
            };
            match (op, holds) {
                (Op::Not, _) => open.push((a, !holds)),
                (Op::And, true) | (Op::Or, false) => open.extend([(a, holds), (b, holds)]),
                (Op::Slt, true) => ranks.signed.add(a, b, Rank::Less),
                (Op::Slt, false) => ranks.signed.add(b, a, Rank::AtMost),
                (Op::Ult, true) => ranks.unsigned.add(a, b, Rank::Less),
                (Op::Ult, false) => ranks.unsigned.add(b, a, Rank::AtMost),
                (Op::Eq, true) => {
                    for order in [&mut ranks.signed, &mut ranks.unsigned] {
                        order.add(a, b, Rank::AtMost);
                        order.add(b, a, Rank::AtMost);
                    }
                }
                _ => ranks.is_part = true,
            }
        }
        let is_possible = ranks.signed.close() && ranks.unsigned.close();
        is_possible.then_some(ranks)
    }

    /// Whether the condition is certainly satisfiable: it orders variables, and states nothing else.
    pub fn is_satisfiable(&self, terms: &Terms) -> bool {
        let is_free = |term: &Term| matches!(terms.node(*term), Node::Variable(_)) && terms.width(*term) >= 8;
        let order = if self.signed.terms.is_empty() { &self.unsigned } else { &self.signed };
        let is_one_order = self.signed.terms.is_empty() || self.unsigned.terms.is_empty();
        !self.is_part && is_one_order && order.terms.len() < MOST && order.terms.iter().all(is_free)
    }

    /// Rewrites terms under the condition, with equal terms replaced by one.
    pub fn united(&self, terms: &mut Terms, of: &[Term]) -> Vec<Term> {
        let mut united = FxHashMap::default();
        self.signed.equal(&mut united);
        self.unsigned.equal(&mut united);
        if united.is_empty() {
            return of.to_vec();
        }
        for term in terms.cone(of) {
            if united.contains_key(&term) {
                continue;
            }
            let arguments: Vec<Term> = terms.arguments(term).iter().map(|argument| united[argument]).collect();
            let same = match terms.node(term) {
                Node::Apply(op, _) => terms.apply(op, terms.width(term), &arguments),
                Node::Constant(_) | Node::Variable(_) => term,
            };
            united.insert(term, same);
        }
        of.iter().map(|term| united[term]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Variable;
    use super::*;

    fn variables(terms: &mut Terms) -> [Term; 3] {
        [0, 1, 2].map(|number| terms.variable(Variable::Input(number), 32))
    }

    #[test]
    fn what_goes_around_is_equal_or_impossible() {
        let mut terms = Terms::new();
        let [a, b, c] = variables(&mut terms);
        let around = |terms: &mut Terms, last: fn(&mut Terms, Term, Term) -> Term| {
            let (first, second, last) = (terms.sle(a, b), terms.sle(b, c), last(terms, c, a));
            let both = terms.and(first, second);
            terms.and(both, last)
        };
        let impossible = around(&mut terms, Terms::slt);
        assert!(Ranks::of(&terms, impossible).is_none());
        let satisfiable = |terms: &Terms, condition| Ranks::of(terms, condition).unwrap().is_satisfiable(terms);
        let equal = around(&mut terms, Terms::sle);
        let ranks = Ranks::of(&terms, equal).unwrap();
        let sums = [terms.add(a, b), terms.add(c, c)];
        let united = ranks.united(&mut terms, &sums);
        assert_eq!(united[0], united[1]);
        assert!(satisfiable(&terms, equal));
        let (mixed, above) = (terms.ult(a, b), terms.constant(7, 32));
        let above = terms.slt(a, above);
        for more in [mixed, above] {
            let both = terms.and(equal, more);
            assert!(!satisfiable(&terms, both), "that may have no solution");
        }
        // Without a sign, nothing is said.
        let other = around(&mut terms, Terms::ule);
        let ranks = Ranks::of(&terms, other).unwrap();
        assert_eq!(ranks.united(&mut terms, &sums), sums);
    }

    #[test]
    fn what_is_only_one_of_two_says_nothing() {
        let mut terms = Terms::new();
        let [a, b, c] = variables(&mut terms);
        let (less, more, other) = (terms.slt(a, b), terms.slt(b, a), terms.slt(b, c));
        let either = terms.or(more, other);
        let condition = terms.and(less, either);
        assert!(Ranks::of(&terms, condition).is_some());
    }
}
