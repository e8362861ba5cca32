//! What files a volume made of API objects holds. Pure.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{
    DownwardAPIVolumeFile, KeyToPath, ServiceAccountTokenProjection, Volume, VolumeProjection,
};
use kube::ResourceExt as _;

use super::configs::Source;
use super::downward;
use super::environment::Facts;

const DEFAULT_MODE: u32 = 0o644;

/// Files by their path in the volume.
pub(super) type Files = BTreeMap<String, File>;

/// Tokens by the audience that they are for; empty for the API server.
pub(super) type Tokens = BTreeMap<String, String>;

/// Content and permissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct File {
    pub(super) content: Vec<u8>,
    pub(super) mode: u32,
}

/// Files of `volume`; `None` if it is of another type. An error names what is
/// missing.
pub(super) fn files(
    volume: &Volume,
    facts: Facts,
    tokens: &Tokens,
) -> Result<Option<Files>, String> {
    if let Some(map) = &volume.config_map {
        let mode = mode(map.default_mode);
        let items = map.items.as_deref();
        return keys(
            facts,
            Source::ConfigMap,
            &map.name,
            map.optional,
            items,
            mode,
        )
        .map(Some);
    }
    if let Some(secret) = &volume.secret {
        let mode = mode(secret.default_mode);
        let name = secret.secret_name.as_deref().unwrap_or_default();
        let items = secret.items.as_deref();
        return keys(facts, Source::Secret, name, secret.optional, items, mode).map(Some);
    }
    if let Some(downward) = &volume.downward_api {
        let items = downward.items.as_deref().unwrap_or_default();
        return fields(facts, items, mode(downward.default_mode)).map(Some);
    }
    if let Some(projected) = &volume.projected {
        let mode = mode(projected.default_mode);
        let mut files = Files::new();
        for source in projected.sources.iter().flatten() {
            files.extend(projection(facts, source, tokens, mode)?);
        }
        return Ok(Some(files));
    }
    Ok(None)
}

/// Requests for tokens in `volume`.
pub(super) fn token_requests(
    volume: &Volume,
) -> impl Iterator<Item = &ServiceAccountTokenProjection> {
    let projected = volume.projected.iter();
    projected
        .flat_map(|projected| projected.sources.iter().flatten())
        .filter_map(|source| source.service_account_token.as_ref())
}

fn projection(
    facts: Facts,
    source: &VolumeProjection,
    tokens: &Tokens,
    mode: u32,
) -> Result<Files, String> {
    if let Some(map) = &source.config_map {
        let items = map.items.as_deref();
        keys(
            facts,
            Source::ConfigMap,
            &map.name,
            map.optional,
            items,
            mode,
        )
    } else if let Some(secret) = &source.secret {
        let items = secret.items.as_deref();
        keys(
            facts,
            Source::Secret,
            &secret.name,
            secret.optional,
            items,
            mode,
        )
    } else if let Some(downward) = &source.downward_api {
        fields(facts, downward.items.as_deref().unwrap_or_default(), mode)
    } else if let Some(token) = &source.service_account_token {
        let audience = token.audience.as_deref().unwrap_or_default();
        let content = tokens.get(audience).ok_or("no token yet")?;
        let content = content.clone().into_bytes();
        Ok(Files::from([(token.path.clone(), File { content, mode })]))
    } else {
        Err("this source of a projected volume is not supported by the test node".to_owned())
    }
}

/// All keys of an object, or those of `items` under their paths.
fn keys(
    facts: Facts,
    source: Source,
    name: &str,
    optional: Option<bool>,
    items: Option<&[KeyToPath]>,
    default: u32,
) -> Result<Files, String> {
    let optional = optional.unwrap_or_default();
    let namespace = facts.pod.namespace().unwrap_or_default();
    let data = facts.configs.data(source, &namespace, name, optional)?;
    let Some(items) = items else {
        let all = data.into_iter().map(|(key, content)| {
            let mode = default;
            (key, File { content, mode })
        });
        return Ok(all.collect());
    };
    let mut files = Files::new();
    for item in items {
        match data.get(&item.key) {
            Some(content) => {
                let content = content.clone();
                let mode = item.mode.map_or(default, |it| mode(Some(it)));
                files.insert(item.path.clone(), File { content, mode });
            }
            None if optional => {}
            None => {
                return Err(format!(
                    "{source:?} {namespace}/{name} has no key {}",
                    item.key
                ));
            }
        }
    }
    Ok(files)
}

fn fields(facts: Facts, items: &[DownwardAPIVolumeFile], default: u32) -> Result<Files, String> {
    let mut files = Files::new();
    for item in items {
        let reference = item.field_ref.as_ref();
        let path = reference.map(|reference| reference.field_path.as_str());
        let path = path.ok_or("resourceFieldRef is not supported by the test node")?;
        let content = downward::field(facts.pod, facts.address, path)?.into_bytes();
        let mode = item.mode.map_or(default, |it| mode(Some(it)));
        files.insert(item.path.clone(), File { content, mode });
    }
    Ok(files)
}

fn mode(value: Option<i32>) -> u32 {
    value
        .and_then(|mode| u32::try_from(mode).ok())
        .unwrap_or(DEFAULT_MODE)
}
