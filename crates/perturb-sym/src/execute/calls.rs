//! Calls of functions with a body, of intrinsics, and of some functions of the library.

use super::flow::{Flow, PathState};
use super::machine::{Machine, RegisterValue};
use super::memory::Memory;
use super::pointer::{resolve, PointerTarget};
use super::ExecutionError;
use crate::ir::{Call, Callee, Function};
use crate::term::{Rounding, Term};

/// The result of a call. The function returns on the inputs for which neither `undefined` nor `unfinished` holds.
#[derive(Debug, Clone)]
pub struct CallOutcome {
    pub memory: Memory,
    /// The condition for undefined behaviour.
    pub undefined: Term,
    /// The condition for reaching the bound.
    pub unfinished: Term,
    /// The condition for returning, with `memory` as it is then. On a single path, all three conditions hold for the
    /// inputs of that path only.
    pub returned: Term,
}

impl<'m> Machine<'m> {
    /// Calls a function of the module by name, with merged states throughout, or on the path that the script says.
    pub fn call(&mut self, name: &str, arguments: &[Term], memory: Memory) -> Result<CallOutcome, ExecutionError> {
        let module = self.module;
        let function =
            module.function(name).ok_or_else(|| ExecutionError::unsupported(format!("{name} is not there")))?;
        self.begin_call();
        let when = self.given;
        let arguments = arguments.iter().map(|term| RegisterValue::Term(*term)).collect();
        let left = Flow::call(self, function, arguments, memory.clone(), when)?;
        let never = self.terms.truth(false);
        let (returned, memory) = left.map_or((never, memory), |left| (left.when, left.memory));
        Ok(CallOutcome { memory, undefined: self.undefined, unfinished: self.unfinished, returned })
    }

    pub(super) fn call_instruction(
        &mut self,
        state: &mut PathState,
        call: &'m Call,
    ) -> Result<Option<RegisterValue>, ExecutionError> {
        let function = match &call.callee {
            Callee::Intrinsic(name) => return self.intrinsic(state, name, call),
            Callee::Direct(name) => {
                let known = self.module.function(name).filter(|function| function.definition().is_some());
                let Some(function) = known else { return self.library(state, name, call) };
                function
            }
            Callee::Indirect(operand) => {
                let pointer = self.term(state, operand)?;
                self.callee(state, pointer)?
            }
            Callee::Assembly(_) => return Err(ExecutionError::unsupported("inline assembly")),
        };
        self.call_function(state, function, call)
    }

    /// The function that a pointer points to. A call of null is undefined.
    fn callee(&mut self, state: &mut PathState, pointer: Term) -> Result<&'m Function, ExecutionError> {
        let targets = resolve(&mut self.terms, pointer)?;
        let (functions, nothing): (Vec<PointerTarget>, Vec<PointerTarget>) =
            targets.into_iter().partition(|target| target.object.is_some());
        let object = match functions.as_slice() {
            [] => None,
            [only] => only.object,
            _ => return Err(ExecutionError::unsupported("a call of one of many functions")),
        };
        let function = object.and_then(|object| self.function_at(object));
        let function = function.ok_or_else(|| ExecutionError::unsupported("a call through a pointer"))?;
        for target in nothing {
            let undefined = self.terms.and(state.when, target.when);
            self.undefined_when(undefined);
            let is_other = self.terms.not(target.when);
            state.when = self.terms.and(state.when, is_other);
        }
        Ok(function)
    }

    pub(super) fn call_function(
        &mut self,
        state: &mut PathState,
        function: &'m Function,
        call: &'m Call,
    ) -> Result<Option<RegisterValue>, ExecutionError> {
        if function.is_variadic {
            return Err(ExecutionError::unsupported("a call with variable arguments"));
        }
        let mut arguments = Vec::new();
        for argument in &call.arguments {
            let value = self.operand(state, &argument.value)?;
            arguments.push(match &argument.attributes.byval {
                None => value,
                // The function gets a copy of its own.
                Some(ty) => {
                    let size = self
                        .module
                        .layout
                        .size(ty)
                        .ok_or_else(|| ExecutionError::unsupported("a copy without a size"))?;
                    let RegisterValue::Term(from) = value else {
                        return Err(ExecutionError::unsupported("a copy of many parts"));
                    };
                    let cells = self.read(state, from, size)?;
                    let id = self.new_object();
                    let mut object = self.unwritten(size);
                    object.cells = cells;
                    state.memory.add(id, object);
                    RegisterValue::Term(self.address(id))
                }
            });
        }
        let left = Flow::call(self, function, arguments, state.memory.clone(), state.when)?;
        match left {
            Some(left) => {
                state.memory = left.memory;
                state.when = left.when;
                Ok(left.value)
            }
            None => {
                state.when = self.terms.truth(false);
                Ok(None)
            }
        }
    }

    pub(super) fn argument(&mut self, state: &PathState, call: &Call, at: usize) -> Result<Term, ExecutionError> {
        let argument =
            call.arguments.get(at).ok_or_else(|| ExecutionError::unsupported("a call with too few arguments"))?;
        self.term(state, &argument.value)
    }

    fn intrinsic(
        &mut self,
        state: &mut PathState,
        name: &str,
        call: &'m Call,
    ) -> Result<Option<RegisterValue>, ExecutionError> {
        let base = name.strip_prefix("llvm.").unwrap_or(name);
        let is = |prefix: &str| base == prefix || base.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('.'));
        if ["dbg", "lifetime", "assume", "experimental.noalias.scope.decl", "donothing"].iter().any(|prefix| is(prefix))
        {
            return Ok(None);
        }
        if is("trap") || is("ubsantrap") || is("debugtrap") {
            self.undefined_when(state.when);
            state.when = self.terms.truth(false);
            return Ok(None);
        }
        if let Some(name) = ["memcpy", "memmove", "memset"].into_iter().find(|name| is(name)) {
            self.memory_intrinsic(state, name, call)?;
            return Ok(None);
        }
        for (word, is_signed) in
            [("sadd", true), ("ssub", true), ("smul", true), ("uadd", false), ("usub", false), ("umul", false)]
        {
            if is(&format!("{word}.with.overflow")) {
                return self.with_overflow(state, call, &word[1..], is_signed).map(Some);
            }
        }
        let term = self.simple_intrinsic(state, base, call)?;
        Ok(Some(RegisterValue::Term(term)))
    }

    fn with_overflow(
        &mut self,
        state: &PathState,
        call: &Call,
        op: &str,
        is_signed: bool,
    ) -> Result<RegisterValue, ExecutionError> {
        let (a, b) = (self.argument(state, call, 0)?, self.argument(state, call, 1)?);
        let terms = &mut self.terms;
        let (value, overflows) = match (op, is_signed) {
            ("add", true) => (terms.add(a, b), terms.sadd_overflows(a, b)),
            ("add", false) => (terms.add(a, b), terms.uadd_overflows(a, b)),
            ("sub", true) => (terms.sub(a, b), terms.ssub_overflows(a, b)),
            ("sub", false) => (terms.sub(a, b), terms.usub_overflows(a, b)),
            (_, true) => (terms.mul(a, b), terms.smul_overflows(a, b)),
            (_, false) => (terms.mul(a, b), terms.umul_overflows(a, b)),
        };
        Ok(RegisterValue::Aggregate(vec![RegisterValue::Term(value), RegisterValue::Term(overflows)].into()))
    }

    fn simple_intrinsic(&mut self, state: &PathState, name: &str, call: &Call) -> Result<Term, ExecutionError> {
        let word = name.split_once(".i").or_else(|| name.split_once(".f")).map_or(name, |(word, _)| word);
        self.width(&call.result)?;
        let a = self.argument(state, call, 0)?;
        if let Some(rounding) = rounding(word) {
            return Ok(self.terms.fround(rounding, a));
        }
        let b = (call.arguments.len() > 1).then(|| self.argument(state, call, 1)).transpose()?;
        let terms = &mut self.terms;
        Ok(match (word, b) {
            ("fabs", _) => terms.fabs(a),
            ("sqrt", _) => terms.fsqrt(a),
            ("expect", _) => a,
            ("abs", _) => {
                let (negative, minus) = (terms.sign(a), terms.neg(a));
                terms.ite(negative, minus, a)
            }
            ("copysign", Some(b)) => terms.copysign(a, b),
            ("minnum", Some(b)) => terms.fmin(a, b),
            ("maxnum", Some(b)) => terms.fmax(a, b),
            ("smin", Some(b)) => {
                let less = terms.slt(a, b);
                terms.ite(less, a, b)
            }
            ("smax", Some(b)) => {
                let less = terms.slt(a, b);
                terms.ite(less, b, a)
            }
            ("umin", Some(b)) => {
                let less = terms.ult(a, b);
                terms.ite(less, a, b)
            }
            ("umax", Some(b)) => {
                let less = terms.ult(a, b);
                terms.ite(less, b, a)
            }
            _ => return Err(ExecutionError::unsupported(format!("llvm.{name}"))),
        })
    }
}

/// The rounding mode of a function that rounds to an integral float.
pub(super) fn rounding(word: &str) -> Option<Rounding> {
    Some(match word {
        "floor" => Rounding::Floor,
        "ceil" => Rounding::Ceil,
        "trunc" => Rounding::Trunc,
        "rint" | "nearbyint" | "roundeven" => Rounding::NearestEven,
        "round" => Rounding::NearestAway,
        _ => return None,
    })
}
