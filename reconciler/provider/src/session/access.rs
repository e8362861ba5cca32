//! What it takes to connect, from the Provider and what it refers to. Pure.

use std::collections::{BTreeMap, BTreeSet};

use banlieue_backend::{Credentials, Endpoint};
use banlieue_schemas::common::{CaBundleSource, KeySelector};
use banlieue_schemas::conditions::Reason;
use banlieue_schemas::manifests::policies::ALLOW_INSECURE_TLS;
use banlieue_schemas::platform::Provider;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::ResourceExt;

use crate::problem::Problem;

/// Key of trusted certificates, unless the Provider names another.
const CA_KEY: &str = "ca.crt";

/// What it takes to connect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Where, and whom to trust.
    pub endpoint: Endpoint,
    /// As whom.
    pub credentials: Credentials,
}

/// Names of the objects that a Provider refers to, in its own namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct References {
    /// Secrets.
    pub secrets: BTreeSet<String>,
    /// ConfigMaps.
    pub config_maps: BTreeSet<String>,
}

/// An object that was looked for.
#[derive(Clone, Debug)]
pub enum Found<T> {
    /// It is there.
    Present(T),
    /// It is not.
    Absent,
    /// Nobody knows yet.
    Unknown,
}

/// Looks objects up by name.
pub trait Look: Send + Sync + 'static {
    /// Waits until it is known whether these are there.
    fn settled(&self, references: &References) -> impl Future<Output = ()> + Send;
    /// The Secret of that name.
    fn secret(&self, name: &str) -> Found<BTreeMap<String, Vec<u8>>>;
    /// The ConfigMap of that name.
    fn config_map(&self, name: &str) -> Found<BTreeMap<String, String>>;
}

impl References {
    /// What the Provider refers to.
    pub fn of(provider: &Provider) -> Self {
        let connection = &provider.spec.connection;
        let bundle = connection.ca_bundle.as_ref();
        let trust = bundle.and_then(|bundle| bundle.secret_ref.as_ref());
        let map = bundle.and_then(|bundle| bundle.config_map_ref.as_ref());
        let credentials = connection.credentials_ref.iter().map(|named| &named.name);
        Self {
            secrets: credentials
                .chain(trust.map(|named| &named.name))
                .cloned()
                .collect(),
            config_maps: map.map(|named| named.name.clone()).into_iter().collect(),
        }
    }
}

impl Access {
    /// What it takes to connect to the Provider's backend. `keys` are those that the Secret needs.
    pub fn of(provider: &Provider, keys: &[&str], look: &impl Look) -> Result<Self, Problem> {
        let connection = &provider.spec.connection;
        let allowed = provider.annotations().get(ALLOW_INSECURE_TLS);
        let insecure = connection.insecure_skip_tls_verify == Some(true)
            && allowed.is_some_and(|allowed| allowed == "true");
        let bundle = connection.ca_bundle.as_ref();
        Ok(Self {
            endpoint: Endpoint {
                url: connection.endpoint.clone(),
                trust: bundle.map_or(Ok(None), |bundle| trust(bundle, look))?,
                insecure,
            },
            credentials: match &connection.credentials_ref {
                Some(named) => credentials(&named.name, keys, look)?,
                None => Credentials::default(),
            },
        })
    }
}

fn credentials(name: &str, keys: &[&str], look: &impl Look) -> Result<Credentials, Problem> {
    let data = match look.secret(name) {
        Found::Present(data) => data,
        Found::Absent => {
            let message = format!("Secret {name} with the credentials does not exist");
            return Err(Problem::stalled(Reason::SecretMissing, message));
        }
        Found::Unknown => return Err(unread("Secret", name)),
    };
    let empty = |key: &&&str| data.get(**key).is_none_or(Vec::is_empty);
    if let Some(key) = keys.iter().find(empty) {
        let message = format!("Secret {name} has no key {key}, or nothing under it");
        return Err(Problem::stalled(Reason::SecretInvalid, message));
    }
    Ok(Credentials::new(data))
}

/// Trusted certificates. Without those that a Provider names nothing is trusted in their place.
fn trust(bundle: &CaBundleSource, look: &impl Look) -> Result<Option<String>, Problem> {
    if let Some(named) = &bundle.secret_ref {
        let data = match look.secret(&named.name) {
            Found::Present(data) => data,
            Found::Absent => return Err(no_trust("Secret", named)),
            Found::Unknown => return Err(unread("Secret", &named.name)),
        };
        let text = data.get(key(named)).cloned().map(String::from_utf8);
        let Some(Ok(text)) = text else {
            return Err(no_trust("Secret", named));
        };
        return Ok(Some(text));
    }
    if let Some(named) = &bundle.config_map_ref {
        let data = match look.config_map(&named.name) {
            Found::Present(data) => data,
            Found::Absent => return Err(no_trust("ConfigMap", named)),
            Found::Unknown => return Err(unread("ConfigMap", &named.name)),
        };
        let text = data.get(key(named)).cloned();
        return text.map(Some).ok_or_else(|| no_trust("ConfigMap", named));
    }
    Ok(bundle.inline.clone())
}

fn key(named: &KeySelector) -> &str {
    named.key.as_deref().unwrap_or(CA_KEY)
}

fn no_trust(kind: &str, named: &KeySelector) -> Problem {
    let (name, key) = (&named.name, key(named));
    let message = format!("{kind} {name} with the key {key} of trusted certificates is not there");
    Problem::stalled(Reason::CredentialsUnavailable, message)
}

fn unread(kind: &str, name: &str) -> Problem {
    let message = format!("{kind} {name} could not be read");
    Problem::stalled(Reason::CredentialsUnavailable, message)
}

/// The data of a Secret.
pub(super) fn secret_data(secret: &Secret) -> BTreeMap<String, Vec<u8>> {
    let data = secret.data.iter().flatten();
    data.map(|(key, value)| (key.clone(), value.0.clone()))
        .collect()
}

/// The data of a ConfigMap.
pub(super) fn config_map_data(map: &ConfigMap) -> BTreeMap<String, String> {
    map.data.clone().unwrap_or_default()
}

impl<L: Look> Look for std::sync::Arc<L> {
    fn settled(&self, references: &References) -> impl Future<Output = ()> + Send {
        (**self).settled(references)
    }

    fn secret(&self, name: &str) -> Found<BTreeMap<String, Vec<u8>>> {
        (**self).secret(name)
    }

    fn config_map(&self, name: &str) -> Found<BTreeMap<String, String>> {
        (**self).config_map(name)
    }
}

#[cfg(test)]
mod tests;
