//! All files of a run.

use std::collections::{BTreeMap, BTreeSet};

use banlieue_schemas::{fleet::Engine, manifests::yaml};
use rayon::prelude::*;
use serde_json::Value;

use super::{
    Context, RenderError, argocd, flux, index,
    object::{Object, Place, Removal},
    render, scopes,
    stage::Stage,
    topology, units,
};
use crate::{
    load,
    plan::{Plan, Selection},
    tree::{Checksum, File, Inventory, Rendered, Scope, ScopeInfo, TreePath},
};

/// What a run renders, before the files that are drawn from the whole tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    /// One file per object, in the order in which they can be applied.
    pub files: Vec<File>,
    /// The parts of the tree that are rendered.
    pub scopes: BTreeMap<Scope, ScopeInfo>,
}

/// Whether the content of a file is not needed, going by its path and digest.
pub type Known<'a> = dyn Fn(&TreePath, Checksum) -> bool + Sync + 'a;

/// Renders everything that a plan holds. Content that is `known` is let go at once, see
/// [`Rendered::lacks`]. `done` is called after each unit, from any thread.
///
/// # Errors
/// The first template that fails, in the order of the plan.
pub fn bundle(
    context: Context<'_>,
    plan: &Plan,
    known: &Known<'_>,
    done: &(dyn Fn() + Sync),
) -> Result<Bundle, RenderError> {
    let parts: Vec<Result<Vec<File>, RenderError>> = units(plan)
        .into_par_iter()
        .map(|unit| {
            let files = render(context, unit)?.into_iter().map(|object| {
                let mut file = file(object)?;
                if known(&file.path, file.digest) {
                    file.bytes = None;
                }
                Ok(file)
            });
            let files = files.collect();
            done();
            files
        })
        .collect();
    let mut files = Vec::new();
    for part in parts {
        files.extend(part?);
    }
    Ok(Bundle {
        files,
        scopes: scopes::of(context.fleet, plan)?,
    })
}

impl Bundle {
    /// Adds the files that are drawn from the whole tree, of which an earlier run may have
    /// rendered other parts.
    ///
    /// # Errors
    /// A template that fails.
    pub fn complete(
        self,
        context: Context<'_>,
        inventory: &Inventory,
        selection: &Selection,
        input: String,
    ) -> Result<Rendered, RenderError> {
        let Self { mut files, scopes } = self;
        let union = inventory.union(
            &scopes,
            &files,
            &scopes::covers(context.fleet, selection, &scopes),
        );
        let scope = scopes::index();
        let text = |path: &str, text: String| -> Result<File, RenderError> {
            let path = TreePath::new(path)?;
            Ok(File::new(path, text.into_bytes(), scope.clone(), [].into()))
        };
        let mut drawn = Vec::new();
        for (path, kustomization) in index::kustomizations(&union.paths) {
            let mut out = String::new();
            yaml::write(&kustomization, &mut out);
            drawn.push(text(&path, out)?);
        }
        drawn.push(text(
            "TOPOLOGY.md",
            topology::page(context, &union.scopes)?,
        )?);
        let attributes = context
            .templates
            .render("repository/gitattributes.j2", &minijinja::Value::UNDEFINED)?;
        // Not one for the whole tree: at the top of a repository that file is somebody else's.
        let folders = union
            .paths
            .iter()
            .filter_map(|path| path.as_str().split_once('/'));
        for folder in folders.map(|(top, _)| top).collect::<BTreeSet<_>>() {
            drawn.push(text(
                &format!("{folder}/.gitattributes"),
                attributes.clone(),
            )?);
        }
        files.extend(drawn);
        Ok(Rendered::new(
            env!("CARGO_PKG_VERSION").to_owned(),
            input,
            scopes,
            files,
        ))
    }
}

/// The entry of a stage in the engine's folder.
pub fn entry(
    context: Context<'_>,
    stage: &Stage,
    scope: &Scope,
    origin: &[&str],
    group: &str,
) -> Object {
    let fleet = context.fleet;
    let (folder, value) = match fleet.gitops.engine {
        Engine::Flux => (flux::FOLDER, flux::entry(fleet, stage)),
        Engine::Argocd => (argocd::FOLDER, argocd::entry(fleet, stage)),
    };
    let place = Place::new(format!("{folder}/{group}"), scope, origin);
    place.put_as(&format!("{}.yaml", stage.name), value, Removal::Prune)
}

/// Parses what a template made.
///
/// # Errors
/// Anything that a fleet file would be refused for, too.
pub fn parse(template: &str, text: &str) -> Result<Value, RenderError> {
    load::parse_value(template, text).map_err(|problem| RenderError::Output {
        template: template.to_owned(),
        problem,
    })
}

fn file(object: Object) -> Result<File, RenderError> {
    let mut text = String::with_capacity(1024);
    yaml::write(&object.value, &mut text);
    // The files of a large fleet are in memory at once.
    text.shrink_to_fit();
    let path = TreePath::new(object.path)?;
    let objects = [object.id].into();
    Ok(File::new(path, text.into_bytes(), object.scope, objects))
}
