//! The variables of automake's makefiles that concern tests, read by `make` itself.
//!
//! Only reads variables; runs no test.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::HostError;
use crate::process::tools;

/// The folders whose makefile has automake's rule for tests, sorted.
pub(crate) fn folders(tree: &Path) -> Vec<PathBuf> {
    let walk = ignore::WalkBuilder::new(tree).standard_filters(false).build();
    let files = walk.flatten().filter(|item| item.file_name() == "Makefile").map(ignore::DirEntry::into_path);
    let runs_tests = |file: &PathBuf| {
        let text = fs::read(file).unwrap_or_default();
        text.split(|byte| *byte == b'\n').any(|line| line.starts_with(b"check-TESTS:"))
    };
    let mut folders: Vec<PathBuf> =
        files.filter(runs_tests).filter_map(|file| file.parent().map(Path::to_path_buf)).collect();
    folders.sort();
    folders
}

/// The values of variables in a folder's makefile; `None` where `make` cannot read it.
pub(crate) fn variables(
    mut make: Command,
    folder: &Path,
    names: &[&str],
) -> Result<Option<BTreeMap<String, String>>, HostError> {
    // The mark separates our lines from other output of the makefile.
    const SIGN: &str = "perturb:";
    let show = format!("$(foreach v,{},$(info {SIGN}$(v)=$($(v))))", names.join(" "));
    make.arg("-C").arg(folder).args(["-s", "--no-print-directory"]);
    make.arg(format!("--eval=perturb-show: ; @:{show}")).arg("perturb-show");
    let answer = tools::run(&mut make)?;
    if !answer.status.success() {
        return Ok(None);
    }
    let lines = answer.stdout.lines().filter_map(|line| line.strip_prefix(SIGN)?.split_once('='));
    Ok(Some(lines.map(|(name, value)| (name.to_string(), value.trim().to_string())).collect()))
}
