//! What a backend has.

use std::collections::BTreeMap;

use banlieue_schemas::common::StringMap;

/// Everything that a backend told about itself, in no order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Version of the backend, for people.
    pub version: String,
    /// Its zones.
    pub zones: Vec<Zone>,
}

/// A part of a backend that fails on its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Zone {
    /// Datacenter, or what comes closest.
    pub datacenter: String,
    /// Compute cluster or host in it.
    pub cluster: String,
    /// Storage that exists here, each as the backend's own terms for it: `datastore: ds1`.
    pub storage: Vec<StringMap>,
    /// Networks that exist here, each as the backend's own terms for it: `portGroup: vm-net`.
    pub networks: Vec<StringMap>,
    /// Features that machines here can have.
    pub features: Vec<String>,
    /// What is free. None where the backend does not tell.
    pub free: Option<Capacity>,
    /// What the backend itself calls things, for its own later use.
    pub raw: StringMap,
}

/// What is free in a zone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capacity {
    /// Virtual CPUs.
    pub cpus: Option<u32>,
    /// Memory in MiB.
    pub memory_mib: Option<u64>,
    /// Space in GiB of each storage, by its own term's value.
    pub storage_gib: BTreeMap<String, u64>,
}
