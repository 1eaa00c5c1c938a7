//! JSON: one array, or one object a line. All JSON is written here: besides what JSON itself asks for, characters
//! without a shape are written as `\u202e`, which means the same and does nothing to a terminal, nor is anything a
//! command to a build server.

use super::Record;
use crate::visible;
use perturb_model::Mutant;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};
use std::io::{Result, Write};

pub fn write_array(mutants: &[Mutant], out: &mut impl Write) -> Result<()> {
    for (i, mutant) in mutants.iter().enumerate() {
        out.write_all(if i == 0 { b"[\n" } else { b",\n" })?;
        write(&Record::of(mutant), out)?;
    }
    out.write_all(if mutants.is_empty() { b"[]\n" } else { b"\n]\n" })
}

pub fn write_lines(mutants: &[Mutant], out: &mut impl Write) -> Result<()> {
    mutants.iter().try_for_each(|mutant| write_line(&Record::of(mutant), out))
}

/// In as little room as there can be.
pub fn write(value: &(impl Serialize + ?Sized), out: &mut (impl Write + ?Sized)) -> Result<()> {
    value.serialize(&mut Serializer::with_formatter(out, Visible(CompactFormatter)))?;
    Ok(())
}

/// The same, and the end of a line.
pub fn write_line(value: &(impl Serialize + ?Sized), out: &mut (impl Write + ?Sized)) -> Result<()> {
    write(value, out)?;
    out.write_all(b"\n")
}

/// With indentation, and the end of a line.
pub fn write_pretty(value: &(impl Serialize + ?Sized), out: &mut (impl Write + ?Sized)) -> Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, Visible(PrettyFormatter::new())))?;
    out.write_all(b"\n")
}

/// Another formatter, whose strings have no character without a shape.
struct Visible<F>(F);

/// What is handed on as it is.
macro_rules! hand_on {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        $(fn $name<W: Write + ?Sized>(&mut self, out: &mut W $(, $argument: $type)*) -> Result<()> {
            self.0.$name(out $(, $argument)*)
        })*
    };
}

impl<F: Formatter> Formatter for Visible<F> {
    fn write_string_fragment<W: Write + ?Sized>(&mut self, out: &mut W, text: &str) -> Result<()> {
        let mut written = 0;
        for (at, character) in text.char_indices() {
            if visible::is_hidden(character) || visible::opens_command(&text[..at], character) {
                out.write_all(&text.as_bytes()[written..at])?;
                for unit in character.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}")?;
                }
                written = at + character.len_utf8();
            }
        }
        out.write_all(&text.as_bytes()[written..])
    }

    hand_on! {
        begin_array();
        end_array();
        begin_array_value(first: bool);
        end_array_value();
        begin_object();
        end_object();
        begin_object_key(first: bool);
        end_object_key();
        begin_object_value();
        end_object_value();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_has_no_shape_is_escaped_and_means_the_same() {
        let value = json!({ "a\u{202e}": ["\x1b\u{9b}\x7f\r\n\u{e0041}é🙂##[x", { "b": [] }] });
        let mut compact = Vec::new();
        write_line(&value, &mut compact).unwrap();
        let text = String::from_utf8(compact).unwrap();
        assert_eq!(text, "{\"a\\u202e\":[\"\\u001b\\u009b\\u007f\\r\\n\\udb40\\udc41é🙂##\\u005bx\",{\"b\":[]}]}\n");
        let mut pretty = Vec::new();
        write_pretty(&value, &mut pretty).unwrap();
        let pretty = String::from_utf8(pretty).unwrap();
        assert!(pretty.starts_with("{\n  \"a\\u202e\": [\n"), "{pretty}");
        for written in [&text, &pretty] {
            assert_eq!(serde_json::from_str::<serde_json::Value>(written).unwrap(), value);
        }
    }
}
