//! The manifest of a run: everything that its results depend on, for readers who have to trust them later.

use super::AnalysisOptions;
use crate::steps::discard::equivalence::EquivalenceWhen;
use crate::steps::tce::{TceOptions, TceWhen};
use perturb_cell::Layers;
use perturb_host::Project;
use perturb_model::{ContentHash, Mutant, Rule, SampleOptions, StepTime};
use serde_json::{json, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The part of the manifest about the sandbox.
pub(super) fn sandbox_fact(layers: &Layers) -> Value {
    json!({ "layers": layers.to_string(), "weakness": layers.weakness() })
}

/// What the program knows about a run besides the project.
#[derive(Debug, Clone, Default)]
pub struct Manifest {
    /// The versions of perturb and of what it uses: name and version.
    pub versions: Vec<(String, String)>,
    /// The times of the steps before the analysis.
    pub times: Vec<StepTime>,
}

impl Manifest {
    pub(super) fn to_json(&self, project: &Project, mutants: &[Mutant], options: &AnalysisOptions) -> Value {
        let sources: BTreeMap<String, String> = mutants
            .iter()
            .map(|mutant| &mutant.file)
            .map(|file| (file.relative.to_string_lossy().into_owned(), file))
            .collect::<BTreeMap<_, _>>()
            .into_iter()
            .map(|(path, file)| (path, ContentHash::of(file.source.text()).to_string()))
            .collect();
        let commands = project.units.iter().map(|unit| {
            let file = project.relative(&unit.command.file).unwrap_or(&unit.command.file);
            json!({ "file": file, "role": unit.role.to_string(), "arguments": unit.command.arguments })
        });
        let compilers: BTreeSet<&str> = project.units.iter().map(|unit| unit.command.arguments[0].as_str()).collect();
        json!({
            "versions": self.versions.iter().cloned().collect::<BTreeMap<String, String>>(),
            "build": project.build_system.to_string(),
            "compilers": compilers,
            "commands": commands.collect::<Vec<_>>(),
            "sources": sources,
            "mutants": mutants.len(),
            "seed": options.seed,
            "sample": sample(&options.sample),
            "distance": options.distance.word(),
            "kill_matrix": options.kill_matrix,
            "T_E": options.discard.is_on.then_some(options.discard.threshold),
            "tce": tce(&options.tce),
            "equivalence": match options.equivalence {
                EquivalenceWhen::Live => "live",
                EquivalenceWhen::Never => "off",
            },
        })
    }
}

/// Which mutants are executed, and when the sample is large enough.
fn sample(options: &SampleOptions) -> Value {
    let SampleOptions { strategy, rule: Rule { width, confidence, calibration } } = options;
    json!({
        "strategy": strategy.map(|strategy| strategy.to_string()),
        "T_CI": width,
        "confidence": confidence.level(),
        "T_CE": calibration.map(|calibration| calibration.width),
    })
}

/// When and how compiled code is compared.
fn tce(options: &TceOptions) -> Value {
    let when = match options.when {
        TceWhen::Always => "on",
        TceWhen::Live => "live",
        TceWhen::Never => "off",
    };
    let levels: Vec<&str> = options.levels.iter().map(|level| level.word()).collect();
    json!({ "when": when, "levels": levels, "fast_floats": options.fast_floats })
}
