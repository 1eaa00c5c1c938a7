//! Adds arguments to every compiler call of a build, whatever its build system: a folder of small scripts, first on the
//! PATH, that call the real compilers with the arguments behind their own.
//!
//! Variables such as CFLAGS are not enough: a makefile or a project's CMakeLists.txt overwrites them. Calls that only
//! query the compiler are passed on unchanged. A compiler that the build files call by an absolute path is not
//! intercepted, unless the user names it so, in CC or in an argument of the configure step.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use crate::cache_key::CacheKey;
use crate::command_line::is_launcher;
use crate::error::HostError;
use crate::process::tools::is_executable;
use crate::project::options::DiscoverOptions;
use crate::project::wrappers::{
    absolute_compiler, compilers_on, first_on, is_archiver_name, is_compiler_name, quoted, write_script,
};
use crate::tree::manifest::fnv1a;

/// The options of a build in `home` with its added flags in force. May be asked again when there are more arguments.
pub(crate) fn applied(options: &DiscoverOptions, home: &Path) -> Result<DiscoverOptions, HostError> {
    let mut options = options.clone();
    if options.added_flags.is_empty() {
        return Ok(options);
    }
    // A build with other flags is another build: it must find nothing of this one.
    let mut key = CacheKey::default();
    key.add_all("flag", &options.added_flags);
    let folder = home.join(format!("compilers-{:016x}", fnv1a(key.into_text().as_bytes())));
    let mut scripts = Scripts { folder, real: BTreeMap::new() };
    let path = options.variable("PATH").unwrap_or_default();
    if !std::env::split_paths(&path).any(|item| item == scripts.folder) {
        scripts.stand_for_path(&path, &mut options);
    }
    for argument in &mut options.configure_arguments {
        scripts.redirect(argument);
    }
    scripts.write(&options.added_flags)?;
    Ok(options)
}

struct Scripts {
    folder: PathBuf,
    /// The compiler behind each script, which stands below the folder.
    real: BTreeMap<PathBuf, PathBuf>,
}

impl Scripts {
    /// A script for each compiler that a build finds by its name, or that the user names for it.
    fn stand_for_path(&mut self, path: &OsStr, options: &mut DiscoverOptions) {
        let compilers = compilers_on(path).into_iter().filter(|(name, _)| !is_archiver_name(name));
        self.real.extend(compilers.map(|(name, real)| (PathBuf::from(name), real)));
        for variable in ["CC", "CXX"] {
            let given = absolute_compiler(options, variable).filter(|(program, _)| !is_launcher(program));
            let Some((program, rest)) = given else { continue };
            // Makefiles do not quote it: our own path may hold spaces, a name does not.
            let name = format!("{}-{}", place_of(&program), program.file_name().unwrap_or_default().to_string_lossy());
            options.variables.push((variable.to_string(), format!("{name}{rest}").into()));
            self.real.insert(name.into(), program);
        }
        options.variables.push(("PATH".to_string(), first_on(path, &self.folder)));
        // A cache would have to know of the flags, and of what they make besides objects.
        options.variables.push(("CCACHE_DISABLE".to_string(), "1".into()));
    }

    /// `-DCMAKE_C_COMPILER=/usr/bin/gcc-12` would pass the PATH by.
    fn redirect(&mut self, argument: &mut String) {
        let Some((name, value)) = argument.split_once('=') else { return };
        let program = Path::new(value);
        let is_compiler = program.file_name().is_some_and(|file| is_compiler_name(&file.to_string_lossy()));
        let is_ours = program.starts_with(&self.folder);
        if is_compiler && !is_ours && program.is_absolute() && is_executable(program) {
            // Under the compiler's own name, by which CMake recognises a cross compiler. Not on the PATH, where another
            // compiler may have the same name.
            let script = Path::new(&place_of(program)).join(program.file_name().unwrap_or_default());
            self.real.insert(script.clone(), program.to_path_buf());
            *argument = format!("{name}={}", self.folder.join(script).display());
        }
    }

    /// Writes the scripts that do not exist yet: many builds take a compiler with a new time for another compiler.
    fn write(&self, flags: &[OsString]) -> Result<(), HostError> {
        for (name, real) in &self.real {
            let (path, text) = (self.folder.join(name), script(real, flags));
            let folder = path.parent().unwrap_or(&self.folder);
            fs::create_dir_all(folder).map_err(HostError::io("create", folder))?;
            if fs::read(&path).ok().as_deref() != Some(text.as_bytes()) {
                write_script(&path, &text)?;
            }
        }
        Ok(())
    }
}

fn place_of(program: &Path) -> String {
    format!("{:016x}", fnv1a(program.as_os_str().as_encoded_bytes()))
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

    fn adding(flag: &str) -> DiscoverOptions {
        DiscoverOptions { added_flags: vec![flag.into()], ..DiscoverOptions::default() }
    }

    #[test]
    fn each_call_that_makes_something_gets_the_arguments_and_questions_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("it's home");
        let bin = folder.path().join("bin");
        fs::create_dir(&bin).unwrap();
        write_script(&bin.join("gcc-99"), "#!/bin/sh\nprintf '<%s>' \"$@\"\n").unwrap();
        write_script(&bin.join("c99"), "#!/bin/sh\nexec gcc-99 -std=c99 \"$@\"\n").unwrap();
        let absolute = folder.path().join("gcc-99");
        write_script(&absolute, "#!/bin/sh\nprintf 'absolute '\nprintf '<%s>' \"$@\"\n").unwrap();
        let path = first_on(&std::env::var_os("PATH").unwrap(), &bin);
        let given = DiscoverOptions {
            variables: vec![
                ("PATH".to_string(), path),
                ("CC".to_string(), format!("{} -m32", absolute.display()).into()),
            ],
            configure_arguments: vec![format!("-DCMAKE_C_COMPILER={}", absolute.display()), "-DX=1".to_string()],
            ..adding("-DADDED='a b'")
        };
        let options = applied(&given, &home).unwrap();
        let said = |line: &str| {
            let mut command = Command::new("sh");
            let output = command.args(["-c", line]).envs(options.variables.iter().cloned()).output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        assert_eq!(said("gcc-99 -c 'x y.c'"), "<-c><x y.c><-DADDED='a b'>");
        assert_eq!(said("c99 -c x.c"), "<-std=c99><-c><x.c><-DADDED='a b'>");
        assert_eq!(said("gcc-99 -E x.c"), "<-E><x.c>");
        assert_eq!(said("gcc-99 -print-file-name=crt1.o"), "<-print-file-name=crt1.o>");
        // The one that the user names is another than the one on the PATH.
        assert_eq!(said("$CC -c x.c"), "absolute <-m32><-c><x.c><-DADDED='a b'>");
        let [redirected, other] = &options.configure_arguments[..] else { panic!("{options:?}") };
        let script = redirected.strip_prefix("-DCMAKE_C_COMPILER=").unwrap();
        assert!(script.ends_with("/gcc-99") && script != absolute.to_str().unwrap() && other == "-DX=1", "{script}");
        assert_eq!(said(&format!("{} x.c", quoted(script))), "absolute <x.c><-DADDED='a b'>");
    }

    #[test]
    fn scripts_that_are_right_are_not_written_again_and_other_arguments_have_other_scripts() {
        let folder = tempfile::tempdir().unwrap();
        let options = || applied(&adding("-O1"), folder.path()).unwrap();
        let first = options();
        let times = || -> Vec<_> {
            let found = ignore::WalkBuilder::new(folder.path()).build().flatten();
            found.map(|item| item.metadata().unwrap().modified().unwrap()).collect()
        };
        let before = times();
        assert_eq!(options().variables, first.variables);
        assert_eq!(times(), before);
        assert_eq!(applied(&first, folder.path()).unwrap().variables, first.variables, "once is enough");
        assert_ne!(applied(&adding("-O0"), folder.path()).unwrap().variables, first.variables);
        assert!(applied(&DiscoverOptions::default(), folder.path()).unwrap().variables.is_empty());
    }
}
