//! The checks of stub calls against those of the original.

use super::literal::{literal, quoted, NumberKind};
use super::stage::Stage;
use super::stand_ins::{copy, member, StandIn};
use crate::native::call_trace::{RecordedArgument, RecordedValue, StubCall};
use crate::native::floats::comparing;
use crate::native::kept::PartKind;
use perturb_model::Difference;

impl Stage<'_> {
    /// The checks of each stub that is called: the number of calls, and the arguments.
    pub(super) fn call_checks(&self, by: &Difference) -> Vec<String> {
        let calls = self.layout.stub_calls(&by.original);
        let is_ordered = self.is_order_changed(&calls, by);
        let mut found = Vec::new();
        for (at, _, named) in self.stand_ins.answering() {
            let count = |seen: &[u8]| self.layout.stub_call_count(seen, at);
            let (own, other) = (count(&by.original).unwrap_or(0), count(&by.other));
            if own > 0 || other.is_some_and(|other| other != own) {
                found.push(format!("{}.calls == {own}", named.state));
            }
            let of_it = calls.iter().enumerate().filter(|(_, call)| call.stub == at);
            for (turn, call) in of_it {
                if is_ordered {
                    found.push(format!("{}.turn == {}", named.part("given", call.number), turn + 1));
                }
                for (index, given) in call.given.iter().enumerate() {
                    // A check of a string's characters implies that its pointer is not null.
                    let next = call.given.get(index + 1).map(|next| &next.value);
                    if !matches!(next, Some(RecordedValue::Text { letters, .. }) if !letters.is_empty()) {
                        found.extend(self.given_check(named, call, given));
                    }
                }
            }
        }
        found
    }

    /// Whether both make the same calls in another order.
    fn is_order_changed(&self, calls: &[StubCall<'_>], by: &Difference) -> bool {
        let others = self.layout.stub_calls(&by.other);
        let order = |calls: &[StubCall<'_>]| calls.iter().map(|call| call.stub).collect::<Vec<_>>();
        let (own, other) = (order(calls), order(&others));
        let sorted = |mut order: Vec<usize>| {
            order.sort_unstable();
            order
        };
        own != other && sorted(own) == sorted(other)
    }

    /// `sensor_stub.given[0].channel == 4`
    fn given_check(&self, named: &StandIn, call: &StubCall<'_>, given: &RecordedArgument<'_>) -> Option<String> {
        let (record, kept) = (named.part("given", call.number), &self.layout.kept[call.stub][given.parameter]);
        let path = match given.part.from_behind() {
            Some(part) => part.expression(&format!("{record}.{}", copy(kept))),
            None => given.part.expression(&format!("{record}.{}", member(kept))),
        };
        Some(match (&given.part.kind, &given.value) {
            (PartKind::Integer { ty, .. }, RecordedValue::Bits(bits)) => {
                let number = self.types.number(*ty)?;
                format!("{path} == {}", literal(number, self.types.size(*ty), *bits))
            }
            (PartKind::Float { size: 4 }, RecordedValue::Bits(bits)) => {
                let narrow = (f64::from_bits(*bits) as f32).to_bits();
                format!(
                    "{}({path}, {})",
                    comparing(self.tolerance, 4),
                    literal(NumberKind::Float, 4, u64::from(narrow))
                )
            }
            (PartKind::Float { .. }, RecordedValue::Bits(bits)) => {
                format!("{}({path}, {})", comparing(self.tolerance, 8), literal(NumberKind::Float, 8, *bits))
            }
            (PartKind::Text | PartKind::Message(_), RecordedValue::Text { letters, .. }) => {
                format!("__builtin_strcmp({record}.{}, {}) == 0", copy(kept), quoted(letters))
            }
            (PartKind::Pointer { .. }, RecordedValue::Pointer { is_null: true }) => format!("{path} == NULL"),
            (PartKind::Pointer { .. }, RecordedValue::Pointer { is_null: false }) => format!("{path} != NULL"),
            _ => return None,
        })
    }
}
