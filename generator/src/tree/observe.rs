//! Digests the files of a tree, following no link.

use std::collections::{BTreeMap, HashMap};

use rayon::prelude::*;

use super::checksum::Checksum;
use super::error::TreeError;
use super::path::TreePath;
use super::target::{Target, open_regular};

/// The digest of each file that exists, of those that were looked at.
pub type Observed = BTreeMap<TreePath, Checksum>;

/// Digests those of `paths` that exist. A symbolic link on the way to one, or something that is no
/// regular file, is an error.
pub(super) fn observe<'a>(
    target: &Target,
    paths: impl IntoIterator<Item = &'a TreePath>,
) -> Result<Observed, TreeError> {
    let mut folders = HashMap::new();
    let mut present: Vec<&TreePath> = Vec::new();
    let mut last = (None, true);
    for path in paths {
        // Most files lie in the folder of the one before.
        if last.0 != path.parent() {
            let exists = folder_exists(target, path.parent(), &mut folders)?;
            last = (path.parent(), exists);
        }
        if last.1 {
            present.push(path);
        }
    }
    // Stable, because what comes in is a few sorted runs, which that sort merges.
    present.sort();
    present.dedup();
    let digests: Vec<Option<Checksum>> = present
        .par_iter()
        .map(|path| digest(target, path))
        .collect::<Result<_, _>>()?;
    Ok(present
        .into_iter()
        .zip(digests)
        .filter_map(|(path, digest)| Some((path.clone(), digest?)))
        .collect())
}

/// Whether `folder` and everything above it exist. `known` remembers the answers.
pub(super) fn folder_exists<'a>(
    target: &Target,
    folder: Option<&'a str>,
    known: &mut HashMap<&'a str, bool>,
) -> Result<bool, TreeError> {
    let Some(folder) = folder else {
        return Ok(true);
    };
    if let Some(exists) = known.get(folder) {
        return Ok(*exists);
    }
    let above = folder.rsplit_once('/').map(|(above, _)| above);
    let exists = folder_exists(target, above, known)? && target.has_folder(folder)?;
    known.insert(folder, exists);
    Ok(exists)
}

fn digest(target: &Target, path: &TreePath) -> Result<Option<Checksum>, TreeError> {
    let place = path.under(target.root());
    open_regular(&place)?
        .map(|(file, size)| Checksum::of_reader(file, size).map_err(TreeError::io("read", &place)))
        .transpose()
}
