//! Why a tree cannot be read or written. Every message names the path and the way out.

use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;

use super::changes::Change;
use super::object::ObjectId;
use super::path::{PathError, Scope, TreePath};

/// How many paths an error lists before it counts the rest.
const LISTED: usize = 20;

/// Why a tree cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// A file is to be written whose content was let go: see [`Rendered::lacks`].
    ///
    /// [`Rendered::lacks`]: super::Rendered::lacks
    #[error("the content of {path} is needed and was not kept")]
    NoContent {
        /// The file.
        path: TreePath,
    },
    /// The target is a place that no tree may be written to.
    #[error("{} {reason}; name a directory of its own for the tree", shown(.path))]
    Target {
        /// The target as it was given.
        path: PathBuf,
        /// Why it is refused.
        reason: &'static str,
    },
    /// A rendered path leads out of the tree.
    #[error(transparent)]
    Path(#[from] PathError),
    /// One run renders a path twice.
    #[error("{path} is rendered twice, by {first} and by {second}; rename one of them")]
    Twice {
        /// The path.
        path: TreePath,
        /// The scope that rendered it first.
        first: Scope,
        /// The scope that rendered it again.
        second: Scope,
    },
    /// An object is in two files.
    #[error(
        "{object} is in {first} and in {second}: two entries would write it in turn, and the end of one \
         would delete it; rename one of the two, or render the part that no longer has it, too"
    )]
    TwoOwners {
        /// The object.
        object: Box<ObjectId>,
        /// The file that holds it.
        first: TreePath,
        /// The other one.
        second: TreePath,
    },
    /// Two paths are one on file systems that ignore case.
    #[error(
        "{first:?} and {second:?} differ only in case, and are one file on macOS and Windows; rename one of them"
    )]
    CaseTwins {
        /// One path.
        first: String,
        /// The other.
        second: String,
    },
    /// A path is both a file and the folder of another file.
    #[error("{path} would be both a file and a folder; rename one of the two")]
    FileAndFolder {
        /// The path.
        path: TreePath,
    },
    /// A path of ours leads through or to a symbolic link.
    #[error(
        "{} is a symbolic link, and links inside the tree are never followed; replace it by what it points to",
        .path.display()
    )]
    Symlink {
        /// The link.
        path: PathBuf,
    },
    /// Something that is no file stands where a file belongs, or no directory where one belongs.
    #[error("{} is {found} where {wanted} belongs; move it away and render again", .path.display())]
    Obstacle {
        /// What stands in the way.
        path: PathBuf,
        /// What it is.
        found: &'static str,
        /// What was expected.
        wanted: &'static str,
    },
    /// Another run works on the same tree.
    #[error("another run is working on this tree and holds {}; wait for it to end and try again", .path.display())]
    Locked {
        /// The lock file.
        path: PathBuf,
    },
    /// The inventory or the journal cannot be understood.
    #[error(
        "{path} is damaged; restore it from git, or delete it: files that match the render are then taken over \
         and nothing is deleted"
    )]
    Corrupt {
        /// The file.
        path: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The inventory or the journal is of a later generator.
    #[error(
        "{path} has format version {version}, and this banlieue-gen reads up to {newest}; \
         use the banlieue-gen that wrote it, or a later one"
    )]
    Newer {
        /// The file.
        path: String,
        /// Its version.
        version: u32,
        /// The newest version that this build reads.
        newest: u32,
    },
    /// The inventory cannot be written as JSON.
    #[error("the inventory cannot be written as JSON")]
    Encode(#[source] serde_json::Error),
    /// Files that others changed are in the way. Nothing was written.
    #[error("{}", conflict_list(.conflicts))]
    Conflicts {
        /// Every conflict, in order of path.
        conflicts: Vec<(TreePath, Change)>,
    },
    /// The operating system refused.
    #[error("cannot {action} {}", .path.display())]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

impl TreeError {
    pub(super) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }
}

fn shown(path: &std::path::Path) -> String {
    if path.as_os_str().is_empty() {
        "an empty path".to_owned()
    } else {
        path.display().to_string()
    }
}

fn conflict_list(conflicts: &[(TreePath, Change)]) -> String {
    let mut text =
        String::from("nothing was written, because these files were changed by somebody else:\n");
    for (path, change) in conflicts.iter().take(LISTED) {
        let why = match change {
            Change::EditedDelete => "edited since it was rendered, and no longer part of the fleet",
            Change::Foreign => "not written by banlieue-gen, and different from what it renders",
            _ => "edited since it was rendered",
        };
        let _ = writeln!(text, "  {path}: {why}");
    }
    if conflicts.len() > LISTED {
        let _ = writeln!(text, "  ... and {} more", conflicts.len() - LISTED);
    }
    text.push_str(
        "move the change into the fleet description and restore the file, or render with `--replace-edited`, \
         which first saves these versions under .banlieue/edited/",
    );
    text
}
