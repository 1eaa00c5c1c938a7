//! The initial value of a variable with static storage.

use crate::libclang::{ClangType, Cursor};
use clang_sys::*;

/// The bytes of a variable, if its initialiser is made of numbers that stand in the order of what they initialise.
pub fn bytes(variable: Cursor<'_>) -> Option<Vec<u8>> {
    let ty = variable.type_of().canonical();
    let mut bytes = vec![0; usize::try_from(ty.size()).ok()?];
    if let Some(initialiser) = variable.initializer() {
        put(ty, initialiser, &mut bytes)?;
    }
    Some(bytes)
}

/// What is not said is zero, as it is already.
fn put(ty: ClangType<'_>, value: Cursor<'_>, bytes: &mut [u8]) -> Option<()> {
    if value.integer_value() == Some(0) || is_zeros(value) {
        return Some(());
    }
    match ty.kind() {
        CXType_ConstantArray if value.kind() == CXCursor_InitListExpr => {
            let element = ty.element().canonical();
            let size = usize::try_from(element.size()).ok().filter(|size| *size > 0)?;
            value
                .children()
                .into_iter()
                .zip(bytes.chunks_exact_mut(size))
                .try_for_each(|(value, own)| put(element, value, own))
        }
        CXType_Record if value.kind() == CXCursor_InitListExpr => {
            let fields = ty.field_declarations().into_iter();
            value.children().into_iter().zip(fields).try_for_each(|(value, field)| {
                let (ty, from) = (field.type_of().canonical(), usize::try_from(field.offset_in_bits()? / 8).ok()?);
                let own = bytes.get_mut(from..from + usize::try_from(ty.size()).ok()?)?;
                (!field.is_bit_field() && value.kind() != CXCursor_MemberRef).then(|| put(ty, value, own))?
            })
        }
        CXType_ConstantArray | CXType_Record | CXType_Pointer => None,
        kind => {
            let number = match kind {
                CXType_Float => i128::from((float(value)? as f32).to_bits()),
                CXType_Double => i128::from(float(value)?.to_bits()),
                _ => value.integer_value()?,
            };
            bytes.copy_from_slice(number.to_le_bytes().get(..bytes.len())?);
            Some(())
        }
    }
}

fn float(value: Cursor<'_>) -> Option<f64> {
    value.float_value().or_else(|| value.integer_value().map(|number| number as f64))
}

/// `{0}`, whatever it initialises.
fn is_zeros(value: Cursor<'_>) -> bool {
    value.kind() == CXCursor_InitListExpr
        && value.children().into_iter().all(|child| child.integer_value() == Some(0) || is_zeros(child))
}
