//! Writes the glue: the C code after the text of a unit with which the driver calls its functions.

use super::heap::{Heap, HeapMember, HeapType, Root};
use super::layout::{List, ObjectKind};
use super::leaf::{Leaf, LeafKind};
use super::macros::without_macros;
use super::stub_code::{self, CHECK};
use super::Layout;
use perturb_csrc::{ListBy, Shape, Signature, Signatures};
use std::fmt::Write;

/// The compared functions, by their names in the unit.
#[derive(Debug, Clone, Copy)]
pub struct Functions<'f> {
    pub original: &'f str,
    pub others: &'f [String],
    /// The head of the function as written, up to its body: calls by its own name are redirected to the function being
    /// compared.
    pub head: &'f str,
    /// Its text, whose constants are tried as inputs.
    pub text: &'f str,
}

/// The text after the unit's own. It calls nothing, and uses no name that a program could define.
pub fn glue(signatures: &Signatures, signature: &Signature, layout: &Layout, functions: Functions<'_>) -> String {
    let mut out = String::new();
    let header = super::HEADER.replace("#include <stddef.h>\n", "");
    let _ = writeln!(out, "\n#line 1 \"perturb-glue\"\n{}", without_macros(&header));
    let names: Vec<&str> =
        std::iter::once(functions.original).chain(functions.others.iter().map(String::as_str)).collect();
    let _ = writeln!(
        out,
        "static __typeof__(&{}) const perturb_functions[] = {{{}}};",
        functions.original,
        names.join(",")
    );
    let _ = writeln!(out, "const unsigned perturb_function_count = {};", names.len());
    variables(signatures, layout, &mut out);
    out.push_str(&stub_code::stubs(signatures, layout));
    let is_void = signatures.ty(signature.result).shape == Shape::Void;
    let parameters: Vec<&str> = signature.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    let _ = writeln!(
        out,
        "static unsigned perturb_which;\n{}\n{{ {}perturb_functions[perturb_which]({}); }}",
        functions.head,
        if is_void { "" } else { "return " },
        parameters.join(", ")
    );
    let list_argument = |index: &usize| layout.list.filter(|list| list.parameter == *index).map(list_passed);
    let argument = |index: usize| list_argument(&index).unwrap_or_else(|| argument(signatures, signature, index));
    let arguments: Vec<String> = (0..parameters.len()).map(argument).collect();
    let call = format!("perturb_functions[perturb_chosen]({})", arguments.join(", "));
    let call = match is_void {
        true => format!("{call};"),
        false => format!(
            "__auto_type perturb_value = {call}; __builtin_memcpy(perturb_result, (void *)&perturb_value, sizeof \
             perturb_value);"
        ),
    };
    let check = if layout.trace.is_some() { CHECK } else { "" };
    let made = layout.list.map(list_made).unwrap_or_default();
    let _ = writeln!(
        out,
        "void perturb_call(unsigned perturb_chosen, unsigned char *const *perturb_given, unsigned char \
         *perturb_result)\n\
         {{ {made}perturb_which = perturb_chosen; (void)perturb_given; (void)perturb_result; {call} {check} }}"
    );
    tables(layout, &mut out);
    heap_tables(layout.heap.as_ref(), &mut out);
    let (integers, floats) = constants(functions.text);
    list(&mut out, "long long", "integers", integers.iter().map(|value| format!("{value}ll")));
    list(&mut out, "double", "floats", floats.iter().map(|value| format!("{value:?}")));
    for (name, count) in [("integer", integers.len()), ("float", floats.len())] {
        let _ = writeln!(out, "const unsigned perturb_{name}_count = {count};");
    }
    out
}

/// The text before the unit's own.
pub fn head(layout: &Layout) -> String {
    layout.stubs.iter().filter_map(super::Stub::redirection).collect()
}

/// Definitions of external variables, and of variables that were static in a function.
fn variables(signatures: &Signatures, layout: &Layout, out: &mut String) {
    for name in &layout.elsewhere {
        let _ = writeln!(out, "__typeof__({name}) {name};");
    }
    for variable in &layout.statics {
        let _ = writeln!(out, "__typeof__({}) {};", signatures.ty(variable.ty).spelling, variable.name);
    }
}

/// The expression that reads an argument from its object. It is converted to the parameter's type.
fn argument(signatures: &Signatures, signature: &Signature, index: usize) -> String {
    let ty = signatures.ty(signature.parameters[index].ty);
    let read = match (&ty.shape, ty.size) {
        (Shape::Pointer { .. }, _) => "void *".to_string(),
        (Shape::Bool, _) => return format!("(perturb_given[{index}][0] & 1)"),
        (Shape::Float, 4) => "float".to_string(),
        (Shape::Float, _) => "double".to_string(),
        (Shape::Integer { signed } | Shape::Enum { signed, .. }, size) => {
            let sign = if *signed { "signed" } else { "unsigned" };
            let name = match size {
                1 => "char",
                2 => "short",
                4 => "int",
                _ => "long long",
            };
            format!("{sign} {name}")
        }
        _ => ty.spelling.clone(),
    };
    format!("*({read} *)(void *)perturb_given[{index}]")
}

/// The expression that passes a `va_list`.
fn list_passed(list: List) -> String {
    match list.by {
        ListBy::Itself => "perturb_list".to_string(),
        ListBy::Pointer => "&perturb_list".to_string(),
    }
}

/// A `va_list` as the System V ABI for x86-64 defines it, with all integer registers used up: the arguments are in our
/// memory, followed by a guard page.
fn list_made(list: List) -> String {
    let List { parameter, fractions, .. } = list;
    let (used, saved) = (8 * 6, format!("perturb_given[{fractions}] - 8 * 6"));
    format!(
        "__builtin_va_list perturb_list; perturb_list->gp_offset = {used}; perturb_list->fp_offset = {used};\n\
         perturb_list->overflow_arg_area = perturb_given[{parameter}]; perturb_list->reg_save_area = {saved};\n"
    )
}

fn tables(layout: &Layout, out: &mut String) {
    let fixed = |object: &super::layout::Object| match object.kind {
        ObjectKind::Global | ObjectKind::Made | ObjectKind::Function => format!("(void *)&{}", object.name),
        ObjectKind::Register { address } => format!("(void *){address:#x}ul"),
        ObjectKind::Argument(_) | ObjectKind::Pointed | ObjectKind::Stream { .. } => "0".to_string(),
    };
    let is_register = |object: &super::layout::Object| u8::from(matches!(object.kind, ObjectKind::Register { .. }));
    let stream = |object: &super::layout::Object| match object.kind {
        ObjectKind::Stream { mode, state } => format!("\"{}\",{state}", mode.word()),
        _ => "0,0".to_string(),
    };
    list(
        out,
        "struct perturb_object",
        "objects",
        layout
            .objects
            .iter()
            .map(|object| format!("{{{},{},{},{}}}", object.size, fixed(object), stream(object), is_register(object))),
    );
    let likely = |at: usize| layout.likely.get(&at).copied();
    let leaves = layout.leaves.iter().enumerate().map(|(at, input)| leaf(input, likely(at)));
    list(out, "struct perturb_leaf", "leaves", leaves);
    let views: Vec<String> = layout.result.iter().chain(&layout.views).map(|view| leaf(view, None)).collect();
    list(out, "struct perturb_leaf", "views", views.iter().cloned());
    let at = |leaf: Option<usize>| match leaf {
        Some(leaf) => layout.leaves[..leaf].iter().map(|leaf| i64::from(leaf.size)).sum::<i64>(),
        None => -1,
    };
    let link = |link: &super::layout::Link| {
        let target = link.target.map_or(-1, |target| target as i64);
        let (other, other_at) = link.alias.map_or((-1, -1), |(other, leaf)| (other as i64, at(Some(leaf))));
        let (step, place_at) = link.place.map_or((0, -1), |(leaf, step)| (step, at(Some(leaf))));
        format!("{{{},{},{target},{},{other},{other_at},{place_at},{step}}}", link.object, link.offset, at(link.null))
    };
    list(out, "struct perturb_link", "links", layout.links.iter().map(link));
    let counts = [
        ("object", layout.objects.len()),
        ("leaf", layout.leaves.len()),
        ("view", views.len()),
        ("link", layout.links.len()),
    ];
    for (name, count) in counts {
        let _ = writeln!(out, "const unsigned perturb_{name}_count = {count};");
    }
    let (first, end) = layout.list.map_or((0, 0), |list| list.leaves);
    let _ = writeln!(out, "const unsigned perturb_list_first = {first}, perturb_list_end = {end};");
}

/// The tables of heap types, and of the roots that reach them.
fn heap_tables(heap: Option<&Heap>, out: &mut String) {
    let allocates = heap.is_some_and(|heap| heap.allocates);
    for (name, is_so) in [("has_heap", heap.is_some()), ("allocates", allocates)] {
        let _ = writeln!(out, "const unsigned perturb_{name} = {};", u8::from(is_so));
    }
    let (mut types, mut fields): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let field = |member: &HeapMember| {
        let (bit, bits) = member.bits.unwrap_or_default();
        format!("{{{},{},{bit},{bits}}}", member.offset, member.ty)
    };
    for (size, ty) in heap.iter().flat_map(|heap| heap.types.iter().enumerate().map(|(at, ty)| (heap.size(at), ty))) {
        let (kind, of, count) = match ty {
            HeapType::Bytes { .. } => ('b', 0, 0),
            HeapType::Characters { .. } => ('c', 0, 0),
            HeapType::Number { kind: LeafKind::Float, .. } => ('f', 0, 0),
            HeapType::Number { .. } => ('i', 0, 0),
            HeapType::Pointer { to } => ('p', *to, 0),
            HeapType::Array { of, count } => ('a', *of, *count),
            HeapType::Record { members, .. } => {
                fields.extend(members.iter().map(field));
                ('s', fields.len() - members.len(), members.len() as u64)
            }
        };
        types.push(format!("{{'{kind}',{size},{of},{count}}}"));
    }
    list(out, "struct perturb_type", "types", types.into_iter());
    list(out, "struct perturb_field", "fields", fields.into_iter());
    let roots: Vec<String> = heap.iter().flat_map(|heap| &heap.roots).map(root).collect();
    let _ = writeln!(out, "const unsigned perturb_root_count = {};", roots.len());
    list(out, "struct perturb_root", "roots", roots.into_iter());
}

fn root(root: &Root) -> String {
    format!("{{{},{},{}}}", object_number(root.object), root.offset, root.ty)
}

/// The result is not in the table of objects.
fn object_number(object: usize) -> usize {
    if object == usize::MAX {
        0xffff
    } else {
        object
    }
}

fn leaf(leaf: &Leaf, likely: Option<(i64, i64)>) -> String {
    let kind = match leaf.kind {
        LeafKind::Signed => 'i',
        LeafKind::Unsigned | LeafKind::Length => 'u',
        LeafKind::Float => 'f',
        LeafKind::Bool => 'b',
        LeafKind::Choice => 'n',
        LeafKind::Offset => 'o',
        LeafKind::Pointer => 'p',
        LeafKind::Refusal => 'm',
    };
    let object = object_number(leaf.object);
    let (low, high) = leaf.range.map_or((1, 0), |(low, high)| (low as i64, high as i64));
    let number = |value: i64| match value {
        i64::MIN => "(-9223372036854775807ll - 1)".to_string(),
        value => format!("{value}ll"),
    };
    let (low, high) = (number(low), number(high));
    let (least, most) = likely.unwrap_or((1, 0));
    let (size, is_element, offset) = (leaf.size, u8::from(leaf.is_element), leaf.offset);
    format!("{{'{kind}',{size},{is_element},{object},{offset},{low},{high},{least},{most}}}")
}

/// C has no empty arrays.
fn list(out: &mut String, ty: &str, name: &str, rows: impl Iterator<Item = String>) {
    let rows: Vec<String> = rows.collect();
    let rows = if rows.is_empty() { "0".to_string() } else { rows.join(",") };
    let _ = writeln!(out, "const {ty} perturb_{name}[] = {{{rows}}};");
}

/// The numeric literals in a text.
fn constants(text: &str) -> (Vec<i64>, Vec<f64>) {
    let (mut integers, mut floats) = (Vec::new(), Vec::new());
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '.';
    for word in
        text.split(|letter| !is_word(letter)).filter(|word| word.starts_with(|first: char| first.is_ascii_digit()))
    {
        let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
        let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
        let integer = match hexadecimal {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None if digits.starts_with('0') && digits.len() > 1 => u64::from_str_radix(&digits[1..], 8).ok(),
            None => digits.parse().ok(),
        };
        match integer {
            Some(value) => integers.push(value as i64),
            None => floats.extend(
                word.trim_end_matches(['f', 'F', 'l', 'L']).parse::<f64>().ok().filter(|value| value.is_finite()),
            ),
        }
    }
    // Character literals are tried as well.
    let letters = text.split('\'').skip(1).step_by(2).filter(|letter| letter.len() == 1);
    integers.extend(letters.map(|letter| i64::from(letter.as_bytes()[0])));
    floats.extend(integers.iter().map(|value| *value as f64).collect::<Vec<_>>());
    integers.sort_unstable();
    integers.dedup();
    floats.sort_by(f64::total_cmp);
    floats.dedup();
    integers.truncate(MOST_CONSTANTS);
    floats.truncate(MOST_CONSTANTS);
    (integers, floats)
}

const MOST_CONSTANTS: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_of_all_kinds_are_found() {
        let (integers, floats) = constants("if (x > 10u && y == 0x1F) return 'a' + 1.5f * 017 - a2;");
        assert_eq!(integers, [10, 15, 31, 97]);
        assert_eq!(floats, [1.5, 10.0, 15.0, 31.0, 97.0]);
    }
}
