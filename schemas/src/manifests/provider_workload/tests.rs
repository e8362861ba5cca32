#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use serde_json::{Value, json};

use super::*;
use crate::manifests::object::to_value;

fn provider(connection: &Value) -> Provider {
    serde_json::from_value(json!({
        "apiVersion": "banlieue.io/v1alpha1", "kind": "Provider",
        "metadata": { "name": "vc-1", "namespace": "site-a", "uid": "u" },
        "spec": { "providerClassRef": { "name": "canary" }, "connection": connection },
    }))
    .unwrap()
}

fn sim() -> Provider {
    provider(&json!({ "endpoint": "sim://local" }))
}

fn class(spec: &Value) -> ProviderClass {
    let mut all = json!({
        "backend": "sim",
        "image": { "repository": "r/banlieue", "tag": "v2", "pullPolicy": "Always", "pullSecrets": [{ "name": "pull" }] },
    });
    all.as_object_mut()
        .unwrap()
        .extend(spec.as_object().unwrap().clone());
    serde_json::from_value(json!({
        "apiVersion": "banlieue.io/v1alpha1", "kind": "ProviderClass",
        "metadata": { "name": "canary" }, "spec": all,
    }))
    .unwrap()
}

fn built(provider: &Provider, spec: &Value) -> ProviderWorkload {
    build(&Settings::default(), provider, &class(spec))
}

fn rules(role: &Role) -> Vec<(Vec<String>, Vec<String>)> {
    let rules = role.rules.iter().flatten();
    rules
        .map(|rule| {
            let names = rule.resource_names.clone().unwrap_or_default();
            (rule.resources.clone().unwrap(), names)
        })
        .collect()
}

#[test]
fn a_process_is_found_by_provider_namespace_class_and_component() {
    let workload = built(&sim(), &json!({ "backend": "vsphere" }));
    let expected = json!({
        "app.kubernetes.io/component": "provider-vsphere",
        "app.kubernetes.io/name": "banlieue",
        "banlieue.io/provider": "vc-1",
        "banlieue.io/provider-class": "canary",
        "banlieue.io/provider-namespace": "site-a",
    });
    let deployment = to_value(&workload.deployment).unwrap();
    assert_eq!(deployment["metadata"]["labels"], expected);
    assert_eq!(deployment["spec"]["selector"]["matchLabels"], expected);
    assert_eq!(
        deployment["spec"]["template"]["metadata"]["labels"],
        expected
    );
    for labels in [
        &workload.service_account.metadata.labels,
        &workload.cluster_role_binding.metadata.labels,
        &workload.roles[0].metadata.labels,
        &workload.role_bindings[1].metadata.labels,
    ] {
        assert_eq!(json!(labels), expected);
    }
}

#[test]
fn the_process_runs_as_its_class_says() {
    let workload = built(
        &sim(),
        &json!({
            "replicas": 2, "logging": { "level": "debug", "format": "text" },
            "nodeSelector": { "zone": "a" },
            "tolerations": [{ "key": "k", "operator": "Exists" }],
            "resources": { "limits": { "memory": "1Gi" } },
        }),
    );
    let deployment = to_value(&workload.deployment).unwrap();
    assert_eq!(deployment["spec"]["replicas"], 2);
    let pod = &deployment["spec"]["template"]["spec"];
    assert_eq!(pod["serviceAccountName"], "banlieue-provider-canary-vc-1");
    assert_eq!(pod["nodeSelector"], json!({ "zone": "a" }));
    assert_eq!(pod["tolerations"][0]["key"], "k");
    assert_eq!(pod["imagePullSecrets"], json!([{ "name": "pull" }]));
    let container = &pod["containers"][0];
    assert_eq!(container["image"], "r/banlieue:v2");
    assert_eq!(container["imagePullPolicy"], "Always");
    assert_eq!(
        container["resources"],
        json!({ "limits": { "memory": "1Gi" } })
    );
    assert_eq!(
        container["args"],
        json!([
            "provider",
            "sim",
            "--provider-name=vc-1",
            "--namespace=site-a",
            "--lease-name=banlieue-provider-canary-vc-1",
            "--log-format=text",
            "--log-level=debug",
        ])
    );
}

#[test]
fn the_process_reads_exactly_its_own_secret_trust_and_lease() {
    let provider = provider(&json!({
        "endpoint": "https://vc", "credentialsRef": { "name": "login" },
        "caBundle": { "configMapRef": { "name": "trust" } },
    }));
    let workload = built(&provider, &json!({ "backend": "vsphere" }));
    let name = |name: &str| vec![name.to_owned()];
    assert_eq!(
        rules(&workload.roles[0]),
        [
            (name("leases"), name("banlieue-provider-canary-vc-1")),
            (name("secrets"), name("login")),
            (name("configmaps"), name("trust")),
        ]
    );
    assert_eq!(
        workload.cluster_role_binding.role_ref.name,
        "banlieue-provider-vsphere"
    );
    assert_eq!(
        workload.cluster_role_binding.metadata.name.as_deref(),
        Some(cluster_scoped_workload("canary", "site-a", "vc-1").as_str())
    );
}

#[test]
fn one_secret_for_login_and_trust_is_named_once() {
    let provider = provider(&json!({
        "endpoint": "https://vc", "credentialsRef": { "name": "s" },
        "caBundle": { "secretRef": { "name": "s" } },
    }));
    let workload = built(&provider, &json!({ "backend": "vsphere" }));
    let secrets = rules(&workload.roles[0]).pop().unwrap();
    assert_eq!(secrets, (vec!["secrets".to_owned()], vec!["s".to_owned()]));
}

#[test]
fn what_is_in_the_providers_namespace_is_owned_by_it_and_nothing_else_is() {
    let workload = built(&sim(), &json!({ "backend": "vsphere" }));
    let owner = |metadata: &ObjectMeta| {
        metadata
            .owner_references
            .as_ref()
            .map(|all| all[0].name.clone())
    };
    let deployment = workload.deployment.unwrap();
    assert_eq!(owner(&deployment.metadata).as_deref(), Some("vc-1"));
    assert_eq!(owner(&workload.roles[0].metadata).as_deref(), Some("vc-1"));
    assert_eq!(owner(&workload.cluster_role_binding.metadata), None);
    let import = &workload.role_bindings[1];
    assert_eq!(
        import.metadata.namespace.as_deref(),
        Some("banlieue-imagebuild")
    );
    assert_eq!(import.role_ref.name, IMPORT_ROLE);
    assert_eq!(owner(&import.metadata), None);
}

#[test]
fn a_simulator_may_import_nothing() {
    let workload = built(&sim(), &json!({}));
    let places = workload.role_bindings.iter().map(ResourceExt::namespace);
    assert_eq!(places.collect::<Vec<_>>(), [Some("site-a".to_owned())]);
}

#[test]
fn a_process_in_another_namespace_leaves_credentials_where_they_are() {
    let provider =
        provider(&json!({ "endpoint": "https://vc", "credentialsRef": { "name": "s" } }));
    let spec = json!({ "backend": "vsphere", "workloadNamespace": "providers" });
    let workload = built(&provider, &spec);
    let deployment = workload.deployment.unwrap();
    assert_eq!(deployment.metadata.namespace.as_deref(), Some("providers"));
    assert_eq!(deployment.metadata.owner_references, None);
    let places: Vec<_> = workload
        .roles
        .iter()
        .map(|role| role.namespace().unwrap())
        .collect();
    assert_eq!(places, ["providers", "site-a"]);
    assert!(
        rules(&workload.roles[0])
            .iter()
            .all(|(resources, _)| resources == &["leases"])
    );
    for binding in &workload.role_bindings {
        let subject = &binding.subjects.as_ref().unwrap()[0];
        assert_eq!(subject.namespace.as_deref(), Some("providers"));
    }
    // Nothing to read, no Role.
    let spec = json!({ "workloadNamespace": "providers" });
    assert_eq!(built(&sim(), &spec).roles.len(), 1);
}

#[test]
fn an_external_process_gets_its_identity_and_rights_only() {
    let spec = json!({ "backend": "libvirt", "deployment": "External", "image": null });
    let workload = built(&sim(), &spec);
    assert_eq!(workload.deployment, None);
    assert_eq!(workload.role_bindings.len(), 2);
}

#[test]
fn rules_of_the_class_are_added() {
    let rule = json!({ "apiGroups": ["x.io"], "resources": ["things"], "verbs": ["get"] });
    let workload = built(&sim(), &json!({ "additionalRules": [rule] }));
    let last = workload.roles[0]
        .rules
        .as_ref()
        .unwrap()
        .last()
        .unwrap()
        .clone();
    assert_eq!(last.api_groups, Some(vec!["x.io".to_owned()]));
    assert_eq!(last.resource_names, None);
}

#[test]
fn a_refuge_makes_nothing_in_the_namespace_of_the_provider() {
    let settings = Settings::default();
    let secret = json!({ "endpoint": "https://vc", "credentialsRef": { "name": "login" } });
    let workload = refuge(
        &settings,
        &provider(&secret),
        &class(&json!({ "backend": "vsphere" })),
    );
    let account = &workload.service_account;
    let unique = workload.cluster_role_binding.name_any();
    assert_eq!(account.name_any(), unique);
    assert_eq!(account.namespace().as_deref(), Some("banlieue-system"));
    assert!(account.metadata.owner_references.is_none());
    let places = |metadata: &ObjectMeta| metadata.namespace.clone().unwrap();
    let roles = workload.roles.iter().map(|role| places(&role.metadata));
    assert_eq!(roles.collect::<Vec<_>>(), ["banlieue-system"]);
    let bindings = workload.role_bindings.iter();
    let bindings = bindings.map(|binding| places(&binding.metadata));
    assert_eq!(
        bindings.collect::<Vec<_>>(),
        ["banlieue-system", "banlieue-imagebuild"]
    );
    assert_eq!(rules(&workload.roles[0])[0].1, [account.name_any()]);
    assert!(workload.deployment.is_some());
}
