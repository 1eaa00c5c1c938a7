//! Comparing by reasoning: original and other are executed on terms, and a solver is asked for an input on which they differ.
//!
//! The code is that of a unit with its glue (see `native`), so that inputs, calls and what can be seen afterwards are those that the
//! driver has: an input that is found here can be run there.

use crate::execute::{Executed, Limits, Machine, Memory, ObjectId, Trouble};
use crate::ir::Module;
use crate::native::{Layout, Leaf, LeafKind, ObjectKind};
use crate::solve::{Answer, Budget, Model};
use crate::term::{Term, Variable};

/// What comparing two functions came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compared {
    /// They differ on this input, or it does something undefined, or goes on for long, and the original does not.
    Candidate {
        input: Vec<u8>,
    },
    Equivalent {
        /// A solver was needed.
        is_solved: bool,
        /// Only where no loop takes more turns, and no call goes deeper, than the bound.
        is_bounded: bool,
    },
    Unknown {
        why: String,
    },
}

/// A function with its inputs, and what it does with them.
#[derive(Debug)]
pub struct Symbolic<'m> {
    machine: Machine<'m>,
    layout: &'m Layout,
    memory: Memory,
    /// By their numbers in the layout.
    objects: Vec<ObjectId>,
    table: ObjectId,
    result: ObjectId,
    original: Executed,
    /// What is seen of the original, one term for each view.
    seen: Vec<Term>,
    budget: Budget,
}

/// The function that the glue has.
const CALL: &str = "perturb_call";

impl<'m> Symbolic<'m> {
    /// Executes the original.
    pub fn new(
        module: &'m Module,
        layout: &'m Layout,
        limits: Limits,
        budget: Budget,
        stop: &'m (dyn Fn() -> bool + Sync),
    ) -> Result<Self, Trouble> {
        let mut machine = Machine::new(module, limits, stop);
        let mut memory = machine.globals()?;
        let mut objects = Vec::new();
        for object in &layout.objects {
            let id = match object.kind {
                ObjectKind::Global | ObjectKind::Made => {
                    machine.global_named(&object.name).ok_or_else(|| missing(&object.name))?
                }
                ObjectKind::Function => machine.function_named(&object.name).ok_or_else(|| missing(&object.name))?,
                ObjectKind::Argument(_) | ObjectKind::Pointed => {
                    let id = machine.new_object();
                    let mut made = machine.unwritten(object.size);
                    // Padding has some value.
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
        let placeholder = machine.terms.truth(false);
        let original = Executed { memory: Memory::default(), undefined: placeholder, unfinished: placeholder };
        let seen = Vec::new();
        let mut symbolic = Self { machine, layout, memory, objects, table, result, original, seen, budget };
        symbolic.put_inputs()?;
        symbolic.original = symbolic.run(0)?;
        let memory = symbolic.original.memory.clone();
        symbolic.seen = symbolic.look(&memory)?;
        // Of an original that is never defined, everything would be true.
        let Executed { undefined, unfinished, .. } = symbolic.original;
        let is_out = symbolic.machine.terms.or(undefined, unfinished);
        let is_fine = symbolic.machine.terms.not(is_out);
        match symbolic.ask(is_fine) {
            Answer::Unsatisfiable => {
                Err(Trouble::Unsupported { what: "the original comes to no defined end".to_string(), place: None })
            }
            Answer::Satisfiable(_) | Answer::Unknown(_) => Ok(symbolic),
        }
    }

    /// Compares one of the others with it, by its number in the glue's table.
    pub fn compare(&mut self, which: usize) -> Compared {
        self.try_compare(which).unwrap_or_else(|trouble| Compared::Unknown { why: trouble.to_string() })
    }

    fn try_compare(&mut self, which: usize) -> Result<Compared, Trouble> {
        let other = self.run(which)?;
        let seen = self.look(&other.memory)?;
        let Executed { undefined, unfinished, .. } = self.original;
        let terms = &mut self.machine.terms;
        let mut differs = terms.truth(false);
        for (one, other) in self.seen.iter().zip(&seen) {
            let not_same = terms.ne(*one, *other);
            differs = terms.or(differs, not_same);
        }
        let is_out = terms.or(undefined, unfinished);
        let is_fine = terms.not(is_out);
        let other_out = terms.or(other.undefined, other.unfinished);
        let other_fine = terms.not(other_out);
        let shows = terms.and(other_fine, differs);
        // One that goes on where the original has come to its end may never come to one.
        let shows = terms.or(shows, other_out);
        let question = terms.and(is_fine, shows);
        let is_solved = terms.as_constant(question).is_none();
        match self.ask(question) {
            Answer::Satisfiable(model) => Ok(Compared::Candidate { input: self.input(&model) }),
            Answer::Unknown(why) => Ok(Compared::Unknown { why: format!("the solver does not know: {why:?}") }),
            Answer::Unsatisfiable => {
                let terms = &mut self.machine.terms;
                let defined = terms.not(undefined);
                let beyond = terms.and(defined, unfinished);
                let is_bounded = self.ask(beyond) != Answer::Unsatisfiable;
                Ok(Compared::Equivalent { is_solved, is_bounded })
            }
        }
    }

    fn ask(&mut self, question: Term) -> Answer {
        let asserted = [self.machine.given, question];
        self.machine.ask(&asserted, self.budget)
    }

    fn run(&mut self, which: usize) -> Result<Executed, Trouble> {
        let number = self.machine.terms.constant(which as u128, 32);
        let (table, result) = (self.machine.address(self.table), self.machine.address(self.result));
        self.machine.call(CALL, &[number, table, result], self.memory.clone())
    }

    fn put_inputs(&mut self) -> Result<(), Trouble> {
        let mut choices = vec![None; self.layout.leaves.len()];
        for (index, leaf) in self.layout.leaves.iter().enumerate() {
            let value = self.variable(index, leaf);
            if leaf.kind == LeafKind::Choice {
                choices[index] = Some(value);
                continue;
            }
            self.put(self.objects[leaf.object], leaf.offset, value, u64::from(leaf.size));
        }
        for link in &self.layout.links {
            let nothing = self.machine.terms.constant(0, 64);
            let target = link.target.map_or(nothing, |target| self.machine.address(self.objects[target]));
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

    /// What a leaf may be.
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

    /// What can be seen of memory.
    fn look(&mut self, memory: &Memory) -> Result<Vec<Term>, Trouble> {
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

    /// The values of a model as the driver takes them.
    fn input(&self, model: &Model) -> Vec<u8> {
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

/// The least room for a result.
const RESULT: u64 = 64;

fn missing(name: &str) -> Trouble {
    Trouble::Unsupported { what: format!("{name} is not in the code"), place: None }
}
