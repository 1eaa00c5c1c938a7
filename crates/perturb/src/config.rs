//! Reads and validates `perturb.toml`.

use crate::args::{EquivalenceName, TceName};
use crate::exit::Failure;
use crate::float_tolerance::FloatTolerance;
use crate::memory::Memory;
use crate::visible;
use anyhow::Context;
use perturb_cell::{Permits, Sandbox as SandboxMode};
use perturb_csrc::OperatorSet;
use perturb_host::{Confinement, HostError};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub const FILE_NAME: &str = "perturb.toml";

/// The configuration of a project; every part is optional.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    pub project: Project,
    pub mutants: Mutants,
    pub tests: Tests,
    pub run: Run,
    pub testgen: Testgen,
    pub sandbox: Sandbox,
    /// The contracts of functions, by `FILE:FUNCTION`.
    pub contracts: BTreeMap<String, String>,
    /// The path of the file.
    #[serde(skip)]
    pub path: PathBuf,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Project {
    pub build: Option<String>,
    pub compile_commands: Option<PathBuf>,
    pub configure: Vec<String>,
    pub include: Vec<String>,
    pub exclude: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Mutants {
    #[serde(deserialize_with = "operators")]
    pub operators: Option<OperatorSet>,
    pub never_in: Vec<String>,
    pub mutate_macros: bool,
}

/// How perturb finds and runs tests.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tests {
    pub command: Option<String>,
    pub names: Vec<String>,
    pub list: Option<String>,
    pub only: Vec<String>,
    pub exclude: Vec<String>,
    /// Treat a GoogleTest or Catch2 program as one test.
    pub whole_programs: bool,
    /// In seconds.
    #[serde(deserialize_with = "seconds")]
    pub timeout: Option<Duration>,
    /// As on the command line.
    pub memory: Option<Memory>,
}

/// What tests may do outside the sandbox they run in.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sandbox {
    pub network: bool,
    pub sockets: bool,
    pub readable: Vec<PathBuf>,
    pub write: Vec<PathBuf>,
    pub devices: Vec<PathBuf>,
    /// How much a test may write to temporary files and to its copy of the project.
    pub scratch: Option<Memory>,
    /// What some tests may do besides.
    pub test: Vec<SandboxedTest>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SandboxedTest {
    /// Patterns of the names of these tests.
    pub names: Vec<String>,
    #[serde(default)]
    pub network: bool,
    #[serde(default)]
    pub sockets: bool,
    #[serde(default)]
    pub readable: Vec<PathBuf>,
    #[serde(default)]
    pub write: Vec<PathBuf>,
    #[serde(default)]
    pub devices: Vec<PathBuf>,
}

impl Sandbox {
    /// The confinement of tests, for a project in `root`.
    pub fn confinement(&self, mode: SandboxMode, root: &Path) -> Result<Confinement, HostError> {
        let mut confinement = Confinement::new(mode);
        if let Some(scratch) = self.scratch {
            confinement.scratch_bytes = scratch.bytes();
        }
        let Self { network, sockets, readable, write, devices, .. } = self.clone();
        confinement.permit(&Permits { network, sockets, readable, write, devices }, root)?;
        for SandboxedTest { names, network, sockets, readable, write, devices } in self.test.clone() {
            confinement.permit_some(&names, &Permits { network, sockets, readable, write, devices }, root)?;
        }
        Ok(confinement)
    }
}

/// How mutants are executed.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Run {
    pub warnings: Warnings,
    /// When compiled code is compared.
    pub tce: TceName,
    /// Whether live mutants are compared with the original, function by function.
    pub equivalence: EquivalenceName,
}

/// How generated tests are written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Testgen {
    /// As on the command line.
    pub float_tolerance: Option<FloatTolerance>,
}

/// What a warning about a mutant means if the project treats warnings as errors.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Warnings {
    /// Nothing: a mutant that only warns is a mutant.
    #[default]
    Ignored,
    /// The mutant counts as one that does not compile, as in MASS.
    Errors,
}

impl Config {
    /// Reads the named file, or the one in the project if there is one.
    pub fn read(named: Option<&Path>, root: &Path) -> Result<Self, Failure> {
        let path = named.map_or_else(|| root.join(FILE_NAME), Path::to_path_buf);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && named.is_none() => return Ok(Self::default()),
            Err(error) => return Err(Failure::usage_text(format!("cannot read {}: {error}", visible::path(&path)))),
        };
        let mut config: Self =
            toml::from_str(&text).with_context(|| format!("in {}", visible::path(&path))).map_err(Failure::usage)?;
        // Paths in the file are relative to it.
        let folder = path.parent().unwrap_or(root);
        config.project.compile_commands = config.project.compile_commands.map(|database| folder.join(database));
        let sandbox = &mut config.sandbox;
        let Sandbox { readable, write, devices, test, .. } = sandbox;
        let of_some = test.iter_mut().flat_map(|test| [&mut test.readable, &mut test.write, &mut test.devices]);
        let paths = [readable, write, devices].into_iter().chain(of_some).flatten();
        paths.for_each(|path| *path = folder.join(&path));
        config.path = path;
        Ok(config)
    }
}

fn operators<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<OperatorSet>, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map(Some).map_err(serde::de::Error::custom)
}

fn seconds<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let seconds = f64::deserialize(deserializer)?;
    if seconds > 0.0 && seconds < 1e9 {
        Ok(Some(Duration::from_secs_f64(seconds)))
    } else {
        Err(serde::de::Error::custom("write a number of seconds, more than nothing"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::Share;

    #[test]
    fn times_are_seconds_and_more_than_nothing() {
        let read = |text: &str| toml::from_str::<Config>(&format!("[tests]\ntimeout = {text}"));
        assert_eq!(read("90").unwrap().tests.timeout, Some(Duration::from_secs(90)));
        assert_eq!(read("0.5").unwrap().tests.timeout, Some(Duration::from_millis(500)));
        for wrong in ["0", "-1", "nan", "inf", "\"5m\""] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn unknown_keys_and_operators_are_refused_with_their_names() {
        for (text, part) in [("[mutants]\noperator = \"ROR\"", "operator"), ("[mutants]\noperators = \"XYZ\"", "XYZ")] {
            let error = toml::from_str::<Config>(text).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn fuzzed_configurations_are_read_or_refused() {
        let examples = [
            "[project]\nbuild = \"make\"\nexclude = [\"a/**\"]\nconfigure = ['-DX=ON']\n\
             [mutants]\noperators = \"ROR,AOR\"\n",
            "[testgen]\nfloat_tolerance = 1e-9\n[contracts]\n\"a.c:f\" = \"@perturb(sym[4])\"\n\
             [tests]\ncommand = \"./t {test}\"\nnames = [\"a\"]\ntimeout = 1.5\nmemory = \"2G\"\n\
             [run]\nwarnings = \"errors\"\ntce = \"off\"\nequivalence = \"off\"\n",
        ];
        perturb_fuzz::survives("configuration", Share::All, &examples, |text| {
            let _ = toml::from_str::<Config>(&String::from_utf8_lossy(text));
        });
    }
}
