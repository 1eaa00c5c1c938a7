//! The commands that a user would type to build a copy of a project as a shadow does. Runs nothing.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::error::HostError;
use crate::process::tools::jobs;
use crate::project::builder::{builder_of, Builder};
use crate::project::description::Project;
use crate::project::options::DiscoverOptions;

/// Typed in a folder that holds a copy of the project as `tree`; CMake and Meson build in `build` beside it, other
/// commands in the copy. An error where nobody knows how the project is built.
pub fn build_command(project: &Project, options: &DiscoverOptions) -> Result<String, HostError> {
    let arguments: String =
        options.configure_arguments.iter().map(|argument| format!(" {}", shell_word(argument))).collect();
    Ok(match builder_of(project, options)? {
        Builder::CMake => format!("cmake -S tree -B build{arguments} && cmake --build build"),
        Builder::Meson => format!("meson setup build tree{arguments} && ninja -C build"),
        Builder::Command(plan) => {
            // Some only build the tests so; others run them too, and are allowed to fail.
            let then = plan.then(jobs()).map(|command| format!(" && {{ {command} || true; }}")).unwrap_or_default();
            format!("(cd tree && {}{then})", plan.command(jobs()))
        }
    })
}

/// A path as a shell reads it. One that is no text is written with bash's escapes.
pub fn shell_path(path: &Path) -> String {
    let Some(text) = path.to_str() else {
        let escaped = path.as_os_str().as_bytes().iter().map(|byte| match byte {
            b'\\' | b'\'' => format!("\\{}", char::from(*byte)),
            0x20..0x7f => char::from(*byte).to_string(),
            _ => format!("\\x{byte:02x}"),
        });
        return format!("$'{}'", escaped.collect::<String>());
    };
    shell_word(text)
}

/// A word as a shell reads it.
pub fn shell_word(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_string(), |word| word.into_owned())
}
