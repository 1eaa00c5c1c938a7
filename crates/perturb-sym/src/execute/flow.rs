//! Control flow: visits blocks in an order in which states that can meet do meet, and merges them.
//!
//! A state waits at a block, in an iteration of each loop around it. The state that is farthest behind goes on; when it
//! catches up with another, the two are merged.

use super::machine::{Machine, RegisterValue};
use super::memory::Memory;
use super::ExecutionError;
use crate::ir::{BlockId, Definition, Function, Operand, Operation};
use crate::term::Term;
use std::collections::{BTreeMap, HashMap};

/// A state of a function that is being executed.
#[derive(Debug, Clone)]
pub(super) struct PathState {
    pub when: Term,
    pub registers: Vec<Option<RegisterValue>>,
    pub memory: Memory,
    /// The predecessor block, which selects the values of phis.
    pub from: BlockId,
}

/// The result of a call that returns.
#[derive(Debug)]
pub(super) struct Returned {
    pub when: Term,
    pub value: Option<RegisterValue>,
    pub memory: Memory,
}

/// The position of a waiting state: for each loop, outermost first, the index of its header and the iteration; then the
/// index of the block.
type LoopPosition = Vec<(u32, u32)>;

pub(super) struct Flow<'f> {
    definition: &'f Definition,
    order: BlockOrder,
}

impl<'f> Flow<'f> {
    /// Executes a function to its end. `None` if it never returns.
    pub fn call(
        machine: &mut Machine<'f>,
        function: &'f Function,
        arguments: Vec<RegisterValue>,
        memory: Memory,
        when: Term,
    ) -> Result<Option<Returned>, ExecutionError> {
        let Some(definition) = function.definition() else {
            let why = function.unsupported().map(|unsupported| format!(": {unsupported}")).unwrap_or_default();
            return Err(ExecutionError::unsupported(format!("the code of {} is not known{why}", function.name)));
        };
        if machine.depth >= machine.limits.depth {
            machine.unfinished = machine.terms.or(machine.unfinished, when);
            return Ok(None);
        }
        machine.depth += 1;
        let flow = Flow { definition, order: BlockOrder::of(definition)? };
        let mut registers: Vec<Option<RegisterValue>> = vec![None; definition.registers.len()];
        for (register, argument) in registers.iter_mut().zip(arguments) {
            *register = Some(argument);
        }
        let left = flow.run(machine, PathState { when, registers, memory, from: BlockId::ENTRY });
        machine.depth -= 1;
        left
    }

    fn run(&self, machine: &mut Machine<'f>, first: PathState) -> Result<Option<Returned>, ExecutionError> {
        let mut waiting: BTreeMap<LoopPosition, (BlockId, PathState)> = BTreeMap::new();
        let mut left: Option<Returned> = None;
        let mut locals = Vec::new();
        waiting.insert(self.order.spot(BlockId::ENTRY, &[]), (BlockId::ENTRY, first));
        while let Some((spot, (block, mut state))) = waiting.pop_first() {
            let instructions = &self.definition.blocks[block.index()].instructions;
            for instruction in instructions {
                machine.count_instruction()?;
                let done = machine.step(&mut state, instruction, &mut locals);
                done.map_err(|trouble| trouble.at_position(instruction.position))?;
                if machine.terms.as_constant(state.when) == Some(0) {
                    break;
                }
            }
            if machine.terms.as_constant(state.when) == Some(0) {
                continue;
            }
            let last = instructions.last().map(|instruction| &instruction.operation);
            match last {
                Some(Operation::Return(value)) => {
                    let value = value.as_ref().map(|value| machine.operand(&state, value)).transpose()?;
                    let own = Returned { when: state.when, value, memory: state.memory };
                    left = Some(match left.take() {
                        Some(other) => merge_left(machine, own, other)?,
                        None => own,
                    });
                }
                Some(Operation::Unreachable) | None => machine.undefined_when(state.when),
                Some(operation) => {
                    let targets = self.targets(machine, &state, operation)?;
                    for (target, when) in self.followed(machine, targets)? {
                        self.go(machine, &mut waiting, &spot, block, target, PathState { when, ..state.clone() })?;
                    }
                }
            }
        }
        if let Some(left) = &mut left {
            locals.iter().for_each(|local| left.memory.remove(*local));
        }
        Ok(left)
    }

    /// The successors of a block, each with its condition.
    fn targets(
        &self,
        machine: &mut Machine<'f>,
        state: &PathState,
        operation: &Operation,
    ) -> Result<Vec<(BlockId, Term)>, ExecutionError> {
        match operation {
            Operation::Jump(target) => Ok(vec![(*target, state.when)]),
            Operation::Branch { condition, if_true, if_false } => {
                let condition = machine.term(state, condition)?;
                let not = machine.terms.not(condition);
                let yes = machine.terms.and(state.when, condition);
                let no = machine.terms.and(state.when, not);
                Ok(vec![(*if_true, yes), (*if_false, no)])
            }
            Operation::Switch { value, default, cases } => {
                let value = machine.term(state, value)?;
                let width = machine.terms.width(value);
                let mut others = state.when;
                let mut targets: Vec<(BlockId, Term)> = Vec::new();
                for (case, target) in cases {
                    let case = machine.terms.constant(*case, width);
                    let is_it = machine.terms.eq(value, case);
                    let (when, not) = (machine.terms.and(state.when, is_it), machine.terms.not(is_it));
                    others = machine.terms.and(others, not);
                    match targets.iter_mut().find(|(known, _)| known == target) {
                        Some((_, known)) => *known = machine.terms.or(*known, when),
                        None => targets.push((*target, when)),
                    }
                }
                match targets.iter_mut().find(|(known, _)| known == default) {
                    Some((_, known)) => *known = machine.terms.or(*known, others),
                    None => targets.push((*default, others)),
                }
                Ok(targets)
            }
            _ => Err(ExecutionError::unsupported("control that goes where a value says")),
        }
    }

    /// The successors to follow. On a single path these are one of them, and all that end at once in undefined
    /// behaviour, which make no path of their own.
    fn followed(
        &self,
        machine: &mut Machine<'f>,
        targets: Vec<(BlockId, Term)>,
    ) -> Result<Vec<(BlockId, Term)>, ExecutionError> {
        if machine.script.is_none() {
            return Ok(targets);
        }
        let possible = targets.into_iter().filter(|(_, when)| machine.terms.as_constant(*when) != Some(0));
        let (mut followed, ways): (Vec<_>, Vec<_>) = possible.partition(|(target, _)| self.is_end(*target));
        let whens: Vec<Term> = ways.iter().map(|(_, when)| *when).collect();
        followed.extend(machine.decide(&whens)?.map(|chosen| ways[chosen]));
        Ok(followed)
    }

    fn is_end(&self, block: BlockId) -> bool {
        let last = self.definition.blocks[block.index()].instructions.last();
        last.is_some_and(|last| matches!(last.operation, Operation::Unreachable))
    }

    fn go(
        &self,
        machine: &mut Machine<'f>,
        waiting: &mut BTreeMap<LoopPosition, (BlockId, PathState)>,
        spot: &LoopPosition,
        from: BlockId,
        to: BlockId,
        mut state: PathState,
    ) -> Result<(), ExecutionError> {
        if machine.terms.as_constant(state.when) == Some(0) {
            return Ok(());
        }
        let (next, turn) = self.order.next(spot, from, to);
        if turn > machine.limits.turns {
            if machine.may_be(state.when) {
                machine.unfinished = machine.terms.or(machine.unfinished, state.when);
            }
            return Ok(());
        }
        // If it is not evident that a loop ends, it goes on only if that is possible. On a single path, this was
        // checked at the fork.
        if machine.script.is_none() && is_asked(turn) && !machine.may_be(state.when) {
            return Ok(());
        }
        self.phis(machine, &mut state, from, to)?;
        state.from = from;
        let merged = match waiting.remove(&next) {
            Some((_, other)) => merge(machine, state, other)?,
            None => state,
        };
        waiting.insert(next, (to, merged));
        Ok(())
    }

    /// Evaluates the phis of a block for one predecessor.
    fn phis(
        &self,
        machine: &mut Machine<'f>,
        state: &mut PathState,
        from: BlockId,
        to: BlockId,
    ) -> Result<(), ExecutionError> {
        let mut values = Vec::new();
        for instruction in &self.definition.blocks[to.index()].instructions {
            let Operation::Phi { incoming, .. } = &instruction.operation else { break };
            let value: Option<&Operand> = incoming.iter().find(|(block, _)| *block == from).map(|(_, value)| value);
            let value = value.ok_or_else(|| ExecutionError::unsupported("a phi without a value"))?;
            values.push((instruction.result, machine.operand(state, value)?));
        }
        for (register, value) in values {
            if let Some(register) = register {
                state.registers[register.index()] = Some(value);
            }
        }
        Ok(())
    }
}

/// Whether the solver is asked in this iteration if there can be another: less and less often.
fn is_asked(turn: u32) -> bool {
    turn >= 3 && (turn.is_power_of_two() || turn.is_multiple_of(3) && (turn / 3).is_power_of_two())
}

fn merge(machine: &mut Machine<'_>, one: PathState, other: PathState) -> Result<PathState, ExecutionError> {
    let memory = Memory::merged(&mut machine.terms, one.when, &one.memory, &other.memory);
    let mut registers = Vec::with_capacity(one.registers.len());
    for (a, b) in one.registers.into_iter().zip(other.registers) {
        registers.push(match (a, b) {
            (Some(a), Some(b)) if a == b => Some(a),
            (Some(a), Some(b)) => choice(machine, one.when, &a, &b),
            // A register that only one path defines is used on that path only, and defined again before.
            _ => None,
        });
    }
    let when = machine.terms.or(one.when, other.when);
    Ok(PathState { when, registers, memory, from: one.from })
}

fn merge_left(machine: &mut Machine<'_>, one: Returned, other: Returned) -> Result<Returned, ExecutionError> {
    let memory = Memory::merged(&mut machine.terms, one.when, &one.memory, &other.memory);
    let value = match (one.value, other.value) {
        (Some(a), Some(b)) => choice(machine, one.when, &a, &b),
        _ => None,
    };
    let when = machine.terms.or(one.when, other.when);
    Ok(Returned { when, value, memory })
}

/// Selects one of two values by the condition.
pub(super) fn choice(
    machine: &mut Machine<'_>,
    when: Term,
    one: &RegisterValue,
    other: &RegisterValue,
) -> Option<RegisterValue> {
    match (one, other) {
        (RegisterValue::Term(a), RegisterValue::Term(b)) => Some(RegisterValue::Term(machine.terms.ite(when, *a, *b))),
        (RegisterValue::Aggregate(a), RegisterValue::Aggregate(b)) if a.len() == b.len() => {
            let parts: Option<Vec<RegisterValue>> =
                a.iter().zip(b.iter()).map(|(a, b)| choice(machine, when, a, b)).collect();
            Some(RegisterValue::Aggregate(parts?.into()))
        }
        _ => None,
    }
}

/// The order of blocks, and the loops around each.
struct BlockOrder {
    /// The index of each block in reverse postorder: before all of its successors, except along back edges.
    indices: Vec<u32>,
    /// The headers of the loops that each block is in, outermost first.
    loops: Vec<Vec<BlockId>>,
}

impl BlockOrder {
    fn of(definition: &Definition) -> Result<Self, ExecutionError> {
        let count = definition.blocks.len();
        let mut successors: Vec<Vec<BlockId>> = Vec::with_capacity(count);
        for block in &definition.blocks {
            let last = block.instructions.last().map(|instruction| instruction.operation.successors());
            successors
                .push(last.flatten().ok_or_else(|| ExecutionError::unsupported("control that cannot be followed"))?);
        }
        let (indices, backs) = depth_first(&successors);
        let loops = nest(&successors, &indices, &backs)?;
        Ok(Self { indices, loops })
    }

    fn spot(&self, block: BlockId, turns: &[(BlockId, u32)]) -> LoopPosition {
        let turn = |header: &BlockId| turns.iter().find(|(known, _)| known == header).map_or(0, |(_, turn)| *turn);
        let mut spot: LoopPosition =
            self.loops[block.index()].iter().map(|header| (self.indices[header.index()], turn(header))).collect();
        spot.push((self.indices[block.index()], 0));
        spot
    }

    /// The position of a state after an edge, and its iteration of the innermost loop.
    fn next(&self, spot: &LoopPosition, from: BlockId, to: BlockId) -> (LoopPosition, u32) {
        let mut turns: Vec<(BlockId, u32)> =
            self.loops[from.index()].iter().zip(spot).map(|(header, (_, turn))| (*header, *turn)).collect();
        let is_back = self.indices[to.index()] <= self.indices[from.index()];
        if is_back {
            turns.iter_mut().filter(|(header, _)| *header == to).for_each(|(_, turn)| *turn += 1);
        }
        let turn = turns.iter().find(|(header, _)| *header == to).map_or(0, |(_, turn)| *turn);
        (self.spot(to, &turns), turn)
    }
}

/// The index of each block in reverse postorder, and the back edges.
fn depth_first(successors: &[Vec<BlockId>]) -> (Vec<u32>, Vec<(BlockId, BlockId)>) {
    let count = successors.len();
    let (mut indices, mut backs) = (vec![u32::MAX; count], Vec::new());
    // 0: not visited, 1: on the current path, 2: done.
    let mut marks = vec![0_u8; count];
    let mut next = count as u32;
    let mut stack = vec![(BlockId::ENTRY, 0_usize)];
    marks[0] = 1;
    while let Some((block, at)) = stack.pop() {
        match successors[block.index()].get(at) {
            Some(target) => {
                stack.push((block, at + 1));
                match marks[target.index()] {
                    0 => {
                        marks[target.index()] = 1;
                        stack.push((*target, 0));
                    }
                    1 => backs.push((block, *target)),
                    _ => {}
                }
            }
            None => {
                marks[block.index()] = 2;
                next -= 1;
                indices[block.index()] = next;
            }
        }
    }
    (indices, backs)
}

/// The loops around each block: those whose back edges it can reach without passing the header.
fn nest(
    successors: &[Vec<BlockId>],
    indices: &[u32],
    backs: &[(BlockId, BlockId)],
) -> Result<Vec<Vec<BlockId>>, ExecutionError> {
    let count = successors.len();
    let mut before: Vec<Vec<BlockId>> = vec![Vec::new(); count];
    for (block, targets) in successors.iter().enumerate() {
        targets.iter().for_each(|target| before[target.index()].push(BlockId(block as u32)));
    }
    let mut bodies: HashMap<BlockId, Vec<bool>> = HashMap::new();
    for (tail, header) in backs {
        let body = bodies.entry(*header).or_insert_with(|| vec![false; count]);
        body[header.index()] = true;
        let mut open = vec![*tail];
        while let Some(block) = open.pop() {
            if indices[block.index()] == u32::MAX || std::mem::replace(&mut body[block.index()], true) {
                continue;
            }
            open.extend(&before[block.index()]);
        }
    }
    for (header, body) in &bodies {
        // A loop with a second entry has no iterations to count.
        let has_way_in = |block: usize| {
            body[block]
                && block != header.index()
                && before[block].iter().any(|from| indices[from.index()] != u32::MAX && !body[from.index()])
        };
        if (0..count).any(has_way_in) {
            return Err(ExecutionError::unsupported("a loop with two ways in"));
        }
    }
    let mut loops = vec![Vec::new(); count];
    let mut headers: Vec<BlockId> = bodies.keys().copied().collect();
    headers.sort_by_key(|header| indices[header.index()]);
    for header in headers {
        for block in 0..count {
            if bodies[&header][block] {
                loops[block].push(header);
            }
        }
    }
    Ok(loops)
}
