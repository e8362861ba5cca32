//! Reference pages of command lines, from the definition that parses them.

use std::fmt::Write;

use anyhow::{Result, ensure};

use crate::tools::checkout;

/// Columns of a help text, whatever the terminal has.
const WIDTH: usize = 100;

/// First line of every page that is derived.
pub const DERIVED: &str =
    "<!-- Derived from the types by `make generate`; not to be edited. -->\n\n";

/// A page with the help text of a program and of all its commands.
pub fn page(mut program: clap::Command, about: &str) -> String {
    program.build();
    let name = program.get_name().to_owned();
    let mut page = format!("{DERIVED}# {name}\n\n{about}\n");
    section(&mut program, &mut page);
    page
}

fn section(command: &mut clap::Command, page: &mut String) {
    let name = command.get_bin_name().unwrap_or(command.get_name());
    let help = command.clone().term_width(WIDTH).render_long_help();
    let help = help.to_string();
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    let help = lines.join("\n");
    // Writing into a text does not fail.
    let _ = write!(page, "\n## {name}\n\n```text\n{}\n```\n", help.trim_end());
    for command in command.get_subcommands_mut() {
        if command.get_name() != "help" {
            section(command, page);
        }
    }
}

/// Fails if the file, a path in the checkout, holds another text. Writes it if `UPDATE=1` asks for
/// that.
pub fn is_current(path: &str, text: &str) -> Result<()> {
    let file = checkout().join(path);
    if std::fs::read(&file).is_ok_and(|found| found == text.as_bytes()) {
        return Ok(());
    }
    let update = std::env::var_os("UPDATE").is_some_and(|value| value == "1");
    ensure!(update, "{path} is not current; run `make generate`");
    Ok(std::fs::write(&file, text)?)
}
