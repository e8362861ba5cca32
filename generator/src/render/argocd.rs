//! The entries of Argo CD: a project, one `Application` per stage, and checks of health.

use banlieue_schemas::fleet::Fleet;
use serde_json::{Map, Value, json};

use super::{health, stage::Stage};

/// Folder of the entries.
pub const FOLDER: &str = "argocd";

/// The project of all the applications: what they may write, and from where.
pub fn project(fleet: &Fleet) -> Value {
    json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AppProject",
        "metadata": { "name": fleet.metadata.name, "namespace": fleet.gitops.engine_namespace() },
        "spec": {
            "description": "The fleet that banlieue-gen renders",
            "sourceRepos": [fleet.gitops.repository],
            "destinations": [{ "server": "https://kubernetes.default.svc", "namespace": "*" }],
            "clusterResourceWhitelist": [{ "group": "*", "kind": "*" }],
        },
    })
}

/// The application of the applications, itself included: one that comes or goes in git comes or
/// goes in the cluster.
pub fn root(fleet: &Fleet) -> Value {
    let gitops = &fleet.gitops;
    let path = [gitops.path.as_str(), FOLDER]
        .into_iter()
        .filter(|part| !part.is_empty());
    json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {
            "name": fleet.metadata.name,
            "namespace": gitops.engine_namespace(),
            "annotations": { "argocd.argoproj.io/compare-options": "ServerSideDiff=true" },
        },
        "spec": {
            "project": fleet.metadata.name,
            "source": {
                "repoURL": gitops.repository,
                "targetRevision": gitops.branch,
                "path": path.collect::<Vec<_>>().join("/"),
            },
            "destination": { "server": "https://kubernetes.default.svc" },
            "syncPolicy": {
                "automated": { "prune": true, "selfHeal": true },
                "syncOptions": ["ServerSideApply=true", "CreateNamespace=false"],
                "retry": { "limit": 10, "backoff": { "duration": "10s", "factor": 2, "maxDuration": "5m" } },
            },
        },
    })
}

/// The application of a stage.
///
/// It has no finalizer: deleting an application leaves what it applied. Objects that must not be
/// pruned say so themselves.
pub fn entry(fleet: &Fleet, stage: &Stage) -> Value {
    let gitops = &fleet.gitops;
    let path = [gitops.path.as_str(), &stage.folder]
        .into_iter()
        .filter(|part| !part.is_empty());
    json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {
            "name": stage.name,
            "namespace": gitops.engine_namespace(),
            "annotations": {
                "argocd.argoproj.io/compare-options": "ServerSideDiff=true",
                "argocd.argoproj.io/manifest-generate-paths": ".",
                "argocd.argoproj.io/sync-wave": stage.wave.to_string(),
            },
        },
        "spec": {
            "project": fleet.metadata.name,
            "source": {
                "repoURL": gitops.repository,
                "targetRevision": gitops.branch,
                "path": path.collect::<Vec<_>>().join("/"),
            },
            "destination": { "server": "https://kubernetes.default.svc" },
            "syncPolicy": {
                "automated": { "prune": true, "selfHeal": true },
                "syncOptions": [
                    "ServerSideApply=true",
                    "RespectIgnoreDifferences=true",
                    "PruneLast=true",
                    "CreateNamespace=false",
                    "SkipDryRunOnMissingResource=true",
                ],
                "retry": { "limit": 10, "backoff": { "duration": "10s", "factor": 2, "maxDuration": "5m" } },
            },
            "ignoreDifferences": [{
                "group": "cluster.x-k8s.io",
                "kind": "Cluster",
                "jsonPointers": ["/spec/controlPlaneEndpoint"],
            }, {
                "group": "cluster.x-k8s.io",
                "kind": "MachineDeployment",
                "managedFieldsManagers": ["cluster-autoscaler"],
            }],
        },
    })
}

/// Checks of health, as a part of Argo CD's own ConfigMap. Applications themselves have none
/// since Argo CD 1.8, so without it waves between them would not wait.
pub fn health(fleet: &Fleet) -> Value {
    let mut data: Map<String, Value> = health::CHECKS
        .iter()
        .map(health::argocd)
        .map(|(key, lua)| (key, Value::String(lua)))
        .collect();
    data.insert(
        "resource.customizations.health.argoproj.io_Application".to_owned(),
        Value::String(APPLICATION_HEALTH.to_owned()),
    );
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": "argocd-cm",
            "namespace": fleet.gitops.engine_namespace(),
            "labels": { "app.kubernetes.io/part-of": "argocd" },
            "annotations": { "argocd.argoproj.io/sync-wave": "-40" },
        },
        "data": data,
    })
}

const APPLICATION_HEALTH: &str = r#"local health = { status = "Progressing", message = "" }
if obj.status ~= nil and obj.status.health ~= nil then
  health.status = obj.status.health.status
  if obj.status.health.message ~= nil then
    health.message = obj.status.health.message
  end
end
return health
"#;
