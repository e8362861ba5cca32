//! A directory whose files all change at once, the way kubelet does it: each name
//! is a link through `..data`, a link that is exchanged when there is a new set.
//! A reader that opens `..data` once sees one set; a watcher sees one change.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use super::files::Files;

const DATA: &str = "..data";

/// Makes `directory` hold exactly `files`.
pub(super) fn write(directory: &Path, files: &Files) -> io::Result<()> {
    let old = fs::read_link(directory.join(DATA)).ok();
    let set = tempfile::Builder::new()
        .prefix("..")
        .tempdir_in(directory)?
        .keep();
    fs::set_permissions(&set, fs::Permissions::from_mode(0o755))?;
    for (path, file) in files {
        let path = set.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, &file.content)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(file.mode))?;
    }
    let set_name = set.file_name().unwrap_or_default();
    let next = directory.join("..data_next");
    symlink(set_name, &next)?;
    fs::rename(&next, directory.join(DATA))?;

    for path in files.keys() {
        let top = path.split('/').next().unwrap_or_default();
        let link = directory.join(top);
        if link.symlink_metadata().is_err() {
            symlink(Path::new(DATA).join(top), link)?;
        }
    }
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        // A link that leads nowhere is a file that is no more.
        if path.is_symlink() && !path.exists() {
            fs::remove_file(path)?;
        }
    }
    if let Some(old) = old {
        fs::remove_dir_all(directory.join(old))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::files::File;
    use super::*;

    fn files(entries: &[(&str, &str)]) -> Files {
        let file = |(path, content): &(&str, &str)| {
            let content = content.as_bytes().to_vec();
            let mode = 0o600;
            ((*path).to_owned(), File { content, mode })
        };
        entries.iter().map(file).collect()
    }

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<String> = entries
            .map(|entry| name(entry).into_string().unwrap())
            .filter(|name| !name.starts_with(".."))
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_new_set_replaces_the_old_one_and_leaves_nothing_of_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        write(path, &files(&[("a", "1"), ("sub/b", "2"), ("gone", "3")])).unwrap();
        write(path, &files(&[("a", "4"), ("sub/b", "5"), ("new", "6")])).unwrap();
        assert_eq!(names(path), ["a", "new", "sub"]);
        assert_eq!(fs::read_to_string(path.join("a")).unwrap(), "4");
        assert_eq!(fs::read_to_string(path.join("sub/b")).unwrap(), "5");
        assert_eq!(fs::read_dir(path).unwrap().count(), 5);
        let mode = fs::metadata(path.join("a")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
