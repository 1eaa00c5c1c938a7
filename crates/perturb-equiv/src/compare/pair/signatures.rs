//! Decides whether two functions of two units have the same signature.

use perturb_csrc::{Field, Shape, Signature, Signatures, TypeId};

/// Types are followed to this depth; beyond it, names decide.
const DEEPEST: usize = 5;

/// A function in its unit.
pub type InUnit<'s> = (&'s Signatures, &'s Signature);

/// Whether each can be called like the other. `const` does not count.
pub fn same_signature((units, one): InUnit<'_>, (others, other): InUnit<'_>) -> bool {
    let same = |one: TypeId, other: TypeId| same_type((units, one), (others, other), DEEPEST);
    one.is_variadic == other.is_variadic
        && one.parameters.len() == other.parameters.len()
        && same(one.result, other.result)
        && one.parameters.iter().zip(&other.parameters).all(|(one, other)| same(one.ty, other.ty))
}

fn same_type((units, one): (&Signatures, TypeId), (others, other): (&Signatures, TypeId), depth: usize) -> bool {
    let (own, twin) = (units.ty(one), others.ty(other));
    if (own.size, own.is_volatile) != (twin.size, twin.is_volatile) {
        return false;
    }
    if depth == 0 {
        return own.spelling == twin.spelling;
    }
    let same = |one: TypeId, other: TypeId| same_type((units, one), (others, other), depth - 1);
    let same_field = |(one, other): (&Field, &Field)| {
        (&one.name, one.offset_bits, one.bits) == (&other.name, other.offset_bits, other.bits) && same(one.ty, other.ty)
    };
    match (&own.shape, &twin.shape) {
        (Shape::Pointer { to }, Shape::Pointer { to: other }) => same(*to, *other),
        (Shape::Array { of, count }, Shape::Array { of: other, count: twin }) => count == twin && same(*of, *other),
        (Shape::Struct { fields }, Shape::Struct { fields: others })
        | (Shape::Union { fields }, Shape::Union { fields: others }) => {
            fields.len() == others.len() && fields.iter().zip(others).all(same_field)
        }
        (Shape::Other, Shape::Other) => own.spelling == twin.spelling,
        (one, other) => one == other,
    }
}

/// `int (char, long)`
pub fn shown(units: &Signatures, signature: &Signature) -> String {
    let spelling = |id: TypeId| units.ty(id).spelling.clone();
    let mut parameters: Vec<String> = signature.parameters.iter().map(|parameter| spelling(parameter.ty)).collect();
    parameters.extend(signature.is_variadic.then(|| "...".to_string()));
    format!("{} ({})", spelling(signature.result), parameters.join(", "))
}
