#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::*;

fn crds() -> [CustomResourceDefinition; 5] {
    [
        Provider::crd(),
        ProviderClass::crd(),
        VirtualMachine::crd(),
        VmClass::crd(),
        VmImage::crd(),
    ]
}

fn schema(crd: &CustomResourceDefinition) -> Value {
    let schema = crd.spec.versions[0].schema.as_ref().unwrap();
    serde_json::to_value(schema.open_api_v3_schema.as_ref().unwrap()).unwrap()
}

/// Calls `visit` with every schema of a CRD and its path, the root first.
fn walk(schema: &Value, path: &str, visit: &mut dyn FnMut(&str, &Value)) {
    visit(path, schema);
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        walk(property, &format!("{path}.{name}"), visit);
    }
    for keyword in ["items", "additionalProperties"] {
        if schema[keyword].is_object() {
            walk(&schema[keyword], &format!("{path}[]"), visit);
        }
    }
}

fn everywhere(mut visit: impl FnMut(&str, &Value)) {
    for crd in crds() {
        walk(&schema(&crd), &crd.spec.names.kind, &mut visit);
    }
}

fn names(crd: &CustomResourceDefinition) -> (&str, &str, &str, &str) {
    let names = &crd.spec.names;
    let short = &names.short_names.as_ref().unwrap()[0];
    (&names.kind, &names.plural, short, &crd.spec.scope)
}

#[test]
fn kinds_have_the_names_that_manifests_use() {
    assert_eq!(
        crds().each_ref().map(names),
        [
            ("Provider", "providers", "prov", "Namespaced"),
            ("ProviderClass", "providerclasses", "pc", "Cluster"),
            ("VirtualMachine", "virtualmachines", "vm", "Namespaced"),
            ("VMClass", "vmclasses", "vmc", "Cluster"),
            ("VMImage", "vmimages", "vmi", "Cluster"),
        ],
    );
}

#[test]
fn schemas_are_structural() {
    everywhere(|path, schema| {
        for keyword in ["$ref", "anyOf", "oneOf", "allOf", "definitions"] {
            assert!(schema.get(keyword).is_none(), "{path} has {keyword}");
        }
        let typed = schema["type"].is_string() || schema["x-kubernetes-int-or-string"] == true;
        assert!(typed, "{path} has no type");
        let both = schema["properties"].is_object() && !schema["additionalProperties"].is_null();
        assert!(!both, "{path} has additionalProperties beside properties");
        if schema["type"] == "array" {
            assert!(schema["items"].is_object(), "{path} has no items");
        }
    });
}

#[test]
fn no_field_accepts_null() {
    everywhere(|path, schema| {
        let root_status = path.matches('.').count() == 1 && path.ends_with(".status");
        assert!(
            root_status || schema.get("nullable").is_none(),
            "{path} accepts null"
        );
    });
}

#[test]
fn every_field_is_explained() {
    everywhere(|path, schema| {
        let Some(properties) = schema["properties"].as_object() else {
            return;
        };
        for (name, field) in properties {
            // The derive for custom resources writes the status field, without a description.
            let explained = field["description"].is_string() || name == "status";
            assert!(explained, "{path}.{name} has no description");
        }
    });
}

#[test]
fn keys_of_map_lists_are_required() {
    everywhere(|path, schema| {
        for key in schema["x-kubernetes-list-map-keys"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let required = schema["items"]["required"].as_array().unwrap();
            assert!(required.contains(key), "{path} has the optional key {key}");
        }
    });
}

#[test]
fn rows_of_a_status_are_told_apart_by_their_keys() {
    let mut found = Vec::new();
    everywhere(|path, schema| {
        if let Some(keys) = schema["x-kubernetes-list-map-keys"].as_array()
            && path.contains(".status.")
        {
            let keys: Vec<_> = keys.iter().map(|key| key.as_str().unwrap()).collect();
            found.push(format!("{path}: {}", keys.join(" ")));
        }
    });
    found.sort_unstable();
    assert_eq!(
        found,
        [
            "Provider.status.conditions: type",
            "Provider.status.failureDomains: name",
            "Provider.status.failureDomains[].attributes.freeCapacity.storage: storageClass",
            "ProviderClass.status.conditions: type",
            "VMImage.status.buildArtifacts: kind",
            "VMImage.status.conditions: type",
            "VMImage.status.perProvider: providerNamespace providerName",
            "VMImage.status.perProvider[].zones: name",
            "VirtualMachine.status.conditions: type",
            "VirtualMachine.status.heldAddresses: interface",
            "VirtualMachine.status.scheduled.resolvedNetworks: className",
            "VirtualMachine.status.scheduled.resolvedStorage: className",
        ],
    );
}

/// The API server multiplies the cost of a rule by the length of every list around it, and takes a
/// list without a bound for a very long one.
#[test]
fn lists_around_a_rule_are_bounded() {
    fn has_rule(schema: &Value) -> bool {
        let mut found = false;
        walk(schema, "", &mut |_, schema| {
            found |= schema["x-kubernetes-validations"].is_array();
        });
        found
    }
    everywhere(|path, schema| {
        if schema["type"] == "array" && has_rule(schema) {
            assert!(schema["maxItems"].is_number(), "{path} has no bound");
        }
    });
}

#[test]
fn the_api_server_and_the_code_have_the_same_defaults() {
    let class: ProviderClassSpec = serde_json::from_value(json!({"backend": "sim"})).unwrap();
    let vm = VirtualMachineSpec::default();
    let shape = TemplateShape::default();
    let mut expected = [
        ("ProviderClass.spec.deployment", json!(class.deployment())),
        (
            "VMClass.spec.firmware",
            json!(VmClassSpec::default().firmware()),
        ),
        (
            "VMClass.spec.hardware.disks[].provisioning",
            json!(Disk::default().provisioning()),
        ),
        ("VMImage.spec.guestAgent", json!(GuestAgent::default())),
        ("VMImage.spec.template.cpus", json!(shape.cpus())),
        (
            "VMImage.spec.template.disk.controller",
            json!(shape.disk().controller()),
        ),
        (
            "VMImage.spec.template.disk.size",
            json!(shape.disk().size()),
        ),
        (
            "VMImage.spec.template.disk.type",
            json!(shape.disk().provisioning()),
        ),
        ("VMImage.spec.template.firmware", json!(shape.firmware())),
        (
            "VMImage.spec.template.installMode",
            json!(shape.install_mode()),
        ),
        (
            "VMImage.spec.template.installTimeoutSeconds",
            json!(shape.install_timeout_seconds()),
        ),
        ("VMImage.spec.template.memoryMib", json!(shape.memory_mib())),
        (
            "VMImage.spec.template.network[].adapter",
            json!(TemplateInterface::default().adapter()),
        ),
        (
            "VirtualMachine.spec.desiredPowerState",
            json!(vm.desired_power_state()),
        ),
        (
            "VirtualMachine.spec.migrationPolicy",
            json!(vm.migration_policy()),
        ),
        (
            "VirtualMachine.spec.placement.antiAffinity[].mode",
            json!(AntiAffinity::default().mode()),
        ),
    ]
    .map(|(path, value)| (path.to_owned(), value));
    let mut found = Vec::new();
    everywhere(|path, schema| {
        if let Some(default) = schema.get("default") {
            found.push((path.to_owned(), default.clone()));
        }
    });
    found.sort_by(|a, b| a.0.cmp(&b.0));
    expected.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(found, expected);
}

fn round_trip<T: Serialize + DeserializeOwned>(value: &Value) {
    let typed: T = serde_json::from_value(value.clone()).unwrap();
    assert_eq!(&serde_json::to_value(typed).unwrap(), value);
}

#[test]
fn false_zero_and_empty_text_survive() {
    round_trip::<ProviderSpec>(&json!({
        "providerClassRef": {"name": "sim"},
        "connection": {"endpoint": "sim://a", "insecureSkipTLSVerify": false, "caBundle": {"inline": ""}},
        "capabilities": {
            "storageClasses": [{"name": "a", "target": {}}],
            "networkClasses": [{"name": "a", "subnet": {"prefix": 0, "domain": ""}}],
        },
        "paused": false,
        "useContentLibrary": false,
        "attestation": {},
    }));
    round_trip::<ProviderClassSpec>(&json!({
        "backend": "libvirt",
        "image": {"repository": "r", "tag": ""},
        "nodeSelector": {"a": ""},
        "logging": {"level": ""},
        "additionalRules": [{"apiGroups": [""], "resources": ["a"], "verbs": ["get"]}],
        "paused": false,
    }));
    round_trip::<VmClassSpec>(&json!({
        "hardware": {"cpus": 0, "memoryMiB": 0, "disks": [{"name": "", "sizeGiB": 0, "storageClass": ""}]},
        "network": {"interfaces": [{"name": "", "networkClass": "", "ipam": {}, "mtu": 0}]},
        "firmware": "bios",
        "tpmEnabled": false,
    }));
    round_trip::<VmImageSpec>(&json!({
        "osFamily": "other", "osDistribution": "", "osVersion": "", "architecture": "arm64",
        "guestAgent": "none",
        "sources": [{"providerClass": "a", "kind": "Template", "ref": ""}],
        "template": {
            "network": [{"adapter": "e1000", "pciSlot": 0}],
            "disk": {"size": 0, "type": "thick", "controller": "busLogic"},
            "cpus": 0, "memoryMib": 0, "firmware": "bios", "guestId": "",
            "forceUpload": false, "forceCreate": false, "installTimeoutSeconds": 0,
            "installMode": "manual", "retainOnDelete": false,
        },
    }));
    round_trip::<VirtualMachineSpec>(&json!({
        "classRef": {"name": ""}, "imageRef": {"name": ""},
        "placement": {"antiAffinity": [{"topologyKey": "", "labelSelector": {}, "mode": "preferred"}]},
        "desiredPowerState": "PoweredOff", "migrationPolicy": "never", "paused": false,
        "userData": {"secretRef": {"name": "", "key": ""}},
        "networkOverrides": [{"name": "", "static": {"address": "", "prefix": 0, "gateway": ""}}],
        "hardwareOverride": {"cpus": 0, "memoryMiB": 0, "diskOverrides": [{"name": "", "sizeGiB": 0}]},
        "folder": "",
    }));
    round_trip::<VirtualMachineStatus>(&json!({
        "observedGeneration": 0,
        "initialization": {"provisioned": false},
    }));
    round_trip::<VmImageStatus>(&json!({
        "perProvider": [{
            "providerNamespace": "a", "providerName": "b", "ready": false,
            "zones": [{"name": "z", "ready": false, "message": ""}],
        }],
    }));
}

#[test]
fn a_misspelt_field_is_an_error() {
    let spec =
        json!({"classRef": {"name": "a"}, "imageRef": {"name": "b"}, "migrationpolicy": "never"});
    let error = serde_json::from_value::<VirtualMachineSpec>(spec).unwrap_err();
    assert!(error.to_string().contains("migrationpolicy"), "{error}");
}

#[test]
fn an_image_reference_holds_tag_and_digest() {
    let mut image = WorkloadImage {
        repository: "registry.example.com/banlieue".into(),
        ..WorkloadImage::default()
    };
    image.digest = Some("sha256:abc".into());
    assert_eq!(
        image.reference(),
        "registry.example.com/banlieue@sha256:abc"
    );
    image.tag = Some("v1".into());
    assert_eq!(
        image.reference(),
        "registry.example.com/banlieue:v1@sha256:abc"
    );
}
