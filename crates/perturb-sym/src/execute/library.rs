//! The supported functions of the C library: memory, strings, and some numeric ones.

use super::calls::rounding;
use super::flow::PathState;
use super::machine::{Machine, RegisterValue};
use super::ExecutionError;
use crate::ir::Call;
use crate::term::Term;

impl<'m> Machine<'m> {
    pub(super) fn library(
        &mut self,
        state: &mut PathState,
        name: &str,
        call: &'m Call,
    ) -> Result<Option<RegisterValue>, ExecutionError> {
        // Functions that `library.c` defines, which may be linked in.
        if let Some(body) = self.module.function(&format!("perturb_{name}")).filter(|body| body.definition().is_some())
        {
            return self.call_function(state, body, call);
        }
        let term = match name {
            "abort" | "exit" | "__assert_fail" | "perturb_end" => {
                // A call that ends the program gives no result.
                self.undefined_when(state.when);
                state.when = self.terms.truth(false);
                return Ok(None);
            }
            "abs" | "labs" | "llabs" => {
                let a = self.argument(state, call, 0)?;
                let (negative, minus) = (self.terms.sign(a), self.terms.neg(a));
                let overflows = self.terms.neg_overflows(a);
                let undefined = self.terms.and(state.when, overflows);
                self.undefined_when(undefined);
                let fits = self.terms.not(overflows);
                state.when = self.terms.and(state.when, fits);
                self.terms.ite(negative, minus, a)
            }
            _ => {
                let word = name.strip_suffix('f').unwrap_or(name);
                self.width(&call.result).map_err(|_| unknown(name))?;
                self.number(state, word, call)?.ok_or_else(|| unknown(name))?
            }
        };
        Ok(Some(RegisterValue::Term(term)))
    }

    fn number(&mut self, state: &PathState, word: &str, call: &Call) -> Result<Option<Term>, ExecutionError> {
        if call.arguments.is_empty() {
            return Ok(None);
        }
        let a = self.argument(state, call, 0)?;
        if let Some(rounding) = rounding(word) {
            return Ok(Some(self.terms.fround(rounding, a)));
        }
        Ok(match word {
            "fabs" => Some(self.terms.fabs(a)),
            "sqrt" => Some(self.terms.fsqrt(a)),
            "fmin" | "fmax" | "copysign" => {
                let b = self.argument(state, call, 1)?;
                Some(match word {
                    "fmin" => self.terms.fmin(a, b),
                    "fmax" => self.terms.fmax(a, b),
                    _ => self.terms.copysign(a, b),
                })
            }
            _ => None,
        })
    }

    /// Copies or fills memory for an intrinsic: at once if the length is known, otherwise byte by byte as `library.c`
    /// does.
    pub(super) fn memory_intrinsic(
        &mut self,
        state: &mut PathState,
        name: &str,
        call: &'m Call,
    ) -> Result<(), ExecutionError> {
        let length = self.argument(state, call, 2)?;
        if self.terms.as_constant(length).is_none() {
            // Takes the low byte of the argument.
            let name = if name == "memset" { "fill" } else { name };
            return self.library(state, name, call).map(|_| ());
        }
        let (to, from) = (self.argument(state, call, 0)?, self.argument(state, call, 1)?);
        match name {
            "memset" => self.fill(state, to, from, length),
            _ => self.copy(state, to, from, length),
        }
    }

    fn copy(&mut self, state: &mut PathState, to: Term, from: Term, length: Term) -> Result<(), ExecutionError> {
        match self.length(length)? {
            0 => Ok(()),
            length => {
                let cells = self.read(state, from, length)?;
                self.write(state, to, &cells)
            }
        }
    }

    fn fill(&mut self, state: &mut PathState, to: Term, byte: Term, length: Term) -> Result<(), ExecutionError> {
        match self.length(length)? {
            0 => Ok(()),
            length => {
                let cell = self.written(byte);
                self.write(state, to, &vec![cell; length as usize])
            }
        }
    }

    fn length(&self, length: Term) -> Result<u64, ExecutionError> {
        let length =
            self.terms.as_constant(length).ok_or_else(|| ExecutionError::unsupported("a copy of variable length"))?;
        u64::try_from(length).ok().filter(|length| *length <= 64 << 10).ok_or(ExecutionError::Limit("a long copy"))
    }
}

fn unknown(name: &str) -> ExecutionError {
    ExecutionError::unsupported(format!("it calls {name}, of which nothing is known"))
}
