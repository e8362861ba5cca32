//! Pools of machines whose number is the autoscaler's.

use banlieue_schemas::capi;
use serde_json::Value;

use super::{group, kind};
use crate::{
    check::{codes, finding::Fault},
    load::node::Path,
};

/// A pool without a number gets one: between the bounds, or 1 where there are none.
pub(super) fn check(object: &Value, faults: &mut Vec<Fault>) {
    if (group(object), kind(object)) != (capi::GROUP, "MachineDeployment")
        || object["spec"].get("replicas").is_some()
    {
        return;
    }
    let annotations = &object["metadata"]["annotations"];
    let root = Path::Root;
    for bound in [
        capi::AUTOSCALER_MIN_SIZE_ANNOTATION,
        capi::AUTOSCALER_MAX_SIZE_ANNOTATION,
    ] {
        if annotations.get(bound).is_none() {
            faults.push(Fault::new(
                &codes::UNBOUNDED,
                &root.key("metadata").key("annotations"),
                format!("has no `{bound}`, and `spec` no `replicas`"),
                "write `spec.replicas`, or both bounds of the autoscaler",
            ));
        }
    }
}
