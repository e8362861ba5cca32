//! What a hypervisor has, on the wire.

use std::collections::BTreeMap;

use banlieue_backend::ImageRequest as Requested;
use banlieue_core::inventory as contract;
use banlieue_schemas::common::StringMap;
use banlieue_schemas::platform::ImageSourceKind;

use super::cross::{Cross, mirror};

mirror!(Survey of contract::Survey {
    version: String,
    zones: Vec<Zone>,
});

mirror!(Zone of contract::Zone {
    datacenter: String,
    cluster: String,
    storage: Vec<StringMap>,
    networks: Vec<StringMap>,
    features: Vec<String>,
    free: Option<Capacity>,
    raw: StringMap,
});

mirror!(Capacity of contract::Capacity {
    cpus: Option<u32>,
    memory_mib: Option<u64>,
    storage_gib: BTreeMap<String, u64>,
});

mirror!(ImageRequest of Requested {
    kind: ImageSourceKind,
    reference: String,
    place: StringMap,
});
