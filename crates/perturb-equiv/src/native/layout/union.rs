//! Chooses the member that holds the value of a union with pointers, which bytes alone cannot express.

use perturb_csrc::{Field, Shape, Signatures, TypeId};

/// Whether a type contains pointers.
pub(in super::super) fn holds_pointer(signatures: &Signatures, id: TypeId) -> bool {
    let holds = |id: TypeId| holds_pointer(signatures, id);
    match &signatures.ty(id).shape {
        Shape::Pointer { .. } | Shape::Stream | Shape::VaList | Shape::Other => true,
        Shape::Array { of, .. } => holds(*of),
        Shape::Struct { fields } | Shape::Union { fields } => fields.iter().any(|field| holds(field.ty)),
        _ => false,
    }
}

/// The member of a union with pointers that holds its value: a complete member rather than a bit-field, a record rather
/// than an array, the largest, or the first of several. `None` if the union has no pointers, or no member can be made
/// up.
pub(in super::super) fn chosen_member<'f>(
    signatures: &Signatures,
    union: TypeId,
    fields: &'f [Field],
) -> Option<&'f Field> {
    let size = |field: &Field| signatures.ty(field.ty).size;
    let rank = |field: &Field| {
        let shape = match signatures.ty(field.ty).shape {
            Shape::Struct { .. } | Shape::Union { .. } => 2,
            Shape::Array { .. } => 0,
            _ => 1,
        };
        (size(field) == signatures.ty(union).size, shape, size(field))
    };
    let can_be_made = |field: &&Field| {
        let is_known = !matches!(signatures.ty(field.ty).shape, Shape::VaList | Shape::Other);
        !field.name.is_empty() && field.bits.is_none() && is_known && size(field) > 0
    };
    let best = fields.iter().rev().filter(can_be_made).max_by_key(|field| rank(field));
    best.filter(|_| holds_pointer(signatures, union))
}
