//! Dependencies between the modules of a crate point one way: at no level of the module tree do two neighbours use
//! each other, directly or through others. A module and the modules inside it may use each other.

use super::repository::{self, Findings};
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::{self, Visit};

/// The path of a module: the names from the root of its crate.
type ModulePath = Vec<String>;

#[test]
fn dependencies_between_modules_point_one_way() {
    let mut findings = Findings::default();
    for name in repository::crates() {
        let sources = repository::shipped_files(&name);
        let folder = format!("crates/{name}/src/");
        let files = sources.iter().map(|(file, text)| (file.strip_prefix(&folder).unwrap_or(file), text.as_str()));
        for cycle in cycles(&Modules::read(files)) {
            findings.add(&folder, 1, cycle);
        }
    }
    findings.expect_none("Move what both need to the module that does not need the other, or to a module of its own.");
}

/// The paths that a module uses.
#[derive(Debug, Default)]
struct Module {
    /// All paths in it, with `crate`, `super` and `self` as written.
    named: Vec<Vec<String>>,
    /// The names that its `use` declarations import, each with its path.
    imported: BTreeMap<String, Vec<String>>,
}

/// The modules of a crate.
#[derive(Debug, Default)]
struct Modules(BTreeMap<ModulePath, Module>);

impl Modules {
    /// Parses files, each with its path below `src` and its text.
    fn read<'f>(files: impl Iterator<Item = (&'f str, &'f str)>) -> Self {
        let mut modules = BTreeMap::new();
        for (file, text) in files {
            let stem = file.trim_end_matches(".rs").trim_end_matches("/mod");
            let path: ModulePath = match stem {
                "lib" | "main" | "mod" => Vec::new(),
                stem => stem.split('/').map(str::to_owned).collect(),
            };
            let parsed = syn::parse_file(text).unwrap_or_else(|error| panic!("{file}: {error}"));
            let mut module = Module::default();
            module.visit_file(&parsed);
            modules.insert(path, module);
        }
        Self(modules)
    }

    /// The module that a path in `from` refers to. Follows imports of other modules at most `steps` times.
    fn resolve(&self, from: &ModulePath, path: &[String], steps: usize) -> Option<ModulePath> {
        let mut at = from.clone();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => {
                at.clear();
                rest = &path[1..];
            }
            "self" | "super" => {
                while let [first, tail @ ..] = rest {
                    match first.as_str() {
                        "super" => drop(at.pop()?),
                        "self" => {}
                        _ => break,
                    }
                    rest = tail;
                }
            }
            first => {
                // An imported name was resolved at its `use`, and all else is in another crate.
                if !self.0.contains_key(&joined(from, first)) {
                    return None;
                }
            }
        }
        while let [first, tail @ ..] = rest {
            let child = joined(&at, first);
            if !self.0.contains_key(&child) {
                break;
            }
            at = child;
            rest = tail;
        }
        let through = rest.first().and_then(|name| self.0.get(&at)?.imported.get(name));
        match through {
            Some(path) if steps > 0 => self.resolve(&at, path, steps - 1).or(Some(at)),
            _ => Some(at),
        }
    }

    /// For each module with children: which of its children use which.
    fn uses(&self) -> BTreeMap<ModulePath, BTreeMap<String, BTreeSet<String>>> {
        const MOST_STEPS: usize = 8;
        let mut uses: BTreeMap<ModulePath, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
        for (from, module) in &self.0 {
            for to in module.named.iter().filter_map(|path| self.resolve(from, path, MOST_STEPS)) {
                let shared = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
                if let (Some(one), Some(other)) = (from.get(shared), to.get(shared)) {
                    let parent = uses.entry(from[..shared].to_vec()).or_default();
                    parent.entry(one.clone()).or_default().insert(other.clone());
                }
            }
        }
        uses
    }
}

fn joined(module: &ModulePath, name: &str) -> ModulePath {
    module.iter().cloned().chain([name.to_owned()]).collect()
}

impl<'ast> Visit<'ast> for Module {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let is_for_tests = item.attrs.iter().any(|attribute| {
            attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
        });
        if !is_for_tests {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let mut paths = Vec::new();
        flatten(&item.tree, &mut Vec::new(), &mut paths);
        for (name, path) in paths {
            self.named.push(path.clone());
            self.imported.insert(name, path);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() > 1 {
            self.named.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }
}

/// Collects the names that a `use` tree imports, with their paths.
fn flatten(tree: &syn::UseTree, before: &mut Vec<String>, paths: &mut Vec<(String, Vec<String>)>) {
    let whole = |before: &[String], name: &syn::Ident| -> Vec<String> {
        before.iter().cloned().chain([name.to_string()]).collect()
    };
    match tree {
        syn::UseTree::Path(path) => {
            before.push(path.ident.to_string());
            flatten(&path.tree, before, paths);
            before.pop();
        }
        syn::UseTree::Name(name) if name.ident == "self" => {
            paths.push((before.last().cloned().unwrap_or_default(), before.clone()));
        }
        syn::UseTree::Name(name) => paths.push((name.ident.to_string(), whole(before, &name.ident))),
        syn::UseTree::Rename(rename) => paths.push((rename.rename.to_string(), whole(before, &rename.ident))),
        syn::UseTree::Glob(_) => paths.push((String::new(), before.clone())),
        syn::UseTree::Group(group) => group.items.iter().for_each(|tree| flatten(tree, before, paths)),
    }
}

/// The cycles between neighbours, each as a line: `store: reader -> writer -> reader`.
fn cycles(modules: &Modules) -> Vec<String> {
    let mut found = Vec::new();
    for (parent, uses) in modules.uses() {
        let mut seen = BTreeSet::new();
        for start in uses.keys() {
            if let Some(cycle) = shortest_cycle(&uses, start) {
                let members: BTreeSet<String> = cycle.iter().cloned().collect();
                if seen.insert(members) {
                    found.push(format!("{}: {}", parent.join("::"), cycle.join(" -> ")));
                }
            }
        }
    }
    found
}

/// The shortest cycle through a module.
fn shortest_cycle(uses: &BTreeMap<String, BTreeSet<String>>, start: &String) -> Option<Vec<String>> {
    let mut ways = vec![vec![start.clone()]];
    let mut visited = BTreeSet::new();
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in ways {
            for next in uses.get(way.last()?).into_iter().flatten() {
                let way: Vec<String> = way.iter().cloned().chain([next.clone()]).collect();
                if next == start {
                    return Some(way);
                }
                if visited.insert(next.clone()) {
                    longer.push(way);
                }
            }
        }
        ways = longer;
    }
    None
}

#[test]
fn cycles_are_found_directly_and_through_reexports() {
    let found = |files: &[(&str, &str)]| cycles(&Modules::read(files.iter().copied()));
    let one_way =
        [("lib.rs", "mod a; mod b; pub use a::One;"), ("a.rs", "pub struct One;"), ("b.rs", "use crate::One;")];
    assert!(found(&one_way).is_empty());
    let direct =
        [("lib.rs", "mod a; mod b;"), ("a.rs", "fn f() { super::b::g() }"), ("b.rs", "use crate::a::{self, f as h};")];
    assert_eq!(found(&direct), [": a -> b -> a"]);
    let through = [
        ("lib.rs", "mod a; mod b; pub use a::One;"),
        ("a.rs", "use super::b; struct One;"),
        ("b.rs", "use crate::One;"),
    ];
    assert_eq!(found(&through), [": a -> b -> a"]);
    let inside =
        [("lib.rs", "mod a;"), ("a.rs", "mod b; mod c; use b::B;"), ("a/b.rs", "use super::f;"), ("a/c.rs", "")];
    assert!(found(&inside).is_empty(), "a module and its child");
    let deeper = [("a.rs", "mod b; mod c;"), ("a/b.rs", "use super::c::C;"), ("a/c.rs", "use crate::a::b;")];
    assert_eq!(found(&deeper), ["a: b -> c -> b"]);
    let tests = [("lib.rs", ""), ("a.rs", "use crate::b;"), ("b.rs", "#[cfg(test)] mod tests { use crate::a; }")];
    assert!(found(&tests).is_empty());
}
