//! The entries of Flux: a source, and one `Kustomization` per stage.

use banlieue_schemas::fleet::Fleet;
use serde_json::{Value, json};

use super::{
    health,
    stage::{Content, Stage},
};

/// Folder of the entries.
pub const FOLDER: &str = "flux";

/// The repository that holds the tree.
pub fn source(fleet: &Fleet) -> Value {
    let gitops = &fleet.gitops;
    let mut source = json!({
        "apiVersion": "source.toolkit.fluxcd.io/v1",
        "kind": "GitRepository",
        "metadata": { "name": fleet.metadata.name, "namespace": gitops.engine_namespace() },
        "spec": {
            "interval": gitops.interval,
            "url": gitops.repository,
            "ref": { "branch": gitops.branch },
        },
    });
    if let Some(secret) = &gitops.credentials_secret {
        source["spec"]["secretRef"] = json!({ "name": secret });
    }
    source
}

/// The entry of the entries, itself included: one that comes or goes in git comes or goes in the
/// cluster. Without it the entry of a cluster that is gone would stay and delete nothing.
pub fn root(fleet: &Fleet) -> Value {
    entry_of(fleet, &fleet.metadata.name, FOLDER, false)
}

/// The entry of a stage.
///
/// Nothing here is deleted and recreated on a change that cannot be made (`force` is never set),
/// and the objects themselves say which of them may be pruned.
pub fn entry(fleet: &Fleet, stage: &Stage) -> Value {
    let gitops = &fleet.gitops;
    let mut entry = entry_of(fleet, &stage.name, &stage.folder, stage.wait);
    if !stage.after.is_empty() {
        let after: Vec<Value> = stage
            .after
            .iter()
            .map(|name| json!({ "name": name }))
            .collect();
        entry["spec"]["dependsOn"] = Value::Array(after);
    }
    if let Some(decryption) = &gitops.decryption {
        entry["spec"]["decryption"] =
            json!({ "provider": "sops", "secretRef": { "name": decryption.secret } });
    }
    if stage.wait && stage.content == Content::Platform {
        let ours = health::CHECKS
            .iter()
            .filter(|check| check.kind.ends_with("Class"));
        entry["spec"]["healthCheckExprs"] = ours.map(health::flux).collect();
    }
    entry
}

fn entry_of(fleet: &Fleet, name: &str, folder: &str, wait: bool) -> Value {
    let gitops = &fleet.gitops;
    let path = [".", gitops.path.as_str(), folder]
        .into_iter()
        .filter(|part| !part.is_empty());
    json!({
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
        "kind": "Kustomization",
        "metadata": { "name": name, "namespace": gitops.engine_namespace() },
        "spec": {
            "interval": gitops.interval,
            "retryInterval": "2m",
            "timeout": "5m",
            "path": path.collect::<Vec<_>>().join("/"),
            "prune": true,
            "wait": wait,
            "sourceRef": { "kind": "GitRepository", "name": fleet.metadata.name },
        },
    })
}
