//! `init`: a fleet to start from.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use super::{CommandError, Exit, schema};
use crate::{cli::Init, printer::Printer};

const STARTER: &str = include_str!("../../../examples/starter/fleet.yaml");
/// The schema is written beside the fleet, since editors may have no network.
const SCHEMA_FILE: &str = "fleet.schema.json";

/// Runs the command.
///
/// # Errors
/// A file that is in the way, a directory that cannot be written.
pub fn run(args: &Init, printer: Printer) -> Result<Exit, CommandError> {
    let folder = args.file.parent().unwrap_or(Path::new(""));
    create(&args.file, STARTER)?;
    let schema_file = folder.join(SCHEMA_FILE);
    fs::write(&schema_file, schema::json()?).map_err(|source| CommandError::Write {
        what: schema_file.display().to_string(),
        source,
    })?;
    printer.say(&format!(
        "wrote {} and {}; edit the fleet, then run `banlieue-gen plan -f {}`",
        args.file.display(),
        schema_file.display(),
        args.file.display()
    ));
    Ok(Exit::Success)
}

/// Writes a file that does not exist yet.
fn create(path: &Path, text: &str) -> Result<(), CommandError> {
    let fail = |source: io::Error| {
        if source.kind() == io::ErrorKind::AlreadyExists {
            CommandError::InTheWay(format!(
                "{} exists already and is left alone; name another file",
                path.display()
            ))
        } else {
            CommandError::Write {
                what: path.display().to_string(),
                source,
            }
        }
    };
    let mut file = fs::File::create_new(path).map_err(fail)?;
    file.write_all(text.as_bytes()).map_err(fail)
}
