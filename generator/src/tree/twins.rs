//! Paths and objects that cannot live side by side.

use std::collections::{BTreeMap, HashMap};

use super::error::TreeError;
use super::inventory::Entry;
use super::object::ObjectId;
use super::path::{TreePath, folders};

/// Refuses a set in which two paths, or folders of them, differ only in case, or in which a path is
/// also a folder.
pub(super) fn check_together<V>(files: &BTreeMap<TreePath, V>) -> Result<(), TreeError> {
    let folders = folders(files.keys());
    if let Some((path, _)) = folders
        .iter()
        .find_map(|folder| files.get_key_value(*folder))
    {
        return Err(TreeError::FileAndFolder { path: path.clone() });
    }
    // Of two names that differ only in case, one has a capital, and few names have any.
    let names = files.keys().map(TreePath::as_str);
    let names = names.chain(folders.iter().copied());
    let mut capitals: BTreeMap<String, &str> = BTreeMap::new();
    for name in names.filter(|name| name.bytes().any(|byte| byte.is_ascii_uppercase())) {
        let folded = name.to_ascii_lowercase();
        let plain = files.get_key_value(folded.as_str());
        let plain = plain.map(|(path, _)| path.as_str());
        let plain = plain.or_else(|| folders.get(folded.as_str()).copied());
        if let Some(twin) = plain.or_else(|| capitals.insert(folded, name)) {
            return Err(TreeError::CaseTwins {
                first: name.min(twin).to_owned(),
                second: name.max(twin).to_owned(),
            });
        }
    }
    Ok(())
}

/// Refuses an object in two files: whoever applies them would undo the one with the other, and
/// would delete the object when either goes.
pub(super) fn check_owners(files: &BTreeMap<TreePath, Entry>) -> Result<(), TreeError> {
    let mut owners: HashMap<&ObjectId, &TreePath> = HashMap::with_capacity(files.len());
    for (path, entry) in files {
        for object in &*entry.objects {
            if let Some(first) = owners.insert(object, path) {
                return Err(TreeError::TwoOwners {
                    object: Box::new(object.clone()),
                    first: first.clone(),
                    second: path.clone(),
                });
            }
        }
    }
    Ok(())
}
