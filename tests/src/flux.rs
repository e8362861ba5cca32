//! What Flux's kustomize-controller does with one Kustomization, on its own
//! libraries (`tests/tools/harness`), without the controller.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::apiserver::ApiServer;
use crate::process;
use crate::tools::{Tool, go_program};

/// The part of a Flux Kustomization that decides what is built and applied.
#[derive(Debug, Clone)]
pub struct Kustomization {
    /// Name in the owner labels; what was applied last is remembered by name.
    pub name: String,
    /// `spec.path`, relative to the root of the repository.
    pub path: String,
    /// `spec.prune`: delete what was applied earlier and is built no longer.
    pub prune: bool,
    /// `spec.wait`: return when everything that was applied is ready.
    pub wait: bool,
    /// `spec.postBuild`: substitute variables, none of which is defined, so
    /// that every `${NAME}` in an object that does not opt out is an error.
    pub substitute: bool,
}

/// What became of one object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// `Kind/namespace/name`, or `Kind/name` of a cluster-scoped object.
    pub id: String,
    /// `created`, `configured`, `unchanged`, `deleted` or `skipped`.
    pub action: String,
}

impl Kustomization {
    /// A Kustomization that prunes and waits.
    pub fn new(name: &str, path: &str) -> Self {
        Self {
            name: name.to_owned(),
            path: path.to_owned(),
            prune: true,
            wait: true,
            substitute: false,
        }
    }

    /// Objects that Flux would apply from the repository at `root`.
    pub fn build(&self, root: &Path) -> Result<Vec<Value>> {
        let mut command = go_program(Tool::Harness)?;
        command.arg("build");
        self.add_source(&mut command, root);
        parse_lines(&process::run(&mut command, "")?)
    }

    /// Builds and applies server-side in Flux's stages, with strict field
    /// validation, then prunes. An error leaves what was applied before it.
    pub fn apply(&self, api: &ApiServer, root: &Path) -> Result<Vec<Change>> {
        let inventory = format!("inventory-{}.json", self.name);
        let mut command = go_program(Tool::Harness)?;
        command.args(["apply", "--name", &self.name]);
        command.arg("--kubeconfig").arg(api.kubeconfig());
        command
            .arg("--inventory")
            .arg(api.directory().join(inventory));
        command.arg(format!("--prune={}", self.prune));
        command.arg(format!("--wait={}", self.wait));
        self.add_source(&mut command, root);
        parse_lines(&process::run(&mut command, "")?)?
            .iter()
            .map(|line| {
                let text = |key: &str| Some(line.get(key)?.as_str()?.to_owned());
                text("id")
                    .zip(text("action"))
                    .map(|(id, action)| Change { id, action })
                    .with_context(|| format!("not a change: {line}"))
            })
            .collect()
    }

    fn add_source(&self, command: &mut Command, root: &Path) {
        command.arg("--root").arg(root).args(["--path", &self.path]);
        command.arg(format!("--substitute={}", self.substitute));
    }
}

fn parse_lines(text: &str) -> Result<Vec<Value>> {
    text.lines()
        .map(|line| {
            serde_json::from_str(line).context("the harness wrote something else than JSON")
        })
        .collect()
}
