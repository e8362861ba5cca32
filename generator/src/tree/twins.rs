//! Paths that cannot live side by side.

use std::collections::{HashMap, HashSet};

use super::error::TreeError;
use super::path::TreePath;

/// Refuses a set in which two paths, or folders of them, differ only in case, or in which a path is
/// also a folder.
pub(super) fn check_together<'a>(
    paths: impl IntoIterator<Item = &'a TreePath>,
) -> Result<(), TreeError> {
    let mut seen: HashMap<String, &str> = HashMap::new();
    let mut folders: HashSet<&str> = HashSet::new();
    let mut files: Vec<&TreePath> = Vec::new();
    for path in paths {
        files.push(path);
        check_case(&mut seen, path.as_str())?;
        for folder in path.ancestors() {
            if !folders.insert(folder) {
                break;
            }
            check_case(&mut seen, folder)?;
        }
    }
    match files
        .into_iter()
        .find(|path| folders.contains(path.as_str()))
    {
        Some(path) => Err(TreeError::FileAndFolder { path: path.clone() }),
        None => Ok(()),
    }
}

fn check_case<'a>(seen: &mut HashMap<String, &'a str>, path: &'a str) -> Result<(), TreeError> {
    match seen.insert(path.to_ascii_lowercase(), path) {
        Some(first) if first != path => Err(TreeError::CaseTwins {
            first: first.to_owned(),
            second: path.to_owned(),
        }),
        _ => Ok(()),
    }
}
