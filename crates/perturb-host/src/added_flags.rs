//! Further arguments for every compiler of a build, whatever its build system: a folder of small scripts that go first
//! on the PATH and pass each call on with the arguments behind its own.
//!
//! Variables such as CFLAGS would not do: a makefile or a project's CMakeLists.txt sets them anew. What only asks a
//! compiler a question is passed on as it is. A compiler that the build files call by an absolute path escapes; one that
//! the user names so, in CC or in an argument of the configure step, does not.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::command_line::is_launcher;
use crate::discover::DiscoverOptions;
use crate::error::HostError;
use crate::tools::is_executable;
use crate::tree_manifest::fnv1a;
use crate::wrappers::{
    absolute_compiler, compilers_on, first_on, is_archiver_name, is_compiler_name, quoted, write_script,
};

/// The options of a build in `home` whose compilers get these arguments.
pub(crate) fn options_adding(
    flags: &[OsString],
    home: &Path,
    options: &DiscoverOptions,
) -> Result<DiscoverOptions, HostError> {
    let path = options.variable("PATH").unwrap_or_default();
    let mut real = compilers_on(&path);
    real.retain(|name, _| !is_archiver_name(name));
    // A build with other arguments is another build: it must find nothing of this one.
    let folder = home.join(format!("compilers-{:016x}", fnv1a(format!("{flags:?}").as_bytes())));
    let mut adding = Adding { folder, real };
    let mut options = DiscoverOptions { variables: options.variables.clone(), ..options.clone() };
    for variable in ["CC", "CXX"] {
        if let Some((program, rest)) = absolute_compiler(&options, variable) {
            let value = format!("{}{rest}", adding.redirected(&program).display());
            options.variables.push((variable.to_string(), value.into()));
        }
    }
    options.variables.push(("PATH".to_string(), first_on(&path, &adding.folder)));
    // A cache would have to know of the arguments, and of what they make besides objects.
    options.variables.push(("CCACHE_DISABLE".to_string(), "1".into()));
    for argument in &mut options.configure_arguments {
        adding.redirect(argument);
    }
    adding.write(flags)?;
    Ok(options)
}

struct Adding {
    folder: PathBuf,
    /// The compiler behind each script.
    real: BTreeMap<String, PathBuf>,
}

impl Adding {
    /// `-DCMAKE_C_COMPILER=/usr/bin/gcc-12` would pass the PATH by.
    fn redirect(&mut self, argument: &mut String) {
        let Some((name, value)) = argument.split_once('=') else { return };
        let program = Path::new(value);
        let is_compiler = program.file_name().is_some_and(|file| is_compiler_name(&file.to_string_lossy()));
        if is_compiler && program.is_absolute() && is_executable(program) {
            *argument = format!("{name}={}", self.redirected(program).display());
        }
    }

    /// The script for a compiler by its absolute path.
    fn redirected(&mut self, program: &Path) -> PathBuf {
        let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if is_launcher(program) {
            return program.to_path_buf();
        }
        self.real.insert(name.clone(), program.to_path_buf());
        self.folder.join(name)
    }

    /// Writes what is not there yet: a compiler with a new time would be another one to many a build.
    fn write(&self, flags: &[OsString]) -> Result<(), HostError> {
        fs::create_dir_all(&self.folder).map_err(HostError::io("create", &self.folder))?;
        for (name, real) in &self.real {
            let (path, text) = (self.folder.join(name), script(real, flags));
            if fs::read(&path).ok().as_deref() != Some(text.as_bytes()) {
                write_script(&path, &text)?;
            }
        }
        Ok(())
    }
}

/// The variable keeps compilers that call compilers (`c99` is a script around `gcc`) from adding twice.
fn script(real: &Path, flags: &[OsString]) -> String {
    let real = quoted(real);
    let flags: Vec<String> = flags.iter().map(quoted).collect();
    format!(
        "#!/bin/sh\n\
         [ -z \"${{PERTURB_ADDED-}}\" ] || exec {real} \"$@\"\n\
         for word do\n\
         \tcase $word in\n\
         \t-E | -M | -MM | -fsyntax-only | '-###' | --version | --help | -dump* | -print-*) exec {real} \"$@\" ;;\n\
         \tesac\n\
         done\n\
         PERTURB_ADDED=1\n\
         export PERTURB_ADDED\n\
         exec {real} \"$@\" {}\n",
        flags.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn options(home: &Path) -> DiscoverOptions {
        options_adding(&["-DADDED='a b'".into()], home, &DiscoverOptions::default()).unwrap()
    }

    #[test]
    fn each_call_that_makes_something_gets_the_arguments_and_questions_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("it's home");
        let bin = folder.path().join("bin");
        fs::create_dir(&bin).unwrap();
        write_script(&bin.join("gcc-99"), "#!/bin/sh\nprintf '<%s>' \"$@\"\n").unwrap();
        write_script(&bin.join("c99"), "#!/bin/sh\nexec gcc-99 -std=c99 \"$@\"\n").unwrap();
        let path = first_on(&std::env::var_os("PATH").unwrap(), &bin);
        let given = DiscoverOptions {
            variables: vec![
                ("PATH".to_string(), path),
                ("CC".to_string(), format!("{} -m32", bin.join("gcc-99").display()).into()),
            ],
            configure_arguments: vec![
                format!("-DCMAKE_C_COMPILER={}", bin.join("gcc-99").display()),
                "-DX=1".to_string(),
            ],
            ..DiscoverOptions::default()
        };
        let options = options_adding(&["-DADDED='a b'".into()], &home, &given).unwrap();
        let said = |line: &str| {
            let mut command = Command::new("sh");
            let output = command.args(["-c", line]).envs(options.variables.iter().cloned()).output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        assert_eq!(said("gcc-99 -c 'x y.c'"), "<-c><x y.c><-DADDED='a b'>");
        assert_eq!(said("c99 -c x.c"), "<-std=c99><-c><x.c><-DADDED='a b'>");
        assert_eq!(said("gcc-99 -E x.c"), "<-E><x.c>");
        assert_eq!(said("gcc-99 -print-file-name=crt1.o"), "<-print-file-name=crt1.o>");
        assert_eq!(said("set -- $(printf '%s' \"${CC##*/}\"); echo $1 $2"), "gcc-99 -m32\n");
        assert!(options.configure_arguments[0].contains("/compilers-") && options.configure_arguments[1] == "-DX=1");
    }

    #[test]
    fn scripts_that_are_right_are_not_written_again_and_other_arguments_have_other_scripts() {
        let folder = tempfile::tempdir().unwrap();
        let first = options(folder.path());
        let times = || -> Vec<_> {
            let found = ignore::WalkBuilder::new(folder.path()).build().flatten();
            found.map(|item| item.metadata().unwrap().modified().unwrap()).collect()
        };
        let before = times();
        assert_eq!(options(folder.path()).variables, first.variables);
        assert_eq!(times(), before);
        let other = options_adding(&["-O0".into()], folder.path(), &DiscoverOptions::default()).unwrap();
        assert_ne!(other.variables, first.variables);
    }
}
