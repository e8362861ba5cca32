//! Values of a user's own on their way through templates into objects.

use serde_json::{Value, json};

use crate::support::{Folder, objects, text};

const HAZARDS: &str = include_str!("../../../tests/cases/yaml-hazards.json");

/// Renders `cluster.values` into the data of a ConfigMap and reads that back.
fn through(values: &Value, data: &str) -> Value {
    let folder = Folder::new();
    let layer = json!({
        "apiVersion": "gen.banlieue.io/v1alpha1",
        "kind": "Fleet",
        "clusters": { "web": { "values": values } },
    });
    folder.write("values.json", layer.to_string());
    folder.write(
        "own/capi/extra/values.yaml.j2",
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: values}}\ndata: {data}\n"),
    );
    folder.ok("render -f fleet.yaml -f values.json --templates own tier=gold -o repo");
    folder.object("repo/clusters/gold/web/configmap-values.yaml")["data"].clone()
}

#[test]
fn large_integers_stay_exact() {
    let values = json!({
        "below": 999_999,
        "million": 1_000_000,
        "odd": 9_007_199_254_740_993_u64,
        "most": u64::MAX,
        "least": i64::MIN,
    });
    assert_eq!(through(&values, "{{ cluster.values | json }}"), values);
}

#[test]
fn large_integers_stay_exact_as_text() {
    let values = json!({ "odd": 9_007_199_254_740_993_u64, "million": 1_000_000 });
    let template = "{odd: {{ cluster.values.odd }}, million: {{ cluster.values.million | quote }}}";
    let expected = json!({ "odd": 9_007_199_254_740_993_u64, "million": "1000000" });
    assert_eq!(through(&values, template), expected);
}

#[test]
fn strings_that_look_like_something_else_stay_strings() {
    let hazards: Vec<String> = serde_json::from_str(HAZARDS).unwrap();
    let values = json!({ "list": hazards });
    assert_eq!(through(&values, "{{ cluster.values | json }}"), values);
}

#[test]
fn strings_that_look_like_something_else_stay_keys() {
    let hazards: Vec<String> = serde_json::from_str(HAZARDS).unwrap();
    let map: serde_json::Map<String, Value> = hazards
        .into_iter()
        .map(|hazard| (hazard.clone(), hazard.into()))
        .collect();
    let values = json!({ "map": map });
    assert_eq!(through(&values, "{{ cluster.values | json }}"), values);
}

#[test]
fn quoted_strings_come_through_one_by_one() {
    let hazards: Vec<String> = serde_json::from_str(HAZARDS).unwrap();
    let values = json!({ "list": hazards });
    let template = "{list: [{% for v in cluster.values.list %}{{ v | quote }}, {% endfor %}]}";
    assert_eq!(through(&values, template), values);
}

#[test]
fn label_values_that_look_like_something_else_stay_strings() {
    let folder = Folder::new();
    let values = [
        "yes", "no", "true", "null", "017", "1e3", "0x1F", "1_000", "00",
    ];
    let labels: serde_json::Map<String, Value> = values
        .iter()
        .map(|value| ((*value).to_owned(), Value::from(*value)))
        .collect();
    let layer = json!({
        "apiVersion": "gen.banlieue.io/v1alpha1",
        "kind": "Fleet",
        "clusters": { "web": { "labels": labels } },
    });
    folder.write("labels.json", layer.to_string());
    folder.ok("render -f fleet.yaml -f labels.json tier=gold -o repo");
    let cluster = folder.object("repo/clusters/gold/web/cluster-web.yaml");
    for value in values {
        assert_eq!(text(&cluster, &format!("/metadata/labels/{value}")), value);
    }
}

/// The number of machines is then the autoscaler's: a number in git would fight it.
#[test]
fn workers_that_scale_by_themselves_have_bounds_and_no_number() {
    let folder = Folder::new();
    folder.layer(
        "scaled.yaml",
        "clusters: {payments: {workers: {autoscaling: {min: 2, max: 5}}}}\n",
    );
    let render = "render -f fleet.yaml -f scaled.yaml cluster=payments";
    let workers: Vec<_> = objects(&folder.ok(render).out)
        .into_iter()
        .filter(|object| text(object, "/kind") == "MachineDeployment")
        .collect();
    assert!(!workers.is_empty());
    for object in workers {
        assert_eq!(object.pointer("/spec/replicas"), None);
        let annotations = &object["metadata"]["annotations"];
        let group = "cluster.x-k8s.io/cluster-api-autoscaler-node-group";
        assert_eq!(annotations[format!("{group}-min-size")], "2");
        assert_eq!(annotations[format!("{group}-max-size")], "5");
    }
}
