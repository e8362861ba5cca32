//! Templates of a user's own.

use std::{collections::BTreeSet, os::unix::fs::symlink};

use serde_json::Value;

use crate::support::{FLEET, Folder, Ran, text};

/// Texts that tools which read and write YAML are known to change.
const USER_DATA: &str = include_str!("../../../tests/cases/user-data.json");
const WORKERS: &str = "capi/k0smotron/workers.yaml.j2";
const EXTRA: &str = "capi/extra/addon.yaml.j2";

/// Renders the gold cluster with one template of the user's own.
fn with(name: &str, template: &str) -> (Folder, Ran) {
    let folder = Folder::new();
    folder.write(&format!("own/{name}"), template);
    let ran = folder.run("render -f fleet.yaml --templates own tier=gold -o repo");
    (folder, ran)
}

/// As [`with`], where it must fail without an effect.
fn refused(name: &str, template: &str) -> String {
    let (folder, ran) = with(name, template);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(
        !folder.path("repo/TOPOLOGY.md").exists(),
        "something was written"
    );
    ran.err
}

#[test]
fn a_template_replaces_the_built_in_one() {
    let (folder, ran) = with(
        WORKERS,
        "apiVersion: bootstrap.cluster.x-k8s.io/v1beta2
kind: K0sWorkerConfigTemplate
metadata: {annotations: {example.com/own: {{ cluster.name | quote }}}}
spec: {template: {spec: {version: v9.9.9}}}
",
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    let tree = folder.tree("repo");
    let (path, _) = tree
        .iter()
        .find(|(path, _)| path.contains("k0sworkerconfigtemplate-web-bootstrap-"))
        .unwrap();
    let object = folder.object(&format!("repo/{path}"));
    assert_eq!(text(&object, "/spec/template/spec/version"), "v9.9.9");
    assert_eq!(
        text(&object, "/metadata/annotations/example.com~1own"),
        "web"
    );
}

/// Name and spec of the workers' bootstrap configuration, from a template with this spec.
fn bootstrap(spec: &str) -> (String, Value) {
    let template =
        format!("apiVersion: bootstrap.cluster.x-k8s.io/v1beta2\nkind: X\nspec: {spec}\n");
    let (folder, ran) = with(WORKERS, &template);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let tree = folder.tree("repo");
    let mut paths = tree
        .keys()
        .filter(|path| path.contains("/x-web-bootstrap-"));
    let object = folder.object(&format!("repo/{}", paths.next().unwrap()));
    (
        text(&object, "/metadata/name").to_owned(),
        object["spec"].clone(),
    )
}

/// Cluster API refuses a change in place, and no machine rolls where the name stays.
#[test]
fn two_bootstrap_configurations_never_share_a_name() {
    let made = [
        "{}",
        "{x: {}}",
        "{x: []}",
        "{x: {a: {}}}",
        "{x: \"\"}",
        "{x: [{}]}",
    ]
    .map(bootstrap);
    let names: BTreeSet<&String> = made.iter().map(|(name, _)| name).collect();
    let specs: BTreeSet<String> = made.iter().map(|(_, spec)| spec.to_string()).collect();
    assert_eq!((names.len(), specs.len()), (made.len(), made.len()));
}

#[test]
fn an_undefined_variable_is_shown_with_template_and_line() {
    let said = refused(
        WORKERS,
        "apiVersion: a/v1\nkind: B\nspec: {{ clutser.name }}\n",
    );
    assert!(said.contains(&format!("{WORKERS}, line 3")), "{said}");
}

#[test]
fn a_template_that_does_not_compile_is_shown_with_its_line() {
    let said = refused(EXTRA, "apiVersion: v1\n{% if %}\n");
    assert!(said.contains(&format!("{EXTRA}, line 2")), "{said}");
}

#[test]
fn a_file_that_replaces_nothing_is_answered_with_the_nearest() {
    let said = refused("capi/k0smotron/worker.yaml.j2", "");
    assert!(said.contains(&format!("did you mean {WORKERS}?")), "{said}");
}

#[test]
fn a_link_in_the_folder_is_refused() {
    let folder = Folder::new();
    folder.write("secret", "apiVersion: v1\nkind: ConfigMap\n");
    folder.write("own/capi/extra/real.yaml.j2", "");
    symlink(
        folder.path("secret"),
        folder.path("own/capi/extra/link.yaml.j2"),
    )
    .unwrap();
    let ran = folder.run("render -f fleet.yaml --templates own -o repo");
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("symbolic link"), "{}", ran.err);
    assert!(!folder.path("repo").exists());
}

/// A template gets what the run has read, and nothing else of this machine.
#[test]
fn a_template_that_names_a_file_elsewhere_is_refused_with_its_line() {
    for name in [
        "../secret",
        "/etc/hostname",
        "./control-plane.yaml.j2",
        "cloud-init/../../secret",
    ] {
        for tag in [
            format!("{{% include \"{name}\" %}}"),
            format!("{{% import \"{name}\" as other %}}"),
            format!("{{% from \"{name}\" import other %}}"),
            format!("{{% extends \"{name}\" %}}"),
        ] {
            let folder = Folder::new();
            folder.write("secret", "hunter2");
            folder.write("own/secret", "hunter2");
            folder.write(&format!("own/{EXTRA}"), format!("a: b\n{tag}\n"));
            let ran = folder.run("render -f fleet.yaml --templates own tier=gold -o repo");
            assert_eq!(ran.code, 1, "{tag}: {}", ran.err);
            assert!(!ran.err.contains("hunter2"), "{tag}: {}", ran.err);
            for part in [EXTRA, "line 2", name, "in the folder of templates"] {
                assert!(ran.err.contains(part), "{tag} without {part}: {}", ran.err);
            }
        }
    }
}

#[test]
fn a_template_may_include_another() {
    let folder = Folder::new();
    folder.write(
        "own/cloud-init/part.yaml.j2",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: part}\n",
    );
    folder.write(
        &format!("own/{EXTRA}"),
        "{% include \"cloud-init/part.yaml.j2\" %}data: {a: b}\n",
    );
    folder.ok("render -f fleet.yaml --templates own tier=gold -o repo");
}

#[test]
fn a_template_can_refuse_with_words_of_its_own() {
    let said = refused(EXTRA, "{{ fail(\"no \" ~ cluster.tier ~ \" here\") }}");
    assert!(said.contains("no gold here"), "{said}");
}

#[test]
fn an_ambiguous_scalar_is_refused() {
    let said = refused(EXTRA, "apiVersion: v1\nkind: ConfigMap\ndata:\n  x: yes\n");
    assert!(said.contains(EXTRA) && said.contains("`yes`"), "{said}");
}

#[test]
fn a_template_without_an_object_is_refused() {
    for template in ["", "[]\n", "data: {}\n", "apiVersion: v1\nkind: 1\n"] {
        let said = refused(EXTRA, template);
        assert!(said.contains(EXTRA), "{template:?}: {said}");
    }
}

#[test]
fn a_template_that_never_ends_is_stopped() {
    let said = refused(
        EXTRA,
        "{% for a in range(10000) %}{% for b in range(10000) %}{% endfor %}{% endfor %}",
    );
    assert!(said.contains(EXTRA), "{said}");
}

#[test]
fn an_extra_object_joins_each_cluster() {
    let (folder, ran) = with(
        EXTRA,
        "apiVersion: addons.example.com/v1
kind: Addon
metadata: {name: {{ (cluster.name ~ \"-cni\") | quote }}, labels: {own: {{ cluster.tier }}}}
spec: {cluster: {{ cluster.name }}}
",
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    let addon = folder.object("repo/clusters/gold/web/addon-web-cni.yaml");
    assert_eq!(text(&addon, "/metadata/namespace"), "fleet");
    assert_eq!(text(&addon, "/metadata/labels/own"), "gold");
    assert_eq!(
        text(&addon, "/metadata/labels/cluster.x-k8s.io~1cluster-name"),
        "web"
    );
    let index = folder.read("repo/clusters/gold/web/kustomization.yaml");
    assert!(index.contains("- addon-web-cni.yaml\n"), "{index}");
}

/// Two entries of an engine would write it in turn, and the end of one cluster would delete it.
#[test]
fn an_object_that_two_clusters_would_own_is_refused() {
    let template = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shared}\n";
    let folder = Folder::new();
    folder.write(&format!("own/{EXTRA}"), template);
    folder.ok("render -f fleet.yaml --templates own tier=gold -o repo");
    let before = folder.tree("repo");
    for selection in ["tier=platinum", ""] {
        let ran = folder.run(&format!(
            "render -f fleet.yaml --templates own {selection} -o repo"
        ));
        assert_eq!(ran.code, 1, "{selection}: {}", ran.err);
        for part in [
            "ConfigMap fleet/shared is in clusters/",
            "/configmap-shared.yaml and in clusters/",
            "rename one",
        ] {
            assert!(ran.err.contains(part), "{selection}: {}", ran.err);
        }
        assert!(before == folder.tree("repo"), "something was written");
    }
}

/// The user data and its ConfigMap, when a template holds exactly this text.
fn user_data(blob: &str) -> (String, Value) {
    let folder = Folder::new();
    folder.write("own/cloud-init/raw.yaml.j2", blob);
    folder.write(
        "fleet.yaml",
        FLEET.replace("cloudInit: {}", "cloudInit: {template: raw}"),
    );
    folder.ok("render -f fleet.yaml --templates own -o repo");
    let object = folder.object("repo/virtualmachines/bastion/configmap-bastion-user-data.yaml");
    (text(&object, "/data/user-data").to_owned(), object)
}

#[test]
fn user_data_comes_through_byte_for_byte() {
    let blobs: Vec<String> = serde_json::from_str(USER_DATA).unwrap();
    for blob in &blobs {
        assert_eq!(user_data(blob).0, *blob);
    }
}

#[test]
fn names_that_are_filled_in_later_are_shielded_from_flux() {
    let annotation = "/metadata/annotations/kustomize.toolkit.fluxcd.io~1substitute";
    let blob = "hostname: ${VM_NAME}\n";
    let (data, object) = user_data(blob);
    assert_eq!(data, blob);
    assert_eq!(text(&object, annotation), "disabled");
    assert_eq!(text(&user_data("hostname: $VM_NAME\n").1, annotation), "");
}
