//! Which files an edit of the fleet changes, and which machines it rolls.

use crate::support::{FLEET, Folder, Tree, differing, paths, text};

const TEMPLATES: &str = "clusters/gold/web/templates/";

/// Trees before and after a change of the fleet, in the same directory.
fn change(folder: &Folder, before: &str, after: &str) -> (Tree, Tree) {
    folder.ok(&format!("render {before} -o repo"));
    let old = folder.tree("repo");
    folder.ok(&format!("render {after} -o repo"));
    (old, folder.tree("repo"))
}

/// Names of all objects that are named by their content.
fn template_names(tree: &Tree) -> Vec<&str> {
    tree.keys()
        .map(String::as_str)
        .filter(|path| path.contains("/templates/"))
        .collect()
}

#[test]
fn a_changed_class_makes_a_new_template_and_keeps_the_old_one() {
    let folder = Folder::new();
    folder.layer(
        "big.yaml",
        "classes: {large: {hardware: {memoryMiB: 65536}}}\n",
    );
    let (old, new) = change(&folder, "-f fleet.yaml", "-f fleet.yaml -f big.yaml");
    let (before, after) = (paths(&old, TEMPLATES), paths(&new, TEMPLATES));
    assert_eq!((before.len(), after.len()), (2, 3));
    assert!(
        before
            .iter()
            .all(|path| after.contains(path) && old[*path] == new[*path])
    );

    let index = folder.object("repo/clusters/gold/web/kustomization.yaml");
    let listed: Vec<&str> = index["resources"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|entry| entry.as_str())
        .filter(|entry| entry.starts_with("templates/"))
        .collect();
    let relative: Vec<&str> = after
        .iter()
        .map(|path| path.strip_prefix("clusters/gold/web/").unwrap())
        .collect();
    assert_eq!(listed, relative);

    let added = after.iter().find(|path| !before.contains(path)).unwrap();
    let added = folder.object(&format!("repo/{added}"));
    assert_eq!(
        added.pointer("/spec/template/spec/memoryMiB").unwrap(),
        65536
    );
    let mut workers = 0;
    for path in paths(&new, "clusters/gold/web/workers-") {
        let deployment = folder.object(&format!("repo/{path}"));
        let named = text(&deployment, "/spec/template/spec/infrastructureRef/name");
        assert_eq!(named, text(&added, "/metadata/name"));
        workers += 1;
    }
    assert_eq!(workers, 6);
}

#[test]
fn a_class_of_others_changes_nothing_of_a_cluster() {
    let folder = Folder::new();
    folder.layer("big.yaml", "classes: {small: {hardware: {cpus: 4}}}\n");
    let (old, new) = change(&folder, "-f fleet.yaml", "-f fleet.yaml -f big.yaml");
    let changed = differing(&old, &new);
    for start in ["clusters/gold/", "clusters/platinum/", "clusters/silver/"] {
        assert!(
            !changed.iter().any(|path| path.starts_with(start)),
            "{changed:?}"
        );
    }
    assert!(
        changed
            .iter()
            .any(|path| path.starts_with("clusters/edge/"))
    );
    assert!(
        changed
            .iter()
            .any(|path| path.starts_with("clusters/bronze/"))
    );
}

#[test]
fn an_edit_of_one_cluster_changes_only_its_files_and_the_topology() {
    let folder = Folder::new();
    folder.layer("more.yaml", "clusters: {web: {workers: {replicas: 7}}}\n");
    let (old, new) = change(&folder, "-f fleet.yaml", "-f fleet.yaml -f more.yaml");
    assert_eq!(
        differing(&old, &new),
        [
            "TOPOLOGY.md",
            "clusters/gold/web/workers-lyon-a.yaml",
            "clusters/gold/web/workers-paris-c.yaml",
        ]
    );
}

#[test]
fn comments_and_the_order_of_keys_change_nothing() {
    let folder = Folder::new();
    let (head, clusters) = FLEET.split_once("\nclusters:\n").unwrap();
    let other = format!(
        "# another comment\n{}",
        head.replacen(
            "kind: Fleet\n",
            &format!("kind: Fleet # too\nclusters:\n{clusters}\n"),
            1
        )
    );
    folder.write("other.yaml", other);
    let (old, new) = change(&folder, "-f fleet.yaml", "-f other.yaml");
    assert_eq!(differing(&old, &new), Vec::<String>::new());
}

#[test]
fn defaults_that_are_written_out_roll_no_machine() {
    let folder = Folder::new();
    folder.layer(
        "defaults.yaml",
        "classes:
  small:
    firmware: efi
    tpmEnabled: false
    hardware:
      disks: [{name: os, sizeGiB: 40, storageClass: fast, provisioning: thin}]
clusters:
  stores:
    network: {domain: cluster.local}
    workers: {}
    paused: false
",
    );
    let (old, new) = change(&folder, "-f fleet.yaml", "-f fleet.yaml -f defaults.yaml");
    assert_eq!(template_names(&old), template_names(&new));
    assert_eq!(
        differing(&old, &new),
        ["infrastructure/30-classes/vmclass-small.yaml"]
    );
}

#[test]
fn two_spellings_of_a_number_are_one_template() {
    let folder = Folder::new();
    folder.write(
        "other.yaml",
        FLEET.replace("memoryMiB: 32768", "memoryMiB: 0x8000"),
    );
    let ran = folder.run("render -f other.yaml -o other");
    if ran.code == 0 {
        folder.ok("render -f fleet.yaml -o repo");
        let (repo, other) = (folder.tree("repo"), folder.tree("other"));
        assert_eq!(differing(&repo, &other), Vec::<String>::new());
    } else {
        assert!(ran.err.contains("0x8000"), "{}", ran.err);
    }
}
