//! Limits of etcd, of ConfigMaps and of clients.

use std::io;

use serde_json::Value;

use super::{group, kind};
use crate::{
    check::{codes, finding::Fault},
    diagnostic::Severity,
    load::node::Path,
};

/// Bytes of a request that etcd accepts by default.
const OBJECT_MAX: usize = 3 << 19;
/// Bytes of all values of a ConfigMap.
const CONFIG_MAP_MAX: usize = 1 << 20;
/// Bytes of all annotations of an object, of which a client-side apply makes one.
const CLIENT_SIDE_MAX: usize = 262_144;
/// Bytes from which an object is said to come near: an API server adds fields of its own.
const CLIENT_SIDE_NEAR: usize = 200_000;

pub(super) fn check(object: &Value, faults: &mut Vec<Fault>) {
    let bytes = json_bytes(object);
    let fault = if bytes > OBJECT_MAX {
        let message = format!("has {bytes} bytes of JSON, and etcd accepts at most {OBJECT_MAX}");
        let hint = "split it, or leave parts out";
        Some(Fault::new(&codes::TOO_LARGE, &Path::Root, message, hint))
    } else {
        config_map(object).or_else(|| near_client_side(bytes))
    };
    faults.extend(fault);
}

fn config_map(object: &Value) -> Option<Fault> {
    if (group(object), kind(object)) != ("", "ConfigMap") {
        return None;
    }
    let data = ["data", "binaryData"].map(|field| object[field].as_object());
    let bytes: usize = data
        .into_iter()
        .flatten()
        .flatten()
        .map(|(key, value)| key.len() + value.as_str().map_or(0, str::len))
        .sum();
    (bytes > CONFIG_MAP_MAX).then(|| {
        let message = format!("has {bytes} bytes, and a ConfigMap holds at most {CONFIG_MAP_MAX}");
        let hint = "split it over several ConfigMaps";
        Fault::new(&codes::TOO_LARGE, &Path::Root.key("data"), message, hint)
    })
}

fn near_client_side(bytes: usize) -> Option<Fault> {
    (bytes >= CLIENT_SIDE_NEAR).then(|| {
        let message = format!(
            "has {bytes} bytes of JSON, and a client-side apply takes at most {CLIENT_SIDE_MAX}"
        );
        let hint = "apply it with `kubectl apply --server-side`, or make it smaller";
        let mut fault = Fault::new(&codes::LARGE_OBJECT, &Path::Root, message, hint);
        fault.severity = Severity::Warning;
        fault
    })
}

/// Length of the object as compact JSON.
fn json_bytes(object: &Value) -> usize {
    let mut counter = Counter(0);
    // Neither the counter nor a JSON value can fail.
    let _ = serde_json::to_writer(&mut counter, object);
    counter.0
}

struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
