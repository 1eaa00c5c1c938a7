//! Contracts of functions that the project's configuration has, besides those in comments; and the ones that could
//! stand there.

use super::read_unit::{read_unit, ReadUnit};
use crate::contract::{self, Contract, ContractError, Size};
use crate::native::{Layout, Others, Unsupported};
use crate::EquivError;
use perturb_csrc::{Libclang, Shape, Signature, Signatures};
use perturb_host::{CompilerProbe, Project};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// By file below the root, and function.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contracts(BTreeMap<(PathBuf, String), Contract>);

/// What is wrong with one of them.
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
    /// Reads what the configuration has, each `FILE:FUNCTION` with its contract, and checks it against the sources. Of
    /// the first that is wrong, its key and what is wrong with it.
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
            // Of a file that cannot be read, nothing is compared.
            if let Ok(ReadUnit { signatures, .. }) = &units[&file] {
                if let Err(error) = check(signatures, &file, &function, &contract) {
                    return Ok(Err((key.clone(), error)));
                }
            }
            contracts.0.insert((file, function), contract);
        }
        Ok(Ok(contracts))
    }

    /// The one of a function: this, or what its comment says.
    pub(super) fn of(&self, file: &Path, signature: &Signature) -> Option<Result<Contract, ContractError>> {
        match self.0.get(&(file.to_path_buf(), signature.name.clone())) {
            Some(contract) => Some(Ok(contract.clone())),
            None => signature.comment.as_deref().and_then(contract::parse),
        }
    }

    /// All that there are for a file, as text: what is known of its functions depends on it.
    pub(crate) fn told(&self, file: &Path) -> String {
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

/// Whether a function is there and can be given what its contract says.
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
        // What else keeps it from being called is told with its mutants.
        _ => Ok(()),
    }
}

/// A contract that could be in the configuration: what is taken for granted of a function, for somebody who knows
/// better.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// Below the root.
    pub file: PathBuf,
    pub function: String,
    /// Their names.
    pub parameters: Vec<String>,
    pub contract: String,
    /// The mutants of the function that are not known yet.
    pub places: Vec<usize>,
}

impl Proposal {
    /// For a function without a contract that could be called with one; none where there is nothing to be said.
    pub(super) fn of(
        file: &Path,
        signatures: &Signatures,
        signature: &Signature,
        others: &Others,
        places: &[usize],
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
            places: places.to_vec(),
        })
    }
}
