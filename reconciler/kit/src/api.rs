//! Paths to objects of any kind, whichever its scope.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::{Api, Client};

use crate::guard::{Guarded, Kind};

/// The objects of a kind in a namespace; `None` for a cluster-scoped kind and for all namespaces.
pub(crate) fn objects<K: Kind>(client: &Client, namespace: Option<&str>) -> Api<Guarded<K>> {
    match namespace {
        Some(namespace) => Api::namespaced_with(client.clone(), namespace, &()),
        None => Api::all_with(client.clone(), &()),
    }
}

/// `Kind namespace/name`, for messages.
pub(crate) fn describe<K: Kind>(meta: &ObjectMeta) -> String {
    let kind = K::kind(&());
    let name = meta.name.as_deref().unwrap_or_default();
    match meta.namespace.as_deref() {
        Some(namespace) => format!("{kind} {namespace}/{name}"),
        None => format!("{kind} {name}"),
    }
}
