//! Other solvers through SMT-LIB 2: a second opinion, and a check of ours. This crate starts no program; the caller
//! supplies a function that does.

use std::collections::BTreeMap;

use super::{evident, Budget, Model, SatResult, Solver, Why};
use crate::term::{Term, Terms, Variable};

/// A solver that reads a script from standard input, and is stopped when it takes too long.
pub trait Program {
    /// Its output; `None` if it was stopped, or could not be started.
    fn run(&mut self, script: &str) -> Option<String>;
}

/// The solver, where they differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Z3,
    Cvc5,
    Bitwuzla,
}

impl Dialect {
    /// The name of the program.
    pub fn program(self) -> &'static str {
        match self {
            Dialect::Z3 => "z3",
            Dialect::Cvc5 => "cvc5",
            Dialect::Bitwuzla => "bitwuzla",
        }
    }

    /// The arguments to read from standard input.
    pub fn arguments(self) -> &'static [&'static str] {
        match self {
            Dialect::Z3 => &["-in"],
            Dialect::Cvc5 => &["--lang=smt2", "--produce-models"],
            Dialect::Bitwuzla => &["--produce-models", "--lang=smt2"],
        }
    }

    /// The option that bounds its work. Bitwuzla has none: only a time limit ends it.
    fn limit(self, budget: Budget) -> String {
        match self {
            // Roughly as long as this many ticks of ours.
            Dialect::Z3 | Dialect::Cvc5 => format!("(set-option :rlimit {})\n", (budget.ticks / 50).max(1)),
            Dialect::Bitwuzla => String::new(),
        }
    }
}

/// A solver of one dialect.
#[derive(Debug)]
pub struct SmtLib<P> {
    dialect: Dialect,
    program: P,
}

impl<P: Program> SmtLib<P> {
    pub fn new(dialect: Dialect, program: P) -> SmtLib<P> {
        SmtLib { dialect, program }
    }
}

impl<P: Program> Solver for SmtLib<P> {
    fn check(&mut self, terms: &Terms, asserted: &[Term], budget: Budget) -> SatResult {
        if let Some(answer) = evident(terms, asserted) {
            return answer;
        }
        let variables: BTreeMap<String, Variable> =
            terms.variables(asserted).into_iter().map(|(variable, _)| (variable.name(), variable)).collect();
        let mut script = self.dialect.limit(budget);
        script.push_str("(set-logic QF_BVFP)\n");
        script.push_str(&terms.smtlib(asserted));
        script.push_str("(check-sat)\n");
        if !variables.is_empty() {
            let names: Vec<&str> = variables.keys().map(String::as_str).collect();
            script.push_str(&format!("(get-value ({}))\n", names.join(" ")));
        }
        script.push_str("(exit)\n");
        let Some(output) = self.program.run(&script) else { return SatResult::Unknown(Why::Spent) };
        let (verdict, rest) = output.trim_start().split_once('\n').unwrap_or((output.trim(), ""));
        match verdict.trim() {
            "unsat" => SatResult::Unsatisfiable,
            "sat" => match values(rest, &variables) {
                Some(values) => Model { values }.checked(terms, asserted),
                None => SatResult::Unknown(Why::Refused(rest.trim().to_owned())),
            },
            "unknown" | "timeout" | "" => SatResult::Unknown(Why::Spent),
            other => SatResult::Unknown(Why::Refused(other.to_owned())),
        }
    }
}

/// Parses `((name #x0f) (name #b1) (name (_ bv3 8)) ...)`; `None` if it is anything else or lacks a variable.
fn values(text: &str, variables: &BTreeMap<String, Variable>) -> Option<BTreeMap<Variable, u128>> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut values = BTreeMap::new();
    for (at, word) in words.iter().enumerate() {
        let Some(variable) = variables.get(*word) else { continue };
        let value = match *words.get(at + 1)? {
            "(" if words.get(at + 2) == Some(&"_") => words.get(at + 3)?.strip_prefix("bv")?.parse().ok()?,
            literal => match (literal.strip_prefix("#x"), literal.strip_prefix("#b")) {
                (Some(digits), _) => u128::from_str_radix(digits, 16).ok()?,
                (_, Some(digits)) => u128::from_str_radix(digits, 2).ok()?,
                _ => return None,
            },
        };
        values.insert(*variable, value);
    }
    (values.len() == variables.len()).then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<BTreeMap<Variable, u128>> {
        let variables = [Variable::Input(0), Variable::Fresh(1)].map(|variable| (variable.name(), variable));
        values(text, &BTreeMap::from(variables))
    }

    #[test]
    fn values_are_read_in_all_notations() {
        let expected = BTreeMap::from([(Variable::Input(0), 10), (Variable::Fresh(1), 5)]);
        for text in ["((input0 #x0a)\n (fresh1 #b101))", "((input0 (_ bv10 8)) (fresh1 #x5))"] {
            assert_eq!(of(text).as_ref(), Some(&expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_model_is_refused() {
        for text in ["", "((input0 #x0a))", "((input0 10) (fresh1 #b1))", "((input0", "(error \"input0 fresh1\")"] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn fuzzed_values() {
        let examples = ["((input0 #x0a)\n (fresh1 #b101))", "((input0 (_ bv10 8)) (fresh1 #x5))"];
        perturb_fuzz::survives("sym-values", perturb_fuzz::Share::All, &examples, |bytes| {
            of(&String::from_utf8_lossy(bytes));
        });
    }
}
