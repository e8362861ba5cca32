//! `check`: the rendered objects, without a cluster.

use std::io::Write;

use super::{CommandError, Exit, input, progress};
use crate::{
    check::{self, kinds::Kinds},
    cli::{Check, Format},
    diagnostic::{
        Diagnostic, Severity,
        render::{self, Styles},
    },
    printer::Printer,
    render::{Context, units},
};

/// Findings that are shown as text before the rest is counted.
const SHOWN: usize = 200;

/// Runs the command.
///
/// # Errors
/// Arguments that ask for something that there is none of, templates that fail.
pub fn run(args: &Check, printer: Printer) -> Result<Exit, CommandError> {
    let input = match input::read(&args.input, printer) {
        Ok(input) => input,
        // To check, what is wrong with the fleet is a result like any other.
        Err(CommandError::Diagnostics(found)) => return report(args, &found, printer),
        Err(error) => return Err(error),
    };
    let templates = input::templates(&args.templates)?;
    let context = Context {
        fleet: &input.fleet,
        templates: &templates,
    };
    let kinds = Kinds::compile()?;
    let bar = progress::bar(printer, "checking", units(&input.plan).len());
    let checked = check::run(context, &input.plan, &kinds, &|| bar.inc(1))?;
    bar.finish_and_clear();
    let objects = checked.objects;
    let found = checked.locate(&input.origins);
    let verdict = if found.is_empty() {
        "no findings".to_owned()
    } else {
        render::summary(&found)
    };
    let exit = report(args, &found, printer)?;
    printer.say(&format!("checked {objects} objects: {verdict}"));
    Ok(exit)
}

/// Writes the findings as data.
fn report(args: &Check, found: &[Diagnostic], printer: Printer) -> Result<Exit, CommandError> {
    let mut out = printer.data();
    match args.format {
        Format::Json => {
            serde_json::to_writer_pretty(&mut out, found)
                .map_err(|error| CommandError::output(error.into()))?;
            writeln!(out).map_err(CommandError::output)?;
        }
        Format::Text => {
            let shown = &found[..found.len().min(SHOWN)];
            let text = render::text(shown, &Styles::COLOURED);
            write!(out, "{text}").map_err(CommandError::output)?;
            if found.len() > SHOWN {
                writeln!(out, "and {} more findings", found.len() - SHOWN)
                    .map_err(CommandError::output)?;
            }
        }
    }
    out.flush().map_err(CommandError::output)?;
    let failed = found.iter().any(|d| d.severity == Severity::Error);
    Ok(if failed { Exit::Failure } else { Exit::Success })
}
