//! Paths that cannot live side by side.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::error::TreeError;
use super::path::TreePath;

/// Refuses a set in which two paths, or folders of them, differ only in case, or in which a path is
/// also a folder. `paths` are sorted.
pub(super) fn check_together<'a>(
    paths: impl IntoIterator<Item = &'a TreePath> + Clone,
) -> Result<(), TreeError> {
    let mut seen: HashMap<Cow<'_, str>, &str> = HashMap::new();
    let mut folders: HashSet<&str> = HashSet::new();
    let mut last = None;
    for path in paths.clone() {
        check_case(&mut seen, path.as_str())?;
        // Most files lie in the folder of the one before.
        if last == path.parent() {
            continue;
        }
        last = path.parent();
        for folder in path.ancestors() {
            if !folders.insert(folder) {
                break;
            }
            check_case(&mut seen, folder)?;
        }
    }
    match paths
        .into_iter()
        .find(|path| folders.contains(path.as_str()))
    {
        Some(path) => Err(TreeError::FileAndFolder { path: path.clone() }),
        None => Ok(()),
    }
}

fn check_case<'a>(
    seen: &mut HashMap<Cow<'a, str>, &'a str>,
    path: &'a str,
) -> Result<(), TreeError> {
    let folded = if path.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(path.to_ascii_lowercase())
    } else {
        Cow::Borrowed(path)
    };
    match seen.insert(folded, path) {
        Some(first) if first != path => Err(TreeError::CaseTwins {
            first: first.to_owned(),
            second: path.to_owned(),
        }),
        _ => Ok(()),
    }
}
