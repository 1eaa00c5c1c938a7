//! The keys of verdicts: hashes of everything that a verdict depends on. It is used again only under an equal key.

use crate::steps::coverage::Suite;
use perturb_model::{ContentHash, Mutant, MutatedFile, Recording, TestIdx};
use perturb_store::ExecutionKey;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A part of the keys of tests that can skip themselves. Older keys without it have verdicts in which a skipped test
/// had not noticed the mutant.
const SKIPPING: &[u8] = b"a skipped test has noticed the mutant";

/// The keys of all mutants and tests of a run.
#[derive(Debug)]
pub struct Keys {
    files: HashMap<PathBuf, ContentHash>,
    /// The part of each test, by test.
    tests: Vec<ContentHash>,
    /// The part of all programs and settings, for build failures.
    build: ContentHash,
}

impl Keys {
    /// `settings` are the user's options that can change a verdict. `recordings` show which files each test executes; a
    /// test without a recording depends on all of them.
    pub fn new<'m>(
        mutants: impl IntoIterator<Item = &'m Mutant>,
        suite: &Suite,
        recordings: &[(TestIdx, Recording)],
        settings: &str,
    ) -> Self {
        let mut sources: HashMap<PathBuf, Arc<MutatedFile>> = HashMap::new();
        for mutant in mutants {
            sources.entry(mutant.file.relative.clone()).or_insert_with(|| mutant.file.clone());
        }
        let files: HashMap<PathBuf, ContentHash> =
            sources.iter().map(|(path, file)| (path.clone(), ContentHash::of(file.source.text()))).collect();
        let recordings: HashMap<TestIdx, &Recording> = recordings.iter().map(|(test, r)| (*test, r)).collect();
        let mut all: Vec<&Path> = files.keys().map(PathBuf::as_path).collect();
        all.sort();
        let runtime = ContentHash::of_parts(perturb_rt::HEADERS.map(|(_, text)| text.as_bytes()));
        let of_test = |(index, test): (TestIdx, &perturb_model::Test)| {
            let executed = |path: &&Path| match recordings.get(&index) {
                None => true,
                Some(recording) => {
                    let counts = recording.statements.iter().find(|counts| counts.file == **path);
                    counts.is_none_or(|counts| counts.counts.iter().any(|statement| statement.count > 0))
                }
            };
            let mut parts: Vec<&[u8]> = vec![
                env!("CARGO_PKG_VERSION").as_bytes(),
                settings.as_bytes(),
                runtime.as_bytes(),
                test.hash.as_bytes(),
            ];
            if suite.cases[index].passes.can_skip() {
                parts.push(SKIPPING);
            }
            for path in all.iter().filter(|path| executed(path)) {
                parts.push(path.as_os_str().as_encoded_bytes());
                parts.push(files[*path].as_bytes());
            }
            ContentHash::of_parts(parts)
        };
        let tests = TestIdx::enumerate(&suite.tests).map(of_test).collect();
        // Whatever else a compiler reads has an effect on the programs that it builds of the original.
        let built = suite.tests.iter().map(|test| &test.hash.as_bytes()[..]);
        let build = ContentHash::of_parts(std::iter::once(settings.as_bytes()).chain(built));
        Self { files, tests, build }
    }

    /// The key of the pair of a mutant of this file and a test.
    pub fn of(&self, file: &MutatedFile, test: TestIdx) -> ExecutionKey {
        let parts = [self.file(file), self.tests[test]];
        ExecutionKey(ContentHash::of_parts(parts.iter().map(|part| &part.as_bytes()[..])))
    }

    /// The key of whether mutants of this file compile, for all tests.
    pub fn of_build(&self, file: &MutatedFile) -> ExecutionKey {
        self.of_build_of(&self.file(file))
    }

    /// All keys.
    pub fn all(&self) -> Vec<ExecutionKey> {
        let of_file = |file: &ContentHash| {
            let of_test = |test: &ContentHash| ContentHash::of_parts([&file.as_bytes()[..], test.as_bytes()]);
            let tests = self.tests.iter().map(of_test).map(ExecutionKey);
            std::iter::once(self.of_build_of(file)).chain(tests).collect::<Vec<_>>()
        };
        self.files.values().flat_map(of_file).collect()
    }

    fn of_build_of(&self, file: &ContentHash) -> ExecutionKey {
        ExecutionKey(ContentHash::of_parts([&b"build"[..], file.as_bytes(), self.build.as_bytes()]))
    }

    fn file(&self, file: &MutatedFile) -> ContentHash {
        self.files[&file.relative]
    }
}
