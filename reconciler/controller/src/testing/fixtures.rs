//! Objects as people and other processes write them.

use serde_json::{Value, json};

const PLATFORM: &str = "/apis/banlieue.io/v1alpha1";
const INFRASTRUCTURE: &str = "/apis/infrastructure.banlieue.io/v1alpha1";

/// Path of an object of namespace `prod`, such as `virtualmachines/vm`.
pub(crate) fn path(tail: &str) -> String {
    let group = if tail.starts_with("virtualmachines/") || tail.starts_with("providers/") {
        PLATFORM
    } else if tail.starts_with("secrets/") || tail.starts_with("configmaps/") {
        "/api/v1"
    } else {
        INFRASTRUCTURE
    };
    format!("{group}/namespaces/prod/{tail}")
}

/// Path of a cluster-scoped object, such as `vmclasses/small`.
pub(crate) fn cluster_path(tail: &str) -> String {
    format!("{PLATFORM}/{tail}")
}

fn object(kind: &str, name: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": "banlieue.io/v1alpha1", "kind": kind,
        "metadata": { "name": name, "namespace": "prod" }, "spec": spec,
    })
}

fn cluster_object(kind: &str, name: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": "banlieue.io/v1alpha1", "kind": kind,
        "metadata": { "name": name }, "spec": spec,
    })
}

pub(crate) fn condition(kind: &str, status: &str, reason: &str, message: &str) -> Value {
    json!({
        "type": kind, "status": status, "reason": reason, "message": message,
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    })
}

pub(crate) fn vm(name: &str) -> Value {
    let spec = json!({ "classRef": { "name": "small" }, "imageRef": { "name": "linux" } });
    object("VirtualMachine", name, &spec)
}

/// Class `small`: one disk in `fast`, one interface in `lan`.
pub(crate) fn class() -> Value {
    let spec = json!({
        "hardware": {
            "cpus": 2, "memoryMiB": 2048,
            "disks": [{ "name": "os", "sizeGiB": 20, "storageClass": "fast" }],
        },
        "network": { "interfaces": [{ "name": "eth0", "networkClass": "lan" }] },
    });
    cluster_object("VMClass", "small", &spec)
}

/// Image `linux`, ready on the named Providers.
pub(crate) fn image(providers: &[&str]) -> Value {
    let rows: Vec<Value> = providers
        .iter()
        .map(|name| json!({ "providerNamespace": "prod", "providerName": name, "ready": true }))
        .collect();
    let mut image = cluster_object(
        "VMImage",
        "linux",
        &json!({
            "osFamily": "linux", "osDistribution": "debian", "osVersion": "13",
            "architecture": "amd64",
            "sources": [
                { "providerClass": "sim", "kind": "Template", "ref": "linux" },
                { "providerClass": "libvirt", "kind": "Template", "ref": "linux" },
            ],
        }),
    );
    image["status"] = json!({ "perProvider": rows });
    image
}

pub(crate) fn provider_class(backend: &str) -> Value {
    let spec = json!({ "backend": backend, "image": { "repository": "r/banlieue", "tag": "v1" } });
    cluster_object("ProviderClass", backend, &spec)
}

/// A ready Provider with label `dc` and these failure domains.
pub(crate) fn provider(name: &str, class: &str, dc: &str, domains: &[&str]) -> Value {
    let domains: Vec<Value> = domains
        .iter()
        .map(|name| {
            json!({
                "name": name, "labels": { "dc": dc, "name": name },
                "attributes": {
                    "availableStorageClasses": ["fast"], "availableNetworkClasses": ["lan"],
                },
            })
        })
        .collect();
    let spec = json!({
        "providerClassRef": { "name": class }, "connection": { "endpoint": "sim://local" },
    });
    let mut provider = object("Provider", name, &spec);
    provider["metadata"]["labels"] = json!({ "dc": dc });
    provider["status"] = json!({
        "failureDomains": domains, "conditions": [condition("Ready", "True", "Reconciled", "")],
    });
    provider
}
