//! What becomes of the objects whose files go, where the engine does not see to it.

use std::collections::{BTreeMap, BTreeSet};

use banlieue_schemas::{INFRASTRUCTURE_GROUP, capi, fleet::Engine};

use crate::{
    printer::Printer,
    render::{argocd, flux, scopes},
    tree::{Changes, Inventory, ObjectId, Scope, ScopeInfo, TreePath},
};

/// Removed clusters, or commands, that are listed before the rest is counted.
const LISTED: usize = 20;
/// Kind of what Cluster API makes a cluster from.
const CLUSTER: &str = "Cluster";

/// Says what is left to a person, or to Cluster API, when files of clusters go.
pub fn report(engine: Engine, before: &Inventory, changes: &Changes, printer: Printer) {
    removed_clusters(engine, before, changes, printer);
    for (cluster, objects) in left_behind(before, &changes.next) {
        let mut text = format!(
            "cluster {cluster} stays, and loses objects in git that no engine deletes, so what they \
             made runs on. Once this is synced, delete them in this order:"
        );
        for id in objects.iter().take(LISTED) {
            text.push_str("\n  ");
            text.push_str(&delete(id));
        }
        if objects.len() > LISTED {
            let more = objects.len() - LISTED;
            text = format!("{text}\n  and {more} more, which git shows as deleted files");
        }
        printer.say(&text);
    }
}

/// Flux deletes the `Cluster`, and Cluster API the rest. Argo CD deletes the application and leaves
/// what it applied, so that a person has to.
fn removed_clusters(engine: Engine, before: &Inventory, changes: &Changes, printer: Printer) {
    let kept: BTreeSet<&String> = clusters(&changes.next.scopes).collect();
    let gone: BTreeSet<&String> = clusters(&before.scopes)
        .filter(|cluster| !kept.contains(cluster))
        .collect();
    for cluster in gone.iter().take(LISTED) {
        printer.say(&match engine {
            Engine::Flux => format!(
                "cluster {cluster} is removed: once this is synced Flux deletes its Cluster object, \
                 Cluster API then deletes its machines, and every other object of it goes with its owner"
            ),
            Engine::Argocd => format!(
                "cluster {cluster} is removed: once this is synced Argo CD deletes its Application and \
                 leaves the cluster running; to delete that, too:\n  {}",
                deletion(before, cluster)
            ),
        });
    }
    if gone.len() > LISTED {
        printer.say(&format!(
            "and {} more clusters are removed",
            gone.len() - LISTED
        ));
    }
}

/// The objects that a run takes out of git, that no engine deletes, and that do not go with their
/// cluster either: by cluster, and in the order in which they can be deleted. Pure.
fn left_behind<'a>(
    before: &'a Inventory,
    after: &Inventory,
) -> BTreeMap<&'a str, Vec<&'a ObjectId>> {
    let kept = after.files.values().flat_map(|entry| entry.objects.iter());
    let kept: BTreeSet<&ObjectId> = kept.collect();
    let mut dropped: BTreeMap<&str, Vec<&ObjectId>> = BTreeMap::new();
    for (path, entry) in &before.files {
        let info = before.scopes.get(&entry.scope);
        // A superseded template is still named by outgoing MachineSets, and goes with its cluster.
        if let Some(cluster) = info.and_then(|info| info.cluster.as_deref())
            && !scopes::is_templates(&entry.scope)
            && !is_entry(path)
        {
            let lost = entry.objects.iter().filter(|id| !kept.contains(id));
            dropped.entry(cluster).or_default().extend(lost);
        }
    }
    // With the `Cluster` goes everything that is its own.
    dropped.retain(|_, lost| !lost.is_empty() && !lost.iter().any(|id| is_cluster(id)));
    for lost in dropped.values_mut() {
        lost.sort_by_key(|id| (rank(id), *id));
    }
    dropped
}

/// Whether a file is an entry of the engine, which is deleted as soon as its file is gone.
fn is_entry(path: &TreePath) -> bool {
    let folder = path.as_str().split('/').next();
    folder.is_some_and(|folder| [flux::FOLDER, argocd::FOLDER].contains(&folder))
}

fn is_cluster(id: &ObjectId) -> bool {
    id.group == capi::GROUP && id.kind == CLUSTER
}

/// First what would replace machines, then machines, then what they need to go.
fn rank(id: &ObjectId) -> u8 {
    match (id.group.as_str(), id.kind.as_str()) {
        (capi::GROUP, "MachineHealthCheck") => 0,
        (capi::GROUP, _) => 1,
        (INFRASTRUCTURE_GROUP, _) => 3,
        _ => 2,
    }
}

/// The command that deletes a cluster with its machines.
fn deletion(before: &Inventory, cluster: &str) -> String {
    let is_its = |scope: &Scope| {
        let info = before.scopes.get(scope);
        info.and_then(|info| info.cluster.as_deref()) == Some(cluster)
    };
    let files = before.files.values().filter(|file| is_its(&file.scope));
    let mut objects = files.flat_map(|file| file.objects.iter());
    let (namespace, name) = objects
        .find(|id| is_cluster(id))
        .map_or(("NAMESPACE", cluster), |id| {
            (id.namespace.as_deref().unwrap_or_default(), &id.name)
        });
    command("clusters.cluster.x-k8s.io", name, Some(namespace))
}

fn delete(id: &ObjectId) -> String {
    let kind = id.kind.to_lowercase();
    let resource = match id.group.as_str() {
        "" => kind,
        group => format!("{kind}.{group}"),
    };
    command(&resource, &id.name, id.namespace.as_deref())
}

fn command(resource: &str, name: &str, namespace: Option<&str>) -> String {
    let namespace = namespace.map(|namespace| format!(" --namespace {namespace}"));
    let namespace = namespace.unwrap_or_default();
    format!("kubectl delete {resource} {name}{namespace}")
}

/// The clusters that scopes belong to, by their keys in the fleet.
fn clusters(scopes: &BTreeMap<Scope, ScopeInfo>) -> impl Iterator<Item = &String> {
    scopes.values().filter_map(|info| info.cluster.as_ref())
}
