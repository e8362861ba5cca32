//! Fleets in several files, and the same fleet written otherwise.

use banlieue_gen::load::parse_value;

use crate::support::{FLEET, Folder, objects, text};

#[test]
fn later_files_win_over_earlier_ones() {
    let folder = Folder::new();
    folder.layer(
        "site.yaml",
        "clusters: {web: {workers: {replicas: 2}, labels: {a: site, b: site}}}\n",
    );
    folder.layer(
        "production.yaml",
        "clusters: {web: {workers: {replicas: 3}, labels: {b: production}}}\n",
    );
    folder.layer(
        "cluster.yaml",
        "clusters: {web: {workers: {replicas: 4}}}\n",
    );
    let files = "-f fleet.yaml -f site.yaml -f production.yaml -f cluster.yaml";
    folder.ok(&format!("render {files} tier=gold -o repo"));
    let cluster = folder.object("repo/clusters/gold/web/cluster-web.yaml");
    assert_eq!(text(&cluster, "/metadata/labels/a"), "site");
    assert_eq!(text(&cluster, "/metadata/labels/b"), "production");
    let workers: u64 = folder
        .tree("repo")
        .iter()
        .filter(|(path, _)| path.starts_with("clusters/gold/web/workers-"))
        .map(|(path, file)| parse_value(path, file).unwrap())
        .filter_map(|deployment| deployment.pointer("/spec/replicas")?.as_u64())
        .sum();
    assert_eq!(workers, 4);
}

#[test]
fn null_removes_a_list_that_would_be_replaced() {
    let folder = Folder::new();
    folder.layer(
        "selector.yaml",
        "clusters: {web: {sites: null, siteSelector: {matchLabels: {example.com/region: west}}, tier: edge}}\n",
    );
    let plan = folder
        .ok("plan -f fleet.yaml -f selector.yaml cluster=web")
        .out;
    assert!(
        plan.contains("nantes-kvm1") && !plan.contains("paris"),
        "{plan}"
    );
}

#[test]
fn a_null_that_removes_nothing_is_an_error() {
    let folder = Folder::new();
    folder.layer("gone.yaml", "clusters: {wbe: null}\n");
    let ran = folder.run("plan -f fleet.yaml -f gone.yaml");
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("did you mean `web`?"), "{}", ran.err);
}

#[test]
fn a_folder_is_its_files_in_the_order_of_their_names() {
    let folder = Folder::new();
    folder.write("fleet/10-base.yaml", FLEET);
    folder.write("fleet/README.md", "not a fleet");
    let layer = |replicas: u8| {
        format!(
            "{{\"apiVersion\": \"gen.banlieue.io/v1alpha1\", \"kind\": \"Fleet\", \
             \"clusters\": {{\"web\": {{\"workers\": {{\"replicas\": {replicas}}}}}}}}}"
        )
    };
    folder.write("fleet/20-first.json", layer(2));
    folder.write("fleet/30-last.json", layer(9));
    let plan = folder.ok("plan -f fleet cluster=web").out;
    assert!(plan.contains("│ web     ┆ gold ┆       9 ┆"), "{plan}");
}

#[test]
fn several_documents_of_a_file_are_layers() {
    let folder = Folder::new();
    let layer = "---\napiVersion: gen.banlieue.io/v1alpha1\nkind: Fleet\nclusters: {web: null}\n";
    folder.write("fleet.yaml", format!("{FLEET}{layer}"));
    let plan = folder.ok("plan -f fleet.yaml").out;
    assert!(!plan.contains("Cluster web"), "{plan}");
}

#[test]
fn standard_input_is_a_fleet() {
    let folder = Folder::new();
    let fed = folder.feed("render -f -", FLEET);
    assert_eq!((fed.code, fed.err.as_str()), (0, ""));
    assert!(fed.out == folder.ok("render -f fleet.yaml").out);
}

#[test]
fn standard_input_is_a_layer_among_files() {
    let folder = Folder::new();
    let layer = "apiVersion: gen.banlieue.io/v1alpha1\nkind: Fleet\nclusters: {web: null}\n";
    let fed = folder.feed("plan -f fleet.yaml -f -", layer);
    assert_eq!(fed.code, 0, "{}", fed.err);
    assert!(!fed.out.contains("Cluster web"), "{}", fed.out);
}

#[test]
fn a_fault_in_standard_input_is_shown_where_it_is() {
    let fed = Folder::new().feed("plan -f -", "kind: Fleet\n");
    assert_eq!(fed.code, 1);
    assert!(fed.err.starts_with("-:1:1: error["), "{}", fed.err);
}

/// A fleet that is written otherwise must be the same bytes, down to the inventory.
fn twin(name: &str, text: impl AsRef<[u8]>) {
    let folder = Folder::new();
    folder.write(name, text);
    folder.ok("render -f fleet.yaml -o one");
    folder.ok(&format!("render -f {name} -o other"));
    assert!(folder.whole_tree("one") == folder.whole_tree("other"));
}

#[test]
fn json_renders_like_yaml() {
    let value = parse_value("fleet.yaml", FLEET).unwrap();
    twin("fleet.json", value.to_string());
}

#[test]
fn line_ends_of_windows_render_alike() {
    twin("other.yaml", FLEET.replace('\n', "\r\n"));
}

#[test]
fn a_byte_order_mark_renders_alike() {
    twin("other.yaml", format!("\u{feff}{FLEET}"));
}

#[test]
fn a_missing_last_line_end_renders_alike() {
    twin("other.yaml", FLEET.trim_end());
}

#[test]
fn the_split_into_files_has_no_influence() {
    let folder = Folder::new();
    let (head, clusters) = FLEET.split_once("\nclusters:\n").unwrap();
    folder.write("head.yaml", head);
    folder.layer("clusters.yaml", &format!("clusters:\n{clusters}"));
    let split = folder.ok("render -f head.yaml -f clusters.yaml").out;
    assert!(split == folder.ok("render -f fleet.yaml").out);
    assert!(objects(&split).len() > 100);
}
