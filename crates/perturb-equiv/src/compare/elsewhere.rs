//! Functions of other files of the project. A function that calls one is compared with the real body linked in, if that
//! body keeps no state. All others are replaced by stubs. Tests may also link bodies that only read variables as the
//! program initialises them.

use super::read_unit::{read_unit, ReadUnit};
use crate::native::{is_allocating, is_known, is_streaming, Others};
use crate::EquivError;
use perturb_csrc::{Global, Libclang, Signature};
use perturb_host::{mean_the_same, CompileCommand, CompilerFacts, CompilerProbe, Project, Unit};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// A unit of the project whose functions are called.
#[derive(Debug)]
pub struct LinkedUnit {
    /// Its index among the units of the project.
    pub number: usize,
    pub command: CompileCommand,
    pub facts: Arc<CompilerFacts>,
    /// The arguments for clang.
    pub clang: Arc<Vec<String>>,
}

/// The functions and units of other files that are linked into a program.
#[derive(Debug, Clone, Default)]
pub(super) struct Bodies {
    pub others: Others,
    pub units: Vec<Arc<LinkedUnit>>,
}

/// Which bodies of called functions may be linked.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wanted<'w> {
    /// Only bodies without variables: their state could neither be set nor observed.
    Stateless,
    /// Also bodies that read variables which none of them writes, called by a function of this file. In every call such
    /// a variable has its initial value, so that finding no difference says nothing of other states.
    Reading { by: &'w Signature, of: &'w Path },
}

impl Wanted<'_> {
    /// Whether a function may be linked, by the variables that it uses.
    fn has(self, signature: &Signature) -> bool {
        let keeps_nothing = signature.statics.is_empty() && signature.volatiles.is_empty();
        let is_plain = match self {
            Self::Stateless => signature.globals.is_empty(),
            Self::Reading { by, .. } => signature.globals.iter().all(|global| is_only_read(global, by)),
        };
        keeps_nothing && is_plain && signature.assembly.is_none()
    }

    /// Whether a unit is the one under test, which the program contains already.
    fn is_own(self, command: &CompileCommand) -> bool {
        matches!(self, Self::Reading { of, .. } if of == command.file)
    }
}

/// Whether a variable has its initial value whenever this function is called.
fn is_only_read(global: &Global, by: &Signature) -> bool {
    let is_given = by.globals.iter().any(|own| own.name == global.name && !own.is_defined);
    global.is_defined && !global.may_be_written && !is_given
}

/// The greatest number of functions that are followed from one.
const MOST_FUNCTIONS: usize = 40;

/// The units of a project, parsed when one of their functions is needed.
pub(super) struct Elsewhere<'e> {
    probe: &'e CompilerProbe,
    libclang: &'e Libclang,
    /// Each with its text.
    units: Vec<(&'e Unit, String)>,
    read: BTreeMap<usize, Option<ReadUnit>>,
    /// The units that define each function.
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

    /// The bodies of the functions of other units that a function calls, where these can be linked.
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

    /// Whether a name means a function of the C library, and not one of the project's with the same name.
    fn is_library(&mut self, name: &str) -> Result<bool, EquivError> {
        Ok(is_known(name) && self.homes(name)?.is_empty())
    }

    /// Whether a function and everything that it calls can be linked; `names` then has all of them.
    fn follow(&mut self, name: &str, wanted: Wanted<'_>, names: &mut BTreeSet<String>) -> Result<bool, EquivError> {
        if names.contains(name) {
            return Ok(true);
        }
        // The program has it. Its name is added because it says that memory is allocated.
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
                // Its name is added because it says how streams are used.
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

    /// The only unit that defines a function. A file that is compiled several times with the same meaning counts as
    /// one.
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
        // Functions of the library are called everywhere: only texts that seem to define one are parsed.
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

/// Whether a text contains a name followed by a parenthesis.
fn mentions(text: &str, name: &str) -> bool {
    named(text, name).next().is_some()
}

/// Whether that name and its parameters are followed by a body.
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

/// The text after each occurrence of a name, from the parenthesis on.
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

    /// Which functions of a text may be linked into tests of the first function of another.
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
            int plain(int x) { return x; }\nint reads(int x) { return x < limit; }\nint writes(void) { return ++last; \
            }\n\
            int keeps(void) { static int own; return own; }\nint far(void) { return elsewhere; }\n\
            int waits(void) { return device; }\nint both(void) { return shared; }\n";
        assert_eq!(wanted(text, "int f(void) { return 0; }"), ["plain", "reads", "both"]);
        // It is an input of the tested function.
        assert_eq!(wanted(text, "extern int shared; int f(void) { return shared; }"), ["plain", "reads"]);
        assert_eq!(wanted(text, "static int limit; int f(void) { return limit; }"), ["plain", "reads", "both"]);
    }
}
