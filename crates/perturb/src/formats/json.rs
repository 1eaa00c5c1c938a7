//! JSON: one array, or one object per line. All JSON is written here. Besides the characters that JSON has to escape,
//! it escapes hidden characters (`\u202e`), which could control a terminal, and those that begin a command to a build
//! server. The values stay the same.

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

/// Writes without blanks or line feeds.
pub fn write(value: &(impl Serialize + ?Sized), out: &mut (impl Write + ?Sized)) -> Result<()> {
    value.serialize(&mut Serializer::with_formatter(out, Visible(CompactFormatter)))?;
    Ok(())
}

/// Writes without blanks, and ends the line.
pub fn write_line(value: &(impl Serialize + ?Sized), out: &mut (impl Write + ?Sized)) -> Result<()> {
    write(value, out)?;
    out.write_all(b"\n")
}

/// Writes with indentation, and ends the line.
pub fn write_pretty(value: &(impl Serialize + ?Sized), out: &mut (impl Write + ?Sized)) -> Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, Visible(PrettyFormatter::new())))?;
    out.write_all(b"\n")
}

/// Another formatter, with hidden characters in strings escaped.
struct Visible<F>(F);

/// Methods that only call the other formatter.
macro_rules! forward {
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

    forward! {
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
    fn hidden_characters_are_escaped_and_values_stay_the_same() {
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
