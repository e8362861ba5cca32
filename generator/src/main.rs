//! `banlieue-gen`: parse the command line, run one command, map it to an exit code.

use std::process::ExitCode;

use banlieue_gen::{cli::Cli, commands};
use clap::Parser;

fn main() -> ExitCode {
    ExitCode::from(commands::run(Cli::parse()).code())
}
