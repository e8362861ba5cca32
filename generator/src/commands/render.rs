//! `render`: into a directory, or as one stream.

use std::{io::Write, path::Path};

use banlieue_schemas::manifests::yaml;
use rayon::prelude::*;

use super::{CommandError, Exit, input, input::Input, progress, removals};
use crate::{
    cli::{Render, StageName},
    printer::Printer,
    render::{self, Context, Object, Unit, bundle::Known, scopes, stage, templates::Templates},
    tree::{self, Change, Changes, Edits, Existing, Inventory, Rendered, Summary, TreePath},
};

/// Units that are rendered before the first of them is written: enough to keep every thread
/// busy, few enough to keep a large fleet out of memory.
const STREAM_CHUNK: usize = 64;
/// Units for which it costs more to start threads than it saves to have them.
const FEW: usize = 16;
/// Moved objects that are listed before the rest is counted.
const LISTED: usize = 20;

/// Runs the command.
///
/// # Errors
/// Faults of the fleet, templates that fail, a tree that cannot be written.
pub fn run(args: &Render, printer: Printer) -> Result<Exit, CommandError> {
    let Some(output) = &args.output else {
        stream(args, printer, &mut printer.raw())?;
        return Ok(Exit::Success);
    };
    let input = input::read(&args.input, printer)?;
    let templates = input::templates(&args.templates)?;
    into_directory(args, &input, &templates, output, printer)
}

fn into_directory(
    args: &Render,
    input: &Input,
    templates: &Templates,
    output: &Path,
    printer: Printer,
) -> Result<Exit, CommandError> {
    let context = Context {
        fleet: &input.fleet,
        templates,
    };
    let engine = input.fleet.gitops.engine;
    let home = input::home();
    if args.dry_run {
        let existing = tree::inspect(output, home.as_deref())?;
        let (_, changes) = compare(context, input, &existing, printer)?;
        report_changes(&changes, printer)?;
        removals::report(engine, existing.inventory(), &changes, printer);
        report_moves(existing.inventory(), &changes, printer);
        changes.refuse_conflicts()?;
        return Ok(Exit::Success);
    }
    let (lock, existing) = tree::lock(output, home.as_deref())?;
    let (rendered, changes) = compare(context, input, &existing, printer)?;
    let edits = if args.replace_edited {
        Edits::Replace
    } else {
        changes.refuse_conflicts()?;
        Edits::Refuse
    };
    removals::report(engine, existing.inventory(), &changes, printer);
    report_moves(existing.inventory(), &changes, printer);
    let summary = tree::write(lock, &existing, &changes, &rendered, edits)?;
    printer.say(&describe(&summary, output));
    // The process ends here: the kernel takes its memory back in one go, not file by file.
    std::mem::forget((existing, rendered, changes));
    Ok(Exit::Success)
}

/// Renders and compares with the tree.
///
/// Content that the tree's inventory lists is let go as soon as it is rendered; where a file then
/// turns out to be edited or gone, everything is rendered again.
///
/// # Errors
/// Templates that fail, a tree that cannot be read.
pub fn compare(
    context: Context<'_>,
    input: &Input,
    existing: &Existing,
    printer: Printer,
) -> Result<(Rendered, Changes), CommandError> {
    let inventory = existing.inventory();
    let listed = |path: &TreePath, digest| inventory.lists(path, digest);
    let (rendered, changes) = compare_knowing(context, input, existing, printer, &listed)?;
    if rendered.lacks(&changes) {
        return compare_knowing(context, input, existing, printer, &|_, _| false);
    }
    Ok((rendered, changes))
}

fn compare_knowing(
    context: Context<'_>,
    input: &Input,
    existing: &Existing,
    printer: Printer,
    known: &Known<'_>,
) -> Result<(Rendered, Changes), CommandError> {
    let units = render::units(&input.plan).len();
    let bar = progress::bar(printer, "rendering", units);
    let bundle = render::bundle(context, &input.plan, known, &|| bar.inc(1))?;
    bar.finish_and_clear();
    let rendered = bundle.complete(
        context,
        existing.inventory(),
        &input.selection,
        input.digest.clone(),
    )?;
    let changes = existing.compare(
        &rendered,
        &scopes::covers(context.fleet, &input.selection, rendered.scopes()),
    )?;
    Ok((rendered, changes))
}

fn report_changes(changes: &Changes, printer: Printer) -> Result<(), CommandError> {
    let mut out = printer.data();
    for (path, change) in
        changes.select(|change| !matches!(change, Change::Unchanged | Change::Gone))
    {
        let word = match change {
            Change::Create | Change::Missing => "create",
            Change::Update => "update",
            Change::Delete => "delete",
            _ => "conflict",
        };
        writeln!(out, "{word} {path}").map_err(CommandError::output)?;
    }
    out.flush().map_err(CommandError::output)
}

/// Says which objects another file holds from now on: to an engine that applies the two files by
/// different entries, that is a deletion and a creation.
fn report_moves(before: &Inventory, changes: &Changes, printer: Printer) {
    let moves = tree::moves(before, &changes.next);
    for tree::Move { object, from, to } in moves.iter().take(LISTED) {
        printer.say(&format!("{object} moves from {from} to {to}"));
    }
    if moves.len() > LISTED {
        printer.say(&format!("and {} more objects move", moves.len() - LISTED));
    }
}

fn describe(summary: &Summary, output: &Path) -> String {
    let output = output.display();
    if summary.is_unchanged() {
        return format!("{output}: no changes, {} files", summary.unchanged);
    }
    let mut text = format!(
        "{output}: {} created, {} updated, {} deleted, {} unchanged",
        summary.created, summary.updated, summary.deleted, summary.unchanged
    );
    if summary.resumed {
        text.push_str("; an interrupted run was completed");
    }
    let saved = summary.saved.iter().map(|path| {
        format!(
            "
an edited file was saved as {}",
            path.display()
        )
    });
    text.extend(saved);
    text
}

/// Runs the command without a directory, with `out` for standard output.
///
/// # Errors
/// Faults of the fleet, templates that fail, output that cannot be written.
pub fn stream(args: &Render, printer: Printer, out: &mut dyn Write) -> Result<(), CommandError> {
    let input = input::read(&args.input, printer)?;
    let templates = input::templates(&args.templates)?;
    write_stream(args, &input, &templates, printer, out)
}

/// Writes the objects, in an order in which they can be applied.
fn write_stream(
    args: &Render,
    input: &Input,
    templates: &Templates,
    printer: Printer,
    out: &mut dyn Write,
) -> Result<(), CommandError> {
    let context = Context {
        fleet: &input.fleet,
        templates,
    };
    let units = render::units(&input.plan);
    let bar = progress::bar_beside_data(printer, "rendering", units.len());
    for chunk in units.chunks(STREAM_CHUNK) {
        let render = |unit: &Unit<'_>| text(context, *unit, &args.stage);
        let texts: Vec<Result<String, CommandError>> = if units.len() <= FEW {
            chunk.iter().map(render).collect()
        } else {
            chunk.par_iter().map(render).collect()
        };
        for text in texts {
            out.write_all(text?.as_bytes())
                .map_err(CommandError::output)?;
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    out.flush().map_err(CommandError::output)
}

/// The documents of a unit. The engine's own entries are about git, so they stay out of it.
fn text(
    context: Context<'_>,
    unit: Unit<'_>,
    stages: &[StageName],
) -> Result<String, CommandError> {
    let mut text = String::new();
    for object in render::render(context, unit)? {
        if stage_of(&object).is_some_and(|stage| stages.is_empty() || stages.contains(&stage)) {
            text.push_str("---\n");
            yaml::write(&object.value, &mut text);
        }
    }
    Ok(text)
}

fn stage_of(object: &Object) -> Option<StageName> {
    let folders = [
        (stage::CRDS, StageName::Crds),
        (stage::RBAC, StageName::Rbac),
        (stage::SYSTEM, StageName::System),
        (stage::CLASSES, StageName::Classes),
        (stage::PROVIDERS, StageName::Providers),
        (stage::IMAGES, StageName::Images),
        ("clusters", StageName::Clusters),
        ("virtualmachines", StageName::Machines),
    ];
    folders
        .into_iter()
        .find(|(folder, _)| object.path.starts_with(folder))
        .map(|(_, name)| name)
}
