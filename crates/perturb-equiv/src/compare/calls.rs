//! Describes calls of stubs in words.

use crate::native::{Layout, PartKind, RecordedArgument, RecordedValue, StubCall};

/// Each recorded argument, `channel in call 1 of sensor()`, with its value.
pub(super) fn described(layout: &Layout, seen: &[u8]) -> Vec<(String, String)> {
    let calls = layout.stub_calls(seen);
    let mut found = Vec::new();
    if !calls.is_empty() {
        let names: Vec<String> = calls.iter().map(|call| format!("{}()", layout.stubs[call.stub].name)).collect();
        let more = if layout.is_trace_full(seen) { " and more" } else { "" };
        found.push(("the order of calls".to_string(), format!("{}{more}", names.join(", "))));
    }
    for call in &calls {
        found.extend(call.given.iter().map(|given| (name(layout, call, given), value(given))));
    }
    found
}

fn name(layout: &Layout, call: &StubCall<'_>, given: &RecordedArgument<'_>) -> String {
    let parameter = &layout.kept[call.stub][given.parameter].name;
    let what = match given.part.kind {
        PartKind::Text => format!("*{parameter}"),
        PartKind::Message(_) => format!("what {parameter} prints"),
        _ => given.part.shown(parameter),
    };
    format!("{what} in call {} of {}()", call.number + 1, layout.stubs[call.stub].name)
}

fn value(given: &RecordedArgument<'_>) -> String {
    match (&given.part.kind, &given.value) {
        (PartKind::Integer { is_signed: true, .. }, RecordedValue::Bits(bits)) => (*bits as i64).to_string(),
        (PartKind::Float { size: 4 }, RecordedValue::Bits(bits)) => format!("{:?}", f64::from_bits(*bits) as f32),
        (PartKind::Float { .. }, RecordedValue::Bits(bits)) => format!("{:?}", f64::from_bits(*bits)),
        (_, RecordedValue::Bits(bits)) => bits.to_string(),
        (_, RecordedValue::Pointer { is_null: true }) => "NULL".to_string(),
        (_, RecordedValue::Pointer { is_null: false }) => "not NULL".to_string(),
        (_, RecordedValue::Text { letters, is_whole }) => {
            let more = if *is_whole { "" } else { "..." };
            format!("\"{}{more}\"", letters.escape_ascii())
        }
    }
}
