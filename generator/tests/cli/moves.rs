//! Clusters that go from one selection to another. Losing its files would delete a live cluster.

use crate::support::{Folder, differing, paths};

const TO_GOLD: &str = "clusters: {payments: {tier: gold}}\n";
const TO_NANTES: &str = "clusters: {web: {tier: edge, sites: [nantes]}}\n";

/// A tree of the example, and a layer that moves a cluster.
fn moved(layer: &str) -> Folder {
    let folder = Folder::new();
    folder.ok("render -f fleet.yaml -o repo");
    folder.layer("moved.yaml", layer);
    folder
}

#[test]
fn a_cluster_that_changes_tier_is_kept_until_its_new_tier_is_rendered() {
    let folder = moved(TO_GOLD);
    let before = folder.tree("repo");
    folder.ok("render -f fleet.yaml -f moved.yaml tier=platinum -o repo");
    assert_eq!(
        differing(&before, &folder.tree("repo")),
        Vec::<String>::new()
    );
}

#[test]
fn a_cluster_that_changes_tier_moves_when_its_new_tier_is_rendered() {
    let folder = moved(TO_GOLD);
    let said = folder
        .ok("render -f fleet.yaml -f moved.yaml tier=gold -o repo")
        .err;
    assert!(!said.contains("is removed"), "{said}");
    let tree = folder.tree("repo");
    assert_eq!(paths(&tree, "clusters/platinum/"), Vec::<&str>::new());
    assert!(tree.contains_key("clusters/gold/payments/cluster-payments.yaml"));
    assert!(
        tree["flux/clusters/example-cluster-payments.yaml"].contains("./clusters/gold/payments")
    );
    assert_eq!(tree["TOPOLOGY.md"].matches("| `payments` |").count(), 1);
}

/// An engine that applies the two folders by different entries deletes the one and makes the other.
#[test]
fn a_move_is_told_object_by_object_with_both_files() {
    let folder = moved("clusters: {payments: {tier: gold, workers: {replicas: 6}}}\n");
    let render = "render -f fleet.yaml -f moved.yaml tier=gold -o repo";
    for ran in [folder.ok(&format!("{render} --dry-run")), folder.ok(render)] {
        for (object, file) in [
            (
                "Cluster.cluster.x-k8s.io fleet/payments",
                "cluster-payments.yaml",
            ),
            (
                "MachineDeployment.cluster.x-k8s.io fleet/payments-paris-a",
                "workers-paris-a.yaml",
            ),
        ] {
            let line = format!(
                "{object} moves from clusters/platinum/payments/{file} to clusters/gold/payments/{file}"
            );
            assert!(ran.err.lines().any(|said| said == line), "{}", ran.err);
        }
    }
    let again = folder.ok(render).err;
    assert!(!again.contains(" move"), "{again}");
}

/// A fleet that moves as a whole must not drown the rest of what is said.
#[test]
fn the_moves_of_many_are_counted() {
    let folder = moved(
        "clusters:\n  payments: {tier: gold}\n  web: {tier: platinum}\n  analytics: {tier: bronze}\n",
    );
    let said = folder.ok("render -f fleet.yaml -f moved.yaml -o repo").err;
    let listed = said.lines().filter(|line| line.contains(" moves from "));
    assert_eq!(listed.count(), 20);
    let rest = said
        .lines()
        .find(|line| line.ends_with(" more objects move"));
    assert!(rest.is_some_and(|line| line.starts_with("and ")), "{said}");
}

#[test]
fn a_move_ends_in_the_tree_of_a_fresh_render() {
    let folder = moved(TO_GOLD);
    folder.ok("render -f fleet.yaml -f moved.yaml -o repo");
    folder.ok("render -f fleet.yaml -f moved.yaml -o fresh");
    let (moved, fresh) = (folder.whole_tree("repo"), folder.whole_tree("fresh"));
    assert_eq!(differing(&moved, &fresh), Vec::<String>::new());
}

#[test]
fn a_cluster_that_changes_sites_is_kept_until_its_new_site_is_rendered() {
    let folder = moved(TO_NANTES);
    let before = folder.tree("repo");
    folder.ok("render -f fleet.yaml -f moved.yaml site=lyon -o repo");
    let after = folder.tree("repo");
    assert_eq!(
        paths(&before, "clusters/gold/web/"),
        paths(&after, "clusters/gold/web/")
    );
    folder.ok("render -f fleet.yaml -f moved.yaml site=nantes -o repo");
    let after = folder.tree("repo");
    assert_eq!(paths(&after, "clusters/gold/"), Vec::<&str>::new());
    assert!(!paths(&after, "clusters/edge/web/").is_empty());
}

#[test]
fn machines_that_change_sites_are_kept_until_their_new_site_is_rendered() {
    let folder = moved("virtualMachines: {bastion: {sites: [nantes]}}\n");
    folder.ok("render -f fleet.yaml -f moved.yaml site=paris -o repo");
    let machine = "virtualmachines/bastion/virtualmachine-bastion-0.yaml";
    assert!(folder.tree("repo")[machine].contains("paris"));
    folder.ok("render -f fleet.yaml -f moved.yaml site=nantes -o repo");
    assert!(folder.tree("repo")[machine].contains("nantes"));
}
