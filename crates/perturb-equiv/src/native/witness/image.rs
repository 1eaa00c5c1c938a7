//! The contents of objects, byte by byte, as far as they are known.

use crate::native::layout::Layout;
use crate::native::leaf::Leaf;

/// The bytes of all objects, and of the result behind them.
#[derive(Debug)]
pub(super) struct Image {
    objects: Vec<Vec<Option<u8>>>,
}

impl Image {
    /// Built from leaves whose values are in sequence.
    pub fn of<'l>(layout: &Layout, leaves: impl Iterator<Item = &'l Leaf>, bytes: &[u8]) -> Self {
        let mut objects: Vec<Vec<Option<u8>>> =
            layout.objects.iter().map(|object| vec![None; object.size as usize]).collect();
        let result = layout.result.iter().map(|leaf| leaf.offset as usize + leaf.size as usize).max();
        objects.push(vec![None; result.unwrap_or(0)]);
        let mut at = 0;
        for leaf in leaves {
            let size = leaf.size as usize;
            let Some(own) = bytes.get(at..at + size) else { break };
            at += size;
            let object = leaf.object.min(layout.objects.len());
            for (index, byte) in own.iter().enumerate() {
                if let Some(cell) = objects[object].get_mut(leaf.offset as usize + index) {
                    *cell = Some(*byte);
                }
            }
        }
        Self { objects }
    }

    /// The bytes of a range; `None` unless all of them are known.
    pub fn bytes(&self, object: usize, offset: u64, size: u64) -> Option<Vec<u8>> {
        let from = offset as usize;
        self.objects.get(object)?.get(from..from + size as usize)?.iter().copied().collect()
    }

    /// The same as a number.
    pub fn bits(&self, object: usize, offset: u64, size: u64) -> Option<u64> {
        let bytes = self.bytes(object, offset, size.min(8))?;
        Some(bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte)))
    }

    /// Whether any byte of an object is known.
    pub fn knows(&self, object: usize) -> bool {
        self.objects.get(object).is_some_and(|cells| cells.iter().any(Option::is_some))
    }
}
