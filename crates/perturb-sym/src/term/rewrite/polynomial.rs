//! Sums of products, multiplied out to see whether they cancel. Terms stay as they are written otherwise: multiplied
//! out they would have more products, which are dear in circuits.

use std::collections::BTreeMap;

use super::super::{mask, Op, Term, Terms};
use super::linear::Linear;

/// More products than this are not looked at.
const MOST_PRODUCTS: usize = 64;
/// Products of sums of products, and so on, this deep.
const MAX_DEPTH: u32 = 4;

/// Coefficients of products; a product is its factors in order, the constant has none.
type Polynomial = BTreeMap<Vec<Term>, u128>;

/// The value of a sum that is the same for all values of its terms, once it is multiplied out.
pub(super) fn constant(terms: &Terms, sum: &Linear) -> Option<u128> {
    let has_product = sum.parts.iter().any(|(term, _)| terms.matches(*term, Op::Mul).is_some());
    if !has_product {
        return None;
    }
    let polynomial = multiplied_out(terms, sum, MAX_DEPTH)?;
    match polynomial.len() {
        0 => Some(0),
        1 => polynomial.get(&Vec::new()).copied(),
        _ => None,
    }
}

fn multiplied_out(terms: &Terms, sum: &Linear, depth: u32) -> Option<Polynomial> {
    let mut result = Polynomial::from([(Vec::new(), sum.constant)]);
    for (term, scale) in &sum.parts {
        let addend = match terms.matches(*term, Op::Mul) {
            Some([a, b, _]) if depth > 0 => {
                let [a, b] = [a, b].map(|factor| Linear::of(terms, &[(factor, 1)], sum.width));
                let (a, b) = (multiplied_out(terms, &a, depth - 1)?, multiplied_out(terms, &b, depth - 1)?);
                product(&a, &b)?
            }
            _ => Polynomial::from([(vec![*term], 1)]),
        };
        for (factors, coefficient) in addend {
            let sum = result.entry(factors).or_default();
            *sum = sum.wrapping_add(coefficient.wrapping_mul(*scale));
        }
    }
    for coefficient in result.values_mut() {
        *coefficient &= mask(sum.width);
    }
    result.retain(|_, coefficient| *coefficient != 0);
    (result.len() <= MOST_PRODUCTS).then_some(result)
}

fn product(a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
    if a.len() * b.len() > MOST_PRODUCTS {
        return None;
    }
    let mut result = Polynomial::new();
    for (one, x) in a {
        for (other, y) in b {
            let mut factors = [one.as_slice(), other].concat();
            factors.sort_unstable();
            let sum = result.entry(factors).or_default();
            *sum = sum.wrapping_add(x.wrapping_mul(*y));
        }
    }
    Some(result)
}
