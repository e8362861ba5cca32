//! Every flag of every command, as people see it.

use anyhow::Result;
use banlieue::cli::Cli;
use banlieue_tests::help_page;
use clap::CommandFactory;

const ABOUT: &str = "What `banlieue --help` and `banlieue COMMAND --help` print.";

#[test]
fn the_reference_page_is_current() -> Result<()> {
    let page = help_page::page(Cli::command(), ABOUT);
    help_page::is_current("docs/reference/banlieue.md", &page)
}

#[test]
fn every_flag_is_explained() {
    fn look(command: &clap::Command) {
        for argument in command.get_arguments() {
            let name = (command.get_name(), argument.get_id());
            assert!(argument.get_help().is_some(), "{name:?}");
        }
        command.get_subcommands().for_each(look);
    }
    let command = Cli::command();
    look(&command);
    command.debug_assert();
}
