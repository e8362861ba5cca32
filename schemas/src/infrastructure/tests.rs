#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::*;
use crate::common::PowerState;

fn crds() -> Vec<CustomResourceDefinition> {
    vec![
        VSphereMachine::crd(),
        VSphereCluster::crd(),
        VSphereMachineTemplate::crd(),
        VSphereClusterTemplate::crd(),
        LibvirtMachine::crd(),
        LibvirtCluster::crd(),
        LibvirtMachineTemplate::crd(),
        LibvirtClusterTemplate::crd(),
        SimMachine::crd(),
        SimCluster::crd(),
        SimMachineTemplate::crd(),
        SimClusterTemplate::crd(),
    ]
}

fn schema(crd: &CustomResourceDefinition) -> Value {
    let schema = crd.spec.versions[0].schema.as_ref().unwrap();
    serde_json::to_value(schema.open_api_v3_schema.as_ref().unwrap()).unwrap()
}

/// Calls `visit` with the path and value of every JSON object in `value`.
fn walk(path: &str, value: &Value, visit: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Object(fields) => {
            visit(path, value);
            for (name, field) in fields {
                walk(&format!("{path}/{name}"), field, visit);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| walk(path, item, visit)),
        _ => {}
    }
}

/// Paths of the JSON objects for which `bad` holds, over all CRDs.
fn offenders(bad: impl Fn(&Value) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for crd in crds() {
        walk(&crd.spec.names.kind, &schema(&crd), &mut |path, value| {
            if bad(value) {
                found.push(path.to_owned());
            }
        });
    }
    found
}

fn round_trip<T: Serialize + DeserializeOwned>(value: &Value) -> Value {
    let typed: T = serde_json::from_value(value.clone()).unwrap();
    serde_json::to_value(typed).unwrap()
}

#[test]
fn cluster_api_finds_the_contract_version_of_every_kind() {
    for crd in crds() {
        let labels = crd.metadata.labels.unwrap_or_default();
        assert_eq!(
            labels.get(CAPI_CONTRACT_LABEL).map(String::as_str),
            Some(crate::VERSION),
            "{}",
            crd.spec.names.kind
        );
        assert_eq!(crd.spec.versions[0].name, crate::VERSION);
    }
}

#[test]
fn kinds_are_listed_by_category_and_by_short_name() {
    let mut short_names = Vec::new();
    for crd in crds() {
        assert_eq!(crd.spec.group, crate::INFRASTRUCTURE_GROUP);
        assert_eq!(crd.spec.scope, "Namespaced");
        assert_eq!(
            crd.spec.names.categories.as_deref().unwrap(),
            ["banlieue", "cluster-api"]
        );
        short_names.extend(crd.spec.names.short_names.unwrap());
    }
    assert_eq!(
        short_names,
        [
            "vsm", "vsc", "vsmt", "vsct", "lvm", "lvc", "lvmt", "lvct", "simm", "simc", "simmt",
            "simct"
        ]
    );
}

#[test]
fn cluster_api_computes_the_crd_name_from_the_kind() {
    for crd in crds() {
        let plural = format!("{}s", crd.spec.names.kind.to_lowercase());
        assert_eq!(crd.spec.names.plural, plural);
    }
}

#[test]
fn a_list_of_rows_is_keyed_so_that_writers_keep_apart() {
    let rows = |value: &Value| {
        value["type"] == "array"
            && ["name", "type"]
                .iter()
                .any(|key| !value["items"]["properties"][key].is_null())
    };
    assert!(!offenders(rows).is_empty());
    let unkeyed = offenders(|value| rows(value) && value["x-kubernetes-list-type"] != "map");
    // Cluster API declares the addresses of a machine as one value of one writer.
    assert_eq!(
        unkeyed,
        ["VSphereMachine", "LibvirtMachine", "SimMachine"]
            .map(|kind| format!("{kind}/properties/status/properties/addresses"))
    );
}

#[test]
fn a_field_outside_the_schema_is_pruned_and_not_an_error() {
    let closed = |value: &Value| {
        value["additionalProperties"] == false
            || value["x-kubernetes-preserve-unknown-fields"] == true
    };
    assert_eq!(offenders(closed), Vec::<String>::new());
}

#[test]
fn the_api_server_does_not_warn_of_unknown_formats() {
    let unknown = |value: &Value| {
        value["format"]
            .as_str()
            .is_some_and(|format| !["int32", "int64", "date-time"].contains(&format))
    };
    assert_eq!(offenders(unknown), Vec::<String>::new());
}

#[test]
fn every_field_explains_itself() {
    for crd in crds() {
        walk(&crd.spec.names.kind, &schema(&crd), &mut |path, value| {
            let Some(fields) = value.get("properties").and_then(Value::as_object) else {
                return;
            };
            for (name, field) in fields {
                let known = field.get("description").is_some() || name == "status";
                assert!(known, "{path}/{name} has no description");
            }
        });
    }
}

#[test]
fn explicit_false_and_defaults_survive_a_round_trip() {
    let machine = json!({
        "apiVersion": "infrastructure.banlieue.io/v1alpha1",
        "kind": "VSphereMachine",
        "metadata": {"name": "m1"},
        "spec": {
            "imageRef": {"name": "ubuntu"},
            "numCpus": 2,
            "memoryMiB": 4096,
            "firmware": "efi",
            "tpmEnabled": false,
            "disks": [{"name": "os", "sizeGiB": 40, "provisioning": "thin"}],
            "network": [{
                "name": "eth0",
                "portGroup": "vm-network",
                "ipam": {"static": {"address": "10.0.0.0", "prefix": 0, "gateway": ""}},
            }],
            "userData": "",
            "desiredPowerState": "PoweredOff",
        },
        "status": {
            "initialization": {"provisioned": false},
            "tpmAttached": false,
            "observedGeneration": 0,
        },
    });
    assert_eq!(round_trip::<VSphereMachine>(&machine), machine);

    let cluster = json!({
        "apiVersion": "infrastructure.banlieue.io/v1alpha1",
        "kind": "SimCluster",
        "metadata": {"name": "c1"},
        "spec": {"paused": false},
        "status": {"failureDomains": [{"name": "a", "controlPlane": false}]},
    });
    assert_eq!(round_trip::<SimCluster>(&cluster), cluster);
}

#[test]
fn a_misspelt_field_is_an_error_with_its_name() {
    let spec = json!({
        "imageRef": {"name": "ubuntu"}, "vcpus": 1, "memoryMiB": 512, "disks": [], "memory": 512,
    });
    let error = serde_json::from_value::<LibvirtMachineSpec>(spec).unwrap_err();
    assert!(
        error.to_string().contains("unknown field `memory`"),
        "{error}"
    );
}

#[test]
fn the_common_view_reads_spec_and_status() {
    let mut machine = LibvirtMachine::new(
        "m1",
        LibvirtMachineSpec {
            vcpus: 4,
            memory_mib: 2048,
            ..LibvirtMachineSpec::default()
        },
    );
    assert_eq!((machine.cpus(), machine.memory_mib()), (4, 2048));
    assert_eq!(machine.desired_power_state(), PowerState::PoweredOn);
    assert_eq!(machine.status_view(), MachineStatusView::default());

    machine.status = Some(LibvirtMachineStatus {
        initialization: Some(InitializationStatus::done()),
        failure_domain: Some("host-a".into()),
        ..LibvirtMachineStatus::default()
    });
    assert!(machine.status_view().provisioned);
    assert_eq!(machine.status_view().failure_domain, Some("host-a"));
}
