//! The report for a browser: one file, or above a size an index and a page for each source file beside it. It opens
//! from the disk, loads nothing from elsewhere, and is readable without its script, which only filters.

mod files;
mod live;
mod method;
mod mutant;
mod overview;
mod page;
mod plot;
mod source;
mod tests;
mod text;

use super::tests::Table;
use crate::visible;
use perturb_model::{MutantId, MutantIdx, Outcome, Reach, Tally};
use perturb_store::{ExecutionTotals, MutantState, StoreError, StoreReader, StoredRun};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Result;
use std::path::Path;

/// A page with more mutants would be slow to open and to filter.
const MOST_MUTANTS: usize = 5_000;
const MOST_BYTES: usize = 6 << 20;

/// Makes the command that executes a mutant again.
pub type Rerun<'r> = Box<dyn Fn(MutantId, &Outcome) -> String + 'r>;

/// Everything that the pages need, read from the store before a byte is written.
pub struct Report<'r> {
    run: &'r StoredRun,
    reach: Vec<Reach>,
    /// False if coverage came from counts of lines, which do not show infection.
    has_infection: bool,
    executed: HashMap<MutantId, ExecutionTotals>,
    /// The compiler's messages for mutants that do not compile.
    refused: HashMap<MutantId, String>,
    tests: Table<'r>,
    files: Vec<ListedFile>,
    rerun: Rerun<'r>,
}

/// A source file that has mutants.
struct ListedFile {
    path: String,
    /// The name of its page.
    page: String,
    /// The indices of its mutants, in the order of the source.
    mutants: Vec<MutantIdx>,
    tally: Tally,
}

/// The page that is written: links depend on it.
#[derive(Debug, Clone, Copy)]
enum PageKind<'n> {
    /// One page with everything.
    Whole,
    /// The index. The pages are in this folder beside it.
    Index { folder: &'n str },
    /// The page of one source file, in that folder.
    Page,
}

impl<'r> Report<'r> {
    pub fn read(reader: &StoreReader, run: &'r StoredRun, rerun: Rerun<'r>) -> std::result::Result<Self, StoreError> {
        let reach = reader.reach(run)?;
        let has_infection = reach.iter().any(|reach| reach.reached != reach.infected);
        let executed = reader.executed(run.id)?;
        let refused = reader.build_failures(run.id)?;
        let tests = Table::read(reader, run)?;
        Ok(Self { run, reach, has_infection, executed, refused, tests, files: listed(run), rerun })
    }

    /// The report as one page. None if it would be too large.
    pub fn whole(&self) -> Option<String> {
        if self.run.mutants.len() > MOST_MUTANTS {
            return None;
        }
        let page = page::whole(self);
        (page.len() <= MOST_BYTES).then_some(page)
    }

    /// Returns the index, and writes the files of the folder beside it with `put`.
    pub fn parts(&self, index: &str, folder: &str, put: &mut dyn FnMut(&str, &str) -> Result<()>) -> Result<String> {
        page::ASSETS.iter().try_for_each(|(name, text)| put(name, text))?;
        for at in 0..self.files.len() {
            put(&self.files[at].page, &page::of_file(self, at, index))?;
        }
        Ok(page::index(self, folder))
    }

    /// The number of pages besides the index.
    pub fn pages(&self) -> usize {
        self.files.len()
    }

    fn state(&self, mutant: MutantIdx) -> &MutantState {
        &self.run.mutants[mutant]
    }

    /// The link to the mutants of a file.
    fn link(&self, at: PageKind<'_>, file: usize) -> String {
        match at {
            PageKind::Whole => format!("#f-{file}"),
            PageKind::Index { folder } => {
                format!("{}/{}", text::address(folder), text::address(&self.files[file].page))
            }
            PageKind::Page => "#top".to_string(),
        }
    }

    fn mutant_link(&self, at: PageKind<'_>, file: usize, id: MutantId) -> String {
        match at {
            PageKind::Whole | PageKind::Page => format!("#m-{id}"),
            PageKind::Index { .. } => format!("{}#m-{id}", self.link(at, file)),
        }
    }
}

/// The files, in the order of the tree of folders.
fn listed(run: &StoredRun) -> Vec<ListedFile> {
    let mut by_path: BTreeMap<&Path, Vec<MutantIdx>> = BTreeMap::new();
    for (mutant, state) in MutantIdx::enumerate(&run.mutants) {
        by_path.entry(&state.mutant.file.relative).or_default().push(mutant);
    }
    let mut taken = HashSet::new();
    let listed = |(path, mut mutants): (&Path, Vec<MutantIdx>)| {
        mutants.sort_by_key(|mutant| run.mutants[*mutant].mutant.range.start);
        let path = visible::name(path).into_owned();
        let tally = mutants.iter().map(|mutant| &run.mutants[*mutant].outcome).collect();
        ListedFile { page: page_name(&path, &mut taken), path, mutants, tally }
    };
    by_path.into_iter().map(listed).collect()
}

/// A name that every file system accepts and that no other page has, also where case does not matter.
fn page_name(path: &str, taken: &mut HashSet<String>) -> String {
    const LONGEST: usize = 120;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let plain: String = path.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
    let plain = plain.trim_start_matches(['.', '-']);
    let plain = &plain[plain.len().saturating_sub(LONGEST)..];
    let names = (1..).map(|number| match number {
        1 => format!("{plain}.html"),
        _ => format!("{plain}-{number}.html"),
    });
    let mut free = names.into_iter().filter(|name| taken.insert(name.to_ascii_lowercase()));
    free.next().expect("there are more numbers than files")
}

/// A short name of an outcome for styles and filters.
fn class(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Killed { .. } => "killed",
        Outcome::Live => "live",
        Outcome::NotInfected => "not-infected",
        Outcome::NotCovered => "not-covered",
        Outcome::LikelyEquivalent => "likely-equivalent",
        Outcome::Equivalent { .. } => "equivalent",
        Outcome::Duplicate { .. } => "duplicate",
        Outcome::CompileError => "compile-error",
        Outcome::Unstable { .. } => "unstable",
        Outcome::Skipped(_) => "skipped",
        Outcome::Pending => "pending",
    }
}

/// An outcome and the number of mutants with it.
struct Counted {
    class: &'static str,
    word: &'static str,
    count: usize,
    /// Its meaning.
    note: &'static str,
}

/// All outcomes that mutants have, those to look at first at the top.
fn outcomes(tally: &Tally) -> Vec<Counted> {
    // All fields by name, so that a new outcome cannot be forgotten here.
    let Tally {
        killed,
        live,
        not_covered,
        not_infected,
        equivalent,
        likely_equivalent,
        duplicate,
        compile_error,
        unstable,
        skipped,
        pending,
    } = *tally;
    let counted = |(class, word, count, note)| Counted { class, word, count, note };
    let all = [
        ("killed", "killed", killed.total(), "a test noticed"),
        ("live", "live", live, "executed, and no test noticed"),
        (
            "not-infected",
            "not infected",
            not_infected,
            "executed, but no test makes a difference there: as good as live",
        ),
        (
            "likely-equivalent",
            "likely equivalent",
            likely_equivalent,
            "live, but no test executes other statements, or proved under an assumption",
        ),
        ("not-covered", "not covered", not_covered, "no test executes them"),
        ("unstable", "unstable", unstable, "outside the score: engines disagree"),
        ("pending", "pending", pending, "not executed yet: run again to go on"),
        ("equivalent", "equivalent", equivalent, "outside the score: the same code, or proved for all inputs"),
        ("duplicate", "duplicate", duplicate, "outside the score: the same code as another one, which counts"),
        ("compile-error", "compile error", compile_error, "the compiler refuses them: never a kill"),
        ("skipped", "skipped", skipped.total(), "suppressed, out of scope, or not sampled"),
    ];
    all.map(counted).into_iter().filter(|counted| counted.count > 0).collect()
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn pages_have_names_that_every_file_system_accepts() {
        let mut taken = HashSet::new();
        let long = format!("{}/x.c", "long".repeat(100));
        let names = ["src/ring.c", "src-ring.c", "SRC/ring.c", "../a b.c", "é.c", &long]
            .map(|path| page_name(path, &mut taken));
        assert_eq!(names[..5], ["src-ring.c.html", "src-ring.c-2.html", "SRC-ring.c-3.html", "a-b.c.html", "c.html"]);
        assert!(names[5].len() < 130 && names[5].ends_with("x.c.html"));
    }
}
