//! `docs/reference/banlieue-gen.md`.

use banlieue_gen::cli::Cli;
use banlieue_tests::help_page;
use clap::CommandFactory;

const ABOUT: &str = "\
What `banlieue-gen --help` and `banlieue-gen COMMAND --help` print.

Exit codes: 0 as wanted; 1 faults, differences, or something failed; 2 the command line asks for \
something that there is none of.";

/// The page.
pub fn page() -> String {
    help_page::page(Cli::command(), ABOUT)
}
