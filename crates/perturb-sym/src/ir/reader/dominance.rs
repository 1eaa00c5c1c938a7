//! Checks that every register is defined before it is used, on every path.
//!
//! A block dominates another if all paths to it pass through the first. The dominator tree is computed by the algorithm
//! of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm", 2001).

use crate::ir::function::Definition;
use crate::ir::instruction::{BlockId, Operation};
use crate::ir::value::{Operand, Register};

/// The error names the register that is used too early. Unreachable code may use anything.
pub(super) fn check(definition: &Definition, predecessors: &[Vec<BlockId>]) -> Result<(), String> {
    let tree = DominatorTree::of(definition, predecessors);
    let defined = definitions(definition);
    for (block, at) in definition.blocks.iter().zip(0..) {
        for (instruction, position) in block.instructions.iter().zip(0..) {
            if let Operation::Phi { incoming, .. } = &instruction.operation {
                // A phi uses its value at the end of the predecessor.
                for (from, value) in incoming {
                    require(&tree, &defined, value, (from.index(), usize::MAX))?;
                }
            } else {
                for operand in instruction.operation.operands() {
                    require(&tree, &defined, operand, (at, position))?;
                }
            }
        }
    }
    Ok(())
}

/// A block, and the index of an instruction in it.
type Site = (usize, usize);

/// The definition of each register. Parameters have none.
fn definitions(definition: &Definition) -> Vec<Option<Site>> {
    let mut sites = vec![None; definition.registers.len()];
    for (block, at) in definition.blocks.iter().zip(0..) {
        for (instruction, position) in block.instructions.iter().zip(0..) {
            if let Some(site) = instruction.result.and_then(|Register(number)| sites.get_mut(number as usize)) {
                *site = Some((at, position));
            }
        }
    }
    sites
}

fn require(tree: &DominatorTree, defined: &[Option<Site>], operand: &Operand, user: Site) -> Result<(), String> {
    let Operand::Register { register, .. } = operand else { return Ok(()) };
    let Some(Some(site)) = defined.get(register.index()) else { return Ok(()) };
    let is_before = if site.0 == user.0 { site.1 < user.1 } else { tree.dominates(site.0, user.0) };
    match is_before || !tree.is_reached(user.0) {
        true => Ok(()),
        false => Err(format!("a register of type {} that is used before it is defined", operand.ty())),
    }
}

/// The dominator tree, as intervals of a preorder walk: a block dominates those within its interval.
struct DominatorTree {
    spans: Vec<Option<(usize, usize)>>,
}

impl DominatorTree {
    fn of(definition: &Definition, predecessors: &[Vec<BlockId>]) -> Self {
        let order = reverse_postorder(definition);
        let mut rank = vec![usize::MAX; definition.blocks.len()];
        order.iter().enumerate().for_each(|(at, block)| rank[*block] = at);
        // The immediate dominator of each block, by rank. The entry is its own.
        let mut nearest: Vec<Option<usize>> = vec![None; order.len()];
        nearest[0] = Some(0);
        let mut is_changing = true;
        while is_changing {
            is_changing = false;
            for (at, block) in order.iter().enumerate().skip(1) {
                let from = predecessors[*block].iter().map(|from| rank[from.index()]);
                let known = from.filter(|from| nearest.get(*from).is_some_and(Option::is_some));
                let common = known.reduce(|one, other| meet(&nearest, one, other));
                is_changing |= common != nearest[at];
                nearest[at] = common;
            }
        }
        Self { spans: spans(&order, &nearest, definition.blocks.len()) }
    }

    fn is_reached(&self, block: usize) -> bool {
        self.spans[block].is_some()
    }

    fn dominates(&self, one: usize, other: usize) -> bool {
        match (self.spans[one], self.spans[other]) {
            (Some((start, end)), Some((inner, _))) => start <= inner && inner < end,
            _ => false,
        }
    }
}

/// The nearest common dominator.
fn meet(nearest: &[Option<usize>], mut one: usize, mut other: usize) -> usize {
    while one != other {
        // The later one in the order cannot dominate the other; the entry dominates all.
        let later = if one > other { &mut one } else { &mut other };
        *later = nearest[*later].unwrap_or(0);
    }
    one
}

/// The reachable blocks in reverse postorder.
fn reverse_postorder(definition: &Definition) -> Vec<usize> {
    let successors = |block: usize| {
        let last = definition.blocks[block].instructions.last();
        last.and_then(|last| last.operation.successors()).unwrap_or_default()
    };
    let mut is_seen = vec![false; definition.blocks.len()];
    is_seen[BlockId::ENTRY.index()] = true;
    let mut order = Vec::new();
    let mut open = vec![(BlockId::ENTRY.index(), successors(BlockId::ENTRY.index()))];
    while let Some((block, rest)) = open.last_mut() {
        match rest.pop().map(BlockId::index) {
            Some(next) if !is_seen[next] => {
                is_seen[next] = true;
                open.push((next, successors(next)));
            }
            Some(_) => {}
            None => {
                order.push(*block);
                open.pop();
            }
        }
    }
    order.reverse();
    order
}

/// The number of blocks below each one is the size of its interval.
fn spans(order: &[usize], nearest: &[Option<usize>], blocks: usize) -> Vec<Option<(usize, usize)>> {
    let parents = || (1..order.len()).map(|at| (at, nearest[at].unwrap_or(0)));
    let mut sizes = vec![1; order.len()];
    parents().rev().for_each(|(at, parent)| sizes[parent] += sizes[at]);
    // Each block takes the next free position in the interval of its parent, which itself has the first.
    let mut starts = vec![0; order.len()];
    let mut free = vec![1; order.len()];
    for (at, parent) in parents() {
        starts[at] = free[parent];
        free[parent] += sizes[at];
        free[at] = starts[at] + 1;
    }
    let mut spans = vec![None; blocks];
    order.iter().enumerate().for_each(|(at, block)| spans[*block] = Some((starts[at], starts[at] + sizes[at])));
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::function::Block;
    use crate::ir::instruction::Instruction;
    use crate::ir::types::Type;
    use crate::ir::value::{Constant, ConstantKind};

    /// A function of blocks that only go to others.
    fn graph(edges: &[Vec<u32>]) -> Definition {
        let block = |targets: &Vec<u32>| {
            let address = Operand::Constant(Constant { ty: Type::Pointer, kind: ConstantKind::Null });
            let operation =
                Operation::IndirectBranch { address, targets: targets.iter().copied().map(BlockId).collect() };
            Block { name: "".into(), instructions: vec![Instruction { result: None, operation, position: None }] }
        };
        Definition { registers: Vec::new(), blocks: edges.iter().map(block).collect() }
    }

    /// Which blocks are reached if one of them is taken out.
    fn reached_without(edges: &[Vec<u32>], out: Option<usize>) -> Vec<bool> {
        let mut is_reached = vec![false; edges.len()];
        let mut open = vec![0];
        while let Some(block) = open.pop() {
            if Some(block) != out && !std::mem::replace(&mut is_reached[block], true) {
                open.extend(edges[block].iter().map(|next| *next as usize));
            }
        }
        is_reached
    }

    #[test]
    fn dominators_are_those_without_which_a_block_is_not_reached() {
        let mut seed = 7_u64;
        let mut random = move |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        for _ in 0..3000 {
            let size = 1 + random(9);
            let edges: Vec<Vec<u32>> =
                (0..size).map(|_| (0..random(4)).map(|_| random(size) as u32).collect()).collect();
            let mut predecessors = vec![Vec::new(); edges.len()];
            for (from, next) in (0..).zip(&edges).flat_map(|(from, next)| next.iter().map(move |next| (from, *next))) {
                predecessors[next as usize].push(BlockId(from));
            }
            let tree = DominatorTree::of(&graph(&edges), &predecessors);
            let reached = reached_without(&edges, None);
            for one in 0..edges.len() {
                assert_eq!(tree.is_reached(one), reached[one], "{edges:?}");
                let without = reached_without(&edges, Some(one));
                for other in 0..edges.len() {
                    let expected = reached[one] && reached[other] && !without[other];
                    assert_eq!(tree.dominates(one, other), expected, "{one} and {other} of {edges:?}");
                }
            }
        }
    }
}
