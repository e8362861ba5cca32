//! Makes the changes, in an order that survives a kill at any point.

use std::collections::HashMap;
use std::path::PathBuf;

use rayon::prelude::*;

use super::changes::{Change, Changes, Edits, Summary};
use super::disk::{Disk, RealDisk};
use super::error::TreeError;
use super::existing::{ATTRIBUTES, Existing, IGNORE, INVENTORY, JOURNAL};
use super::inventory::Inventory;
use super::lock::Lock;
use super::path::{TreePath, folders};
use super::rendered::Rendered;
use super::writer::Writer;

/// What keeps git from changing what is compared byte for byte.
const LINE_ENDS: &str = "* text eol=lf\n";
/// What git should not see of our folder.
const IGNORED: &str = "/lock\n/pending.json\n/edited/\n.banlieue-tmp-*\n";

/// Makes `changes`, which come from `existing` and `rendered`.
///
/// Refuses all of it when there are conflicts and `edits` says so. Touches nothing when there is
/// nothing to do. After an error every file is entirely old or entirely new, and the next run
/// completes what this one began.
pub fn write(
    lock: Lock,
    existing: &Existing,
    changes: &Changes,
    rendered: &Rendered,
    edits: Edits,
) -> Result<Summary, TreeError> {
    write_with(&RealDisk, lock, existing, changes, rendered, edits)
}

/// [`write()`] with the effects given.
pub fn write_with(
    disk: &dyn Disk,
    mut lock: Lock,
    existing: &Existing,
    changes: &Changes,
    rendered: &Rendered,
    edits: Edits,
) -> Result<Summary, TreeError> {
    if edits == Edits::Refuse {
        changes.refuse_conflicts()?;
    }
    let mut summary = Summary::of(changes);
    summary.resumed = existing.interrupted();
    let recorded = if existing.recorded() {
        *existing.inventory() == changes.next
    } else {
        changes.next.is_empty()
    };
    if recorded && !changes.touches_files() && !existing.interrupted() {
        return Ok(summary);
    }

    lock.keep();
    let writer = Writer::new(disk, existing.target());
    if existing.interrupted() {
        take_over(&writer, existing)?;
    }
    if changes.touches_files() {
        writer.put_state(JOURNAL, &journal(changes).to_json()?)?;
        summary.saved = set_aside(&writer, changes)?;
        remove_files(&writer, changes)?;
        write_files(&writer, changes, rendered)?;
    }
    remove_empty_folders(&writer, changes.paths.keys(), &changes.next)?;
    if !recorded || existing.interrupted() {
        writer.put_state(INVENTORY, &changes.next.to_json()?)?;
    }
    for (name, text) in [(IGNORE, IGNORED), (ATTRIBUTES, LINE_ENDS)] {
        if !writer.has_state(name) {
            writer.put_state(name, text.as_bytes())?;
        }
    }
    writer.remove_state(JOURNAL)?;
    Ok(summary)
}

/// Records what an interrupted run wrote, before its journal makes way for ours, and removes
/// what it did not finish.
fn take_over(writer: &Writer<'_>, existing: &Existing) -> Result<(), TreeError> {
    if !existing.recorded() {
        writer.put_state(INVENTORY, &existing.inventory().to_json()?)?;
    }
    writer.remove_unfinished_state()?;
    existing
        .pending_paths()
        .try_for_each(|path| writer.remove_unfinished(path))?;
    remove_empty_folders(writer, existing.pending_paths(), existing.inventory())
}

/// The entries of the files that are about to be written.
fn journal(changes: &Changes) -> Inventory {
    let next = &changes.next;
    let files = changes
        .select(Change::writes)
        .filter_map(|(path, _)| Some((path.clone(), next.files.get(path)?.clone())))
        .collect();
    Inventory {
        version: next.version,
        generator: next.generator.clone(),
        input: next.input.clone(),
        scopes: next.scopes.clone(),
        files,
    }
}

fn set_aside(writer: &Writer<'_>, changes: &Changes) -> Result<Vec<PathBuf>, TreeError> {
    changes
        .select(Change::is_conflict)
        .filter_map(|(path, _)| writer.save_edited(path).transpose())
        .collect()
}

fn remove_files(writer: &Writer<'_>, changes: &Changes) -> Result<(), TreeError> {
    let paths: Vec<_> = changes
        .select(Change::deletes)
        .map(|(path, _)| path)
        .collect();
    paths
        .into_par_iter()
        .try_for_each(|path| writer.remove(path))
}

fn write_files(
    writer: &Writer<'_>,
    changes: &Changes,
    rendered: &Rendered,
) -> Result<(), TreeError> {
    let content: HashMap<_, _> = rendered
        .files()
        .iter()
        .filter_map(|file| Some((&file.path, file.bytes.as_deref()?)))
        .collect();
    let files: Vec<(&TreePath, &[u8])> = changes
        .select(Change::writes)
        .map(|(path, _)| match content.get(path) {
            Some(bytes) => Ok((path, *bytes)),
            None => Err(TreeError::NoContent { path: path.clone() }),
        })
        .collect::<Result<_, _>>()?;
    folders(files.iter().map(|(path, _)| *path))
        .into_iter()
        .try_for_each(|folder| writer.ensure_folder(folder))?;
    files
        .into_par_iter()
        .try_for_each(|(path, bytes)| writer.put(path, bytes))
}

/// Removes the folders of `paths` that hold nothing and are not needed for a file of `inventory`. Git
/// does not know empty folders, so one that held nothing but our files is ours.
fn remove_empty_folders<'a>(
    writer: &Writer<'_>,
    paths: impl Iterator<Item = &'a TreePath>,
    inventory: &Inventory,
) -> Result<(), TreeError> {
    let candidates = folders(paths.filter(|path| !inventory.files.contains_key(*path)));
    if candidates.is_empty() {
        return Ok(());
    }
    let needed = folders(inventory.files.keys());
    // A folder sorts before what is in it: backwards, the inner one goes first.
    candidates
        .into_iter()
        .rev()
        .filter(|folder| !needed.contains(folder))
        .try_for_each(|folder| writer.remove_folder_if_empty(folder))
}
