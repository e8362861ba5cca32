//! Classes, Providers and images.

use banlieue_schemas::{
    common::LocalObjectReference,
    fleet::{Fleet, NetworkClass, Site, StorageClass, Zone},
    manifests::provider_classes,
    platform::{
        self, Backend, Capabilities, Connection, FailureDomainNameOverride, ProviderClassSpec,
        ProviderSpec, ZoneSubnet, ZoneTarget,
    },
};
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    RenderError,
    object::{metadata, to_value},
};
use crate::plan::{ProviderPlan, names};

/// Label of a Provider with its site.
pub const SITE_LABEL: &str = "banlieue.io/site";

/// A cluster-scoped object of the platform group.
///
/// # Errors
/// A spec that has no JSON form; none of ours.
pub fn cluster_scoped<S: Serialize>(
    kind: &str,
    name: &str,
    spec: &S,
) -> Result<Value, RenderError> {
    Ok(json!({
        "apiVersion": api_version(),
        "kind": kind,
        "metadata": metadata(name, None, &[]),
        "spec": to_value(kind, spec)?,
    }))
}

/// The declared classes, and one for each backend in use that has none of its name.
pub fn classes(fleet: &Fleet) -> impl Iterator<Item = (String, ProviderClassSpec)> {
    let missing = Backend::ALL.into_iter().filter(|backend| {
        let name = backend.to_string();
        !fleet.provider_classes.contains_key(&name)
            && fleet
                .sites
                .values()
                .any(|site| site.backend == *backend && site.provider_class.is_none())
    });
    let added = missing.map(|backend| {
        let spec = provider_classes::default_spec(backend, fleet.platform.image.clone());
        (backend.to_string(), spec)
    });
    let declared = fleet
        .provider_classes
        .iter()
        .map(|(name, spec)| (name.clone(), spec.clone()));
    declared.chain(added)
}

/// A Provider.
///
/// # Errors
/// A spec that has no JSON form; none of ours.
pub fn provider(plan: &ProviderPlan, site: &Site) -> Result<Value, RenderError> {
    let zones = zones(plan, site);
    let host = plan.zone.as_ref().and_then(|zone| site.zones.get(zone));
    let endpoint = host
        .and_then(|zone| zone.endpoint.as_ref())
        .or(site.endpoint.as_ref());
    let credentials = host
        .and_then(|zone| zone.credentials.as_ref())
        .or(site.credentials.as_ref());
    let spec = ProviderSpec {
        provider_class_ref: LocalObjectReference {
            name: plan.class.clone(),
        },
        connection: Connection {
            endpoint: endpoint.cloned().unwrap_or_default(),
            credentials_ref: credentials.map(|c| LocalObjectReference {
                name: c.secret.clone(),
            }),
            insecure_skip_tls_verify: None,
            ca_bundle: site.ca_bundle.clone(),
        },
        capabilities: Some(Capabilities {
            storage_classes: site
                .storage_classes
                .iter()
                .map(|(name, spec)| storage(plan, &zones, name, spec))
                .collect(),
            network_classes: site
                .network_classes
                .iter()
                .map(|(name, spec)| network(plan, &zones, name, spec))
                .collect(),
            features: site.features.clone(),
        }),
        paused: site.paused.then_some(true),
        failure_domain_name_overrides: zones
            .iter()
            .map(|(name, zone)| {
                let (datacenter, cluster) = coordinates(plan, name, zone);
                FailureDomainNameOverride {
                    datacenter,
                    cluster,
                    name: names::failure_domain(&plan.site, name),
                }
            })
            .collect(),
        ..ProviderSpec::default()
    };
    let mut labels: Vec<(&str, &str)> = site
        .labels
        .iter()
        .map(|(key, value)| (key.as_str(), value.as_str()))
        .collect();
    let label = names::label(&plan.site);
    labels.push((SITE_LABEL, &label));
    Ok(json!({
        "apiVersion": api_version(),
        "kind": "Provider",
        "metadata": metadata(&plan.name, Some(&plan.namespace), &labels),
        "spec": to_value("Provider", &spec)?,
    }))
}

/// The zones that one Provider serves: all of the site, or the one host.
fn zones<'a>(plan: &ProviderPlan, site: &'a Site) -> Vec<(&'a String, &'a Zone)> {
    site.zones
        .iter()
        .filter(|(name, _)| plan.zone.as_ref().is_none_or(|zone| zone == *name))
        .collect()
}

/// What the backend calls a zone. Where it has no datacenters, a site is one and a zone a cluster.
fn coordinates(plan: &ProviderPlan, name: &str, zone: &Zone) -> (String, String) {
    (
        zone.datacenter.clone().unwrap_or_else(|| plan.site.clone()),
        zone.cluster.clone().unwrap_or_else(|| name.to_owned()),
    )
}

fn storage(
    plan: &ProviderPlan,
    zones: &[(&String, &Zone)],
    name: &str,
    spec: &StorageClass,
) -> platform::StorageClass {
    platform::StorageClass {
        name: name.to_owned(),
        target: (!spec.target.is_empty()).then(|| spec.target.clone()),
        per_zone: targets(plan, zones, |zone| spec.per_zone.get(zone)),
    }
}

fn network(
    plan: &ProviderPlan,
    zones: &[(&String, &Zone)],
    name: &str,
    spec: &NetworkClass,
) -> platform::NetworkClass {
    let subnets = zones.iter().filter_map(|(name, zone)| {
        let (datacenter, cluster) = coordinates(plan, name, zone);
        let subnet = spec.per_zone_subnet.get(*name)?.clone();
        Some(ZoneSubnet {
            datacenter,
            cluster,
            subnet,
        })
    });
    platform::NetworkClass {
        name: name.to_owned(),
        target: (!spec.target.is_empty()).then(|| spec.target.clone()),
        per_zone: targets(plan, zones, |zone| spec.per_zone.get(zone)),
        subnet: spec.subnet.clone(),
        per_zone_subnet: subnets.collect(),
    }
}

fn targets<'a>(
    plan: &ProviderPlan,
    zones: &[(&String, &Zone)],
    target: impl Fn(&str) -> Option<&'a std::collections::BTreeMap<String, String>>,
) -> Vec<ZoneTarget> {
    let targets = zones.iter().filter_map(|(name, zone)| {
        let (datacenter, cluster) = coordinates(plan, name, zone);
        Some(ZoneTarget {
            datacenter,
            cluster,
            target: target(name)?.clone(),
        })
    });
    targets.collect()
}

fn api_version() -> String {
    format!(
        "{}/{}",
        banlieue_schemas::PLATFORM_GROUP,
        banlieue_schemas::VERSION
    )
}
