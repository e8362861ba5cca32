//! `completion`: scripts for shells.

use std::io::Write;

use clap::CommandFactory;

use super::{CommandError, Exit};
use crate::{
    cli::{Cli, Completion},
    printer::Printer,
};

/// Runs the command.
///
/// # Errors
/// Standard output that cannot be written.
pub fn run(args: &Completion, printer: Printer) -> Result<Exit, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "banlieue-gen", &mut script);
    let mut out = printer.raw();
    out.write_all(&script)
        .and_then(|()| out.flush())
        .map_err(CommandError::output)?;
    Ok(Exit::Success)
}
