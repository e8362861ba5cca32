//! From arguments to a planned fleet.

use std::{collections::BTreeMap, env, path::PathBuf};

use banlieue_schemas::{fleet::Fleet, json_schema};

use super::CommandError;
use crate::{
    cli,
    diagnostic::Diagnostic,
    load::{self, Loaded, Origins, Source},
    plan::{self, Plan, Problem, Selection, selection},
    printer::Printer,
    render::{RenderError, templates::Templates},
};

/// Name of the built-in fleet in messages.
pub const EXAMPLE_NAME: &str = "built-in example fleet";
/// The built-in fleet.
pub const EXAMPLE: &str = include_str!("../../../examples/fleet/fleet.yaml");

/// A fleet that is loaded and planned.
pub struct Input {
    /// The fleet.
    pub fleet: Fleet,
    /// Where its parts were written.
    pub origins: Origins,
    /// Digest of the merged input.
    pub digest: String,
    /// What was selected.
    pub selection: Selection,
    /// Where everything goes.
    pub plan: Plan,
}

/// Loads and plans.
///
/// # Errors
/// Everything that is wrong with the fleet, or with the arguments.
pub fn read(args: &cli::Input, printer: Printer) -> Result<Input, CommandError> {
    if let Some(jobs) = args.jobs {
        rayon::ThreadPoolBuilder::new()
            .num_threads(jobs.into())
            .build_global()?;
    }
    let mut arguments = by_key(&args.arguments)?;
    let Loaded {
        value: fleet,
        origins,
        warnings,
        digest,
    } = load(args, &arguments, printer)?;
    if !warnings.is_empty() {
        printer.diagnostics(&warnings);
    }
    let selection = Selection::take(&mut arguments);
    let problems = selection.check(&fleet);
    if !problems.is_empty() {
        return Err(CommandError::Arguments(locate(problems, &origins)));
    }
    match plan::plan(&fleet, &selection) {
        Ok(plan) => Ok(Input {
            fleet,
            origins,
            digest,
            selection,
            plan,
        }),
        Err(problems) => Err(CommandError::Diagnostics(locate(problems, &origins))),
    }
}

fn load(
    args: &cli::Input,
    arguments: &BTreeMap<String, String>,
    printer: Printer,
) -> Result<Loaded<Fleet>, CommandError> {
    let sources = if args.files.is_empty() {
        printer.say(&format!(
            "no fleet file given (-f FILE): using the {EXAMPLE_NAME}"
        ));
        vec![Source::new(EXAMPLE_NAME, EXAMPLE)]
    } else {
        load::read(&args.files).map_err(CommandError::Diagnostics)?
    };
    let schema = json_schema::for_loader();
    load::load(&sources, &schema, arguments).map_err(|found| {
        if found
            .iter()
            .all(|d| d.at.is_none() && d.code.starts_with("BL02"))
        {
            CommandError::Arguments(found)
        } else {
            CommandError::Diagnostics(found)
        }
    })
}

/// The arguments by key.
///
/// A selection without a name is refused, because it would select everything: a script whose
/// variable is empty must not render, and clean up, the whole tree.
fn by_key(pairs: &[(String, String)]) -> Result<BTreeMap<String, String>, CommandError> {
    let mut arguments = BTreeMap::new();
    for (key, value) in pairs {
        let selects = selection::KEYS.contains(&key.as_str());
        if selects && value.split(',').all(str::is_empty) {
            return Err(CommandError::Usage(format!(
                "`{key}={value}` names nothing; leave the argument out to select everything"
            )));
        }
        if let Some(first) = arguments.insert(key.clone(), value.clone()) {
            let remedy = if selects {
                format!("write `{key}={first},{value}` to select both")
            } else {
                "keep one of the two".to_owned()
            };
            return Err(CommandError::Usage(format!(
                "the argument `{key}` is given twice; {remedy}"
            )));
        }
    }
    Ok(arguments)
}

/// Points problems at the user's files, each once.
pub fn locate(problems: Vec<Problem>, origins: &Origins) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = problems.into_iter().map(|p| p.locate(origins)).collect();
    found.sort_by(|a, b| (&a.at, a.code, &a.message).cmp(&(&b.at, b.code, &b.message)));
    found.dedup_by(|a, b| a.at == b.at && a.message == b.message);
    found
}

/// Reads the templates.
///
/// # Errors
/// A folder that cannot be read, a template that does not compile.
pub fn templates(args: &cli::Templates) -> Result<Templates, CommandError> {
    let templates = match &args.templates {
        Some(folder) => Templates::with_folder(folder),
        None => Templates::built_in(),
    };
    templates.map_err(|error| CommandError::Render(RenderError::Template(error)))
}

/// The home directory, which no tree may replace.
pub fn home() -> Option<PathBuf> {
    env::var_os("HOME")
        .map(PathBuf::from)
        .filter(|home| home.is_absolute())
}
