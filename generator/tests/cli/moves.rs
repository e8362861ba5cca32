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
