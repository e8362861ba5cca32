//! Decides what happens to every path, from digests alone.

use super::ascending::Ascending;
use super::changes::{Change, Changes};
use super::checksum::Checksum;
use super::error::TreeError;
use super::inventory::Inventory;
use super::observe::Observed;
use super::rendered::{Covers, Rendered};
use super::twins::{check_owners, check_together};

/// Compares what was rendered with what is there. Pure.
///
/// `observed` holds the digest of each file that exists, for at least the rendered paths and the
/// covered paths of `inventory`. Fails when the tree would hold paths that cannot live side by side, or
/// an object twice.
pub fn compare(
    inventory: &Inventory,
    observed: &Observed,
    rendered: &Rendered,
    covers: &Covers<'_>,
) -> Result<Changes, TreeError> {
    let next = inventory.merge(rendered, covers)?;
    check_together(&next.files)?;
    check_owners(&next.files)?;

    let mut written = Ascending::new(&inventory.files);
    let mut on_disk = Ascending::new(observed);
    let rendered_paths = rendered.files().iter().map(|file| {
        let written = written.get(&file.path).map(|entry| entry.sha256);
        let on_disk = on_disk.get(&file.path).copied();
        let change = render_change(written, on_disk, file.digest);
        (file.path.clone(), change)
    });
    let mut kept = Ascending::new(&next.files);
    let dropped_paths = inventory
        .files
        .iter()
        .filter(|(path, _)| kept.get(path).is_none())
        .map(|(path, entry)| {
            let change = prune_change(entry.sha256, observed.get(path).copied());
            (path.clone(), change)
        });
    Ok(Changes {
        paths: rendered_paths.chain(dropped_paths).collect(),
        next,
    })
}

fn render_change(
    written: Option<Checksum>,
    on_disk: Option<Checksum>,
    rendered: Checksum,
) -> Change {
    match (written, on_disk) {
        (None, None) => Change::Create,
        (Some(_), None) => Change::Missing,
        (_, Some(found)) if found == rendered => Change::Unchanged,
        (Some(ours), Some(found)) if found == ours => Change::Update,
        (Some(_), Some(_)) => Change::Edited,
        (None, Some(_)) => Change::Foreign,
    }
}

fn prune_change(written: Checksum, on_disk: Option<Checksum>) -> Change {
    match on_disk {
        None => Change::Gone,
        Some(found) if found == written => Change::Delete,
        Some(_) => Change::EditedDelete,
    }
}
