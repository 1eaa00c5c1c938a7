//! Names the parts of objects, as C expressions.

/// A member of an object of this name, which may be `*p`.
pub(super) fn member(of: &str, name: &str) -> String {
    match of.strip_prefix('*') {
        _ if name.is_empty() => of.to_string(),
        Some(pointer) if pointer.starts_with('*') => format!("({pointer})->{name}"),
        Some(pointer) => format!("{pointer}->{name}"),
        None => format!("{of}.{name}"),
    }
}

/// An element of an array of this name.
pub(super) fn element(of: &str, at: u64) -> String {
    match of.starts_with('*') {
        true => format!("({of})[{at}]"),
        false => format!("{of}[{at}]"),
    }
}

/// Without the indices of elements: `items[].next`
pub(super) fn general(name: &str) -> String {
    let mut parts = name.split('[');
    let mut general = parts.next().unwrap_or_default().to_string();
    for part in parts {
        general.push('[');
        general.push_str(part.trim_start_matches(|letter: char| letter.is_ascii_digit()));
    }
    general
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_c_would_write() {
        assert_eq!(member("point", "x"), "point.x");
        assert_eq!(member("*list", "next"), "list->next");
        assert_eq!(member("**end", "next"), "(*end)->next");
        assert_eq!(element("*rows", 2), "(*rows)[2]");
        assert_eq!(element(&member("*list", "items"), 2), "list->items[2]");
        assert_eq!(general("list[12]->items[2].name"), "list[]->items[].name");
    }
}
