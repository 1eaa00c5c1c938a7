//! Initialisers as the bytes that they are in memory.

use perturb_sym::ir::{Constant, ConstantKind, DataLayout, Type};

/// Each byte, or none where it may be anything.
pub fn bytes_of(layout: &DataLayout, constant: &Constant) -> Vec<Option<u8>> {
    let size = layout.size(&constant.ty).expect("a type with a size") as usize;
    let mut bytes = vec![None; size];
    let mut put = |offset: u64, part: &[Option<u8>]| bytes[offset as usize..][..part.len()].copy_from_slice(part);
    match &constant.kind {
        ConstantKind::Int(number) | ConstantKind::Float(number) => {
            let stored = layout.store_size(&constant.ty).expect("a number has a size") as usize;
            assert!(!layout.is_big_endian, "only little endian is needed here");
            put(0, &number.to_le_bytes().map(Some)[..stored]);
        }
        ConstantKind::Zero | ConstantKind::Null => put(0, &vec![Some(0); size]),
        ConstantKind::Undef | ConstantKind::Poison => {}
        ConstantKind::Bytes(text) => put(0, &text.iter().copied().map(Some).collect::<Vec<_>>()),
        ConstantKind::Aggregate(parts) => {
            for (at, part) in (0..).zip(parts.iter()) {
                let offset = match &constant.ty {
                    Type::Struct(structure) => layout.offset(structure, at).expect("a field of the struct"),
                    _ => u64::from(at) * layout.size(&part.ty).expect("an element with a size"),
                };
                put(offset, &bytes_of(layout, part));
            }
        }
        other => panic!("nobody knows the bytes of {other:?}"),
    }
    bytes
}
