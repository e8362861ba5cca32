//! `diff`: rendered against a directory.

use std::io::Write;

use super::{CommandError, Exit, input, render::compare};
use crate::{
    cli::{self, Format},
    load,
    printer::Printer,
    render::Context,
    tree::{self, Change, FileDiff},
};

/// Lines of a text that are shown before the rest is counted.
const MAX_LINES: usize = 200;

/// Runs the command.
///
/// # Errors
/// Faults of the fleet, templates that fail, a directory that cannot be read.
pub fn run(args: &cli::Diff, printer: Printer) -> Result<Exit, CommandError> {
    let input = input::read(&args.input, printer)?;
    let templates = input::templates(&args.templates)?;
    let context = Context {
        fleet: &input.fleet,
        templates: &templates,
    };
    let existing = tree::inspect(&args.output, input::home().as_deref())?;
    let (rendered, changes) = compare(context, &input, &existing, printer)?;
    let differs = |change| !matches!(change, Change::Unchanged | Change::Gone);
    if changes.select(differs).next().is_none() {
        printer.say(&format!("{}: no differences", args.output.display()));
        return Ok(Exit::Success);
    }
    let parse = |text: &str| load::parse_value("manifest", text).ok();
    let diffs = tree::diff_changes(&existing, &changes, &rendered, &parse, MAX_LINES)?;
    match args.format {
        Format::Json => {
            let mut out = printer.raw();
            serde_json::to_writer_pretty(&mut out, &diffs)
                .map_err(|error| CommandError::output(error.into()))?;
            writeln!(out)
                .and_then(|()| out.flush())
                .map_err(CommandError::output)?;
        }
        Format::Text => {
            let mut out = printer.data();
            for diff in &diffs {
                write!(out, "{}", text(diff)).map_err(CommandError::output)?;
            }
            out.flush().map_err(CommandError::output)?;
        }
    }
    Ok(Exit::Failure)
}

fn text(diff: &FileDiff) -> String {
    format!("{diff:?}\n")
}
