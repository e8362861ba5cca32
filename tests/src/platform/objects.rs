//! The objects that a user brings, as small as they can be.

use anyhow::Result;
use banlieue_schemas::common::KeySelector;
use banlieue_schemas::platform::{
    Provider, ProviderClass, UserDataSource, VirtualMachine, VmClass, VmImage,
};
use k8s_openapi::api::core::v1::Secret;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::api::CASE;

/// Label of a Provider, by which VirtualMachines choose one.
pub const SIDE: &str = "side";

/// Name of the Secret with which Providers log in.
pub const LOGIN: &str = "login";

/// Name of the Secret with user data.
pub const USER_DATA: &str = "user-data";

fn typed<T: DeserializeOwned>(object: Value) -> Result<T> {
    Ok(serde_json::from_value(object)?)
}

fn shared(case: &str) -> Value {
    json!({"name": case, "labels": {CASE: case}})
}

/// The ProviderClass of a case.
pub fn provider_class(case: &str) -> Result<ProviderClass> {
    typed(json!({
        "apiVersion": "banlieue.io/v1alpha1", "kind": "ProviderClass", "metadata": shared(case),
        "spec": {"backend": "sim", "deployment": "External"},
    }))
}

/// The VMClass of a case: two disks, one interface.
pub fn class(case: &str) -> Result<VmClass> {
    typed(json!({
        "apiVersion": "banlieue.io/v1alpha1", "kind": "VMClass", "metadata": shared(case),
        "spec": {
            "hardware": {
                "cpus": 2, "memoryMiB": 2048,
                "disks": [
                    {"name": "os", "sizeGiB": 20, "storageClass": "fast"},
                    {"name": "data", "sizeGiB": 50, "storageClass": "fast"},
                ],
            },
            "network": {"interfaces": [{"name": "eth0", "networkClass": "lan"}]},
        },
    }))
}

/// The VMImage of a case.
pub fn image(case: &str) -> Result<VmImage> {
    typed(json!({
        "apiVersion": "banlieue.io/v1alpha1", "kind": "VMImage", "metadata": shared(case),
        "spec": {
            "osFamily": "linux", "osDistribution": "debian", "osVersion": "13",
            "architecture": "amd64",
            "sources": [{"providerClass": case, "kind": "Template", "ref": "debian-13"}],
        },
    }))
}

/// A Provider of a case. Its label [`SIDE`] is its name.
pub fn provider(case: &str, name: &str) -> Result<Provider> {
    typed(json!({
        "apiVersion": "banlieue.io/v1alpha1", "kind": "Provider",
        "metadata": {"namespace": case, "name": name, "labels": {SIDE: name}},
        "spec": {
            "providerClassRef": {"name": case},
            "connection": {"endpoint": format!("sim://{name}")},
            "capabilities": {
                "storageClasses": [{"name": "fast", "target": {"pool": "ssd"}}],
                "networkClasses": [{"name": "lan", "target": {"network": "lan"}}],
            },
        },
    }))
}

/// The Secret [`LOGIN`].
pub fn login(password: &str) -> Result<Secret> {
    typed(json!({"metadata": {"name": LOGIN}, "stringData": {"password": password}}))
}

/// The Secret [`USER_DATA`].
pub fn user_data(text: &str) -> Result<Secret> {
    typed(json!({"metadata": {"name": USER_DATA}, "stringData": {"user-data": text}}))
}

/// User data from the Secret [`USER_DATA`].
pub fn user_data_source() -> UserDataSource {
    let name = USER_DATA.to_owned();
    UserDataSource {
        secret_ref: Some(KeySelector { name, key: None }),
        config_map_ref: None,
    }
}

/// Where a VirtualMachine may be: on the Provider of that name.
pub fn placement(side: &str) -> Value {
    json!({"providerSelector": {"matchLabels": {SIDE: side}}})
}

/// A VirtualMachine of a case that has to be on a Provider.
pub fn virtual_machine(case: &str, name: &str, side: &str) -> Result<VirtualMachine> {
    typed(json!({
        "apiVersion": "banlieue.io/v1alpha1", "kind": "VirtualMachine",
        "metadata": {"namespace": case, "name": name},
        "spec": {
            "classRef": {"name": case}, "imageRef": {"name": case}, "placement": placement(side),
        },
    }))
}
