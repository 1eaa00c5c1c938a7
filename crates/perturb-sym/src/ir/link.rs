//! Links modules: a declaration in one gets the definition of another.

use super::{Body, Global, GlobalKind, Module, Symbol};

impl Module {
    /// Adds the definitions of another module that this one lacks. The other's internal symbols must be unique: see
    /// [`with_own_names`].
    pub fn link(&mut self, other: Module) {
        let first_file = self.files.len() as u32;
        self.files.extend(other.files);
        self.has_assembly |= other.has_assembly;
        self.unsupported.extend(other.unsupported);
        for mut function in other.functions {
            if let Body::Defined(definition) = &mut function.body {
                let instructions = definition.blocks.iter_mut().flat_map(|block| &mut block.instructions);
                instructions
                    .filter_map(|instruction| instruction.position.as_mut())
                    .for_each(|position| position.file += first_file);
            }
            match self.by_name.get(&function.name) {
                None => {
                    self.by_name.insert(function.name.clone(), Symbol::Function(self.functions.len()));
                    self.functions.push(function);
                }
                Some(Symbol::Function(at)) if matches!(self.functions[*at].body, Body::Declared) => {
                    self.functions[*at] = function;
                }
                Some(_) => {}
            }
        }
        for global in other.globals {
            match self.by_name.get(&global.name) {
                None => {
                    self.by_name.insert(global.name.clone(), Symbol::Global(self.globals.len()));
                    self.globals.push(global);
                }
                Some(Symbol::Global(at)) if is_declared(&self.globals[*at]) => self.globals[*at] = global,
                Some(_) => {}
            }
        }
    }
}

fn is_declared(global: &Global) -> bool {
    matches!(&global.kind, GlobalKind::Variable(variable) if variable.initialiser.is_none())
}

/// Renames the internal functions and variables of a module's text by appending a suffix.
pub fn with_own_names(text: &str, ending: &str) -> String {
    let own: std::collections::HashSet<&str> = text.lines().filter_map(own_name).collect();
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    let mut rest = text;
    while let Some(at) = rest.find(['@', '"']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = match rest.strip_prefix('@') {
            Some(behind) => 1 + name_length(behind),
            // Quoted text is not renamed.
            None => 1 + rest[1..].find('"').map_or(rest.len() - 1, |close| close + 1),
        };
        let (word, behind) = rest.split_at(end);
        match word.strip_prefix('@').filter(|name| own.contains(name)) {
            Some(name) => match name.strip_suffix('"') {
                Some(quoted) => out.extend(["@", quoted, ending, "\""]),
                None => out.extend([word, ending]),
            },
            None => out.push_str(word),
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// The internal name that a line defines.
fn own_name(line: &str) -> Option<&str> {
    if let Some(behind) = line.strip_prefix('@') {
        let (name, definition) = behind.split_at(name_length(behind));
        let mut words = definition.trim_start_matches(" = ").split(' ');
        return matches!(words.next(), Some("private" | "internal")).then_some(name);
    }
    let definition = line.strip_prefix("define internal ").or_else(|| line.strip_prefix("define private "))?;
    let behind = &definition[definition.find('@')? + 1..];
    Some(&behind[..name_length(behind)])
}

/// The length of the name at the start of a text, with quotes.
fn name_length(text: &str) -> usize {
    if let Some(quoted) = text.strip_prefix('"') {
        return quoted.find('"').map_or(text.len(), |close| close + 2);
    }
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "$._-".contains(letter);
    text.find(|letter| !is_part(letter)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "\
target datalayout = \"e-m:e-i64:64-n8:16:32:64-S128\"
@own = internal global i32 1
declare i32 @twice(i32)
define i32 @f(i32 %x) {
  %y = call i32 @twice(i32 %x)
  ret i32 %y
}
";
    const SECOND: &str = "\
target datalayout = \"e-m:e-i64:64-n8:16:32:64-S128\"
@own = internal global i32 2
@\"quoted name\" = private constant [5 x i8] c\"@own\\00\"
define i32 @twice(i32 %x) {
  %y = call i32 @helper(i32 %x)
  ret i32 %y
}
define internal i32 @helper(i32 %x) {
  %o = load i32, ptr @own
  %y = mul i32 %x, %o
  ret i32 %y
}
";

    #[test]
    fn what_one_declares_and_the_other_defines_is_defined_and_what_is_private_stays_apart() {
        let text = with_own_names(SECOND, ".1");
        assert!(text.contains("c\"@own\\00\"") && text.contains("@\"quoted name.1\" = private"), "{text}");
        assert!(text.contains("call i32 @helper.1(i32 %x)") && text.contains("define i32 @twice("), "{text}");
        let mut module = Module::parse(FIRST);
        assert!(module.function("twice").unwrap().definition().is_none());
        module.link(Module::parse(&text));
        for name in ["f", "twice", "helper.1"] {
            assert!(module.function(name).unwrap().definition().is_some(), "{name}");
        }
        assert!(
            module.global("own").is_some() && module.global("own.1").is_some() && module.function("helper").is_none()
        );
    }
}
