//! A mutant and its identity.

use perturb_csrc::copies::Copyable;
use perturb_csrc::{ConstantContext, LineColumn, Operator, Scope, SourceFile, SourceRange};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

/// A hash of the mutant's content, so that edits elsewhere do not change it. Written as 16 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MutantId(u64);

impl MutantId {
    /// The id of the `ordinal`-th mutant with equal content in its function. `salt` is 0 unless two contents collide.
    fn of(file: &Path, scope: &Scope, operator: Operator, texts: [&[u8]; 2], ordinal: u32, salt: u32) -> Self {
        let mut hash = Sha256::new();
        let parts: [&[u8]; 6] = [
            file.as_os_str().as_encoded_bytes(),
            scope.name.as_bytes(),
            scope.parameters.as_bytes(),
            operator.acronym().as_bytes(),
            texts[0],
            texts[1],
        ];
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        hash.update(ordinal.to_le_bytes());
        hash.update(salt.to_le_bytes());
        let digest = hash.finalize();
        Self(u64::from_be_bytes(digest[..8].try_into().expect("a SHA-256 has 32 bytes")))
    }

    pub fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    pub fn bits(self) -> u64 {
        self.0
    }
}

/// The error for a text that is not 16 hexadecimal digits.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{0}` is no mutant id: ids are 16 hexadecimal digits")]
pub struct NotAnId(String);

impl FromStr for MutantId {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        let is_id = text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit());
        let bits = is_id.then(|| u64::from_str_radix(text, 16).ok()).flatten();
        bits.map(Self).ok_or_else(|| NotAnId(text.to_string()))
    }
}

impl fmt::Display for MutantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Why a mutant takes no part in the analysis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Suppression {
    /// A comment in the source suppresses it.
    Comment { reason: String },
    /// A decision in the review file suppresses it.
    Review { disposition: crate::Disposition, reason: String, reviewer: String },
}

impl Suppression {
    pub fn reason(&self) -> &str {
        match self {
            Self::Comment { reason } | Self::Review { reason, .. } => reason,
        }
    }
}

/// A file with mutants in it.
#[derive(Debug)]
pub struct MutatedFile {
    /// Below the project's root.
    pub relative: PathBuf,
    pub source: SourceFile,
}

/// A file and those of its functions that can be copied, in the order of the file.
#[derive(Debug, Clone)]
pub struct CopyableFile {
    pub file: Arc<MutatedFile>,
    pub functions: Vec<Copyable>,
}

/// One change of one file: an operator, a source range, a replacement.
#[derive(Debug, Clone)]
pub struct Mutant {
    pub id: MutantId,
    pub file: Arc<MutatedFile>,
    pub range: SourceRange,
    pub operator: Operator,
    pub replacement: Box<[u8]>,
    pub scope: Arc<Scope>,
    /// Why it cannot be switched at run time; None if it can.
    pub constant: Option<ConstantContext>,
    pub suppression: Option<Arc<Suppression>>,
}

impl Mutant {
    pub fn start(&self) -> LineColumn {
        self.file.source.line_column(self.range.start)
    }

    pub fn end(&self) -> LineColumn {
        self.file.source.line_column(self.range.end)
    }

    pub fn original(&self) -> String {
        self.file.source.lossy(self.range)
    }

    pub fn replacement(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.replacement)
    }

    pub fn function(&self) -> Option<&str> {
        self.scope.is_function.then_some(self.scope.name.as_str())
    }

    pub fn is_switchable(&self) -> bool {
        self.constant.is_none()
    }

    /// `src/ring.c:41:17 ROR push(): '<' -> '<='`
    pub fn name(&self) -> String {
        format!("{} {}", self.place(), self.what())
    }

    /// `src/ring.c:41:17`
    pub fn place(&self) -> String {
        let LineColumn { line, column } = self.start();
        format!("{}:{line}:{column}", self.file.relative.display())
    }

    /// `ROR push(): '<' -> '<='`
    pub fn what(&self) -> String {
        let brackets = if self.scope.is_function { "()" } else { "" };
        format!("{} {}{brackets}: {}", self.operator, self.scope.name, self.change())
    }

    /// `'<' -> '<='`
    pub fn change(&self) -> String {
        let (from, to) = self.sides();
        format!("'{from}' -> '{to}'")
    }

    /// The original text and the replacement, each short enough for a line.
    pub fn sides(&self) -> (String, String) {
        (in_one_line(&self.original()), in_one_line(&self.replacement()))
    }

    /// The whole file with this mutant in it.
    pub fn mutated_text(&self) -> Vec<u8> {
        self.file.source.edited(self.range, &self.replacement)
    }
}

/// Folds white space and leaves out the middle of a long text, for names.
fn in_one_line(text: &str) -> String {
    const LONGEST: usize = 60;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let count = words.chars().count();
    if count <= LONGEST {
        return words;
    }
    let head: String = words.chars().take(LONGEST * 2 / 3).collect();
    let tail: String = words.chars().skip(count - LONGEST / 4).collect();
    format!("{head} … {tail}")
}

/// Gives each mutant of a list (in file order) an id of its own.
#[derive(Debug, Default)]
pub struct Identities {
    ordinals: HashMap<MutantId, u32>,
    given: HashSet<MutantId>,
}

impl Identities {
    pub fn next(
        &mut self,
        file: &Path,
        scope: &Scope,
        operator: Operator,
        original: &[u8],
        replacement: &[u8],
    ) -> MutantId {
        let texts = [original, replacement];
        let first = MutantId::of(file, scope, operator, texts, 0, 0);
        let ordinal = self.ordinals.entry(first).or_default();
        let this = *ordinal;
        *ordinal += 1;
        let ids = (0..).map(|salt| MutantId::of(file, scope, operator, texts, this, salt));
        ids.into_iter().find(|id| self.given.insert(*id)).expect("2^64 ids are enough")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(name: &str) -> Scope {
        Scope { name: name.into(), parameters: String::new(), is_function: true }
    }

    #[test]
    fn the_ordinal_in_the_function_distinguishes_equal_contents() {
        let mut identities = Identities::default();
        let mut next = |function: &str| identities.next(Path::new("a.c"), &scope(function), Operator::Ror, b"<", b"<=");
        let ids = [next("f"), next("f"), next("g")];
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 3);
        let mut again = Identities::default();
        assert_eq!(again.next(Path::new("a.c"), &scope("g"), Operator::Ror, b"<", b"<="), ids[2]);
    }

    #[test]
    fn an_id_is_sixteen_digits_and_the_same_on_every_machine() {
        let id = MutantId::of(Path::new("a.c"), &scope("f"), Operator::Ror, [b"<", b"<="], 0, 0);
        assert_eq!(id.to_string(), "4438572044839414");
        assert_eq!("4438572044839414".parse(), Ok(id));
        assert!(["", "+438572044839414", "443857204483941", "44385720448394140"]
            .iter()
            .all(|t| t.parse::<MutantId>().is_err()));
    }

    #[test]
    fn long_texts_are_shortened_in_names() {
        assert_eq!(in_one_line("a\n   b"), "a b");
        let long = in_one_line(&"word ".repeat(40));
        assert!(long.contains(" … ") && long.chars().count() < 70, "{long}");
    }
}
