//! Parses contracts.

use super::{Contract, Direction, ParameterContract, PermittedValues, Size};

/// What is wrong with a contract, and how to correct it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContractError {
    #[error("`{0}` is no option: use inArraySize, outArraySize or arraySize, each with a number")]
    Option(String),
    #[error("`{found}` is no size: from 1 to {}", MOST_ELEMENTS)]
    Size { found: String },
    #[error("`{0}` is no value: use sym, a number, or low..high")]
    Value(String),
    #[error("{low}..{high} holds no value")]
    EmptyRange { low: i128, high: i128 },
    #[error("`{0}` says nothing of a parameter: use in, out, inout, nullable, alias=NAME or within=NAME")]
    Word(String),
    #[error("`{0}` is not closed")]
    Open(char),
    #[error("`{0}` stands behind the contract")]
    Behind(String),
}

/// More elements could not be compared anyway.
const MOST_ELEMENTS: u32 = 4096;

/// The contract in a comment. `None` if there is none.
pub fn parse(comment: &str) -> Option<Result<Contract, ContractError>> {
    let text = comment.trim().trim_start_matches('/').trim_start_matches('*').trim_end_matches("*/").trim();
    let rest = text.strip_prefix("@klee").or_else(|| text.strip_prefix("@perturb"))?;
    // `@kleene` is a different word.
    let is_word = rest.starts_with(|next: char| next.is_alphanumeric() || next == '_');
    (!is_word).then(|| contract(rest.trim_start()))
}

fn contract(text: &str) -> Result<Contract, ContractError> {
    let mut contract = Contract::default();
    let (options, rest) = enclosed(text, '[', ']')?;
    for option in options.map(entries).into_iter().flatten() {
        let (name, value) = option.split_once('=').ok_or_else(|| ContractError::Option(option.to_string()))?;
        let size = Some(size(value.trim())?);
        match name.trim() {
            "inArraySize" | "arraySize" => contract.array_size = size,
            "outArraySize" => contract.result_size = size,
            other => return Err(ContractError::Option(other.to_string())),
        }
    }
    let (parameters, rest) = enclosed(rest.trim_start(), '(', ')')?;
    for entry in parameters.map(entries).into_iter().flatten() {
        contract.parameters.push(parameter(entry)?);
    }
    match rest.trim() {
        "" => Ok(contract),
        rest => Err(ContractError::Behind(rest.to_string())),
    }
}

/// The text between two brackets at the start, and the text after them.
fn enclosed(text: &str, open: char, close: char) -> Result<(Option<&str>, &str), ContractError> {
    let Some(inner) = text.strip_prefix(open) else { return Ok((None, text)) };
    let (inner, rest) = inner.split_once(close).ok_or(ContractError::Open(open))?;
    Ok((Some(inner), rest))
}

fn entries(text: &str) -> impl Iterator<Item = &str> {
    let is_empty = text.trim().is_empty();
    text.split(',').map(str::trim).filter(move |_| !is_empty)
}

fn size(text: &str) -> Result<u32, ContractError> {
    let size = text.parse().ok().filter(|size| (1..=MOST_ELEMENTS).contains(size));
    size.ok_or_else(|| ContractError::Size { found: text.to_string() })
}

/// `sym`, `1`, `0..10[4] nullable`, `in[count]`
fn parameter(text: &str) -> Result<ParameterContract, ContractError> {
    let mut parameter = ParameterContract::default();
    let mut has_value = false;
    for word in text.split_whitespace() {
        let (word, of) = match word.split_once('[') {
            Some((word, of)) => (word, Some(of.strip_suffix(']').ok_or(ContractError::Open('['))?)),
            None => (word, None),
        };
        match of {
            None => {}
            Some(name) if name.starts_with(|first: char| first.is_alphabetic() || first == '_') => {
                parameter.size = Some(Size::Parameter(name.to_string()));
            }
            Some(count) => parameter.size = Some(Size::Elements(size(count)?)),
        }
        match word {
            "in" => parameter.direction = Some(Direction::In),
            "out" => parameter.direction = Some(Direction::Out),
            "inout" => parameter.direction = Some(Direction::InOut),
            "nullable" => parameter.is_nullable = true,
            _ if word.starts_with("alias=") => parameter.alias = word.strip_prefix("alias=").map(str::to_string),
            _ if word.starts_with("within=") => parameter.within = word.strip_prefix("within=").map(str::to_string),
            _ if has_value => return Err(ContractError::Word(word.to_string())),
            _ => {
                parameter.value = value(word)?;
                has_value = true;
            }
        }
    }
    match text {
        "" => Err(ContractError::Value(String::new())),
        _ => Ok(parameter),
    }
}

fn value(text: &str) -> Result<PermittedValues, ContractError> {
    let wrong = || ContractError::Value(text.to_string());
    if text == "sym" {
        return Ok(PermittedValues::Any);
    }
    if let Some((low, high)) = text.split_once("..") {
        let (low, high) = (integer(low).ok_or_else(wrong)?, integer(high).ok_or_else(wrong)?);
        return if low <= high {
            Ok(PermittedValues::Range { low, high })
        } else {
            Err(ContractError::EmptyRange { low, high })
        };
    }
    match integer(text) {
        Some(value) => Ok(PermittedValues::Integer(value)),
        None => {
            let value = text.parse().ok().filter(|value: &f64| value.is_finite());
            value.map(|value| PermittedValues::Float(value.to_bits())).ok_or_else(wrong)
        }
    }
}

/// `-5`, `0x1F`, `'a'`
fn integer(text: &str) -> Option<i128> {
    if let Some(character) = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
        let mut characters = character.chars();
        let only = characters.next().filter(|only| only.is_ascii())?;
        return characters.next().is_none().then_some(only as i128);
    }
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let magnitude = match hexadecimal {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None => digits.parse::<u64>().ok()?,
    };
    Some(sign * i128::from(magnitude))
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::Share;

    fn check(comment: &str, expected: &str) {
        let found = parse(comment).unwrap_or_else(|| panic!("{comment}")).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(found.to_string(), expected, "{comment}");
        assert_eq!(parse(&found.to_string()), Some(Ok(found)), "it can be read again");
    }

    fn refuse(comment: &str, expected: &str) {
        let found = parse(comment).unwrap_or_else(|| panic!("{comment}"));
        assert_eq!(found.unwrap_err().to_string(), expected, "{comment}");
    }

    #[test]
    fn what_nequivack_published_is_taken() {
        check("// @klee", "@perturb");
        check("// @klee[inArraySize=5,outArraySize=4](sym,1)", "@perturb[arraySize=5,outArraySize=4](sym, 1)");
        check("/* @klee(sym) */", "@perturb(sym)");
    }

    #[test]
    fn parameters_say_more() {
        let all =
            "@perturb[arraySize=6](sym[4] inout nullable, 0..10, -3..0x1f, in[count], 'a', 1.5, sym alias=a, sym \
            within=*a)";
        let written =
            "@perturb[arraySize=6](sym[4] inout nullable, 0..10, -3..31, sym[count] in, 97, 1.5, sym alias=a, sym \
             within=*a)";
        check(all, written);
    }

    #[test]
    fn other_comments_are_no_contracts() {
        for comment in ["// klee", "/* nothing */", "// @kleene", "// see @klee", "", "// @perturb_it"] {
            assert_eq!(parse(comment), None, "{comment}");
        }
    }

    #[test]
    fn what_is_wrong_is_told() {
        refuse(
            "// @klee[size=5]",
            "`size` is no option: use inArraySize, outArraySize or arraySize, each with a number",
        );
        refuse("// @klee[inArraySize=0]", "`0` is no size: from 1 to 4096");
        refuse("// @klee(sym", "`(` is not closed");
        refuse("// @klee(maybe)", "`maybe` is no value: use sym, a number, or low..high");
        refuse(
            "// @perturb(sym odd)",
            "`odd` says nothing of a parameter: use in, out, inout, nullable, alias=NAME or within=NAME",
        );
        refuse("// @perturb(3..1)", "3..1 holds no value");
        refuse("// @klee(sym) int f", "`int f` stands behind the contract");
        refuse("// @klee(sym,)", "`` is no value: use sym, a number, or low..high");
    }

    #[test]
    fn fuzzed_contracts_are_read_or_refused_and_written_as_they_are_read() {
        let examples =
            ["@klee[inArraySize=5,outArraySize=4](sym,1)", "@perturb(sym[4] inout nullable, 0..10, in[count], 'a')"];
        perturb_fuzz::survives("contracts", Share::All, &examples, |bytes| {
            let Ok(text) = std::str::from_utf8(bytes) else { return };
            if let Some(Ok(contract)) = parse(text) {
                assert_eq!(parse(&contract.to_string()), Some(Ok(contract)));
            }
        });
    }
}
