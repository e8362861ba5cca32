//! Every flag of every command, as people see it.

use std::fmt::Write;

use banlieue::cli::Cli;
use clap::CommandFactory;

/// Columns of a help text, whatever the terminal has.
const WIDTH: usize = 100;

fn pages(command: &mut clap::Command, text: &mut String) {
    let name = command.get_bin_name().unwrap_or("banlieue").to_owned();
    let help = command.clone().term_width(WIDTH).render_long_help();
    let help: Vec<String> = help
        .to_string()
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect();
    writeln!(text, "# {name}\n\n{}\n", help.join("\n").trim_end()).unwrap();
    for command in command.get_subcommands_mut() {
        if command.get_name() != "help" {
            pages(command, text);
        }
    }
}

#[test]
fn help() {
    let mut command = Cli::command();
    command.build();
    let mut text = String::new();
    pages(&mut command, &mut text);
    insta::assert_snapshot!(text);
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
