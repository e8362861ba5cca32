//! The other engine.

use std::collections::BTreeMap;

use crate::support::{Folder, differing, objects, paths, text};

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
        let object = folder.object(&format!("repo/{path}"));
        if text(&object, "/kind") == "Application" {
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
