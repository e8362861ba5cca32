//! The other engine.

use std::collections::BTreeMap;

use crate::support::{Folder, differing, is_manifest, objects, paths, text};

/// The application of the applications.
const ROOT: &str = "argocd/application-example.yaml";

/// A folder with a layer that chooses Argo CD.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.layer("argocd.yaml", "gitops: {engine: argocd}\n");
    folder
}

#[test]
fn every_stage_and_cluster_is_an_application_in_its_wave() {
    let folder = folder();
    folder.ok("render -f fleet.yaml -f argocd.yaml -o repo");
    let tree = folder.tree("repo");
    assert_eq!(paths(&tree, "flux/"), Vec::<&str>::new());
    let mut waves = BTreeMap::new();
    for path in paths(&tree, "argocd/") {
        if !is_manifest(path) {
            continue;
        }
        let object = folder.object(&format!("repo/{path}"));
        if text(&object, "/kind") == "Application" && path != ROOT {
            let wave = text(
                &object,
                "/metadata/annotations/argocd.argoproj.io~1sync-wave",
            );
            let source = text(&object, "/spec/source/path").to_owned();
            assert!(
                tree.contains_key(&format!("{source}/kustomization.yaml")),
                "{source}"
            );
            waves.insert(source, wave.parse::<i32>().unwrap());
        }
    }
    let order: Vec<i32> = waves
        .iter()
        .filter(|(folder, _)| folder.starts_with("infrastructure/"))
        .map(|(_, wave)| *wave)
        .collect();
    assert_eq!(order.len(), 6);
    assert!(order.is_sorted_by(|one, next| one < next), "{order:?}");
    let last = order[5];
    let rest = waves
        .iter()
        .filter(|(folder, _)| !folder.starts_with("infrastructure/"));
    let rest: Vec<i32> = rest.map(|(_, wave)| *wave).collect();
    assert_eq!(rest.len(), 6);
    assert!(rest.into_iter().all(|wave| wave > last));
}

#[test]
fn an_application_follows_the_applications() {
    let folder = folder();
    folder.ok("render -f fleet.yaml -f argocd.yaml -o repo");
    let root = folder.object(&format!("repo/{ROOT}"));
    assert_eq!(text(&root, "/spec/source/path"), "argocd");
    let tree = folder.tree("repo");
    let list = &tree["argocd/kustomization.yaml"];
    let entries = [
        "application-example.yaml",
        "clusters/example-cluster-payments.yaml",
    ];
    for entry in entries {
        assert!(list.contains(entry), "{entry} is not in {list}");
    }
    // An application that goes leaves what it applied.
    let payments = folder.object("repo/argocd/clusters/example-cluster-payments.yaml");
    assert!(payments.pointer("/metadata/finalizers").is_none());
}

/// Argo CD would otherwise take back what the autoscaler does, at each sync.
#[test]
fn the_number_of_machines_stays_the_autoscalers() {
    let folder = folder();
    folder.layer(
        "scaled.yaml",
        "clusters: {web: {workers: {autoscaling: {min: 1, max: 5}}}}\n",
    );
    folder.ok("render -f fleet.yaml -f argocd.yaml -f scaled.yaml -o repo");
    let application = folder.object("repo/argocd/clusters/example-cluster-web.yaml");
    let ignored = application["spec"]["ignoreDifferences"].as_array().unwrap();
    let of_machines: Vec<_> = ignored
        .iter()
        .filter(|rule| rule["kind"] == "MachineDeployment")
        .collect();
    let rule = serde_json::json!({
        "group": "cluster.x-k8s.io",
        "kind": "MachineDeployment",
        "managedFieldsManagers": ["cluster-autoscaler"],
    });
    assert_eq!(of_machines, [&rule]);
    let options = application["spec"]["syncPolicy"]["syncOptions"]
        .as_array()
        .unwrap();
    for option in ["RespectIgnoreDifferences=true", "ServerSideApply=true"] {
        assert!(options.iter().any(|given| given == option), "{option}");
    }
    let workers = folder.object("repo/clusters/gold/web/workers-paris-a.yaml");
    assert_eq!(workers.pointer("/spec/replicas"), None);
}

#[test]
fn a_removed_cluster_is_left_running_and_the_command_that_deletes_it_is_told() {
    let folder = folder();
    folder.ok("render -f fleet.yaml -f argocd.yaml -o repo");
    folder.layer("less.yaml", "clusters: {web: null}\n");
    let render = "render -f fleet.yaml -f argocd.yaml -f less.yaml -o repo";
    let said = folder.ok(render).err;
    let command = "kubectl delete clusters.cluster.x-k8s.io web --namespace fleet";
    assert!(said.contains("leaves the cluster running"), "{said}");
    assert!(said.contains(command), "{said}");
}

#[test]
fn the_stream_has_no_entries_of_either_engine() {
    let folder = folder();
    let flux = folder.ok("render -f fleet.yaml").out;
    let argocd = folder.ok("render -f fleet.yaml -f argocd.yaml").out;
    assert!(flux == argocd, "the engine has an influence on the objects");
    for object in objects(&flux) {
        let group = text(&object, "/apiVersion");
        assert!(
            !group.contains("fluxcd.io") && !group.contains("argoproj.io"),
            "{group}"
        );
    }
}

#[test]
fn switching_the_engine_takes_the_other_ones_entries_away() {
    let folder = folder();
    folder.ok("render -f fleet.yaml -o repo");
    folder.ok("render -f fleet.yaml -f argocd.yaml -o repo");
    folder.ok("render -f fleet.yaml -f argocd.yaml -o fresh");
    let (repo, fresh) = (folder.whole_tree("repo"), folder.whole_tree("fresh"));
    assert_eq!(differing(&repo, &fresh), Vec::<String>::new());
}

#[test]
fn switching_the_engine_for_a_tier_keeps_the_entries_of_the_others() {
    let folder = folder();
    folder.ok("render -f fleet.yaml -o repo");
    folder.ok("render -f fleet.yaml -f argocd.yaml tier=gold -o repo");
    let tree = folder.tree("repo");
    assert!(!tree.contains_key("flux/clusters/example-cluster-web.yaml"));
    assert!(tree.contains_key("flux/clusters/example-cluster-payments.yaml"));
    assert!(tree.contains_key("argocd/clusters/example-cluster-web.yaml"));
    let index = &tree["flux/kustomization.yaml"];
    assert!(
        index.contains("payments") && !index.contains("cluster-web"),
        "{index}"
    );
}
