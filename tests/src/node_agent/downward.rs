//! Fields of a Pod that its containers may read about themselves.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt as _;

/// Value of the field at `path`, such as `metadata.name` or `metadata.labels['a']`.
pub(super) fn field(pod: &Pod, address: Ipv4Addr, path: &str) -> Result<String, String> {
    let spec = pod.spec.as_ref();
    let of_spec = |value: Option<&String>| value.cloned().unwrap_or_default();
    if let Some((map, key)) = path
        .strip_suffix("']")
        .and_then(|path| path.split_once("['"))
    {
        let values = map_at(pod, map)?;
        return Ok(values.get(key).cloned().unwrap_or_default());
    }
    Ok(match path {
        "metadata.name" => pod.name_any(),
        "metadata.namespace" => pod.namespace().unwrap_or_default(),
        "metadata.uid" => pod.uid().unwrap_or_default(),
        "metadata.labels" | "metadata.annotations" => lines(map_at(pod, path)?),
        "spec.nodeName" => of_spec(spec.and_then(|spec| spec.node_name.as_ref())),
        "spec.serviceAccountName" => {
            of_spec(spec.and_then(|spec| spec.service_account_name.as_ref()))
        }
        "status.podIP" | "status.podIPs" => address.to_string(),
        "status.hostIP" | "status.hostIPs" => Ipv4Addr::LOCALHOST.to_string(),
        _ => return Err(format!("fieldRef {path} is not supported by the test node")),
    })
}

fn map_at<'a>(pod: &'a Pod, path: &str) -> Result<&'a BTreeMap<String, String>, String> {
    match path {
        "metadata.labels" => Ok(pod.labels()),
        "metadata.annotations" => Ok(pod.annotations()),
        _ => Err(format!("fieldRef {path} is not supported by the test node")),
    }
}

/// One `key="value"` a line.
fn lines(values: &BTreeMap<String, String>) -> String {
    let lines: Vec<String> = values
        .iter()
        .map(|(key, value)| format!("{key}={value:?}"))
        .collect();
    lines.join("\n")
}
