//! The review file: what people decided about single mutants, by id, for code that cannot take comments.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Disposition {
    /// No test can distinguish it from the original.
    Equivalent,
    /// The difference is accepted.
    Accepted,
    /// Reviewed, and still to be killed: it stays in the analysis.
    #[serde(alias = "to do", alias = "to-do")]
    Todo,
}

impl Disposition {
    pub fn suppresses(self) -> bool {
        self != Self::Todo
    }
}

impl fmt::Display for Disposition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equivalent => "equivalent",
            Self::Accepted => "accepted",
            Self::Todo => "to do",
        })
    }
}

/// The review file cannot be read, or has a mistake.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct ReviewError {
    pub path: PathBuf,
    pub reason: String,
}

/// The decision on one mutant.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    pub id: String,
    pub disposition: Disposition,
    pub reason: String,
    #[serde(default)]
    pub reviewer: String,
    #[serde(default)]
    pub date: Option<toml::value::Datetime>,
}

/// All decisions of a project, by mutant id.
#[derive(Debug, Default, Clone)]
pub struct Review {
    decisions: BTreeMap<String, Decision>,
}

impl Review {
    pub const FILE_NAME: &'static str = "perturb.review.toml";

    /// Reads the file; without a file there are no decisions.
    pub fn read(path: &Path) -> Result<Self, ReviewError> {
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&text).map_err(|reason| ReviewError { path: path.to_path_buf(), reason }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(ReviewError { path: path.to_path_buf(), reason: error.to_string() }),
        }
    }

    fn parse(text: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            #[serde(default)]
            mutant: Vec<Decision>,
        }
        let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut decisions = BTreeMap::new();
        for decision in file.mutant {
            let id = decision.id.to_ascii_lowercase();
            if decisions.insert(id.clone(), decision).is_some() {
                return Err(format!("mutant {id} is decided twice"));
            }
        }
        Ok(Self { decisions })
    }

    pub fn decision(&self, id: &str) -> Option<&Decision> {
        self.decisions.get(id)
    }

    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.decisions.keys().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::Share;

    #[test]
    fn decisions_are_read_with_reason_reviewer_and_date() {
        let review = Review::parse(
            "[[mutant]]\nid = \"00AA\"\ndisposition = \"equivalent\"\nreason = \"masked\"\nreviewer = \"F. B.\"\n\
             date = 2026-11-15\n\
             [[mutant]]\nid = \"00ab\"\ndisposition = \"to do\"\nreason = \"needs a test\"\n",
        )
        .unwrap();
        assert!(review.decision("00aa").unwrap().disposition.suppresses());
        assert!(!review.decision("00ab").unwrap().disposition.suppresses());
    }

    #[test]
    fn mistakes_are_named() {
        let check = |text: &str, part: &str| {
            let error = Review::parse(text).unwrap_err();
            assert!(error.contains(part), "{error}");
        };
        check("[[mutant]]\nid = \"1\"\ndisposition = \"maybe\"\nreason = \"\"\n", "maybe");
        check("[[mutant]]\nid = \"1\"\ndisposition = \"accepted\"\n", "reason");
        let twice = "[[mutant]]\nid = \"1\"\ndisposition = \"accepted\"\nreason = \"x\"\n".repeat(2);
        check(&twice, "twice");
    }

    #[test]
    fn fuzzed_review_files_are_read_or_refused() {
        let example = "[[mutant]]\nid = \"00AA\"\ndisposition = \"to do\"\nreason = \"masked\"\nreviewer = \"F.\"\n\
                       date = 2026-11-15\n";
        perturb_fuzz::survives("review file", Share::All, &[example, &example.repeat(2)], |text| {
            match Review::parse(&String::from_utf8_lossy(text)) {
                Ok(review) => review.ids().for_each(|id| assert!(review.decision(id).is_some())),
                Err(reason) => assert!(!reason.is_empty()),
            }
        });
    }
}
