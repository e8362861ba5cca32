//! The status of an infrastructure cluster: the failure domains of its Providers, as Cluster API
//! reads them.
//!
//! A machine of a cluster names its failure domain and nothing else, so a name that two Providers
//! show would not say where to make it. Such a name is left out and reported. Which Providers are
//! ready does not count: Cluster API would move machines away from a failure domain whose Provider
//! is only restarting.

use std::collections::BTreeMap;

use banlieue_schemas::common::{InitializationStatus, StringMap};
use banlieue_schemas::conditions::{ConditionType, Reason, Writer};
use banlieue_schemas::infrastructure::{
    ClusterFailureDomain, InfraClusterSpec, InfraClusterStatus,
};
use banlieue_schemas::platform::{Backend, FailureDomain};
use k8s_openapi::jiff::Timestamp;
use kube::ResourceExt;

use crate::conditions::{Scope, Truth, Wanted, merge};
use crate::schedule::{Site, published};
use crate::selector::{Matcher, SelectorError};

/// Failure domains that a status holds.
const MOST: usize = 100;
/// Attribute with the name of the Provider.
const PROVIDER: &str = "provider";

/// What the status of a cluster is made from.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Kind of the cluster, such as `SimCluster`.
    pub kind: &'static str,
    /// Backend of that kind.
    pub backend: Backend,
    /// Its spec.
    pub spec: &'a InfraClusterSpec,
    /// Its status.
    pub status: Option<&'a InfraClusterStatus>,
    /// Its generation.
    pub generation: Option<i64>,
    /// Whether its spec, its annotation or its owner pauses it.
    pub paused: bool,
    /// Every Provider of its namespace.
    pub sites: &'a [Site<'a>],
}

/// The status that the controller applies, as a whole.
pub fn status(input: &Input<'_>, now: Timestamp) -> InfraClusterStatus {
    let old = input.status.cloned().unwrap_or_default();
    let found = match (input.paused, aggregate(input)) {
        (true, _) => Found {
            domains: old.failure_domains.clone(),
            problem: None,
        },
        (false, Ok(found)) => found,
        (false, Err(error)) => Found {
            domains: old.failure_domains.clone(),
            problem: Some((Reason::InvalidSpec, error.line())),
        },
    };
    let mut wanted = conditions(&found);
    if input.paused {
        wanted = kept(&old);
        wanted.push(Wanted::new(
            ConditionType::Paused,
            true,
            Reason::Paused,
            "is paused",
        ));
    }
    let was_done = old.initialization.as_ref();
    let was_done = was_done.is_some_and(InitializationStatus::is_done);
    let done = was_done || (!input.paused && !found.domains.is_empty());
    let scope = Scope {
        kind: input.kind,
        writer: Writer::Controller,
    };
    InfraClusterStatus {
        initialization: done.then(InitializationStatus::done),
        control_plane_endpoint: input.spec.control_plane_endpoint.clone(),
        conditions: merge(scope, &old.conditions, &wanted, input.generation, now),
        failure_domains: found.domains,
        observed_generation: input.generation,
    }
}

struct Found {
    domains: Vec<ClusterFailureDomain>,
    problem: Option<(Reason, String)>,
}

fn aggregate(input: &Input<'_>) -> Result<Found, SelectorError> {
    let control_plane = Matcher::new(
        input.spec.control_plane_failure_domain_selector.as_ref(),
        "spec.controlPlaneFailureDomainSelector",
    )?;
    let sites = selected(input)?;
    let mut by_name: BTreeMap<&str, Vec<(String, &FailureDomain)>> = BTreeMap::new();
    for site in &sites {
        for domain in published(site.provider) {
            let shown = (site.provider.name_any(), domain);
            by_name.entry(&domain.name).or_default().push(shown);
        }
    }
    let mut domains = Vec::new();
    let mut ambiguous = Vec::new();
    for (name, shown) in by_name {
        match shown.as_slice() {
            [(provider, domain)] => domains.push(ClusterFailureDomain {
                name: name.to_owned(),
                control_plane: Some(control_plane.matches(&domain.labels)),
                attributes: attributes(provider, domain),
            }),
            several => {
                let providers: Vec<&str> = several.iter().map(|(name, _)| name.as_str()).collect();
                ambiguous.push(format!("{name} ({})", providers.join(", ")));
            }
        }
    }
    let surplus = domains.len().saturating_sub(MOST);
    domains.truncate(MOST);
    let problem = problem(input, &sites, &ambiguous, surplus, domains.is_empty());
    Ok(Found { domains, problem })
}

/// The Providers that carry the cluster, by name.
fn selected<'a>(input: &Input<'a>) -> Result<Vec<Site<'a>>, SelectorError> {
    let refs = &input.spec.provider_refs;
    let selector = Matcher::new(
        input.spec.provider_selector.as_ref(),
        "spec.providerSelector",
    )?;
    let mut sites: Vec<Site<'_>> = input
        .sites
        .iter()
        .copied()
        .filter(|site| {
            site.class
                .is_some_and(|class| class.spec.backend == input.backend)
        })
        .filter(|site| {
            if refs.is_empty() {
                selector.matches(site.provider.labels())
            } else {
                refs.iter()
                    .any(|named| named.name == site.provider.name_any())
            }
        })
        .collect();
    sites.sort_by_key(|site| site.provider.name_any());
    Ok(sites)
}

fn problem(
    input: &Input<'_>,
    sites: &[Site<'_>],
    ambiguous: &[String],
    surplus: usize,
    empty: bool,
) -> Option<(Reason, String)> {
    let known = |name: &String| sites.iter().any(|site| site.provider.name_any() == *name);
    let refs = input.spec.provider_refs.iter().map(|named| &named.name);
    let missing: Vec<&str> = refs
        .filter(|name| !known(name))
        .map(String::as_str)
        .collect();
    if !missing.is_empty() {
        let message = format!(
            "no Provider of backend {} is named {}",
            input.backend,
            missing.join(", ")
        );
        return Some((Reason::ProviderNotFound, message));
    }
    if !ambiguous.is_empty() {
        let message = format!(
            "left out, since several Providers show them: {}",
            ambiguous.join("; ")
        );
        return Some((Reason::InventoryFailed, message));
    }
    if surplus > 0 {
        let message = format!("{surplus} failure domains are left out, at most {MOST} fit");
        return Some((Reason::InventoryFailed, message));
    }
    empty.then(|| {
        let message = match sites.len() {
            0 => format!("no Provider of backend {} matches", input.backend),
            _ => "no Provider shows a failure domain yet".to_owned(),
        };
        (Reason::NoFailureDomains, message)
    })
}

fn attributes(provider: &str, domain: &FailureDomain) -> StringMap {
    let mut all = domain.attributes.raw.clone();
    all.extend(domain.labels.clone());
    all.insert(PROVIDER.into(), provider.into());
    all
}

fn conditions(found: &Found) -> Vec<Wanted> {
    match &found.problem {
        None => vec![Wanted::new(
            ConditionType::Ready,
            true,
            Reason::Reconciled,
            "",
        )],
        Some((reason, message)) => {
            let progress = match reason {
                Reason::InvalidSpec | Reason::InventoryFailed => ConditionType::Stalled,
                _ => ConditionType::Reconciling,
            };
            vec![
                Wanted::new(ConditionType::Ready, Truth::False, *reason, message),
                Wanted::new(progress, true, *reason, message),
            ]
        }
    }
}

/// `Ready` as it was. A paused cluster neither progresses nor stalls.
fn kept(old: &InfraClusterStatus) -> Vec<Wanted> {
    let ready = crate::conditions::find(&old.conditions, ConditionType::Ready);
    let ready = ready.map(|ready| Wanted::mirrored(ConditionType::Ready, ready));
    ready.into_iter().collect()
}

#[cfg(test)]
mod tests;
