//! Parameters whose targets are larger than their types.

use super::maker::Maker;
use crate::contract::counted_by;
use perturb_csrc::{Signature, TypeId};

impl Maker<'_> {
    /// The type of a parameter's target where it is larger than declared. For memory with a length, only the length is
    /// known.
    pub fn larger(&mut self, signature: &Signature, index: usize) -> Option<TypeId> {
        let parameter = &signature.parameters[index];
        let is_said = self.contract.parameter(index).size.is_some();
        let is_counted = counted_by(self.signatures, &signature.parameters, index).is_some();
        let larger = parameter.larger.filter(|_| !is_said && !is_counted)?;
        let spelling = &self.ty(larger).spelling;
        self.assume(format!("{} leads to a whole {}", parameter.name, spelling.trim_start_matches("const ")));
        // The key is the index that the object about to be added will have.
        self.layout.larger.insert(self.layout.objects.len(), larger);
        Some(larger)
    }
}
