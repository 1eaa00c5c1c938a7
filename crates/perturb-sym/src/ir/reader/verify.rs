//! Checks that the blocks of a function are well formed.

use super::dominance;
use crate::ir::function::{Block, Definition};
use crate::ir::instruction::{BlockId, Operation};

/// The first error, if any.
pub(super) fn definition(definition: &Definition) -> Result<(), String> {
    if definition.blocks.is_empty() {
        return Err("a function without blocks".to_string());
    }
    definition.blocks.iter().try_for_each(shape)?;
    // The control flow of exceptions is unknown.
    let Some(predecessors) = predecessors(definition) else { return Ok(()) };
    if !predecessors[BlockId::ENTRY.index()].is_empty() {
        return Err("a jump to the first block".to_string());
    }
    for (block, expected) in definition.blocks.iter().zip(&predecessors) {
        phis(block, expected)?;
    }
    dominance::check(definition, &predecessors)
}

/// Phis first, then others, then one terminator.
fn shape(block: &Block) -> Result<(), String> {
    let instructions = &block.instructions;
    let ends = instructions.iter().position(|instruction| instruction.operation.is_terminator());
    if ends.is_none_or(|at| at + 1 != instructions.len()) {
        return Err(format!("block {} does not end with its only terminator", block.name));
    }
    let is_phi = |operation: &Operation| matches!(operation, Operation::Phi { .. });
    let rest = instructions.iter().skip_while(|instruction| is_phi(&instruction.operation));
    match rest.into_iter().any(|instruction| is_phi(&instruction.operation)) {
        true => Err(format!("a phi in the middle of block {}", block.name)),
        false => Ok(()),
    }
}

/// The predecessors of each block, sorted, once for each edge.
fn predecessors(definition: &Definition) -> Option<Vec<Vec<BlockId>>> {
    let mut predecessors = vec![Vec::new(); definition.blocks.len()];
    for (from, block) in (0..).map(BlockId).zip(&definition.blocks) {
        for to in block.instructions.last()?.operation.successors()? {
            predecessors.get_mut(to.index())?.push(from);
        }
    }
    Some(predecessors)
}

/// A phi has a value for each edge from this block.
fn phis(block: &Block, expected: &[BlockId]) -> Result<(), String> {
    for instruction in &block.instructions {
        let Operation::Phi { incoming, .. } = &instruction.operation else { break };
        let mut incoming: Vec<_> = incoming.iter().collect();
        incoming.sort_by_key(|(from, _)| *from);
        let is_complete = incoming.iter().map(|(from, _)| from).eq(expected);
        let differ = incoming.windows(2).any(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1);
        if !is_complete || differ {
            return Err(format!("a phi of block {} that does not have its predecessors", block.name));
        }
    }
    Ok(())
}
