//! `docs/reference/cli.md`.

use std::fmt::Write;

use banlieue_gen::cli::Cli;
use clap::CommandFactory;

use super::markdown;

const ABOUT: &str = "\
What `banlieue-gen --help` and `banlieue-gen COMMAND --help` print.

Exit codes: 0 as wanted; 1 faults, differences, or something failed; 2 the command line asks for \
something that there is none of.";

/// Columns of a help text, whatever the terminal has.
const WIDTH: usize = 100;

/// The page.
pub fn page() -> String {
    let mut command = Cli::command();
    command.build();
    let mut page = markdown::head("Command line", ABOUT);
    section(&mut command, &mut page);
    for command in command.get_subcommands_mut() {
        if command.get_name() != "help" {
            section(command, &mut page);
        }
    }
    page
}

fn section(command: &mut clap::Command, page: &mut String) {
    let name = command
        .get_bin_name()
        .unwrap_or_else(|| command.get_name())
        .to_owned();
    let mut command = command.clone().term_width(WIDTH);
    let help = command.render_long_help().to_string();
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    write!(
        page,
        "\n## {name}\n\n```text\n{}\n```\n",
        lines.join("\n").trim_end()
    )
    .unwrap();
}
