//! Allocated memory in a C program: the program replaces `malloc` (`c/test_memory.c`), fails the allocation that the
//! input says, and reports what is left.

use super::stage::{parts, Stage};
use crate::native::heap_contents::{HeapContents, ObservedValue};
use crate::native::LeafKind;
use perturb_model::Difference;
use std::collections::BTreeSet;

/// The source of the replacement of `malloc` and related functions.
pub const TEST_MEMORY: &str = include_str!("../../../c/test_memory.c");

/// The statements of a program about allocated memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryStatements {
    /// Whether outputs would differ without it: it does more than allocate what is requested.
    pub is_needed: bool,
    /// Before the call.
    pub before: Vec<String>,
    /// Right after it.
    pub after: Vec<String>,
    pub checks: Vec<String>,
}

impl Stage<'_> {
    /// The statements needed to show these differences; `None` if the function allocates nothing.
    pub fn memory(&self, by: &Difference, others: &[&Difference]) -> Option<MemoryStatements> {
        self.layout.heap.as_ref().filter(|heap| heap.allocates)?;
        let own = self.layout.heap_contents(&by.original);
        let left: Vec<HeapContents> =
            others.iter().filter_map(|other| self.layout.heap_contents(&other.other)).collect();
        let refused = self.refused(by);
        let freed: BTreeSet<usize> = left.iter().chain(&own).flat_map(|left| left.freed.iter().copied()).collect();
        let is_left_alike =
            |own: &HeapContents| left.iter().all(|other| other.live == own.live && is_written_alike(own, other));
        let mut memory = MemoryStatements {
            is_needed: refused > 0 || !freed.is_empty() || !own.as_ref().is_some_and(is_left_alike),
            before: vec!["test_memory_starts();".to_string()],
            after: vec!["test_memory_ends();".to_string()],
            checks: Vec::new(),
        };
        if refused > 0 {
            memory.before.push(format!("test_memory_refuses({refused});"));
        }
        for object in freed {
            let Some(reached) = self.reached.get(object).and_then(Option::as_ref) else { continue };
            let address = reached.address();
            memory.before.push(format!("test_memory_given((void *){address}, sizeof {});", reached.name));
            if let Some(own) = &own {
                let sign = if own.freed.contains(&object) { "" } else { "!" };
                memory.checks.push(format!("{sign}test_memory_is_freed({address})"));
            }
        }
        memory.checks.extend(own.map(|own| format!("test_memory_left() == {}", own.live)));
        Some(memory)
    }

    /// The number of the allocation that fails, from 1 on, or 0.
    fn refused(&self, by: &Difference) -> u8 {
        let is_it = |(leaf, _): &(usize, &[u8])| self.layout.leaves[*leaf].kind == LeafKind::Refusal;
        parts(self.layout, &by.input).find(is_it).map_or(0, |(_, bytes)| bytes[0])
    }
}

/// Whether a mutant initialises everything that the original does: uninitialised bytes have no fixed value.
fn is_written_alike(own: &HeapContents, other: &HeapContents) -> bool {
    let is_whole = |value: &ObservedValue, other: &ObservedValue| match (value, other) {
        (ObservedValue::Unwritten, _) => true,
        (_, ObservedValue::Unwritten) => false,
        (ObservedValue::Bytes(bytes), ObservedValue::Bytes(others)) => {
            bytes.iter().zip(others).all(|(byte, other)| byte.is_none() || other.is_some())
        }
        _ => true,
    };
    own.values.iter().zip(&other.values).all(|(seen, other)| is_whole(&seen.value, &other.value))
}
