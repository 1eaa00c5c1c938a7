//! Functions of other files of the project: a function that calls one is compared with its body at hand, if that body
//! leaves nothing behind that cannot be seen from outside. For all others something stands in. Tests may also have
//! bodies that only read what the program starts with.

use super::read_unit::{read_unit, ReadUnit};
use crate::native::{is_allocating, is_known, is_streaming, Others};
use crate::EquivError;
use perturb_csrc::{Global, Libclang, Signature};
use perturb_host::{mean_the_same, CompileCommand, CompilerFacts, CompilerProbe, Project, Unit};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// A unit whose functions are called.
#[derive(Debug)]
pub struct LinkedUnit {
    /// Its place among the units of the project, which no other has.
    pub number: usize,
    pub command: CompileCommand,
    pub facts: Arc<CompilerFacts>,
    /// The same for clang.
    pub clang: Arc<Vec<String>>,
}

/// What of other files goes into a program.
#[derive(Debug, Clone, Default)]
pub(super) struct Bodies {
    pub others: Others,
    pub units: Vec<Arc<LinkedUnit>>,
}

/// Which bodies are wanted of what a function calls.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wanted<'w> {
    /// Those without variables: what they keep to themselves could neither be set nor be seen.
    Stateless,
    /// Those, too, that read variables which none of them writes, by a function of this file: what it is not given is
    /// as the program starts with it, in every call. Where nothing is found, that says nothing of other states.
    Reading { by: &'w Signature, of: &'w Path },
}

impl Wanted<'_> {
    /// Whether a function may come along, by the variables that it uses.
    fn has(self, signature: &Signature) -> bool {
        let keeps_nothing = signature.statics.is_empty() && signature.volatiles.is_empty();
        let is_plain = match self {
            Self::Stateless => signature.globals.is_empty(),
            Self::Reading { by, .. } => signature.globals.iter().all(|global| is_only_read(global, by)),
        };
        keeps_nothing && is_plain && signature.assembly.is_none()
    }

    /// Whether a unit is the one that all this is for: the program has it already.
    fn is_own(self, command: &CompileCommand) -> bool {
        matches!(self, Self::Reading { of, .. } if of == command.file)
    }
}

/// Whether a variable is what the program starts with whenever a function is called that has this one.
fn is_only_read(global: &Global, by: &Signature) -> bool {
    let is_given = by.globals.iter().any(|own| own.name == global.name && !own.is_defined);
    global.is_defined && !global.may_be_written && !is_given
}

/// More functions than this are not followed from one.
const MOST_FUNCTIONS: usize = 40;

/// The units of a project, read when one of their functions is asked for.
pub(super) struct Elsewhere<'e> {
    probe: &'e CompilerProbe,
    libclang: &'e Libclang,
    /// With their texts.
    units: Vec<(&'e Unit, String)>,
    read: BTreeMap<usize, Option<ReadUnit>>,
    /// The units that define a function.
    homes: BTreeMap<String, Vec<usize>>,
}

impl<'e> Elsewhere<'e> {
    pub fn new(project: &'e Project, probe: &'e CompilerProbe, libclang: &'e Libclang) -> Self {
        let text = |unit: &'e Unit| {
            let text = std::fs::read(&unit.command.file).unwrap_or_default();
            (unit, String::from_utf8_lossy(&text).into_owned())
        };
        let units = project.units_under_test().map(text).collect();
        Self { probe, libclang, units, read: BTreeMap::new(), homes: BTreeMap::new() }
    }

    /// The bodies of all that a function of a unit calls elsewhere, where they can be had.
    pub fn bodies(&mut self, signature: &Signature, wanted: Wanted<'_>) -> Result<Bodies, EquivError> {
        let mut bodies = Bodies::default();
        for external in &signature.externals {
            let name = &external.name;
            if self.is_library(name)? {
                continue;
            }
            if is_known(name) {
                bodies.others.own.insert(name.clone());
            }
            let mut with_it = bodies.others.linked.clone();
            if self.follow(name, wanted, &mut with_it)? {
                bodies.others.linked = with_it;
            }
        }
        let homes = bodies.others.linked.iter().filter_map(|name| self.homes.get(name)?.first().copied());
        let homes: BTreeSet<usize> = homes.collect();
        for external in signature.externals.iter().filter(|external| !bodies.others.linked.contains(&external.name)) {
            if self.homes(&external.name)?.iter().any(|home| homes.contains(home)) {
                bodies.others.beside.insert(external.name.clone());
            }
        }
        bodies.units = homes.into_iter().filter_map(|number| self.linked(number)).collect();
        Ok(bodies)
    }

    /// Whether a function is the library's, and not one of the project's that is named like it.
    fn is_library(&mut self, name: &str) -> Result<bool, EquivError> {
        Ok(is_known(name) && self.homes(name)?.is_empty())
    }

    /// Whether a function, and all that it calls, can be had; `names` has what it takes then.
    fn follow(&mut self, name: &str, wanted: Wanted<'_>, names: &mut BTreeSet<String>) -> Result<bool, EquivError> {
        if names.contains(name) {
            return Ok(true);
        }
        // The program has it; that it is among the names says that memory is allocated.
        if is_allocating(name) {
            names.insert(name.to_string());
            return Ok(true);
        }
        if names.len() >= MOST_FUNCTIONS {
            return Ok(false);
        }
        let Some(home) = self.home(name)? else { return Ok(false) };
        names.insert(name.to_string());
        let Some(signature) = self.signature(home, name) else { return Ok(false) };
        if !wanted.has(signature) || wanted.is_own(&self.units[home].0.command) {
            return Ok(false);
        }
        let called: Vec<String> = signature.externals.iter().map(|external| external.name.clone()).collect();
        for called in called {
            if self.is_library(&called)? {
                // That it is among the names says what is done with streams.
                names.extend(is_streaming(&called).then_some(called));
            } else if !self.follow(&called, wanted, names)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn signature(&self, unit: usize, name: &str) -> Option<&Signature> {
        let functions = &self.read.get(&unit)?.as_ref()?.signatures.functions;
        functions.iter().find(|signature| signature.name == name && !signature.is_static)
    }

    /// The unit that defines a function, if one does and no other. A file that is compiled more than once, to the same,
    /// is one.
    fn home(&mut self, name: &str) -> Result<Option<usize>, EquivError> {
        let homes = self.homes(name)?;
        let command = |number: &usize| &self.units[*number].0.command;
        let is_same = |one: &usize, other: &usize| {
            let (one, other) = (command(one), command(other));
            one.file == other.file && mean_the_same(one, other)
        };
        Ok(homes.first().copied().filter(|first| homes.iter().all(|other| is_same(first, other))))
    }

    /// All units that define a function.
    fn homes(&mut self, name: &str) -> Result<Vec<usize>, EquivError> {
        if let Some(known) = self.homes.get(name) {
            return Ok(known.clone());
        }
        let mut homes = Vec::new();
        // What is called everywhere is looked for where a body seems to stand behind it.
        let seems = if is_known(name) { defines } else { mentions };
        for number in 0..self.units.len() {
            if !seems(&self.units[number].1, name) {
                continue;
            }
            if let std::collections::btree_map::Entry::Vacant(entry) = self.read.entry(number) {
                entry.insert(read_unit(self.probe, self.libclang, self.units[number].0)?.ok());
            }
            if self.signature(number, name).is_some() {
                homes.push(number);
            }
        }
        self.homes.insert(name.to_string(), homes.clone());
        Ok(homes)
    }

    fn linked(&self, number: usize) -> Option<Arc<LinkedUnit>> {
        let ReadUnit { facts, clang, .. } = self.read.get(&number)?.as_ref()?;
        let command = self.units[number].0.command.clone();
        Some(Arc::new(LinkedUnit { number, command, facts: facts.clone(), clang: clang.clone() }))
    }
}

/// Whether a text has a name with a parenthesis behind it.
fn mentions(text: &str, name: &str) -> bool {
    named(text, name).next().is_some()
}

/// Whether a body stands behind that name and its parameters.
fn defines(text: &str, name: &str) -> bool {
    named(text, name).any(|behind| {
        let mut depth = 0;
        let close = behind.char_indices().find(|(_, letter)| {
            depth += i32::from(*letter == '(') - i32::from(*letter == ')');
            depth == 0
        });
        close.is_some_and(|(at, _)| behind[at + 1..].trim_start().starts_with('{'))
    })
}

/// What stands behind a name, from a parenthesis on.
fn named<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = &'t str> {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let whole = text.match_indices(name).filter(move |(at, _)| !text[..*at].ends_with(is_word));
    whole.map(|(at, _)| text[at + name.len()..].trim_start()).filter(|behind| behind.starts_with('('))
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_csrc::{ParseInput, Signatures};

    #[test]
    fn a_name_counts_as_a_whole_and_before_a_parenthesis() {
        let text = "int add(int a); int x = badd(1) + add; int sub\n(int b) { return 0; }";
        assert_eq!(["add", "sub", "dd", "x", "b"].map(|name| mentions(text, name)), [true, true, false, false, false]);
    }
    #[test]
    fn a_body_is_told_from_a_call_and_from_a_declaration() {
        let text = "double floor(double); int f(void (*g)(int), int n) { if (floor(1.0)) { g(n); } while (n) {} }";
        assert_eq!(["f", "floor", "g", "n"].map(|name| defines(text, name)), [true, false, false, false]);
    }

    /// Which functions of a text may come along, in tests of the first of another one.
    fn wanted(text: &str, tested: &str) -> Vec<String> {
        let (folder, libclang) = (tempfile::tempdir().unwrap(), Libclang::newest().unwrap());
        let read = |name: &str, text: &str| {
            let (directory, file) = (folder.path().to_path_buf(), folder.path().join(name));
            std::fs::write(&file, text).unwrap();
            Signatures::read(&libclang, &ParseInput { directory, file, arguments: Vec::new() }).unwrap().functions
        };
        let by = &read("tested.c", tested)[0];
        let wanted = Wanted::Reading { by, of: Path::new("/tested.c") };
        read("other.c", text).into_iter().filter(|one| wanted.has(one)).map(|one| one.name).collect()
    }

    #[test]
    fn what_reads_a_variable_comes_along_unless_another_state_of_it_could_be_seen() {
        let text = "static int limit = 3, last;\nint shared = 1;\nextern int elsewhere;\nvolatile int device;\n\
            int plain(int x) { return x; }\nint reads(int x) { return x < limit; }\nint writes(void) { return ++last; }\n\
            int keeps(void) { static int own; return own; }\nint far(void) { return elsewhere; }\n\
            int waits(void) { return device; }\nint both(void) { return shared; }\n";
        assert_eq!(wanted(text, "int f(void) { return 0; }"), ["plain", "reads", "both"]);
        // It is what the tested function is given.
        assert_eq!(wanted(text, "extern int shared; int f(void) { return shared; }"), ["plain", "reads"]);
        assert_eq!(wanted(text, "static int limit; int f(void) { return limit; }"), ["plain", "reads", "both"]);
    }
}
