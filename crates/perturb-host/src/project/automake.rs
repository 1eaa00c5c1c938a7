//! The variables of automake's makefiles that concern tests, read by `make` itself.
//!
//! Only reads variables; runs no test.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::HostError;
use crate::process::tools;
use crate::tree::optional_file::read_optional;

/// The folders whose makefile has automake's rule for tests, sorted.
pub(crate) fn folders(tree: &Path) -> Result<Vec<PathBuf>, HostError> {
    let walk = ignore::WalkBuilder::new(tree).standard_filters(false).build();
    let files = walk.flatten().filter(|item| item.file_name() == "Makefile").map(ignore::DirEntry::into_path);
    let mut folders = Vec::new();
    for file in files.filter(|file| !file.is_dir()) {
        let text = read_optional(&file)?.unwrap_or_default();
        if text.split(|byte| *byte == b'\n').any(|line| line.starts_with(b"check-TESTS:")) {
            folders.extend(file.parent().map(Path::to_path_buf));
        }
    }
    folders.sort();
    Ok(folders)
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn makefiles_of_automake_are_found_and_one_that_cannot_be_read_is_an_error() {
        let tree = tempfile::tempdir().unwrap();
        let [automake, own, folder] = ["a", "b", "c/Makefile"].map(|name| tree.path().join(name));
        [&automake, &own, &folder].into_iter().for_each(|path| fs::create_dir_all(path).unwrap());
        fs::write(automake.join("Makefile"), "all:\ncheck-TESTS: a\n").unwrap();
        fs::write(own.join("Makefile"), "check:\n").unwrap();
        assert_eq!(folders(tree.path()).unwrap(), [automake]);
        fs::remove_file(own.join("Makefile")).unwrap();
        std::os::unix::fs::symlink("Makefile", own.join("Makefile")).unwrap();
        assert!(folders(tree.path()).is_err());
    }
}
