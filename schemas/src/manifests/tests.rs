#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;

use super::*;

fn objects() -> Vec<Value> {
    let settings = Settings {
        allowed_registries: vec!["registry.example.com/images".into()],
        ..Settings::default()
    };
    let staged = platform(&settings).unwrap();
    assert!(staged.is_sorted_by_key(|(stage, _)| *stage));
    staged.into_iter().map(|(_, object)| object).collect()
}

fn find(id: &str) -> Value {
    let found = objects()
        .into_iter()
        .find(|object| object_id(object).to_string() == id);
    found.unwrap_or_else(|| panic!("{id} is not rendered"))
}

/// Calls `visit` with the JSON pointer of every value.
fn walk(value: &Value, path: &str, visit: &mut dyn FnMut(&str, &Value)) {
    visit(path, value);
    match value {
        Value::Object(map) => map
            .iter()
            .for_each(|(k, v)| walk(v, &format!("{path}/{k}"), visit)),
        Value::Array(items) => items
            .iter()
            .for_each(|item| walk(item, &format!("{path}/-"), visit)),
        _ => {}
    }
}

#[test]
fn every_object_has_one_identity_and_our_label() {
    let mut seen = BTreeSet::new();
    for object in objects() {
        let id = object_id(&object);
        assert!(!id.kind.is_empty() && !id.name.is_empty(), "{id}");
        assert_eq!(
            object["metadata"]["labels"][object::NAME_LABEL],
            "banlieue",
            "{id}"
        );
        assert!(seen.insert(id.clone()), "{id} is rendered twice");
    }
}

#[test]
fn nothing_that_a_server_drops_is_rendered() {
    for object in objects() {
        let id = object_id(&object);
        assert_eq!(object::clean(object.clone()), object, "{id}");
        walk(&object, "", &mut |path, value| {
            let empty = matches!(value, Value::Object(map) if map.is_empty())
                || matches!(value, Value::Array(items) if items.is_empty());
            let meaningful = ["/spec/podSelector", "/spec/egress/-"].contains(&path)
                || path.contains("openAPIV3Schema")
                || path.ends_with("/subresources/status");
            assert!(!empty || meaningful, "{id} {path}");
        });
    }
}

#[test]
fn a_namespace_outlives_its_file() {
    for (name, enforce) in [
        ("banlieue-system", "restricted"),
        ("banlieue-imagebuild", "privileged"),
    ] {
        let metadata = &find(&format!("Namespace {name}"))["metadata"];
        assert_eq!(
            metadata["labels"]["pod-security.kubernetes.io/enforce"],
            enforce
        );
        assert_eq!(
            metadata["labels"]["pod-security.kubernetes.io/audit"],
            "restricted"
        );
        assert_eq!(
            metadata["annotations"]["kustomize.toolkit.fluxcd.io/prune"],
            "disabled"
        );
        assert_eq!(
            metadata["annotations"]["argocd.argoproj.io/sync-options"],
            "Prune=false"
        );
    }
}

#[test]
fn pods_satisfy_the_restricted_standard_of_their_namespace() {
    for name in ["banlieue-controller", "banlieue-operator"] {
        let deployment = find(&format!("Deployment.apps banlieue-system/{name}"));
        let pod = &deployment["spec"]["template"]["spec"];
        assert_eq!(pod["securityContext"]["runAsNonRoot"], true);
        assert_eq!(
            pod["securityContext"]["seccompProfile"]["type"],
            "RuntimeDefault"
        );
        let container = &pod["containers"][0]["securityContext"];
        assert_eq!(container["allowPrivilegeEscalation"], false);
        assert_eq!(container["readOnlyRootFilesystem"], true);
        assert_eq!(container["capabilities"]["drop"][0], "ALL");
    }
}

#[test]
fn every_reference_between_the_objects_resolves() {
    let objects = objects();
    let ids: BTreeSet<String> = objects
        .iter()
        .map(|object| object_id(object).to_string())
        .collect();
    for object in &objects {
        let id = object_id(object);
        if let Some(role) = object.get("roleRef") {
            let kind = role["kind"].as_str().unwrap();
            let name = role["name"].as_str().unwrap();
            let scope = if kind == "Role" {
                format!("{}/", id.namespace.as_ref().unwrap())
            } else {
                String::new()
            };
            let target = format!("{kind}.rbac.authorization.k8s.io {scope}{name}");
            assert!(ids.contains(&target), "{id} refers to {target}");
            for subject in object["subjects"].as_array().unwrap() {
                let [namespace, name] =
                    ["namespace", "name"].map(|field| subject[field].as_str().unwrap());
                assert!(
                    ids.contains(&format!("ServiceAccount {namespace}/{name}")),
                    "{id}"
                );
            }
        }
        if let Some(account) = object.pointer("/spec/template/spec/serviceAccountName") {
            let account = account.as_str().unwrap();
            assert!(
                ids.contains(&format!("ServiceAccount banlieue-system/{account}")),
                "{id}"
            );
        }
        if let Some(selector) = object.pointer("/spec/selector/matchLabels")
            && id.kind == "Deployment"
        {
            assert_eq!(
                Some(selector),
                object.pointer("/spec/template/metadata/labels"),
                "{id}"
            );
        }
    }
}

#[test]
fn cluster_api_takes_over_the_rules_for_our_infrastructure_kinds() {
    let role = find("ClusterRole.rbac.authorization.k8s.io banlieue-capi-infrastructure");
    assert_eq!(
        role["metadata"]["labels"]["cluster.x-k8s.io/aggregate-to-manager"],
        "true"
    );
}

#[test]
fn a_registry_policy_exists_only_for_an_allow_list() {
    let id =
        "ValidatingAdmissionPolicy.admissionregistration.k8s.io banlieue-vmimage-import-source";
    let policy = find(id);
    let expression = policy["spec"]["validations"][0]["expression"]
        .as_str()
        .unwrap();
    assert!(
        expression.contains(r#"["registry.example.com/images"].exists("#),
        "{expression}"
    );
    let without = platform(&Settings::default()).unwrap();
    assert!(
        !without
            .iter()
            .any(|(_, object)| object_id(object).to_string() == id)
    );
}

#[test]
fn a_policy_never_stands_in_the_way_of_a_deletion() {
    for (policy, _) in policies::all(&Settings::default()) {
        let conditions = policy.spec.unwrap().match_conditions.unwrap();
        assert!(
            conditions
                .iter()
                .any(|c| c.expression == "!has(object.metadata.deletionTimestamp)")
        );
    }
}

#[test]
fn a_digest_decides_which_image_runs() {
    let image = Image {
        repository: "r/b".into(),
        tag: "v1".into(),
        digest: Some("sha256:0".into()),
    };
    assert_eq!(image.reference(), "r/b:v1@sha256:0");
}
