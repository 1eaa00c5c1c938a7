//! Derives a contract for a function that has none: it states the default assumptions, and guesses which parameter
//! holds the number of elements behind which pointer.

use super::{Contract, ParameterContract, Size};
use perturb_csrc::{Parameter, Shape, Signature, Signatures, Start, TypeId};

/// Names of parameters that count elements, complete or as the last word of a name.
const COUNTS: [&str; 12] =
    ["n", "cap", "capacity", "len", "length", "size", "sz", "count", "cnt", "num", "nmemb", "nelem"];

/// Names of numbers that are an index of such an element.
const PLACES: [&str; 7] = ["offset", "off", "pos", "position", "index", "idx", "depth"];

/// The contract of a function, with this many elements behind each pointer for which nothing else is known.
pub fn derive(signatures: &Signatures, signature: &Signature, elements: u32) -> Contract {
    let parameters = &signature.parameters;
    let of = |at: usize| {
        // A pointer to streams points to one stream.
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

/// A pointer in the notation of contracts: `p`, `*p`.
pub(crate) fn named(parameters: &[Parameter], start: Start) -> String {
    format!("{}{}", if start.is_behind { "*" } else { "" }, parameters[start.parameter].name)
}

/// A proposal for a user who knows the numbers of elements better: these numbers are written out, with one record
/// behind each pointer to records. `None` if there is no such pointer.
pub fn proposed(signatures: &Signatures, signature: &Signature) -> Option<Contract> {
    let mut contract = derive(signatures, signature, super::ARRAY_SIZE);
    let mut is_asked = false;
    for (own, parameter) in contract.parameters.iter_mut().zip(&signature.parameters) {
        let Shape::Pointer { to } = signatures.ty(parameter.ty).shape else { continue };
        match (&signatures.ty(to).shape, &own.size) {
            // The targets of these are opaque.
            (Shape::Function { .. } | Shape::Stream | Shape::Other, _) => own.size = None,
            (_, Some(Size::Parameter(_))) => contract.array_size = Some(super::ARRAY_SIZE),
            (Shape::Struct { .. } | Shape::Union { .. }, _) => own.size = Some(Size::Elements(1)),
            _ => {}
        }
        is_asked |= own.size.is_some();
    }
    is_asked.then_some(contract)
}

/// The parameter that probably holds the number of elements behind a pointer: the next one, or the previous one unless
/// that follows another pointer.
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

/// The same, or `offset`, `bitPos`: a number that is at most a count.
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
