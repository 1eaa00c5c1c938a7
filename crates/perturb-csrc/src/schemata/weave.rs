//! Weaving: writes text around parts of a span of source. It removes only operators that a call replaces, and adds no
//! line, so that every token stays on its line.

use crate::source::SourceRange;
use std::borrow::Cow;

/// In what a wrap writes: the file and the point, as the first two arguments of a call.
pub(super) const POINT: u8 = 1;
/// The same with a third: the decision that it is inside of.
pub(super) const PLACE: u8 = 3;
/// In what a wrap writes: the counter of a statement.
pub(super) const COUNTER: u8 = 2;

/// The nesting order of two wraps with the same range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Layer {
    Counter,
    Deletion,
    Variants,
    Negation,
    Decision,
    Value,
}

/// Something written around a range, and in place of one token in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrap {
    pub(super) range: SourceRange,
    pub(super) layer: Layer,
    pub(super) open: Vec<u8>,
    /// Whole texts of alternatives with their codes, between what opens and the original.
    pub(super) variants: Vec<(u8, Vec<u8>)>,
    /// Between the last variant and the original.
    pub(super) tail: Vec<u8>,
    pub(super) swap: Option<(SourceRange, Vec<u8>)>,
    pub(super) close: Vec<u8>,
    /// The point, for a decision its first one, or for a counter the statement, by its number in the function.
    pub(super) number: u32,
    /// It is a point in a decision.
    pub(super) is_inside: bool,
}

/// The values of the marks in a wrap's text for one file.
#[derive(Debug, Clone, Copy)]
pub(super) struct MarkNames<'n> {
    pub key: &'n str,
    pub first_point: u32,
    pub first_statement: u32,
}

impl MarkNames<'_> {
    fn write(&self, text: &[u8], wrap: &Wrap, out: &mut Vec<u8>) {
        let number = wrap.number;
        for &byte in text {
            match byte {
                POINT | PLACE => {
                    let (key, point) = (self.key, self.first_point + number);
                    out.extend_from_slice(format!("&__perturb_f{key},{point}").as_bytes());
                    if byte == PLACE {
                        out.extend_from_slice(if wrap.is_inside { b",&__perturb_d" } else { b",0" });
                    }
                }
                COUNTER => {
                    let (key, statement) = (self.key, self.first_statement + number);
                    out.extend_from_slice(format!("__perturb_n{key}[{statement}]").as_bytes());
                }
                _ => out.push(byte),
            }
        }
    }
}

/// One thing to write at one place. At the same place, what ends there comes before what starts there; inner ends
/// before outer ones, outer starts before inner ones.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct WeaveOrder(u32, u8, std::cmp::Reverse<u32>, std::cmp::Reverse<i8>);

/// Selects the variants of a point that are written.
pub(super) trait VariantFilter {
    /// Whether the alternative of a point with this code is written at all.
    fn takes(&self, point: u32, code: u8) -> bool;
    /// A line number of its own for the alternative, to find out which one does not compile.
    fn line_of(&self, point: u32, code: u8) -> Option<u32>;
    /// The line of a place in the source.
    fn source_line(&self, offset: u32) -> u32;
}

impl Wrap {
    /// The text before the original.
    fn opening(&self, filter: &dyn VariantFilter) -> Vec<u8> {
        let mut text = self.open.clone();
        for (code, variant) in self.variants.iter().filter(|(code, _)| filter.takes(self.number, *code)) {
            match filter.line_of(self.number, *code) {
                None => text.extend_from_slice(variant),
                Some(line) => {
                    text.extend_from_slice(format!("\n#line {line}\n").as_bytes());
                    text.extend_from_slice(variant);
                    let back = filter.source_line(self.range.start);
                    text.extend_from_slice(format!("\n#line {back}\n").as_bytes());
                }
            }
        }
        text.extend_from_slice(&self.tail);
        text
    }
}

/// The text of `range` with all `wraps` inside it.
pub(super) fn weave<'w>(
    text: &[u8],
    range: SourceRange,
    wraps: impl Iterator<Item = &'w Wrap>,
    names: MarkNames<'_>,
    filter: &dyn VariantFilter,
    out: &mut Vec<u8>,
) {
    use std::cmp::Reverse;
    // Where, the length of what it replaces, what is written.
    let mut writes: Vec<(WeaveOrder, u32, Cow<'_, [u8]>, &Wrap)> = Vec::new();
    for wrap in wraps.filter(|wrap| range.contains(wrap.range)) {
        let (SourceRange { start, end }, layer) = (wrap.range, wrap.layer as i8);
        writes.push((WeaveOrder(start, 2, Reverse(end), Reverse(-layer)), 0, wrap.opening(filter).into(), wrap));
        writes.push((WeaveOrder(end, 0, Reverse(start), Reverse(layer)), 0, (&wrap.close[..]).into(), wrap));
        if let Some((token, text)) = &wrap.swap {
            writes.push((
                WeaveOrder(token.start, 1, Reverse(token.end), Reverse(0)),
                token.len(),
                (&text[..]).into(),
                wrap,
            ));
        }
    }
    writes.sort_by(|a, b| a.0.cmp(&b.0));
    let mut at = range.start;
    for (WeaveOrder(place, ..), replaced, written, wrap) in writes {
        out.extend_from_slice(&text[at as usize..place as usize]);
        names.write(&written, wrap, out);
        at = place + replaced;
    }
    out.extend_from_slice(&text[at as usize..range.end as usize]);
}

#[cfg(test)]
mod tests {
    use super::*;

    struct All;

    impl VariantFilter for All {
        fn takes(&self, _: u32, _: u8) -> bool {
            true
        }

        fn line_of(&self, _: u32, _: u8) -> Option<u32> {
            None
        }

        fn source_line(&self, _: u32) -> u32 {
            1
        }
    }

    #[test]
    fn wraps_nest_by_range_and_then_by_layer() {
        let wrap = |start, end, layer, open: &str, swap: Option<(u32, &str)>| Wrap {
            range: SourceRange::new(start, end),
            layer,
            open: format!("{open}(\u{1},").into_bytes(),
            variants: Vec::new(),
            tail: Vec::new(),
            swap: swap.map(|(at, text)| (SourceRange::new(at, at + 1), text.as_bytes().to_vec())),
            close: b")".to_vec(),
            number: start,
            is_inside: false,
        };
        let wraps = [
            wrap(0, 1, Layer::Value, "a", None),
            wrap(0, 5, Layer::Value, "plus", Some((2, ","))),
            wrap(4, 5, Layer::Value, "b", None),
            wrap(0, 5, Layer::Negation, "not", None),
        ];
        let mut out = Vec::new();
        let names = MarkNames { key: "K", first_point: 10, first_statement: 0 };
        weave(b"a + b;", SourceRange::new(0, 6), wraps.iter(), names, &All, &mut out);
        let call = |name: &str, point: u32| format!("{name}(&__perturb_fK,{point},");
        let expected = [&call("not", 10), &call("plus", 10), &call("a", 10), "a) , ", &call("b", 14), "b)));"];
        assert_eq!(String::from_utf8(out).unwrap(), expected.concat());
    }
}
