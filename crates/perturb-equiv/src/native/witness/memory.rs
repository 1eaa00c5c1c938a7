//! Memory that the function asks for and frees, in a program of C: the program has a `malloc` of its own
//! (`c/test_memory.c`), which refuses what the input says, and tells what is left.

use super::stage::{parts, Stage};
use crate::native::fresh::{Fresh, Value};
use crate::native::LeafKind;
use perturb_model::Difference;
use std::collections::BTreeSet;

/// The text of a program's own `malloc` and its kin.
pub const TEST_MEMORY: &str = include_str!("../../../c/test_memory.c");

/// What a program does about memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// Without it, something else could be seen: it does more than to let as much be allocated as is asked for.
    pub is_needed: bool,
    /// Before the call.
    pub before: Vec<String>,
    /// Right after it.
    pub after: Vec<String>,
    pub checks: Vec<String>,
}

impl Stage<'_> {
    /// What it takes to show memory as these differences need it; none where the function allocates nothing.
    pub fn memory(&self, by: &Difference, others: &[&Difference]) -> Option<Memory> {
        self.layout.heap.as_ref().filter(|heap| heap.allocates)?;
        let own = self.layout.fresh(&by.original);
        let left: Vec<Fresh> = others.iter().filter_map(|other| self.layout.fresh(&other.other)).collect();
        let refused = self.refused(by);
        let freed: BTreeSet<usize> = left.iter().chain(&own).flat_map(|left| left.freed.iter().copied()).collect();
        let is_left_alike =
            |own: &Fresh| left.iter().all(|other| other.live == own.live && is_written_alike(own, other));
        let mut memory = Memory {
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

    /// Which request for memory is refused, from 1 on, or 0.
    fn refused(&self, by: &Difference) -> u8 {
        let is_it = |(leaf, _): &(usize, &[u8])| self.layout.leaves[*leaf].kind == LeafKind::Refusal;
        parts(self.layout, &by.input).find(is_it).map_or(0, |(_, bytes)| bytes[0])
    }
}

/// Whether another one leaves nothing unwritten that the original writes: what is there then is not the same
/// everywhere.
fn is_written_alike(own: &Fresh, other: &Fresh) -> bool {
    let is_whole = |value: &Value, other: &Value| match (value, other) {
        (Value::Unwritten, _) => true,
        (_, Value::Unwritten) => false,
        (Value::Bytes(bytes), Value::Bytes(others)) => {
            bytes.iter().zip(others).all(|(byte, other)| byte.is_none() || other.is_some())
        }
        _ => true,
    };
    own.values.iter().zip(&other.values).all(|(seen, other)| is_whole(&seen.value, &other.value))
}
