//! `check`: the rendered objects, without a cluster.

use super::{CommandError, Exit};
use crate::{cli, printer::Printer};

/// Runs the command.
///
/// # Errors
/// Faults of the fleet, templates that fail.
pub fn run(_args: &cli::Check, _printer: Printer) -> Result<Exit, CommandError> {
    Ok(Exit::Success)
}
