//! What tests need besides the unit: the framework, from the project or the system.

use super::framework::TestFile;
use crate::native::wraps;
use perturb_host::{Needs, Project, Role};
use perturb_model::Framework;
use std::path::{Path, PathBuf};

/// The compiler flags for the framework.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Support {
    pub flags: Vec<String>,
    /// Sources of the framework that are compiled into the program.
    pub sources: Vec<PathBuf>,
    pub libraries: Vec<String>,
}

impl Support {
    /// The needs of a program, with paths to units relative to the root.
    pub(super) fn needs(&self, root: &Path) -> Needs {
        let root = format!("-I{}", root.display());
        Needs {
            flags: std::iter::once(root).chain(self.flags.iter().cloned()).collect(),
            files: self.sources.clone(),
            libraries: self.libraries.clone(),
        }
    }
}

/// The framework of the project's own tests.
pub fn framework_of(project: &Project) -> Framework {
    let tests = project.units.iter().filter(|unit| matches!(unit.role, Role::Test(_)));
    let texts: Vec<String> = tests
        .filter_map(|unit| std::fs::read(&unit.command.file).ok())
        .map(|text| String::from_utf8_lossy(&text).into_owned())
        .collect();
    let uses = |framework: &Framework| {
        framework.header().is_some_and(|header| texts.iter().any(|text| includes(text, header)))
    };
    Framework::ALL.into_iter().find(uses).unwrap_or(Framework::Plain)
}

/// The needs of these files of tests.
pub(super) fn support_of(framework: Framework, project: &Project, files: &[TestFile]) -> Support {
    let mut support =
        Support { libraries: framework.libraries().iter().map(ToString::to_string).collect(), ..Support::default() };
    if files.iter().any(TestFile::is_header) {
        support.libraries.extend(wraps());
    }
    if framework == Framework::Unity {
        // Projects have a copy of this file.
        let is_it = |path: &Path| path.file_name().is_some_and(|name| name == "unity.c");
        if let Some(unit) = project.units.iter().find(|unit| is_it(&unit.command.file)) {
            let folder = unit.command.file.parent().unwrap_or(Path::new("/"));
            support.flags.push(format!("-I{}", folder.display()));
            support.sources.push(unit.command.file.clone());
        }
    }
    support
}

/// Whether a text includes a header, in whichever folder.
fn includes(text: &str, header: &str) -> bool {
    text.lines().any(|line| {
        let Some(rest) = line.trim_start().strip_prefix('#') else { return false };
        let Some(name) = rest.trim_start().strip_prefix("include") else { return false };
        let name = name.trim().trim_start_matches(['"', '<']);
        let name = name.split(['"', '>']).next().unwrap_or_default();
        name == header || name.ends_with(&format!("/{header}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_known_by_its_name_wherever_it_is() {
        for (text, is_it) in [
            ("#include <cmocka.h>", true),
            ("x\n  # include \"lib/cmocka.h\" /* y */", true),
            ("#include \"notcmocka.h\"", false),
            ("// cmocka.h", false),
            ("#define include <cmocka.h>", false),
        ] {
            assert_eq!(includes(text, "cmocka.h"), is_it, "{text}");
        }
    }
}
