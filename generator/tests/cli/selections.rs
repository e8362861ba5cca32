//! Several selections rendered into one tree.

use crate::support::{Folder, differing, paths};

#[test]
fn selections_one_after_the_other_add_up_to_the_whole() {
    let folder = Folder::new();
    for selection in [
        "tier=platinum",
        "tier=gold,bronze",
        "cluster=analytics",
        "site=nantes",
        "site=paris",
    ] {
        folder.ok(&format!("render -f fleet.yaml {selection} -o parts"));
    }
    folder.ok("render -f fleet.yaml -o whole");
    let (parts, whole) = (folder.whole_tree("parts"), folder.whole_tree("whole"));
    assert_eq!(differing(&parts, &whole), Vec::<String>::new());
}

#[test]
fn a_second_selection_leaves_the_files_of_the_first_alone() {
    let folder = Folder::new();
    folder.ok("render -f fleet.yaml tier=platinum -o repo");
    let mut before = folder.times("repo");
    folder.ok("render -f fleet.yaml tier=gold -o repo");
    let after = folder.times("repo");
    before.retain(|path, time| after.get(path) != Some(time));
    let touched: Vec<_> = before.into_keys().collect();
    assert_eq!(
        touched,
        [
            ".banlieue/inventory.json",
            "TOPOLOGY.md",
            "flux/kustomization.yaml"
        ]
    );
}

#[test]
fn the_index_files_name_the_union() {
    let folder = Folder::new();
    folder.ok("render -f fleet.yaml tier=platinum -o repo");
    folder.ok("render -f fleet.yaml tier=gold -o repo");
    let (index, topology) = (
        folder.read("repo/flux/kustomization.yaml"),
        folder.read("repo/TOPOLOGY.md"),
    );
    for cluster in ["payments", "web"] {
        assert!(index.contains(&format!("- clusters/example-cluster-{cluster}.yaml\n")));
        assert!(topology.contains(&format!("| `{cluster}` |")));
    }
    assert!(!index.contains("stores") && !topology.contains("stores"));
}

#[test]
fn a_removed_cluster_leaves_with_its_tier_and_is_announced() {
    let folder = Folder::new();
    folder.ok("render -f fleet.yaml -o repo");
    folder.layer("gone.yaml", "clusters: {web: null}\n");
    let said = folder
        .ok("render -f fleet.yaml -f gone.yaml tier=gold -o repo")
        .err;
    assert!(said.contains("web is removed"), "{said}");
    let tree = folder.tree("repo");
    let rest: Vec<_> = tree.keys().filter(|path| path.contains("web")).collect();
    assert_eq!(rest, Vec::<&String>::new());
    assert!(!tree["flux/kustomization.yaml"].contains("cluster-web"));
    assert!(!tree["TOPOLOGY.md"].contains("`web`"));
    assert!(!paths(&tree, "clusters/platinum/payments/").is_empty());
    assert!(
        !folder.path("repo/clusters/gold").exists(),
        "an empty folder"
    );
}

#[test]
fn a_removed_cluster_stays_when_another_tier_is_rendered() {
    let folder = Folder::new();
    folder.ok("render -f fleet.yaml -o repo");
    let before = folder.tree("repo");
    folder.layer("gone.yaml", "clusters: {web: null}\n");
    folder.ok("render -f fleet.yaml -f gone.yaml tier=platinum -o repo");
    assert_eq!(
        differing(&before, &folder.tree("repo")),
        Vec::<String>::new()
    );
}

#[test]
fn a_tier_without_clusters_is_a_platform_of_its_own() {
    let folder = Folder::new();
    folder.layer("gone.yaml", "clusters: {web: null}\n");
    folder.ok("render -f fleet.yaml -f gone.yaml tier=gold -o repo");
    let tree = folder.tree("repo");
    assert_eq!(paths(&tree, "clusters/"), Vec::<&str>::new());
    assert!(!paths(&tree, "infrastructure/00-crds/").is_empty());
}

#[test]
fn removed_machines_leave_the_tree_and_those_of_other_sets_stay() {
    let folder = Folder::new();
    folder.layer(
        "more.yaml",
        "virtualMachines:\n  jump: {replicas: 1, class: small, image: kairos, sites: [nantes]}\n",
    );
    folder.ok("render -f fleet.yaml -f more.yaml -o repo");
    folder.layer(
        "fewer.yaml",
        "virtualMachines: {bastion: {replicas: 1}, jump: null}\n",
    );
    folder.ok("render -f fleet.yaml -f more.yaml -f fewer.yaml site=paris -o repo");
    let tree = folder.tree("repo");
    assert!(tree.contains_key("virtualmachines/bastion/virtualmachine-bastion-0.yaml"));
    assert!(!tree.contains_key("virtualmachines/bastion/virtualmachine-bastion-1.yaml"));
    assert!(
        !paths(&tree, "virtualmachines/jump/").is_empty(),
        "not at this site"
    );
    folder.ok("render -f fleet.yaml -f more.yaml -f fewer.yaml site=nantes -o repo");
    assert_eq!(
        paths(&folder.tree("repo"), "virtualmachines/jump/"),
        Vec::<&str>::new()
    );
}
