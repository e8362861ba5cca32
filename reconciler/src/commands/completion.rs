//! `banlieue completion`.

use std::io::{self, Write};

use clap::CommandFactory;
use clap_complete::{Shell, generate};

use super::CommandError;
use crate::cli::Cli;

/// For which shell.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell.
    #[arg(value_enum)]
    pub shell: Shell,
}

pub(super) fn run(args: &Args) -> Result<(), CommandError> {
    // Into memory first: the generator panics where it cannot write.
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "banlieue", &mut script);
    io::stdout()
        .write_all(&script)
        .map_err(CommandError::Output)
}
