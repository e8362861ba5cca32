//! Objects that leave git while their cluster stays, which no engine deletes.

use crate::support::Folder;

/// What is said when the example becomes the example with a layer, with either engine.
fn said(layer: &str, selection: &str) -> [String; 2] {
    ["flux", "argocd"].map(|engine| {
        let folder = Folder::new();
        folder.layer("engine.yaml", &format!("gitops: {{engine: {engine}}}\n"));
        folder.ok("render -f fleet.yaml -f engine.yaml -o repo");
        folder.layer("layer.yaml", layer);
        let render =
            format!("render -f fleet.yaml -f engine.yaml -f layer.yaml {selection} -o repo");
        let dry = folder.ok(&format!("{render} --dry-run")).err;
        let said = folder.ok(&render).err;
        for line in said.lines().filter(|line| line.contains("kubectl")) {
            assert!(dry.contains(line), "a dry run does not say: {line}");
        }
        said
    })
}

/// The commands in a message.
fn commands(said: &str) -> Vec<&str> {
    let lines = said.lines().map(str::trim_start);
    lines.filter(|line| line.starts_with("kubectl")).collect()
}

#[test]
fn the_workers_of_a_failure_domain_that_leaves_are_not_left_running_without_a_word() {
    for said in said("tiers: {gold: {failureDomains: 5}}\n", "tier=gold") {
        assert!(said.contains("cluster web stays"), "{said}");
        assert_eq!(
            commands(&said),
            ["kubectl delete machinedeployment.cluster.x-k8s.io web-lyon-c --namespace fleet"]
        );
    }
}

/// A file that goes would leave the machines running: only a number takes them away.
#[test]
fn the_last_worker_of_a_failure_domain_goes_by_a_number_in_git() {
    let folder = Folder::new();
    folder.ok("render -f fleet.yaml -o repo");
    let file = "repo/clusters/gold/web/workers-lyon-c.yaml";
    assert_eq!(folder.object(file)["spec"]["replicas"], 1);
    folder.layer("fewer.yaml", "clusters: {web: {workers: {replicas: 4}}}\n");
    folder.ok("render -f fleet.yaml -f fewer.yaml -o repo");
    assert_eq!(folder.object(file)["spec"]["replicas"], 0);
}

#[test]
fn workers_are_deleted_before_the_control_plane_that_drains_them() {
    let layer = "tiers: {gold: {failureDomains: 5, survives: [failureDomain]}}\n\
        clusters: {web: {controlPlane: {kind: k0s, endpoint: {host: web.example.com}}}}\n";
    for said in said(layer, "") {
        assert_eq!(
            commands(&said),
            [
                "kubectl delete machinedeployment.cluster.x-k8s.io web-lyon-c --namespace fleet",
                "kubectl delete k0smotroncontrolplane.controlplane.cluster.x-k8s.io web-cp --namespace fleet",
            ]
        );
    }
}

#[test]
fn nothing_is_said_to_be_left_where_the_cluster_goes_moves_or_is_not_rendered() {
    for (layer, selection) in [
        ("clusters: {web: null}\n", ""),
        ("clusters: {web: {namespace: other}}\n", ""),
        ("clusters: {web: {tier: bronze}}\n", ""),
        ("tiers: {gold: {failureDomains: 5}}\n", "tier=platinum"),
        ("classes: {large: {hardware: {cpus: 4}}}\n", ""),
        ("virtualMachines: {bastion: {replicas: 1}}\n", ""),
    ] {
        for said in said(layer, selection) {
            assert!(!said.contains("no engine deletes"), "{layer}: {said}");
        }
    }
}
