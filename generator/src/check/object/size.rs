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

pub(super) fn check(object: &Value, faults: &mut Vec<Fault>) {
    let mut add = |fault| faults.push(fault);
    let root = Path::Root;
    let bytes = json_bytes(object);
    if bytes > OBJECT_MAX {
        let message = format!("has {bytes} bytes of JSON, and etcd accepts at most {OBJECT_MAX}");
        add(Fault::new(
            &codes::TOO_LARGE,
            &root,
            message,
            "split it, or leave parts out",
        ));
    } else if bytes > CLIENT_SIDE_MAX
        && (group(object), kind(object)) == ("apiextensions.k8s.io", "CustomResourceDefinition")
    {
        let message = format!(
            "has {bytes} bytes of JSON, and a client-side apply takes at most {CLIENT_SIDE_MAX}"
        );
        let hint = "apply it with `kubectl apply --server-side`";
        let mut fault = Fault::new(&codes::LARGE_DEFINITION, &root, message, hint);
        fault.severity = Severity::Warning;
        add(fault);
    }
    if (group(object), kind(object)) == ("", "ConfigMap") {
        let data = ["data", "binaryData"].map(|field| object[field].as_object());
        let bytes: usize = data
            .into_iter()
            .flatten()
            .flatten()
            .map(|(key, value)| key.len() + value.as_str().map_or(0, str::len))
            .sum();
        if bytes > CONFIG_MAP_MAX {
            let message =
                format!("has {bytes} bytes, and a ConfigMap holds at most {CONFIG_MAP_MAX}");
            let path = root.key("data");
            add(Fault::new(
                &codes::TOO_LARGE,
                &path,
                message,
                "split it over several ConfigMaps",
            ));
        }
    }
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
