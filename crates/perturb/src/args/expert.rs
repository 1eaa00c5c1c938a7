//! Options that only a study needs. `--help` leaves them out (`hide = true`), and `--help-expert` shows them with all
//! others. They work like any option, and nothing else in the program knows which they are.

use super::Cli;
use clap::{Arg, ArgAction, Command, CommandFactory as _, FromArgMatches as _};
use std::ffi::OsString;

const FLAG: &str = "help-expert";

impl Cli {
    /// Parses the words of a command line, of which the first is the program.
    pub fn of_words(words: Vec<OsString>) -> Result<Self, clap::Error> {
        let command = Self::command_of(&words);
        let mut matches = command.clone().try_get_matches_from(words)?;
        Self::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command.clone()))
    }

    /// The definition of the command line. If the words ask for it, no option is hidden.
    fn command_of(words: &[OsString]) -> Command {
        let is_asked = words.iter().any(|word| word.to_str().and_then(|word| word.strip_prefix("--")) == Some(FLAG));
        Self::command().mut_subcommands(|command| match has_hidden_options(&command) {
            true => with_expert_help(command, is_asked),
            false => command,
        })
    }
}

fn has_hidden_options(command: &Command) -> bool {
    command.get_arguments().any(Arg::is_hide_set)
}

/// Adds `--help-expert`. The plain help ends with a line that says so, the other one has the hidden options.
fn with_expert_help(command: Command, is_asked: bool) -> Command {
    let flag = Arg::new(FLAG).long(FLAG).action(ArgAction::Help);
    let flag = flag.help("Print help, with the options that only a study needs").help_heading(None);
    let command = command.arg(flag);
    if is_asked {
        return command.mut_args(|option| option.hide(false));
    }
    let before = command.get_after_help().map(|text| format!("{text}\n\n")).unwrap_or_default();
    let line = format!("`perturb {} --{FLAG}` also shows the options that only a study needs.", command.get_name());
    command.after_help(before + &line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn help(command: &str, flag: &str) -> String {
        let words = ["perturb", command, flag].map(OsString::from).to_vec();
        Cli::of_words(words).expect_err("clap gives help as an error").to_string()
    }

    /// The options that a help text lists.
    fn listed(help: &str) -> BTreeSet<&str> {
        help.lines().filter_map(|line| option_of(line.trim_start())).collect()
    }

    /// `work` of `-w, --work <DIR>`.
    fn option_of(line: &str) -> Option<&str> {
        let long =
            line.strip_prefix("--").or_else(|| line.strip_prefix('-')?.split_once(", --").map(|(_, long)| long))?;
        long.split([' ', '=']).next()
    }

    #[test]
    fn every_option_is_in_the_help_or_in_the_help_for_experts() {
        for command in Cli::command().get_subcommands() {
            let plain = help(command.get_name(), "--help");
            let hints = plain.lines().last().is_some_and(|line| line.contains("--help-expert"));
            assert_eq!(hints, has_hidden_options(command), "{plain}");
            let expert = if hints { help(command.get_name(), "--help-expert") } else { plain.clone() };
            let (plain, expert) = (listed(&plain), listed(&expert));
            for option in command.get_arguments() {
                let Some(name) = option.get_long() else { continue };
                assert!(expert.contains(name), "{} --{name}", command.get_name());
                assert_eq!(plain.contains(name), !option.is_hide_set(), "{} --{name}", command.get_name());
            }
            assert!(plain.is_subset(&expert), "{}", command.get_name());
        }
    }
}
