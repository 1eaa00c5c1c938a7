//! Calls: of functions whose code is there, of what the compiler itself knows, and of some of the library.

use super::flow::{Flow, State};
use super::machine::{Machine, Value};
use super::memory::Memory;
use super::pointer::{resolve, Target};
use super::Trouble;
use crate::ir::{Call, Callee, Function};
use crate::term::{Rounding, Term};

/// What came of a call: it returns on the inputs on which neither of the two holds.
#[derive(Debug, Clone)]
pub struct Executed {
    pub memory: Memory,
    /// Something undefined happened.
    pub undefined: Term,
    /// The bound was reached.
    pub unfinished: Term,
    /// It returned, and memory is what it left. On a single path, that and the two above hold for the inputs of that path only.
    pub returned: Term,
}

impl<'m> Machine<'m> {
    /// Calls a function of the module by its name, with merged states all the way, or on the path that the script says.
    pub fn call(&mut self, name: &str, arguments: &[Term], memory: Memory) -> Result<Executed, Trouble> {
        let module = self.module;
        let function = module.function(name).ok_or_else(|| Trouble::unsupported(format!("{name} is not there")))?;
        self.begin_call();
        let when = self.given;
        let arguments = arguments.iter().map(|term| Value::Term(*term)).collect();
        let left = Flow::call(self, function, arguments, memory.clone(), when)?;
        let never = self.terms.truth(false);
        let (returned, memory) = left.map_or((never, memory), |left| (left.when, left.memory));
        Ok(Executed { memory, undefined: self.undefined, unfinished: self.unfinished, returned })
    }

    pub(super) fn call_instruction(&mut self, state: &mut State, call: &'m Call) -> Result<Option<Value>, Trouble> {
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
            Callee::Assembly(_) => return Err(Trouble::unsupported("inline assembly")),
        };
        self.call_function(state, function, call)
    }

    /// The function that a pointer leads to. To call nothing is undefined.
    fn callee(&mut self, state: &mut State, pointer: Term) -> Result<&'m Function, Trouble> {
        let targets = resolve(&mut self.terms, pointer)?;
        let (functions, nothing): (Vec<Target>, Vec<Target>) =
            targets.into_iter().partition(|target| target.object.is_some());
        let object = match functions.as_slice() {
            [] => None,
            [only] => only.object,
            _ => return Err(Trouble::unsupported("a call of one of many functions")),
        };
        let function = object.and_then(|object| self.function_at(object));
        let function = function.ok_or_else(|| Trouble::unsupported("a call through a pointer"))?;
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
        state: &mut State,
        function: &'m Function,
        call: &'m Call,
    ) -> Result<Option<Value>, Trouble> {
        if function.is_variadic {
            return Err(Trouble::unsupported("a call with variable arguments"));
        }
        let mut arguments = Vec::new();
        for argument in &call.arguments {
            let value = self.operand(state, &argument.value)?;
            arguments.push(match &argument.attributes.byval {
                None => value,
                // The function has a copy of its own.
                Some(ty) => {
                    let size =
                        self.module.layout.size(ty).ok_or_else(|| Trouble::unsupported("a copy without a size"))?;
                    let Value::Term(from) = value else { return Err(Trouble::unsupported("a copy of many parts")) };
                    let cells = self.read(state, from, size)?;
                    let id = self.new_object();
                    let mut object = self.unwritten(size);
                    object.cells = cells;
                    state.memory.add(id, object);
                    Value::Term(self.address(id))
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

    pub(super) fn argument(&mut self, state: &State, call: &Call, at: usize) -> Result<Term, Trouble> {
        let argument = call.arguments.get(at).ok_or_else(|| Trouble::unsupported("a call with too few arguments"))?;
        self.term(state, &argument.value)
    }

    fn intrinsic(&mut self, state: &mut State, name: &str, call: &'m Call) -> Result<Option<Value>, Trouble> {
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
        Ok(Some(Value::Term(term)))
    }

    fn with_overflow(&mut self, state: &State, call: &Call, op: &str, is_signed: bool) -> Result<Value, Trouble> {
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
        Ok(Value::Aggregate(vec![Value::Term(value), Value::Term(overflows)].into()))
    }

    fn simple_intrinsic(&mut self, state: &State, name: &str, call: &Call) -> Result<Term, Trouble> {
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
            _ => return Err(Trouble::unsupported(format!("llvm.{name}"))),
        })
    }
}

/// To which whole number a function rounds.
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
