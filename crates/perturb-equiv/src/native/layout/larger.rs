//! Parameters that lead to more than their types say.

use super::maker::Maker;
use crate::contract::counted_by;
use perturb_csrc::{Signature, TypeId};

impl Maker<'_> {
    /// The type of what a parameter leads to where that is more than its own type says. Of memory with a length, only
    /// that is known.
    pub fn larger(&mut self, signature: &Signature, index: usize) -> Option<TypeId> {
        let parameter = &signature.parameters[index];
        let is_said = self.contract.parameter(index).size.is_some();
        let is_counted = counted_by(self.signatures, &signature.parameters, index).is_some();
        let larger = parameter.larger.filter(|_| !is_said && !is_counted)?;
        let spelling = &self.ty(larger).spelling;
        self.assume(format!("{} leads to a whole {}", parameter.name, spelling.trim_start_matches("const ")));
        // Where its object will be.
        self.layout.larger.insert(self.layout.objects.len(), larger);
        Some(larger)
    }
}
