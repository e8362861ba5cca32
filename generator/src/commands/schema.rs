//! `schema`: the types in the forms that others read.

use std::{fs, io::Write, path::Path};

use banlieue_schemas::{json_schema, kcl, manifests};

use super::{CommandError, Exit};
use crate::{
    cli::{Schema, SchemaForm},
    printer::Printer,
};

/// Path, relative to the output directory, and text of each file of a form.
pub type Files = Vec<(String, String)>;

/// Runs the command.
///
/// # Errors
/// A directory that cannot be written.
pub fn run(args: &Schema, printer: Printer) -> Result<Exit, CommandError> {
    if let Some(folder) = &args.output {
        write(folder, &files(args.form)?, printer)?;
    } else {
        let mut out = printer.raw();
        let text = text(args.form)?;
        out.write_all(text.as_bytes())
            .and_then(|()| out.flush())
            .map_err(CommandError::output)?;
    }
    Ok(Exit::Success)
}

/// What a form is on standard output: the fleet's schema, or every CRD.
///
/// # Errors
/// None that can happen; a schema that has no JSON form.
pub fn text(form: SchemaForm) -> Result<String, CommandError> {
    match form {
        SchemaForm::Json => Ok(json_schema::to_text(&json_schema::fleet())),
        SchemaForm::Kcl => Ok(kcl::fleet()),
        SchemaForm::Crds => {
            let files = files(form)?;
            let texts: Vec<&str> = files.iter().map(|(_, text)| text.as_str()).collect();
            Ok(texts.join("---\n"))
        }
    }
}

/// Every file of a form.
///
/// # Errors
/// None that can happen; a schema that has no JSON form.
pub fn files(form: SchemaForm) -> Result<Files, CommandError> {
    match form {
        SchemaForm::Json => json(),
        SchemaForm::Kcl => kcl::files(),
        SchemaForm::Crds => crds(),
    }
    .map_err(|source| CommandError::Encode {
        what: "a schema",
        source,
    })
}

fn json() -> Result<Files, serde_json::Error> {
    let file =
        |name: &str, schema: &serde_json::Value| (name.to_owned(), json_schema::to_text(schema));
    let mut files = vec![
        file("fleet.json", &json_schema::fleet()),
        file("fleet.layer.json", &json_schema::layer()),
        file("fleet.merged.json", &json_schema::merged()),
    ];
    for kind in json_schema::kinds()? {
        files.push(file(&kind.file(), &kind.json_schema()));
    }
    Ok(files)
}

fn crds() -> Result<Files, serde_json::Error> {
    let file = |crd: &_| {
        let crd = manifests::object::to_value(crd)?;
        let name = crd.pointer("/metadata/name").and_then(|name| name.as_str());
        let path = format!("{}.yaml", name.unwrap_or_default());
        Ok((path, manifests::yaml::to_string(&crd)?))
    };
    manifests::crds::all().iter().map(file).collect()
}

fn write(folder: &Path, files: &Files, printer: Printer) -> Result<(), CommandError> {
    for (name, text) in files {
        let path = folder.join(name);
        path.parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::write(&path, text))
            .map_err(|source| CommandError::Write {
                what: path.display().to_string(),
                source,
            })?;
    }
    printer.say(&format!(
        "wrote {} files into {}",
        files.len(),
        folder.display()
    ));
    Ok(())
}
