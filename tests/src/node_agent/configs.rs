//! ConfigMaps and Secrets as last seen.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::runtime::reflector::{ObjectRef, Store};

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    ConfigMap,
    Secret,
}

/// Every ConfigMap and Secret of the cluster.
#[derive(Debug, Clone)]
pub(super) struct Configs {
    pub(super) config_maps: Store<ConfigMap>,
    pub(super) secrets: Store<Secret>,
}

impl Configs {
    /// Values by key. A missing object is an error, or empty if it is `optional`.
    pub(super) fn data(
        &self,
        source: Source,
        namespace: &str,
        name: &str,
        optional: bool,
    ) -> Result<BTreeMap<String, Vec<u8>>, String> {
        let found = match source {
            Source::ConfigMap => {
                let key = ObjectRef::new(name).within(namespace);
                self.config_maps.get(&key).map(|map| {
                    let text = map.data.clone().unwrap_or_default().into_iter();
                    let binary = map.binary_data.clone().unwrap_or_default().into_iter();
                    text.map(|(key, value)| (key, value.into_bytes()))
                        .chain(binary.map(|(key, value)| (key, value.0)))
                        .collect()
                })
            }
            Source::Secret => {
                let key = ObjectRef::new(name).within(namespace);
                self.secrets.get(&key).map(|secret| {
                    let data = secret.data.clone().unwrap_or_default().into_iter();
                    data.map(|(key, value)| (key, value.0)).collect()
                })
            }
        };
        match found {
            Some(data) => Ok(data),
            None if optional => Ok(BTreeMap::new()),
            None => Err(format!("{source:?} {namespace}/{name} not found")),
        }
    }
}
