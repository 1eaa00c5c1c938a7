//! A contract for a function that has none: what would be taken for granted anyway, written down, and which parameter
//! seems to say how many elements there are behind which pointer.

use super::{Contract, ParameterContract, Size};
use perturb_csrc::{Parameter, Shape, Signature, Signatures, Start, TypeId};

/// Names of parameters that count elements, as whole names or as their last words.
const COUNTS: [&str; 12] =
    ["n", "cap", "capacity", "len", "length", "size", "sz", "count", "cnt", "num", "nmemb", "nelem"];

/// Names of numbers that say which of these elements is meant.
const PLACES: [&str; 7] = ["offset", "off", "pos", "position", "index", "idx", "depth"];

/// Of a function, with so many elements behind each pointer of which nothing else is known.
pub fn derive(signatures: &Signatures, signature: &Signature, elements: u32) -> Contract {
    let parameters = &signature.parameters;
    let of = |at: usize| {
        // There is one stream behind a pointer to streams.
        let is_counted = |to: TypeId| signatures.ty(to).shape != Shape::Stream;
        let is_pointer = matches!(signatures.ty(parameters[at].ty).shape, Shape::Pointer { to } if is_counted(to));
        let within = parameters[at].within.map(|start| named(parameters, start));
        let is_list = signatures.list(parameters[at].ty).is_some();
        let size = (is_pointer && !is_list && within.is_none()).then(|| match counted_by(signatures, parameters, at) {
            Some(count) if elements == super::ARRAY_SIZE => Size::Parameter(parameters[count].name.clone()),
            _ => Size::Elements(elements),
        });
        ParameterContract { size, within, ..ParameterContract::default() }
    };
    Contract { parameters: (0..parameters.len()).map(of).collect(), ..Contract::default() }
}

/// A pointer as a contract writes it: `p`, `*p`.
pub(crate) fn named(parameters: &[Parameter], start: Start) -> String {
    format!("{}{}", if start.is_behind { "*" } else { "" }, parameters[start.parameter].name)
}

/// The same for somebody who knows better how many elements there are behind pointers, with these numbers written out;
/// one record behind each that leads to records. None where there is no such pointer.
pub fn proposed(signatures: &Signatures, signature: &Signature) -> Option<Contract> {
    let mut contract = derive(signatures, signature, super::ARRAY_SIZE);
    let mut is_asked = false;
    for (own, parameter) in contract.parameters.iter_mut().zip(&signature.parameters) {
        let Shape::Pointer { to } = signatures.ty(parameter.ty).shape else { continue };
        match (&signatures.ty(to).shape, &own.size) {
            // Nobody can look behind these.
            (Shape::Function { .. } | Shape::Stream | Shape::Other, _) => own.size = None,
            (_, Some(Size::Parameter(_))) => contract.array_size = Some(super::ARRAY_SIZE),
            (Shape::Struct { .. } | Shape::Union { .. }, _) => own.size = Some(Size::Elements(1)),
            _ => {}
        }
        is_asked |= own.size.is_some();
    }
    is_asked.then_some(contract)
}

/// The parameter that seems to say how many elements there are behind a pointer: the one behind it, or the one before
/// it unless that stands behind another pointer.
pub(crate) fn counted_by(signatures: &Signatures, parameters: &[Parameter], at: usize) -> Option<usize> {
    let is_pointer = |at: usize| matches!(signatures.ty(parameters[at].ty).shape, Shape::Pointer { .. });
    let is_count = |at: &usize| {
        let Parameter { name, ty, .. } = &parameters[*at];
        matches!(signatures.ty(*ty).shape, Shape::Integer { .. }) && counts(name)
    };
    let behind = Some(at + 1).filter(|next| *next < parameters.len()).filter(is_count);
    let before = || at.checked_sub(1).filter(is_count).filter(|before| *before == 0 || !is_pointer(before - 1));
    behind.or_else(before)
}

/// `len`, `buf_len`, `bufLen`, `nmemb`
pub(crate) fn counts(name: &str) -> bool {
    COUNTS.iter().any(|word| ends_with_word(name, word))
}

/// The same, or `offset`, `bitPos`: a number that is as large as a count at most.
pub(crate) fn measures(name: &str) -> bool {
    counts(name) || PLACES.iter().any(|word| ends_with_word(name, word))
}

fn ends_with_word(name: &str, word: &str) -> bool {
    let Some(before) = name.to_ascii_lowercase().strip_suffix(word).map(str::len) else { return false };
    let is_word = name[before..].starts_with(|first: char| first.is_ascii_uppercase());
    before == 0 || name[..before].ends_with('_') || (is_word && name[..before].ends_with(char::is_lowercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_count_are_told_from_others() {
        for name in ["n", "len", "N", "buf_len", "bufLen", "size", "srcSize", "nmemb", "item_count", "LEN"] {
            assert!(counts(name), "{name}");
        }
        for name in ["", "x", "in", "then", "open", "amount", "lens", "buflen", "_nope", "lenient", "discount"] {
            assert!(!counts(name), "{name}");
        }
        for name in ["len", "offset", "read_pos", "bitPos", "idx"] {
            assert!(measures(name), "{name}");
        }
        assert!(!measures("suppose") && !measures("kickoff"));
    }
}
