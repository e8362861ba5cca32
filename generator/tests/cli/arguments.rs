//! What is asked for and does not exist: exit codes, messages, and no effect.

use crate::support::Folder;

/// Runs what must fail with a code, and returns what it says.
fn refused(arguments: &str, code: i32) -> String {
    let folder = Folder::new();
    let ran = folder.run(arguments);
    assert_eq!(ran.code, code, "{}", ran.err);
    assert_eq!(ran.out, "");
    assert!(!folder.path("repo").exists(), "something was written");
    ran.err
}

#[test]
fn an_unknown_tier_is_answered_with_the_nearest() {
    let said = refused("render -f fleet.yaml tier=platnum -o repo", 2);
    assert!(said.contains("did you mean `platinum`?"), "{said}");
}

#[test]
fn an_unknown_key_is_answered_with_the_nearest() {
    let said = refused("render -f fleet.yaml teir=platinum -o repo", 2);
    assert!(said.contains("did you mean `tier`?"), "{said}");
}

#[test]
fn an_argument_without_a_value_is_refused() {
    let said = refused("render -f fleet.yaml platinum -o repo", 2);
    assert!(said.contains("expected KEY=VALUE"), "{said}");
}

#[test]
fn an_empty_selection_does_not_select_everything() {
    let said = refused("render -f fleet.yaml tier= -o repo", 2);
    assert!(said.contains("`tier=` names nothing"), "{said}");
}

#[test]
fn an_argument_given_twice_is_refused_instead_of_half_used() {
    let said = refused("render -f fleet.yaml tier=gold tier=platinum -o repo", 2);
    assert!(said.contains("tier=gold,platinum"), "{said}");
}

#[test]
fn several_values_select_the_clusters_of_all() {
    let folder = Folder::new();
    let plan = folder.ok("plan -f fleet.yaml tier=gold,platinum").out;
    assert!(plan.contains("Cluster web") && plan.contains("Cluster payments"));
    assert!(!plan.contains("Cluster stores"), "{plan}");
}

#[test]
fn a_choice_that_leaves_nothing_is_refused() {
    let said = refused("render -f fleet.yaml tier=platinum site=nantes -o repo", 2);
    assert!(said.contains("tier=platinum site=nantes"), "{said}");
}

#[test]
fn a_stage_of_a_directory_is_refused() {
    refused("render -f fleet.yaml --stage crds -o repo", 2);
}

#[test]
fn options_of_a_directory_need_one() {
    refused("render -f fleet.yaml --dry-run", 2);
    refused("render -f fleet.yaml --replace-edited", 2);
}

#[test]
fn a_parameter_outside_its_pattern_is_refused() {
    let said = refused("render -f fleet.yaml k8sVersion=1.35 -o repo", 2);
    assert!(said.contains("`1.35` does not match"), "{said}");
    assert!(said.contains("fleet.yaml:15:3"), "{said}");
}

#[test]
fn a_pattern_is_matched_as_a_whole() {
    let said = refused("render -f fleet.yaml k8sVersion=v1.35.0+k0s.0-x -o repo", 2);
    assert!(said.contains("does not match"), "{said}");
}

#[test]
fn a_parameter_reaches_the_objects() {
    let folder = Folder::new();
    let stream = folder
        .ok("render -f fleet.yaml cluster=payments k8sVersion=v1.35.0+k0s.0 --stage clusters")
        .out;
    assert!(stream.contains("version: v1.35.0+k0s.0"), "{stream}");
    assert!(!stream.contains("v1.34"), "{stream}");
}

#[test]
fn a_fault_of_the_fleet_is_shown_where_it_is() {
    let folder = Folder::new();
    folder.layer("typo.yaml", "tiers:\n  gold:\n    replcas: 3\n");
    let ran = folder.run("render -f fleet.yaml -f typo.yaml -o repo");
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    assert!(!folder.path("repo").exists(), "something was written");
    let expected = "\
typo.yaml:5:5: error[BL0301]: there is no field `replcas` here
  |
5 |     replcas: 3
  |     ^
  = in: tiers.gold
  = hint: did you mean `replicas`?

1 error
";
    assert_eq!(ran.err, expected);
}

#[test]
fn a_fault_of_the_plan_is_shown_where_it_is() {
    let folder = Folder::new();
    folder.layer("typo.yaml", "clusters:\n  web:\n    sites: [pairs, lyon]\n");
    let ran = folder.run("render -f fleet.yaml -f typo.yaml -o repo");
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    assert!(!folder.path("repo").exists(), "something was written");
    for part in [
        "typo.yaml:5:13: error",
        "    sites: [pairs, lyon]",
        "did you mean `paris`?",
    ] {
        assert!(ran.err.contains(part), "{part:?} is not in {}", ran.err);
    }
}

#[test]
fn a_file_that_does_not_exist_is_answered_with_the_nearest() {
    let said = refused("render -f flet.yaml -o repo", 1);
    assert!(said.contains("did you mean `fleet.yaml`?"), "{said}");
}

#[test]
fn a_dry_run_lists_and_writes_nothing() {
    let folder = Folder::new();
    let listed = folder
        .ok("render -f fleet.yaml tier=platinum -o repo --dry-run")
        .out;
    assert!(!folder.path("repo").exists());
    folder.ok("render -f fleet.yaml tier=platinum -o repo");
    let listed: Vec<&str> = listed
        .lines()
        .filter_map(|line| line.strip_prefix("create "))
        .collect();
    assert!(folder.tree("repo").keys().eq(listed));
}

#[test]
fn a_dry_run_over_a_tree_lists_only_what_changes() {
    let folder = Folder::new();
    folder.ok("render -f fleet.yaml -o repo");
    folder.layer("more.yaml", "clusters: {web: null}\n");
    let before = folder.times("repo");
    let ran = folder.ok("render -f fleet.yaml -f more.yaml -o repo --dry-run");
    assert_eq!(folder.times("repo"), before);
    assert!(
        ran.out
            .contains("delete clusters/gold/web/cluster-web.yaml\n")
    );
    assert!(ran.out.contains("update flux/kustomization.yaml\n"));
    assert!(!ran.out.contains("payments"), "{}", ran.out);
}
