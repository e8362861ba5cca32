//! `init`: a fleet to start from.

use std::{
    fs::{self, Permissions},
    io::{self, Write},
    os::unix::fs::PermissionsExt,
    path::Path,
};

use tempfile::NamedTempFile;

use super::{CommandError, Exit, schema};
use crate::{
    cli::{Init, SchemaForm},
    printer::Printer,
};

/// The fleet that is written.
pub const STARTER: &str = include_str!("../../../examples/starter/fleet.yaml");
/// The schema is written beside the fleet, since editors may have no network. The first line of
/// the starter names it.
pub const SCHEMA_FILE: &str = "fleet.schema.json";

/// Runs the command.
///
/// An existing fleet is left alone, and then nothing is written. The schema is ours: it is replaced,
/// and is whole before the fleet appears.
///
/// # Errors
/// A file that is in the way, a directory that cannot be written.
pub fn run(args: &Init, printer: Printer) -> Result<Exit, CommandError> {
    let path = args.file.as_path();
    if path.symlink_metadata().is_ok() {
        return Err(in_the_way(path));
    }
    let folder = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let schema_path = folder.join(SCHEMA_FILE);
    let schema = schema::text(SchemaForm::Json)?;
    fs::create_dir_all(folder)
        .and_then(|()| whole_file(folder, &schema))
        .and_then(|file| Ok(file.persist(&schema_path)?))
        .map_err(|source| failed(&schema_path, source))?;
    whole_file(folder, STARTER)
        .and_then(|file| Ok(file.persist_noclobber(path)?))
        .map_err(|source| failed(path, source))?;
    printer.say(&format!(
        "wrote {} and {}; edit the fleet, then run `banlieue-gen plan -f {}`",
        path.display(),
        schema_path.display(),
        path.display()
    ));
    Ok(Exit::Success)
}

/// A temporary file with the text, to be renamed.
fn whole_file(folder: &Path, text: &str) -> io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file)
}

fn failed(path: &Path, source: io::Error) -> CommandError {
    // Somebody else may write it in the same moment.
    if source.kind() == io::ErrorKind::AlreadyExists {
        return in_the_way(path);
    }
    CommandError::Write {
        what: path.display().to_string(),
        source,
    }
}

fn in_the_way(path: &Path) -> CommandError {
    CommandError::InTheWay(format!(
        "{} exists already and is left alone; name another file",
        path.display()
    ))
}
