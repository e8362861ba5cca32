//! `schema`: the types in the forms that others read.

use std::{fs, io::Write, path::Path};

use banlieue_schemas::{fleet::Fleet, manifests};

use super::{CommandError, Exit};
use crate::{
    cli::{Schema, SchemaForm},
    printer::Printer,
};

/// Runs the command.
///
/// # Errors
/// A directory that cannot be written.
pub fn run(args: &Schema, printer: Printer) -> Result<Exit, CommandError> {
    let files = files(args.form)?;
    match &args.output {
        Some(folder) => write(folder, &files, printer)?,
        None => {
            let mut out = printer.raw();
            for (index, (_, text)) in files.iter().enumerate() {
                let separator = if args.form == SchemaForm::Crds && index > 0 {
                    "---\n"
                } else {
                    ""
                };
                write!(out, "{separator}{text}").map_err(CommandError::output)?;
            }
            out.flush().map_err(CommandError::output)?;
        }
    }
    Ok(Exit::Success)
}

/// The JSON Schema of the fleet.
///
/// # Errors
/// None that can happen; a schema that has no JSON form.
pub fn json() -> Result<String, CommandError> {
    let encode = |source| CommandError::Encode {
        what: "the schema of the fleet",
        source,
    };
    let mut text = serde_json::to_string_pretty(&schemars::schema_for!(Fleet)).map_err(encode)?;
    text.push('\n');
    Ok(text)
}

/// File name and text of each schema of a form.
///
/// # Errors
/// None that can happen; a schema that has no JSON form.
pub fn files(form: SchemaForm) -> Result<Vec<(String, String)>, CommandError> {
    match form {
        SchemaForm::Json => Ok(vec![("fleet.json".to_owned(), json()?)]),
        SchemaForm::Kcl => Ok(vec![("fleet.k".to_owned(), banlieue_schemas::kcl::fleet())]),
        SchemaForm::Crds => manifests::crds::all()
            .iter()
            .map(|crd| {
                let name = crd.metadata.name.clone().unwrap_or_default();
                let text =
                    manifests::yaml::to_string(crd).map_err(|source| CommandError::Encode {
                        what: "a CRD",
                        source,
                    })?;
                Ok((format!("{name}.yaml"), text))
            })
            .collect(),
    }
}

fn write(folder: &Path, files: &[(String, String)], printer: Printer) -> Result<(), CommandError> {
    let fail = |source| CommandError::Write {
        what: folder.display().to_string(),
        source,
    };
    fs::create_dir_all(folder).map_err(fail)?;
    for (name, text) in files {
        fs::write(folder.join(name), text).map_err(fail)?;
    }
    printer.say(&format!(
        "wrote {} files into {}",
        files.len(),
        folder.display()
    ));
    Ok(())
}
