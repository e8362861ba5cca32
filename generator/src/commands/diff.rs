//! `diff`: rendered against a directory.

use std::io::{self, Write};

use super::{CommandError, Exit, input, render::compare};
use crate::{
    cli::{self, Format},
    load,
    printer::Printer,
    render::Context,
    tree::{self, Change, Changes, FieldChange, FileDiff},
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
    if changes.select(differs).next().is_none() {
        printer.say(&format!("{}: no differences", args.output.display()));
        return Ok(Exit::Success);
    }
    let parse = |text: &str| load::parse_value("manifest", text).ok();
    let diffs = tree::diff_changes(&existing, &changes, &rendered, &parse, MAX_LINES)?;
    match args.format {
        Format::Json => {
            let mut out = printer.raw();
            serde_json::to_writer_pretty(&mut out, &report(&changes, &diffs))
                .map_err(|error| CommandError::output(error.into()))?;
            writeln!(out)
                .and_then(|()| out.flush())
                .map_err(CommandError::output)?;
        }
        Format::Text => {
            let mut out = printer.data();
            write_text(&mut out, &changes, &diffs)
                .and_then(|()| out.flush())
                .map_err(CommandError::output)?;
        }
    }
    Ok(Exit::Failure)
}

fn differs(change: Change) -> bool {
    !matches!(change, Change::Unchanged | Change::Gone)
}

/// Every path that differs, with what is known about how.
fn report(changes: &Changes, diffs: &[FileDiff]) -> serde_json::Value {
    let files = changes.select(differs).map(|(path, change)| {
        let diff = diffs.iter().find(|diff| &diff.path == path);
        serde_json::json!({
            "path": path,
            "change": change,
            "fields": diff.and_then(|diff| diff.fields.as_ref()),
            "text": diff.map(|diff| &diff.text),
        })
    });
    serde_json::Value::Array(files.collect())
}

fn write_text(out: &mut impl Write, changes: &Changes, diffs: &[FileDiff]) -> io::Result<()> {
    for (path, change) in changes.select(differs) {
        let word = match change {
            Change::Create | Change::Missing => "only rendered:",
            Change::Delete => "only in the tree:",
            Change::Edited | Change::EditedDelete => "edited by hand:",
            Change::Foreign => "not written by banlieue-gen:",
            _ => "differs:",
        };
        writeln!(out, "{word} {path}")?;
        match diffs.iter().find(|diff| &diff.path == path) {
            Some(FileDiff {
                fields: Some(fields),
                ..
            }) => {
                for field in fields {
                    write_field(out, field)?;
                }
            }
            Some(diff) => write!(out, "{}", diff.text)?,
            None => {}
        }
    }
    Ok(())
}

/// `Deployment.apps ns/name spec.replicas: 2 -> 3`
fn write_field(out: &mut impl Write, field: &FieldChange) -> io::Result<()> {
    let shown = |value: &Option<serde_json::Value>| {
        value
            .as_ref()
            .map_or_else(|| "nothing".to_owned(), ToString::to_string)
    };
    let (object, path) = (&field.object, &field.path);
    writeln!(
        out,
        "  {object} {path}: {} -> {}",
        shown(&field.old),
        shown(&field.new)
    )
}
