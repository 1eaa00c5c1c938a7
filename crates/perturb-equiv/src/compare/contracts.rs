//! Contracts of functions in the project's configuration, beside those in comments; and contracts to propose for it.

use super::read_unit::{read_unit, ReadUnit};
use crate::contract::{self, Contract, ContractError, Size};
use crate::native::{Layout, Others, Unsupported};
use crate::EquivError;
use perturb_csrc::{Libclang, Shape, Signature, Signatures};
use perturb_host::{CompilerProbe, Project};
use perturb_model::MutantIdx;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// By function and its file, relative to the root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contracts(BTreeMap<(PathBuf, String), Contract>);

/// What is wrong with a contract.
#[derive(Debug, thiserror::Error)]
pub enum ContractsError {
    #[error("it names no function: write \"FILE:FUNCTION\", such as \"src/ring.c:ring_put\"")]
    Key,
    #[error("{} is no source file under test of this project", file.display())]
    File { file: PathBuf },
    #[error("{} defines no function {function}", file.display())]
    Function { file: PathBuf, function: String },
    #[error("it is no contract: write \"@perturb(sym[16], 0..10)\", with one entry for each parameter")]
    NoContract,
    #[error(transparent)]
    Contract(#[from] ContractError),
    /// The contract of another function, or of this one before it was changed.
    #[error(transparent)]
    Contradictory(Unsupported),
    #[error("[{name}] speaks of a parameter that is no number of {function}")]
    Counted { name: String, function: String },
    #[error("the comment before {function} says something else: {comment}")]
    Comment { function: String, comment: String },
}

impl Contracts {
    /// Reads the entries of the configuration, each `FILE:FUNCTION` with its contract, and checks them against the
    /// sources. The inner error has the key of the first wrong entry.
    pub fn read(
        entries: &BTreeMap<String, String>,
        project: &Project,
        libclang: &Libclang,
    ) -> Result<Result<Self, (String, ContractsError)>, EquivError> {
        let probe = CompilerProbe::new();
        let mut units: BTreeMap<PathBuf, Result<ReadUnit, String>> = BTreeMap::new();
        let mut contracts = Self::default();
        for (key, text) in entries {
            let (file, function, contract) = match entry(key, text) {
                Ok(entry) => entry,
                Err(error) => return Ok(Err((key.clone(), error))),
            };
            let Some(unit) =
                project.units_under_test().find(|unit| project.relative(&unit.command.file) == Some(&file))
            else {
                return Ok(Err((key.clone(), ContractsError::File { file })));
            };
            if !units.contains_key(&file) {
                units.insert(file.clone(), read_unit(&probe, libclang, unit)?);
            }
            // Functions of a file that cannot be parsed are not compared.
            if let Ok(ReadUnit { signatures, .. }) = &units[&file] {
                if let Err(error) = check(signatures, &file, &function, &contract) {
                    return Ok(Err((key.clone(), error)));
                }
            }
            contracts.0.insert((file, function), contract);
        }
        Ok(Ok(contracts))
    }

    /// The contract of a function: from here, or from its comment.
    pub(super) fn of(&self, file: &Path, signature: &Signature) -> Option<Result<Contract, ContractError>> {
        match self.0.get(&(file.to_path_buf(), signature.name.clone())) {
            Some(contract) => Some(Ok(contract.clone())),
            None => signature.comment.as_deref().and_then(contract::parse),
        }
    }

    /// All contracts for a file as text, which verdicts on its functions depend on.
    pub(crate) fn text_for(&self, file: &Path) -> String {
        let own = self.0.iter().filter(|((of, _), _)| of == file);
        own.map(|((_, function), contract)| format!("{function} {contract}\n")).collect()
    }
}

fn entry(key: &str, text: &str) -> Result<(PathBuf, String, Contract), ContractsError> {
    let (file, function) = key.rsplit_once(':').ok_or(ContractsError::Key)?;
    if file.is_empty() || function.is_empty() {
        return Err(ContractsError::Key);
    }
    let contract = contract::parse(text).ok_or(ContractsError::NoContract)??;
    Ok((PathBuf::from(file), function.to_string(), contract))
}

/// Checks that a function exists and fits its contract.
fn check(signatures: &Signatures, file: &Path, function: &str, contract: &Contract) -> Result<(), ContractsError> {
    let known = signatures.functions.iter().find(|known| known.name == function);
    let unknown = || ContractsError::Function { file: file.to_path_buf(), function: function.to_string() };
    let signature = known.ok_or_else(unknown)?;
    let is_number = |name: &str| {
        let mut own = signature.parameters.iter().filter(|parameter| parameter.name == name);
        own.any(|parameter| matches!(signatures.ty(parameter.ty).shape, Shape::Integer { .. }))
    };
    let sizes = contract.parameters.iter().filter_map(|parameter| parameter.size.as_ref());
    for size in sizes {
        if let Size::Parameter(name) = size {
            let wrong = || ContractsError::Counted { name: name.clone(), function: function.to_string() };
            is_number(name).then_some(()).ok_or_else(wrong)?;
        }
    }
    if let Some(comment) = signature.comment.as_deref().filter(|text| contract::parse(text).is_some()) {
        if contract::parse(comment) != Some(Ok(contract.clone())) {
            let (function, comment) = (function.to_string(), comment.trim().to_string());
            return Err(ContractsError::Comment { function, comment });
        }
    }
    match Layout::of(signatures, signature, contract, &Others::default()) {
        Err(
            error @ (Unsupported::Parameters { .. }
            | Unsupported::Range { .. }
            | Unsupported::Contract(_)
            | Unsupported::Alias { .. }
            | Unsupported::Within { .. }),
        ) => Err(ContractsError::Contradictory(error)),
        // Other reasons why it cannot be called are reported with its mutants.
        _ => Ok(()),
    }
}

/// A contract to propose for the configuration: the assumptions about a function's inputs, for a user who knows better.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// Below the root.
    pub file: PathBuf,
    pub function: String,
    /// The names of the parameters.
    pub parameters: Vec<String>,
    pub contract: String,
    /// The mutants of the function that have no verdict yet.
    pub mutants: Vec<MutantIdx>,
}

impl Proposal {
    /// Proposes a contract for a function that has none and can be called with one. `None` if there is nothing to
    /// state.
    pub(super) fn of(
        file: &Path,
        signatures: &Signatures,
        signature: &Signature,
        others: &Others,
        mutants: &[MutantIdx],
    ) -> Option<Self> {
        let contract = contract::proposed(signatures, signature)?;
        let is_read_again = contract::parse(&contract.to_string()) == Some(Ok(contract.clone()));
        if !is_read_again || Layout::of(signatures, signature, &contract, others).is_err() {
            return None;
        }
        Some(Self {
            file: file.to_path_buf(),
            function: signature.name.clone(),
            parameters: signature.parameters.iter().map(|parameter| parameter.name.clone()).collect(),
            contract: contract.to_string(),
            mutants: mutants.to_vec(),
        })
    }
}
