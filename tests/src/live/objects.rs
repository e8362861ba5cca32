//! What people write: Providers, shapes, images and machines. Shapes and images fit every zone of
//! a simulator's default world.

use serde_json::{Value, json};

use super::CREDENTIALS;

/// Name of the VMClass.
pub const CLASS: &str = "small";
/// Name of the VMImage.
pub const IMAGE: &str = "debian";

/// A Provider of the class `sim`, labelled `dc: <name>`.
pub fn provider(name: &str, endpoint: &str) -> Value {
    json!({
        "metadata": {"name": name, "labels": {"dc": name}},
        "spec": {
            "providerClassRef": {"name": "sim"},
            "connection": {
                "endpoint": endpoint,
                "credentialsRef": {"name": format!("{name}-{CREDENTIALS}")},
            },
            "capabilities": {
                "storageClasses": [{"name": "standard", "target": {"pool": "default"}}],
                "networkClasses": [{"name": "lan", "target": {"network": "lan"}}],
            },
        },
    })
}

/// A shape with one disk and one interface.
pub fn vm_class() -> Value {
    json!({
        "metadata": {"name": CLASS},
        "spec": {
            "hardware": {
                "cpus": 2,
                "memoryMiB": 2048,
                "disks": [{"name": "system", "sizeGiB": 10, "storageClass": "standard"}],
            },
            "network": {"interfaces": [{"name": "eth0", "networkClass": "lan"}]},
        },
    })
}

/// An image that every zone has, for Providers of the classes.
pub fn image(classes: &[&str]) -> Value {
    let source = |class| json!({"providerClass": class, "kind": "Template", "ref": "debian-13"});
    let sources: Vec<Value> = classes.iter().map(source).collect();
    json!({
        "metadata": {"name": IMAGE},
        "spec": {
            "osFamily": "linux", "osDistribution": "debian", "osVersion": "13",
            "architecture": "amd64",
            "sources": sources,
        },
    })
}

/// A machine on the Provider with the label `dc: <dc>`.
pub fn virtual_machine(name: &str, dc: &str) -> Value {
    json!({
        "metadata": {"name": name},
        "spec": {
            "classRef": {"name": CLASS},
            "imageRef": {"name": IMAGE},
            "placement": {"providerSelector": {"matchLabels": {"dc": dc}}},
        },
    })
}
