//! What the other commands do for somebody who tries them.

use serde_json::Value;

use crate::support::Folder;

#[test]
fn a_new_fleet_can_be_planned_and_rendered() {
    let folder = Folder::new();
    let said = folder.ok("init new.yaml").err;
    assert!(said.contains("new.yaml"), "{said}");
    folder.ok("plan -f new.yaml");
    folder.ok("render -f new.yaml -o repo");
}

#[test]
fn init_leaves_a_file_alone_that_is_there() {
    let folder = Folder::new();
    folder.write("mine.yaml", "mine");
    let ran = folder.run("init mine.yaml");
    assert_eq!(ran.code, 1);
    assert_eq!(folder.read("mine.yaml"), "mine");
}

#[test]
fn the_schema_of_the_fleet_is_json() {
    let schema: Value = serde_json::from_str(&Folder::new().ok("schema json").out).unwrap();
    assert!(schema.pointer("/properties/clusters").is_some());
}

#[test]
fn the_definitions_are_those_of_the_tree() {
    let folder = Folder::new();
    folder.ok("render -o repo tier=edge");
    folder.ok("schema crds -o crds");
    let mut tree = folder.tree("repo");
    tree.retain(|path, _| path.starts_with("infrastructure/00-crds/custom"));
    let filed: Vec<String> = tree.into_values().collect();
    assert_eq!(filed.len(), folder.tree("crds").len());
    for text in folder.tree("crds").into_values() {
        assert!(filed.contains(&text), "{text}");
    }
}

#[test]
fn every_shell_gets_its_completion() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = folder.ok(&format!("completion {shell}")).out;
        assert!(script.contains("replace-edited"), "{shell}");
    }
}

#[test]
fn every_code_is_explained() {
    let folder = Folder::new();
    let list = folder.ok("explain").out;
    let codes: Vec<&str> = list.lines().filter_map(|line| line.get(..6)).collect();
    assert!(codes.contains(&"BL0301") && codes.contains(&"BL2002"));
    for code in codes {
        let text = folder.ok(&format!("explain {}", code.to_lowercase())).out;
        assert!(text.starts_with(&format!("{code}: ")), "{text}");
        assert!(text.lines().count() >= 3, "{text}");
    }
}

#[test]
fn a_code_that_does_not_exist_is_answered_with_the_nearest() {
    let ran = Folder::new().run("explain BL301");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("did you mean BL0301?"), "{}", ran.err);
}

#[test]
fn help_and_version_are_data() {
    let folder = Folder::new();
    let version = folder.ok("--version");
    let expected = concat!("banlieue-gen ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!((version.out.as_str(), version.err.as_str()), (expected, ""));
    let help = folder.ok("render --help").out;
    for part in ["KEY=VALUE", "--output", "--dry-run", "tier=platinum"] {
        assert!(help.contains(part), "{help}");
    }
}

#[test]
fn no_command_at_all_is_answered_with_the_help() {
    let ran = Folder::new().run("");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("banlieue-gen init"), "{}", ran.err);
}

#[test]
fn the_plan_is_data_for_machines_too() {
    let plan = Folder::new().ok("plan --format json tier=gold").out;
    let plan: Value = serde_json::from_str(&plan).unwrap();
    assert_eq!(plan.pointer("/clusters/0/key").unwrap(), "web");
    let workers: Vec<&Value> = plan
        .pointer("/clusters/0/domains")
        .and_then(Value::as_array)
        .unwrap()
        .iter()
        .map(|domain| &domain["workers"])
        .collect();
    assert_eq!(workers.len(), 6);
}

#[test]
fn equal_trees_have_no_differences() {
    let folder = Folder::new();
    folder.ok("render -f fleet.yaml -o repo");
    let ran = folder.ok("diff -f fleet.yaml -o repo");
    assert_eq!(ran.out, "");
    assert_eq!(ran.err, "repo: no differences\n");
}

#[test]
fn differences_are_shown_as_fields_and_fail() {
    let folder = Folder::new();
    folder.ok("render -f fleet.yaml tier=gold -o repo");
    let before = folder.times("repo");
    folder.layer("more.yaml", "clusters: {web: {paused: true}}\n");
    let ran = folder.run("diff -f fleet.yaml -f more.yaml tier=gold -o repo");
    assert_eq!(ran.code, 1, "{}", ran.err);
    let expected = "\
differs: clusters/gold/web/cluster-web.yaml
  Cluster.cluster.x-k8s.io fleet/web spec.paused: nothing -> true
differs: clusters/gold/web/vspherecluster-web.yaml
  VSphereCluster.infrastructure.banlieue.io fleet/web spec.paused: false -> true
";
    assert_eq!(ran.out, expected);
    assert_eq!(folder.times("repo"), before);
}

#[test]
fn files_that_come_and_go_are_differences() {
    let folder = Folder::new();
    folder.ok("render -f fleet.yaml -o repo");
    folder.layer(
        "other.yaml",
        "clusters: {web: null}\nvirtualMachines: {bastion: {replicas: 3}}\n",
    );
    let ran = folder.run("diff -f fleet.yaml -f other.yaml -o repo");
    assert_eq!(ran.code, 1);
    for line in [
        "only in the tree: clusters/gold/web/cluster-web.yaml\n",
        "only rendered: virtualmachines/bastion/virtualmachine-bastion-2.yaml\n",
    ] {
        assert!(ran.out.contains(line), "{}", ran.out);
    }
    let json = folder
        .run("diff -f fleet.yaml -f other.yaml -o repo --format json")
        .out;
    let json: Value = serde_json::from_str(&json).unwrap();
    let has = |path: &str, change: &str| {
        json.as_array()
            .unwrap()
            .iter()
            .any(|file| file["path"] == path && file["change"] == change)
    };
    assert!(has("clusters/gold/web/cluster-web.yaml", "delete"));
    assert!(has(
        "virtualmachines/bastion/virtualmachine-bastion-2.yaml",
        "create"
    ));
    assert!(has("flux/kustomization.yaml", "update"));
}
