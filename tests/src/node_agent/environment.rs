//! A container's environment.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use k8s_openapi::api::core::v1::{Container, EnvVarSource, Pod};
use kube::ResourceExt as _;

use super::configs::{Configs, Source};
use super::downward;
use super::expand::expand;

const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// What the environment is made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts<'a> {
    pub(super) pod: &'a Pod,
    pub(super) address: Ipv4Addr,
    pub(super) api_port: u16,
    pub(super) configs: &'a Configs,
}

/// Variables of `container`. Later ones win: what every container has, then
/// `envFrom`, then `env`. An error names what is missing; it may yet come.
///
/// All Pods share this machine's network, and each has a loopback address of its
/// own. For every named port `BANLIEUE_<NAME>_ADDRESS` says where to listen, so that
/// Pods with the same ports do not clash.
pub(super) fn resolve(
    facts: Facts,
    container: &Container,
) -> Result<BTreeMap<String, String>, String> {
    let namespace = facts.pod.namespace().unwrap_or_default();
    let mut variables = given(facts, container);
    for from in container.env_from.iter().flatten() {
        let prefix = from.prefix.as_deref().unwrap_or_default();
        let reference = match (&from.config_map_ref, &from.secret_ref) {
            (Some(map), _) => Some((Source::ConfigMap, &map.name, map.optional)),
            (_, Some(secret)) => Some((Source::Secret, &secret.name, secret.optional)),
            _ => None,
        };
        let Some((source, name, optional)) = reference else {
            continue;
        };
        let optional = optional.unwrap_or_default();
        for (key, value) in facts.configs.data(source, &namespace, name, optional)? {
            variables.insert(format!("{prefix}{key}"), text(value)?);
        }
    }
    for variable in container.env.iter().flatten() {
        let value = match &variable.value_from {
            Some(source) => from_source(facts, &namespace, source)?,
            None => variable
                .value
                .as_deref()
                .map(|value| expand(value, &variables)),
        };
        if let Some(value) = value {
            variables.insert(variable.name.clone(), value);
        } else if variable.value_from.is_none() {
            variables.insert(variable.name.clone(), String::new());
        }
    }
    Ok(variables)
}

/// What the node gives to every container.
fn given(facts: Facts, container: &Container) -> BTreeMap<String, String> {
    let mut variables = BTreeMap::from([
        ("HOME".to_owned(), "/".to_owned()),
        ("HOSTNAME".to_owned(), facts.pod.name_any()),
        (
            "KUBERNETES_SERVICE_HOST".to_owned(),
            Ipv4Addr::LOCALHOST.to_string(),
        ),
        (
            "KUBERNETES_SERVICE_PORT".to_owned(),
            facts.api_port.to_string(),
        ),
        ("PATH".to_owned(), PATH.to_owned()),
    ]);
    for port in container.ports.iter().flatten() {
        if let Some(name) = &port.name {
            let name = name.to_uppercase().replace('-', "_");
            let address = format!("{}:{}", facts.address, port.container_port);
            variables.insert(format!("BANLIEUE_{name}_ADDRESS"), address);
        }
    }
    variables
}

/// Value of a reference; `None` where an optional one leads nowhere.
fn from_source(
    facts: Facts,
    namespace: &str,
    source: &EnvVarSource,
) -> Result<Option<String>, String> {
    if let Some(reference) = &source.field_ref {
        return downward::field(facts.pod, facts.address, &reference.field_path).map(Some);
    }
    let (kind, name, key, optional) = match (&source.config_map_key_ref, &source.secret_key_ref) {
        (Some(map), _) => (Source::ConfigMap, &map.name, &map.key, map.optional),
        (_, Some(secret)) => (Source::Secret, &secret.name, &secret.key, secret.optional),
        _ => return Err("this source of a variable is not supported by the test node".to_owned()),
    };
    let optional = optional.unwrap_or_default();
    let mut data = facts.configs.data(kind, namespace, name, optional)?;
    match data.remove(key) {
        Some(value) => text(value).map(Some),
        None if optional => Ok(None),
        None => Err(format!("{kind:?} {namespace}/{name} has no key {key}")),
    }
}

fn text(value: Vec<u8>) -> Result<String, String> {
    String::from_utf8(value).map_err(|_| "a variable's value is not UTF-8".to_owned())
}
