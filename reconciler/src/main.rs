//! `banlieue`: parse the command line, run one command, map it to an exit code.

use std::process::ExitCode;

use banlieue::{cli::Cli, commands};
use clap::Parser;

fn main() -> ExitCode {
    commands::run(Cli::parse())
}
