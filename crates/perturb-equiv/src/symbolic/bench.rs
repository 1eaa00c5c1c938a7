//! What both ways of symbolic execution share: inputs in memory, calls, observations, and questions to the solver.

use crate::native::{Layout, Leaf, LeafKind, ObjectKind, VersionIdx, Zeros};
use perturb_sym::execute::{CallOutcome, ExecutionError, ExecutionLimits, Machine, Memory, ObjectId};
use perturb_sym::ir::Module;
use perturb_sym::solve::{Budget, Model, SatResult};
use perturb_sym::term::{Term, Variable};

/// A machine with the inputs of a function.
#[derive(Debug)]
pub(super) struct SymbolicSetup<'m> {
    pub machine: Machine<'m>,
    layout: &'m Layout,
    memory: Memory,
    /// By their indices in the layout.
    objects: Vec<ObjectId>,
    table: ObjectId,
    result: ObjectId,
    budget: Budget,
}

/// The function that the glue defines.
const CALL: &str = "perturb_call";

impl<'m> SymbolicSetup<'m> {
    pub fn new(
        module: &'m Module,
        layout: &'m Layout,
        limits: ExecutionLimits,
        budget: Budget,
        stop: &'m (dyn Fn() -> bool + Sync),
    ) -> Result<Self, ExecutionError> {
        if layout.list.is_some() {
            return Err(ExecutionError::Unsupported {
                what: "a list of variable arguments".to_string(),
                position: None,
            });
        }
        let mut machine = Machine::new(module, limits, stop);
        let mut memory = machine.globals()?;
        let mut objects = Vec::new();
        for object in &layout.objects {
            let id = match object.kind {
                ObjectKind::Global | ObjectKind::Made => {
                    machine.global_named(&object.name).ok_or_else(|| missing(&object.name))?
                }
                ObjectKind::Function => machine.function_named(&object.name).ok_or_else(|| missing(&object.name))?,
                ObjectKind::Register { .. } => return Err(registers()),
                // Only the library knows its contents.
                ObjectKind::Stream { .. } => return Err(streams()),
                ObjectKind::Argument(_) | ObjectKind::Pointed => {
                    let id = machine.new_object();
                    let mut made = machine.unwritten(object.size);
                    // Padding bytes have an arbitrary value.
                    for cell in &mut made.cells {
                        let value = machine.fresh(8);
                        *cell = machine.written(value);
                    }
                    memory.add(id, made);
                    id
                }
            };
            objects.push(id);
        }
        let (table, result) = (machine.new_object(), machine.new_object());
        let size = layout.result.iter().map(|leaf| leaf.offset + u64::from(leaf.size)).max().unwrap_or(0);
        let made = machine.unwritten(size.max(RESULT));
        memory.add(result, made);
        let mut bench = Self { machine, layout, memory, objects, table, result, budget };
        bench.put_inputs()?;
        Ok(bench)
    }

    pub fn ask(&mut self, question: Term) -> SatResult {
        let asserted = [self.machine.given, question];
        self.machine.ask(&asserted, self.budget)
    }

    /// The same for facts that help and decide nothing.
    pub fn ask_briefly(&mut self, question: Term) -> SatResult {
        let Budget { conflicts, ticks, variables } = self.budget;
        let asserted = [self.machine.given, question];
        self.machine.ask(&asserted, Budget { conflicts: conflicts / 10, ticks: ticks / 10, variables })
    }

    pub fn run(&mut self, version: VersionIdx) -> Result<CallOutcome, ExecutionError> {
        let number = self.machine.terms.constant(version.get() as u128, 32);
        let (table, result) = (self.machine.address(self.table), self.machine.address(self.result));
        self.machine.call(CALL, &[number, table, result], self.memory.clone())
    }

    /// The condition under which the observations of both differ.
    pub fn differs(&mut self, seen: &[Term], other: &[Term]) -> Term {
        let terms = &mut self.machine.terms;
        let mut differs = terms.truth(false);
        for (one, other) in seen.iter().zip(other) {
            let not_same = terms.ne(*one, *other);
            differs = terms.or(differs, not_same);
        }
        differs
    }

    /// The condition under which there is undefined behaviour, or the bound is reached.
    pub fn is_out(&mut self, executed: &CallOutcome) -> Term {
        self.machine.terms.or(executed.undefined, executed.unfinished)
    }

    /// Whether it may exceed the bound without undefined behaviour.
    pub fn may_be_unfinished(&mut self, executed: &CallOutcome) -> bool {
        let defined = self.machine.terms.not(executed.undefined);
        let beyond = self.machine.terms.and(defined, executed.unfinished);
        self.ask(beyond) != SatResult::Unsatisfiable
    }

    fn put_inputs(&mut self) -> Result<(), ExecutionError> {
        let mut choices = vec![None; self.layout.leaves.len()];
        for (index, leaf) in self.layout.leaves.iter().enumerate() {
            let value = self.variable(index, leaf);
            if leaf.kind == LeafKind::Refusal {
                continue;
            }
            if matches!(leaf.kind, LeafKind::Choice | LeafKind::Offset) {
                choices[index] = Some(value);
                continue;
            }
            self.put(self.objects[leaf.object], leaf.offset, value, u64::from(leaf.size));
        }
        for zeros in &self.layout.zeros {
            self.put_zeros(*zeros);
        }
        for link in &self.layout.links {
            let nothing = self.machine.terms.constant(0, 64);
            let target = link.target.map_or(nothing, |target| self.machine.address(self.objects[target]));
            let target = match link.place.and_then(|(leaf, step)| Some((choices[leaf]?, step))) {
                Some((place, step)) => self.behind(target, place, step),
                None => target,
            };
            let other = link.alias.map(|(other, leaf)| (self.machine.address(self.objects[other]), Some(leaf)));
            let target = other.into_iter().chain([(nothing, link.null)]).fold(target, |target, (instead, leaf)| {
                match leaf.and_then(|leaf| choices[leaf]) {
                    Some(is_chosen) => self.machine.terms.ite(is_chosen, instead, target),
                    None => target,
                }
            });
            self.put(self.objects[link.object], link.offset, target, 8);
        }
        let made = self.machine.unwritten(8 * self.objects.len().max(1) as u64);
        self.memory.add(self.table, made);
        for (index, object) in self.objects.clone().into_iter().enumerate() {
            let address = self.machine.address(object);
            self.put(self.table, 8 * index as u64, address, 8);
        }
        Ok(())
    }

    /// The address this many steps after another.
    fn behind(&mut self, start: Term, place: Term, step: u64) -> Term {
        let terms = &mut self.machine.terms;
        let (wide, step) = (terms.zext(place, 64), terms.constant(u128::from(step), 64));
        let distance = terms.mul(wide, step);
        terms.add(start, distance)
    }

    /// The permitted values of a leaf.
    fn variable(&mut self, index: usize, leaf: &Leaf) -> Term {
        let width = match leaf.kind {
            LeafKind::Bool | LeafKind::Choice => 1,
            _ => leaf.size * 8,
        };
        let mask = if width == 128 { u128::MAX } else { (1 << width) - 1 };
        if let Some((low, high)) = leaf.range {
            if low == high {
                return self.machine.terms.constant(low as u128 & mask, width);
            }
        }
        let terms = &mut self.machine.terms;
        let value = terms.variable(Variable::Input(index as u32), width);
        if let Some((low, high)) = leaf.range {
            let (low, high) = (terms.constant(low as u128 & mask, width), terms.constant(high as u128 & mask, width));
            let (above, below) = match leaf.kind {
                LeafKind::Signed => (terms.sle(low, value), terms.sle(value, high)),
                _ => (terms.ule(low, value), terms.ule(value, high)),
            };
            let both = terms.and(above, below);
            self.machine.given = self.machine.terms.and(self.machine.given, both);
        }
        value
    }

    fn put(&mut self, object: ObjectId, offset: u64, value: Term, size: u64) {
        let Some(mut made) = self.memory.object(object).cloned() else { return };
        self.machine.put(&mut made, offset, value, size);
        self.memory.add(object, made);
    }

    fn put_zeros(&mut self, zeros: Zeros) {
        let object = self.objects[zeros.object];
        let Some(mut made) = self.memory.object(object).cloned() else { return };
        let zero = self.machine.terms.constant(0, 8);
        let cell = self.machine.written(zero);
        made.cells[zeros.offset as usize..(zeros.offset + zeros.size) as usize].fill(cell);
        self.memory.add(object, made);
    }

    /// The views of memory.
    pub fn look(&mut self, memory: &Memory) -> Result<Vec<Term>, ExecutionError> {
        let mut seen = Vec::new();
        for view in self.layout.result.iter().chain(&self.layout.views) {
            let object = if view.object == usize::MAX { self.result } else { self.objects[view.object] };
            let known = memory.object(object).ok_or_else(|| missing(&view.name))?;
            let cells = &known.cells[view.offset as usize..(view.offset + u64::from(view.size)) as usize];
            let value = self.machine.whole(cells);
            seen.push(match view.kind {
                LeafKind::Float => self.machine.terms.canonical(value),
                LeafKind::Bool => self.machine.terms.extract(value, 0, 1),
                _ => value,
            });
        }
        Ok(seen)
    }

    /// The values of a model in the driver's encoding.
    pub fn input(&self, model: &Model) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (index, leaf) in self.layout.leaves.iter().enumerate() {
            let value = match leaf.range {
                Some((low, high)) if low == high => low as u128,
                _ => model.value(Variable::Input(index as u32)),
            };
            bytes.extend(value.to_le_bytes().iter().take(leaf.size as usize));
        }
        bytes
    }
}

/// The smallest buffer for a result.
const RESULT: u64 = 64;

fn registers() -> ExecutionError {
    ExecutionError::Unsupported { what: "a register at an address of its own".to_string(), position: None }
}

fn streams() -> ExecutionError {
    ExecutionError::Unsupported { what: "it is given a stream".to_string(), position: None }
}

fn missing(name: &str) -> ExecutionError {
    ExecutionError::Unsupported { what: format!("{name} is not in the code"), position: None }
}
