//! Objects for tests, as small as the API server would take them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use banlieue_schemas::platform::{
    FailureDomain, Provider, ProviderClass, VirtualMachine, VmClass, VmImage,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::schedule::{Peer, Request, Site};

pub fn object<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

/// A failure domain that has everything which [`class`] and [`secure_class`] ask for.
pub fn domain(name: &str, labels: Value) -> FailureDomain {
    let mut domain: FailureDomain = object(json!({
        "name": name,
        "labels": {},
        "attributes": {
            "availableStorageClasses": ["fast"],
            "availableNetworkClasses": ["lan"],
            "features": ["efiSecureBoot", "vtpm", "nestedVirtualization"],
        },
    }));
    domain.labels = object(labels);
    domain.labels.insert("name".into(), name.into());
    domain
}

/// A ready Provider of class `sim` in namespace `prod` with these failure domains.
pub fn provider(name: &str, domains: Vec<FailureDomain>) -> Provider {
    let mut provider: Provider = object(json!({
        "apiVersion": "banlieue.io/v1alpha1", "kind": "Provider",
        "metadata": { "name": name, "namespace": "prod", "uid": format!("uid-{name}") },
        "spec": {
            "providerClassRef": { "name": "sim" },
            "connection": { "endpoint": "sim://local" },
        },
        "status": { "conditions": [ready()] },
    }));
    provider.status.as_mut().unwrap().failure_domains = domains;
    provider
}

/// A condition Ready that is true.
pub fn ready() -> Value {
    json!({
        "type": "Ready", "status": "True", "reason": "Reconciled", "message": "",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    })
}

/// ProviderClass `sim`.
pub fn provider_class() -> ProviderClass {
    object(json!({
        "apiVersion": "banlieue.io/v1alpha1", "kind": "ProviderClass",
        "metadata": { "name": "sim" },
        "spec": { "backend": "sim", "image": { "repository": "r/banlieue", "tag": "v1" } },
    }))
}

/// VMClass `small`: one disk in `fast`, one interface in `lan`.
pub fn class() -> VmClass {
    object(json!({
        "apiVersion": "banlieue.io/v1alpha1", "kind": "VMClass",
        "metadata": { "name": "small" },
        "spec": {
            "hardware": {
                "cpus": 2, "memoryMiB": 2048,
                "disks": [{ "name": "os", "sizeGiB": 20, "storageClass": "fast" }],
            },
            "network": { "interfaces": [{ "name": "eth0", "networkClass": "lan" }] },
        },
    }))
}

/// VMImage `linux`, ready everywhere on the named Providers.
pub fn image(providers: &[&str]) -> VmImage {
    let rows: Vec<Value> = providers
        .iter()
        .map(|name| {
            json!({
                "providerNamespace": "prod", "providerName": name, "ready": true,
                "resolvedRef": "linux-1",
            })
        })
        .collect();
    object(json!({
        "apiVersion": "banlieue.io/v1alpha1", "kind": "VMImage",
        "metadata": { "name": "linux" },
        "spec": {
            "osFamily": "linux", "osDistribution": "debian", "osVersion": "13",
            "architecture": "amd64",
            "sources": [{ "providerClass": "sim", "kind": "Template", "ref": "linux-1" }],
        },
        "status": { "perProvider": rows },
    }))
}

/// A VirtualMachine of class `small` and image `linux` in namespace `prod`.
pub fn vm(name: &str) -> VirtualMachine {
    object(json!({
        "apiVersion": "banlieue.io/v1alpha1", "kind": "VirtualMachine",
        "metadata": {
            "name": name, "namespace": "prod", "uid": format!("uid-{name}"), "generation": 1,
        },
        "spec": { "classRef": { "name": "small" }, "imageRef": { "name": "linux" } },
    }))
}

/// Everything around a machine; change what a test is about.
#[derive(Clone, Debug)]
pub struct World {
    pub vm: VirtualMachine,
    pub class: VmClass,
    pub image: VmImage,
    pub provider_class: ProviderClass,
    pub providers: Vec<Provider>,
    pub machines: Vec<VirtualMachine>,
}

impl World {
    /// Machine `vm` and two Providers, `a` in dc 1 and `b` in dc 2, with a failure domain each.
    pub fn new() -> Self {
        let providers = [("a", "1"), ("b", "2")].map(|(name, dc)| {
            let mut provider =
                provider(name, vec![domain(&format!("{name}-z1"), json!({"dc": dc}))]);
            let labels = [("dc".to_owned(), dc.to_owned())];
            provider.metadata.labels = Some(labels.into());
            provider
        });
        Self {
            vm: vm("vm"),
            class: class(),
            image: image(&["a", "b"]),
            provider_class: provider_class(),
            providers: providers.into(),
            machines: Vec::new(),
        }
    }

    /// Sets `spec.placement` of the machine.
    pub fn placed(mut self, placement: Value) -> Self {
        self.vm.spec.placement = Some(object(placement));
        self
    }

    /// Calls `decide` with a request about the machine.
    pub fn with<T>(&self, decide: impl FnOnce(&Request<'_>) -> T) -> T {
        let sites: Vec<Site<'_>> = self
            .providers
            .iter()
            .map(|provider| Site {
                provider,
                class: Some(&self.provider_class),
            })
            .collect();
        let peers: Vec<Peer<'_>> = self.machines.iter().map(Peer::of).collect();
        decide(&Request {
            vm: &self.vm,
            class: &self.class,
            image: &self.image,
            sites: &sites,
            peers: &peers,
        })
    }
}
