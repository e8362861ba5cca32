//! Objects that no renderer of ours makes, but a template may one day.

use banlieue_gen::{check::object, diagnostic::Severity};
use serde_json::{Value, json};

use super::KINDS;

fn codes(value: &Value) -> Vec<&'static str> {
    let faults = object::check(&KINDS, value);
    faults.into_iter().map(|fault| fault.code.id).collect()
}

fn secret(password: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "s", "namespace": "n" },
        "stringData": { "password": password }, "sops": { "version": "3" },
    })
}

#[test]
fn an_encrypted_secret_may_be_committed() {
    assert!(codes(&secret("ENC[AES256_GCM,data:x]")).is_empty());
    assert_eq!(codes(&secret("hunter2")), ["BL4018"]);
}

#[test]
fn what_the_server_writes_is_refused() {
    let object = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "name": "c", "namespace": "n", "uid": "u", "generation": 1 },
        "status": {},
    });
    assert_eq!(codes(&object), ["BL4017"; 3]);
}

#[test]
fn an_object_without_an_identity_is_refused() {
    assert_eq!(codes(&json!({ "metadata": {} })), ["BL4010"; 3]);
}

#[test]
fn a_namespaced_object_needs_its_namespace() {
    let object = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "c" } });
    assert_eq!(codes(&object), ["BL4014"]);
}

#[test]
fn names_follow_the_rule_of_their_kind() {
    let object = |version: &str, kind: &str, name: &str| json!({ "apiVersion": version, "kind": kind, "metadata": { "name": name } });
    let rbac = "rbac.authorization.k8s.io/v1";
    assert!(codes(&object(rbac, "ClusterRole", "system:A b")).is_empty());
    assert_eq!(codes(&object(rbac, "ClusterRole", "a/b")), ["BL4012"]);
    assert_eq!(codes(&object("v1", "Namespace", "a.b")), ["BL4012"]);
    assert!(codes(&object("example.com/v1", "X", "a.b")).is_empty());
}

#[test]
fn labels_of_machines_are_found_in_their_owners() {
    let object = json!({
        "apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "MachineDeployment",
        "metadata": { "name": "d", "namespace": "n" },
        "spec": {
            "replicas": 1,
            "selector": { "matchLabels": { "a": "b c" } },
            "template": { "metadata": { "labels": { "a": "b c" } } },
        },
    });
    assert_eq!(codes(&object), ["BL4015"; 2]);
}

#[test]
fn an_object_larger_than_etcd_takes_is_refused() {
    let object = json!({
        "apiVersion": "example.com/v1", "kind": "X", "metadata": { "name": "x" },
        "spec": { "text": "x".repeat(3 << 19) },
    });
    assert_eq!(codes(&object), ["BL4019"]);
}

/// `kubectl apply` keeps a copy of the object in it, so one that grows is told in time.
#[test]
fn an_object_that_soon_cannot_be_applied_by_a_client_is_warned_of() {
    let object = |bytes: usize| {
        let mut object = json!({
            "apiVersion": "example.com/v1", "kind": "X", "metadata": { "name": "x" },
            "spec": { "text": "" },
        });
        let rest = bytes - object.to_string().len();
        object["spec"]["text"] = "x".repeat(rest).into();
        object
    };
    assert!(codes(&object(199_999)).is_empty());
    let found = object::check(&KINDS, &object(200_000));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].code.id, "BL4020");
    assert_eq!(found[0].severity, Severity::Warning);
}

/// Cluster API would make it one machine, however many there were.
#[test]
fn a_pool_without_a_number_needs_both_bounds() {
    let pool = |spec: Value, annotations: Value| {
        codes(&json!({
            "apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "MachineDeployment",
            "metadata": { "name": "d", "namespace": "n", "annotations": annotations },
            "spec": spec,
        }))
    };
    let (min, max) = (
        "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size",
        "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size",
    );
    assert!(pool(json!({}), json!({ min: "1", max: "3" })).is_empty());
    assert!(pool(json!({ "replicas": 0 }), json!({})).is_empty());
    assert_eq!(pool(json!({}), json!({})), ["BL4034"; 2]);
    for bound in [min, max] {
        assert_eq!(pool(json!({}), json!({ bound: "1" })), ["BL4034"]);
    }
}

/// Argo CD compares the number in git with the text that the server gives back.
#[test]
fn an_amount_that_is_a_number_is_shown_as_text_by_the_server() {
    let deployment = |cpu: Value| {
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": { "name": "d", "namespace": "n" },
            "spec": { "template": { "spec": { "containers": [
                { "name": "c", "resources": { "limits": { "cpu": cpu } } },
            ] } } },
        })
    };
    assert!(codes(&deployment(json!("1"))).is_empty());
    for number in [json!(1), json!(0.5), json!(2000)] {
        let faults = object::check(&KINDS, &deployment(number));
        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0].code.id, "BL4022");
    }
    let faults = object::check(&KINDS, &deployment(json!(1)));
    assert_eq!(faults[0].hint, "write `\"1\"`");
}

#[test]
fn bytes_of_a_config_map_are_what_an_encoder_makes() {
    let map = |text: &str| {
        codes(&json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": { "name": "c", "namespace": "n" },
            "binaryData": { "b": text },
        }))
    };
    for text in ["", "AA==", "AAA=", "AAAA", "+/+/", "/w==", "Zm9vYmFy"] {
        assert!(map(text).is_empty(), "{text}");
    }
    for text in [
        "A",
        "AA",
        "AA=",
        "AAA",
        "A===",
        "AAAA=",
        "AAAA====",
        "AB==",
        "AAB=",
        "AAAA\n",
        "A-_A",
        "AA==AAAA",
        "not base64",
        "=",
        "\u{e9}AAA",
    ] {
        assert_eq!(map(text), ["BL4035"], "{text}");
    }
}
