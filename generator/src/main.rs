//! `banlieue-gen`: parse the command line, run one command, map it to an exit code.

use std::process::ExitCode;

use banlieue_gen::{cli::Cli, commands};
use clap::Parser;
use mimalloc::MiMalloc;

/// A large render is many small allocations, in which the system's allocator spends about a quarter
/// of the instructions; see docs/performance.md.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(commands::run(Cli::parse()).code())
}
