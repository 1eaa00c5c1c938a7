//! The machine: the state shared by all paths, and the queries to the solver.

use super::memory::{Cell, Memory, Object, ObjectId};
use super::script::Script;
use super::ExecutionError;
use crate::ir::{Constant, ConstantKind, Function, GlobalKind, Module, Type};
use crate::solve::{BitSolver, Budget, SatResult, Solver};
use crate::term::{Ranks, Term, Terms, Variable};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// The limits of execution.
#[derive(Debug, Clone, Copy)]
pub struct ExecutionLimits {
    /// Iterations of each loop.
    pub turns: u32,
    /// The call depth.
    pub depth: u32,
    /// Instructions in all.
    pub instructions: u64,
    /// New terms of one call.
    pub terms: usize,
    /// The budget of a query whether a loop goes on.
    pub budget: Budget,
    /// The number of such queries in one call.
    pub questions: u32,
    /// The number of forks at which the solver may not know whether a path is possible.
    pub unanswered: u32,
}

impl Default for ExecutionLimits {
    fn default() -> Self {
        let budget = Budget { conflicts: 200, ticks: 1_500_000, variables: 300_000 };
        Self { turns: 80, depth: 24, instructions: 200_000, terms: 120_000, budget, questions: 60, unanswered: 12 }
    }
}

/// A value of a register.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RegisterValue {
    Term(Term),
    Aggregate(Rc<Vec<RegisterValue>>),
}

/// Executes functions of one module.
pub struct Machine<'m> {
    pub module: &'m Module,
    pub terms: Terms,
    pub(super) solver: BitSolver,
    pub limits: ExecutionLimits,
    /// The precondition of inputs.
    pub given: Term,
    pub(super) undefined: Term,
    pub(super) unfinished: Term,
    pub(super) instructions: u64,
    pub(super) depth: u32,
    /// The number of terms before the call.
    first_terms: usize,
    questions: u32,
    unanswered: u32,
    /// If set, a single path is executed at a time.
    pub(super) script: Option<Script>,
    /// The work of earlier solvers.
    ticks: u64,
    stop: &'m (dyn Fn() -> bool + Sync),
    next_object: u32,
    next_fresh: u32,
    /// The objects of global variables and functions, by name.
    globals: HashMap<Arc<str>, ObjectId>,
    names: HashMap<ObjectId, Arc<str>>,
}

impl std::fmt::Debug for Machine<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Machine").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl<'m> Machine<'m> {
    /// Execution ends with an error when `stop` returns true.
    pub fn new(module: &'m Module, limits: ExecutionLimits, stop: &'m (dyn Fn() -> bool + Sync)) -> Self {
        let mut terms = Terms::new();
        let (yes, no) = (terms.truth(true), terms.truth(false));
        Self {
            module,
            terms,
            solver: BitSolver::new(),
            limits,
            given: yes,
            undefined: no,
            unfinished: no,
            instructions: 0,
            depth: 0,
            first_terms: 0,
            questions: 0,
            unanswered: 0,
            script: None,
            ticks: 0,
            stop,
            next_object: 0,
            next_fresh: 0,
            globals: HashMap::new(),
            names: HashMap::new(),
        }
    }

    /// The id of a new object.
    pub fn new_object(&mut self) -> ObjectId {
        self.next_object += 1;
        ObjectId(self.next_object)
    }

    /// An unconstrained value.
    pub fn fresh(&mut self, width: u32) -> Term {
        self.next_fresh += 1;
        self.terms.variable(Variable::Fresh(self.next_fresh), width)
    }

    pub fn address(&mut self, object: ObjectId) -> Term {
        self.terms.variable(Variable::Base(object.0), 64)
    }

    /// Uninitialised memory.
    pub fn unwritten(&mut self, size: u64) -> Object {
        Object { cells: vec![Cell::unwritten(&mut self.terms); size as usize], is_constant: false }
    }

    /// An initialised byte.
    pub fn written(&mut self, value: Term) -> Cell {
        Cell::all(&mut self.terms, value)[0]
    }

    /// The address of a global variable or function.
    pub(super) fn global(&mut self, name: &Arc<str>) -> ObjectId {
        if let Some(known) = self.globals.get(name) {
            return *known;
        }
        let id = self.new_object();
        self.globals.insert(name.clone(), id);
        self.names.insert(id, name.clone());
        id
    }

    /// The function with this address.
    pub(super) fn function_at(&self, object: ObjectId) -> Option<&'m Function> {
        self.module.function(self.names.get(&object)?)
    }

    /// All global variables with their initial values.
    pub fn globals(&mut self) -> Result<Memory, ExecutionError> {
        let mut memory = Memory::default();
        let module = self.module;
        for global in &module.globals {
            let GlobalKind::Variable(variable) = &global.kind else { continue };
            let id = self.global(&global.name);
            let Some(size) = module.layout.size(&variable.ty).filter(|size| *size <= LARGEST) else { continue };
            let mut object = self.unwritten(size);
            match &variable.initialiser {
                // External: an access is an error.
                None => continue,
                Some(initialiser) => {
                    if self.put_constant(&mut object, 0, initialiser).is_err() {
                        continue;
                    }
                }
            }
            object.is_constant = variable.is_constant;
            memory.add(id, object);
        }
        Ok(memory)
    }

    /// The object of the global variable of this name.
    pub fn global_named(&mut self, name: &str) -> Option<ObjectId> {
        let name = self.module.global(name)?.name.clone();
        Some(self.global(&name))
    }

    /// The object of the function of this name.
    pub fn function_named(&mut self, name: &str) -> Option<ObjectId> {
        let name = self.module.function(name)?.name.clone();
        Some(self.global(&name))
    }

    fn put_constant(&mut self, object: &mut Object, at: u64, constant: &Constant) -> Result<(), ExecutionError> {
        let module = self.module;
        let layout = &module.layout;
        let size = layout.size(&constant.ty).ok_or_else(|| ExecutionError::unsupported("a constant without a size"))?;
        match (&constant.kind, &constant.ty) {
            (ConstantKind::Zero | ConstantKind::Undef | ConstantKind::Poison, _) => {
                let zero = self.terms.constant(0, 8);
                let cell = self.written(zero);
                object.cells[at as usize..(at + size) as usize].fill(cell);
                Ok(())
            }
            (ConstantKind::Bytes(bytes), _) => {
                for (index, byte) in bytes.iter().enumerate() {
                    let value = self.terms.constant(u128::from(*byte), 8);
                    object.cells[at as usize + index] = self.written(value);
                }
                Ok(())
            }
            (ConstantKind::Aggregate(parts), Type::Array(array)) => {
                let step = layout.size(&array.element).unwrap_or(0);
                parts
                    .iter()
                    .enumerate()
                    .try_for_each(|(index, part)| self.put_constant(object, at + index as u64 * step, part))
            }
            (ConstantKind::Aggregate(parts), Type::Struct(structure)) => {
                for (index, part) in parts.iter().enumerate() {
                    let offset = layout.offset(structure, index as u32).unwrap_or(0);
                    self.put_constant(object, at + offset, part)?;
                }
                Ok(())
            }
            _ => {
                let value = self.constant(constant)?;
                let RegisterValue::Term(term) = value else {
                    return Err(ExecutionError::unsupported("a constant of many parts"));
                };
                self.put_bytes(object, at, term, size);
                Ok(())
            }
        }
    }

    /// A value as bytes, the lowest first.
    pub(super) fn put_bytes(&mut self, object: &mut Object, at: u64, term: Term, size: u64) {
        let cells = self.cells(term, size);
        object.cells[at as usize..(at + size) as usize].copy_from_slice(&cells);
    }

    pub(super) fn cells(&mut self, term: Term, size: u64) -> Vec<Cell> {
        let width = self.terms.width(term);
        let whole = if u64::from(width) < size * 8 { self.terms.zext(term, size as u32 * 8) } else { term };
        Cell::all(&mut self.terms, whole)
    }

    /// Resets what is counted and recorded for each call.
    pub(super) fn begin_call(&mut self) {
        self.undefined = self.terms.truth(false);
        self.unfinished = self.terms.truth(false);
        self.instructions = 0;
        self.depth = 0;
        self.first_terms = self.terms.len();
        self.questions = 0;
    }

    /// Asks the solver, which keeps what it learned before.
    pub fn ask(&mut self, asserted: &[Term], budget: Budget) -> SatResult {
        self.solver.check(&self.terms, asserted, budget)
    }

    /// Puts a value into an object.
    pub fn put(&mut self, object: &mut Object, at: u64, term: Term, size: u64) {
        self.put_bytes(object, at, term, size);
    }

    /// Bytes as one number.
    pub fn whole(&mut self, cells: &[Cell]) -> Term {
        Cell::joined(&mut self.terms, cells)
    }

    /// Records undefined behaviour under a condition.
    pub(super) fn undefined_when(&mut self, when: Term) {
        self.undefined = self.terms.or(self.undefined, when);
    }

    /// Whether a condition is satisfiable; true if that is unknown.
    pub(super) fn may_be(&mut self, when: Term) -> bool {
        match self.terms.as_constant(when) {
            Some(value) => value != 0,
            None => {
                self.questions += 1;
                let asserted = [self.given, when];
                !matches!(self.solver.check(&self.terms, &asserted, self.limits.budget), SatResult::Unsatisfiable)
            }
        }
    }

    /// Sets the script for the following calls, or none. Returns the previous one.
    pub fn follow(&mut self, script: Option<Script>) -> Option<Script> {
        std::mem::replace(&mut self.script, script)
    }

    /// Selects the successor to follow on a single path.
    pub(super) fn decide(&mut self, ways: &[Term]) -> Result<Option<usize>, ExecutionError> {
        if ways.len() < 2 {
            return Ok(ways.len().checked_sub(1));
        }
        if let Some(known) = self.script.as_mut().and_then(Script::next_choice) {
            return Ok(Some(known));
        }
        let possible = self.possible(ways);
        if self.unanswered > self.limits.unanswered {
            return Err(ExecutionError::Limit(
                "paths of which the solver does not know whether there are inputs for them",
            ));
        }
        Ok(Some(self.script.get_or_insert_default().fork(possible)))
    }

    /// The successors that are possible, at least one: an unknown one counts, and control goes somewhere.
    fn possible(&mut self, ways: &[Term]) -> Vec<usize> {
        let mut possible = Vec::new();
        for (index, when) in ways.iter().enumerate() {
            if possible.is_empty() && index + 1 == ways.len() {
                return vec![index];
            }
            let is_possible = self.is_evident(*when).unwrap_or_else(|| {
                let answer = self.ask(&[self.given, *when], self.limits.budget);
                self.unanswered += u32::from(matches!(answer, SatResult::Unknown(_)));
                answer != SatResult::Unsatisfiable
            });
            if is_possible {
                possible.push(index);
            }
        }
        possible
    }

    /// Whether a condition that includes the precondition is satisfiable, if the order of terms decides it.
    pub fn is_evident(&self, when: Term) -> Option<bool> {
        match Ranks::of(&self.terms, when) {
            None => Some(false),
            Some(ranks) => ranks.is_satisfiable(&self.terms).then_some(true),
        }
    }

    /// The work of all solvers so far, and the instructions of the last call.
    pub fn work(&mut self) -> (u64, u64) {
        (self.ticks + self.solver.ticks(), self.instructions)
    }

    /// Replaces the solver: one that has learned much about other paths is slow.
    pub fn forget_questions(&mut self) {
        self.ticks += self.solver.ticks();
        self.solver = BitSolver::new();
        self.unanswered = 0;
    }

    pub(super) fn count_instruction(&mut self) -> Result<(), ExecutionError> {
        self.instructions += 1;
        if self.instructions > self.limits.instructions {
            return Err(ExecutionError::Limit("instructions"));
        }
        if self.questions > self.limits.questions {
            return Err(ExecutionError::Limit("loops that may go on"));
        }
        if self.instructions.is_multiple_of(64) && (self.stop)() {
            return Err(ExecutionError::Limit("it was to stop"));
        }
        if self.terms.len() - self.first_terms > self.limits.terms {
            return Err(ExecutionError::Limit("terms"));
        }
        Ok(())
    }
}

/// Larger variables are not supported.
const LARGEST: u64 = 64 << 10;
