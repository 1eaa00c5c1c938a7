//! Gates and their clauses (Tseitin): And, Xor, multiplexer and majority. Constants never reach the clauses, and
//! existing gates are reused, also where inputs are negated or swapped.

use std::ops::Not;

use rustc_hash::FxHashMap;

/// A consumer of clauses over variables from 1 on; negative numbers are negated variables.
pub trait Clauses {
    fn add(&mut self, clause: &[i32]);
}

/// A variable, a negated variable, or a constant (which is variable 0).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit(u32);

impl Lit {
    pub const FALSE: Lit = Lit(0);
    pub const TRUE: Lit = Lit(1);

    pub fn constant(value: bool) -> Lit {
        Lit(u32::from(value))
    }

    /// The value, if it is a constant.
    pub fn value(self) -> Option<bool> {
        (self.0 < 2).then_some(self.0 == 1)
    }

    /// The number of its variable, negative if it is negated; `None` for a constant.
    pub fn number(self) -> Option<i32> {
        let variable = i32::try_from(self.0 >> 1).ok().filter(|variable| *variable != 0)?;
        Some(if self.is_negated() { -variable } else { variable })
    }

    fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    fn negated_if(self, condition: bool) -> Lit {
        Lit(self.0 ^ u32::from(condition))
    }
}

impl Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Gate {
    And(Lit, Lit),
    Xor(Lit, Lit),
    /// If, then, else.
    Choice(Lit, Lit, Lit),
    Majority(Lit, Lit, Lit),
}

/// All gates so far.
#[derive(Debug)]
pub struct Gates<C> {
    pub clauses: C,
    outputs: FxHashMap<Gate, Lit>,
    /// The inputs of And gates, by output.
    ands: FxHashMap<Lit, (Lit, Lit)>,
    variables: u32,
}

impl<C: Clauses> Gates<C> {
    pub fn new(clauses: C) -> Gates<C> {
        Gates { clauses, outputs: FxHashMap::default(), ands: FxHashMap::default(), variables: 0 }
    }

    /// The number of variables.
    pub fn variables(&self) -> u32 {
        self.variables
    }

    /// A new variable.
    pub fn variable(&mut self) -> Lit {
        self.variables += 1;
        assert!(self.variables < 1 << 30, "fewer variables than a solver can number");
        Lit(self.variables << 1)
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        match (a.value(), a == b, a == !b) {
            (Some(true), ..) | (_, true, _) => return b,
            (Some(false), ..) | (.., true) => return Lit::FALSE,
            _ => {}
        }
        if let Some(known) = self.and_of_and(a, b).or_else(|| self.and_of_and(b, a)) {
            return known;
        }
        let gate = Gate::And(a, b);
        if let Some(known) = self.outputs.get(&gate) {
            return *known;
        }
        let output = self.output(gate);
        self.ands.insert(output, (a, b));
        self.clause(&[!output, a]);
        self.clause(&[!output, b]);
        self.clause(&[output, !a, !b]);
        output
    }

    /// `a & b`, if `b` or its negation is an And with `a` or its negation as an input.
    fn and_of_and(&mut self, a: Lit, b: Lit) -> Option<Lit> {
        if let Some((x, y)) = self.ands.get(&b).copied() {
            if x == a || y == a {
                return Some(b);
            }
            return (x == !a || y == !a).then_some(Lit::FALSE);
        }
        let (x, y) = self.ands.get(&!b).copied()?;
        if x == !a || y == !a {
            return Some(a);
        }
        match (x == a, y == a) {
            (true, _) => Some(self.and(a, !y)),
            (_, true) => Some(self.and(a, !x)),
            _ => None,
        }
    }

    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        // Negations move to the output.
        let is_negated = a.is_negated() ^ b.is_negated();
        let (a, b) = (a.negated_if(a.is_negated()), b.negated_if(b.is_negated()));
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        if a == b {
            return Lit::constant(is_negated);
        }
        if a == Lit::FALSE {
            return b.negated_if(is_negated);
        }
        let gate = Gate::Xor(a, b);
        let output = match self.outputs.get(&gate) {
            Some(known) => *known,
            None => {
                let output = self.output(gate);
                self.clause(&[!output, a, b]);
                self.clause(&[!output, !a, !b]);
                self.clause(&[output, !a, b]);
                self.clause(&[output, a, !b]);
                output
            }
        };
        output.negated_if(is_negated)
    }

    /// `then` if `condition`, else `other`.
    pub fn choice(&mut self, condition: Lit, then: Lit, other: Lit) -> Lit {
        if condition.is_negated() {
            return match condition.value() {
                Some(_) => then,
                None => self.choice(!condition, other, then),
            };
        }
        if condition == Lit::FALSE || then == other {
            return other;
        }
        if then == !other {
            return self.xor(condition, other);
        }
        if then.value() == Some(true) || then == condition {
            return self.or(condition, other);
        }
        if then.value() == Some(false) || then == !condition {
            return self.and(!condition, other);
        }
        if other.value() == Some(false) || other == condition {
            return self.and(condition, then);
        }
        if other.value() == Some(true) || other == !condition {
            return self.or(!condition, then);
        }
        let is_negated = then.is_negated();
        let (then, other) = (then.negated_if(is_negated), other.negated_if(is_negated));
        let gate = Gate::Choice(condition, then, other);
        let output = match self.outputs.get(&gate) {
            Some(known) => *known,
            None => self.new_choice(gate, condition, then, other),
        };
        output.negated_if(is_negated)
    }

    fn new_choice(&mut self, gate: Gate, condition: Lit, then: Lit, other: Lit) -> Lit {
        let output = self.output(gate);
        self.clause(&[!condition, !then, output]);
        self.clause(&[!condition, then, !output]);
        self.clause(&[condition, !other, output]);
        self.clause(&[condition, other, !output]);
        // Redundant, but not found by unit propagation.
        self.clause(&[!then, !other, output]);
        self.clause(&[then, other, !output]);
        output
    }

    /// The majority of three: the carry of an addition.
    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut inputs = [a, b, c];
        inputs.sort_unstable();
        let [a, b, c] = inputs;
        // Constants are the smallest literals, and a literal is next to its negation.
        match a.value() {
            Some(false) => return self.and(b, c),
            Some(true) => return self.or(b, c),
            None => {}
        }
        if a == b || a == !b {
            return if a == b { a } else { c };
        }
        if b == c || b == !c {
            return if b == c { b } else { a };
        }
        let is_negated = a.is_negated();
        let [a, b, c] = [a, b, c].map(|input| input.negated_if(is_negated));
        let gate = Gate::Majority(a, b, c);
        let output = match self.outputs.get(&gate) {
            Some(known) => *known,
            None => {
                let output = self.output(gate);
                for (x, y) in [(a, b), (a, c), (b, c)] {
                    self.clause(&[!x, !y, output]);
                    self.clause(&[x, y, !output]);
                }
                output
            }
        };
        output.negated_if(is_negated)
    }

    fn output(&mut self, gate: Gate) -> Lit {
        let output = self.variable();
        self.outputs.insert(gate, output);
        output
    }

    /// Emits a clause without constants.
    fn clause(&mut self, literals: &[Lit]) {
        let mut numbers = [0; 3];
        for (number, literal) in numbers.iter_mut().zip(literals) {
            *number = literal.number().expect("gates have no constant inputs");
        }
        self.clauses.add(&numbers[..literals.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Clauses for Vec<Vec<i32>> {
        fn add(&mut self, clause: &[i32]) {
            self.push(clause.to_vec());
        }
    }

    /// A literal and its value for each of the eight values of three inputs, as bits.
    type Known = (Lit, u8);

    /// The values of all variables: each output has the only value that its clauses and older variables permit.
    fn tables(gates: &Gates<Vec<Vec<i32>>>) -> Vec<u8> {
        let mut about: Vec<Vec<&[i32]>> = vec![Vec::new(); gates.variables() as usize + 1];
        for clause in &gates.clauses {
            let newest = clause.iter().map(|number| number.unsigned_abs()).max().unwrap_or(0);
            about[newest as usize].push(clause);
        }
        let mut tables = vec![0; about.len()];
        for case in 0..8u8 {
            let mut values = vec![false, case & 1 != 0, case & 2 != 0, case & 4 != 0];
            for clauses in &about[4..] {
                let variable = values.len();
                values.push(false);
                let mut holds = |value: bool| {
                    values[variable] = value;
                    let is_true = |number: &i32| values[number.unsigned_abs() as usize] == (*number > 0);
                    clauses.iter().all(|clause| clause.iter().any(is_true))
                };
                let (if_false, if_true) = (holds(false), holds(true));
                assert!(if_false != if_true, "an output has one value");
                values[variable] = if_true;
            }
            for (table, value) in tables.iter_mut().zip(values) {
                *table |= u8::from(value) << case;
            }
        }
        tables
    }

    /// Constants, inputs and gates of them, and the negation of each.
    fn sources(gates: &mut Gates<Vec<Vec<i32>>>) -> Vec<Known> {
        let [a, b, c] = [0xaa, 0xcc, 0xf0].map(|table| (gates.variable(), table));
        let (ab, bc) = (gates.and(a.0, b.0), gates.and(!b.0, c.0));
        let x = gates.xor(a.0, c.0);
        let one = [(Lit::FALSE, 0), a, b, c, (ab, a.1 & b.1), (bc, !b.1 & c.1), (x, a.1 ^ c.1)];
        one.into_iter().flat_map(|(literal, table)| [(literal, table), (!literal, !table)]).collect()
    }

    #[test]
    fn gates_of_all_related_inputs_have_their_values() {
        let mut gates = Gates::new(Vec::new());
        let known = sources(&mut gates);
        let mut expected: Vec<Known> = known.clone();
        for (a, x) in &known {
            for (b, y) in &known {
                expected.extend([(gates.and(*a, *b), x & y), (gates.or(*a, *b), x | y), (gates.xor(*a, *b), x ^ y)]);
                for (c, z) in &known {
                    expected.push((gates.choice(*a, *b, *c), x & y | !x & z));
                    expected.push((gates.majority(*a, *b, *c), x & y | x & z | y & z));
                }
            }
        }
        let tables = tables(&gates);
        for (literal, expected) in expected {
            let table = tables[(literal.0 >> 1) as usize];
            assert_eq!(if literal.is_negated() { !table } else { table }, expected, "{literal:?}");
        }
    }

    #[test]
    fn equal_gates_are_one() {
        let mut gates = Gates::new(Vec::new());
        let [a, b, c] = [(); 3].map(|()| gates.variable());
        let (xor, majority, choice) = (gates.xor(a, b), gates.majority(a, b, c), gates.choice(a, b, c));
        let before = gates.variables();
        assert_eq!([gates.xor(!b, a), gates.xor(!a, !b)], [!xor, xor]);
        assert_eq!([gates.majority(c, a, b), gates.majority(!b, !c, !a)], [majority, !majority]);
        assert_eq!([gates.choice(!a, c, b), gates.choice(a, !b, !c)], [choice, !choice]);
        assert_eq!(gates.variables(), before);
    }
}
