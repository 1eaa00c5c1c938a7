//! Adds what can be observed after a call besides objects: allocated memory, constants, and the calls of stubs.

use super::super::heap::{Heap, TypedRoot, REFUSALS};
use super::super::stub::WORDS;
use super::maker::Maker;
use super::{Leaf, LeafKind, ObjectKind};

impl Maker<'_> {
    /// Lets pointers point to constants of the program.
    fn constants(&mut self, roots: Vec<TypedRoot>) {
        if !roots.is_empty() {
            self.layout.heap = Some(Heap::of(self.signatures, roots, false));
            let counts = "what a pointer to a constant leads to counts, and not which constant it is";
            self.layout.assumptions.push(counts.to_string());
        }
    }

    /// Adds the observation of allocated memory, and an input for the allocation that fails.
    pub fn heap(&mut self) {
        let roots = std::mem::take(&mut self.roots);
        if !self.is_allocating {
            self.constants(roots);
            return;
        }
        let (name, kind, range) = ("the allocation that fails".to_string(), LeafKind::Refusal, Some((0, REFUSALS)));
        let leaf = Leaf { name, kind, size: 1, object: usize::MAX, offset: 0, is_element: false, range };
        self.layout.leaves.push(leaf);
        self.layout.heap = Some(Heap::of(self.signatures, roots, true));
        self.layout
            .assumptions
            .push(format!("no more than one allocation of memory fails, and none behind the first {REFUSALS}"));
        if self.layout.objects.iter().any(|object| object.kind == ObjectKind::Pointed) {
            self.layout.assumptions.push("what it is given may be freed".to_string());
        }
    }

    /// Adds the observation of stub calls.
    pub fn trace(&mut self) {
        if self.layout.stubs.is_empty() {
            return;
        }
        let calls = self.object("perturb_calls".to_string(), 4 * self.layout.stubs.len() as u64, ObjectKind::Made);
        for (at, stub) in self.layout.stubs.iter().enumerate() {
            let (name, kind, offset) = (format!("calls of {}", stub.name), LeafKind::Unsigned, 4 * at as u64);
            let leaf = Leaf { name, kind, size: 4, object: calls, offset, is_element: false, range: None };
            self.layout.views.push(leaf);
        }
        let trace = self.object("perturb_trace".to_string(), 8 * (WORDS + 1), ObjectKind::Made);
        for at in 0..=WORDS {
            let name = if at == 0 { "calls: words".to_string() } else { format!("calls: word {at}") };
            let (kind, object, offset) = (LeafKind::Unsigned, trace, 8 * at);
            self.layout.views.push(Leaf { name, kind, size: 8, object, offset, is_element: false, range: None });
        }
        self.layout.trace = Some((trace, calls));
    }
}
