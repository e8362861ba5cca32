//! Whether a machine stays where it is. Placement is sticky: a better place is no reason to move.
//!
//! A machine moves only when its place stopped matching, and then only if its policy allows it and
//! another place takes it. What made the place stop matching is told apart by one recorded fact:
//! `status.scheduled.placementDigest`, the digest of `spec.placement` as the place last satisfied
//! it. While that is the digest of `spec.placement`, its user changed nothing since, and whatever
//! no longer matches changed outside: labels of a Provider, another machine, a class.
//!
//! | | own placement edited | changed outside |
//! |---|---|---|
//! | `onSpecChange` | moves | surfaces |
//! | `automatic` | moves | moves |
//! | `manual` | with the annotation | with the annotation |
//! | `never` | surfaces | surfaces |
//!
//! What a Provider that is not ready shows is not held against its machines: they are where they
//! were.

use banlieue_schemas::conditions::{ConditionType, Reason};
use banlieue_schemas::labels;
use banlieue_schemas::names::content_hash;
use banlieue_schemas::platform::{
    FailureDomain, MigrationPolicy, Placement as PlacementSpec, ResolvedClass, Scheduled,
    VirtualMachine,
};
use kube::ResourceExt;

use crate::conditions::{bounded, is_true};
use crate::machine_object::MachineObject;
use crate::schedule::{Placement, Rejection, Request, Rules, Site, published, schedule, zone};

const DIGEST_LENGTH: usize = 16;

/// What becomes of a machine that has a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It is where it may be, as far as can be told.
    Keep {
        /// Whether the place was held against the whole of `spec.placement`. False while the
        /// Provider is not ready and does not show the failure domain.
        confirmed: bool,
    },
    /// It is not, and stays nevertheless.
    Surface {
        /// What no longer matches.
        reason: Reason,
        /// What no longer matches and what a person can do.
        message: String,
        /// Whether the machine moves as soon as another place takes it.
        waiting: bool,
    },
    /// It is made again somewhere else.
    Move {
        /// Where.
        to: Placement,
        /// What no longer matches.
        reason: Reason,
        /// What no longer matches, for people.
        message: String,
    },
}

/// Digest of a machine's placement. Unset and empty are the same.
pub fn digest(placement: Option<&PlacementSpec>) -> String {
    // Strings and maps of strings always serialise.
    let value = serde_json::to_value(placement.cloned().unwrap_or_default()).unwrap_or_default();
    content_hash(&value, DIGEST_LENGTH)
}

/// Whether a person allowed one move.
pub fn is_migration_requested(vm: &VirtualMachine) -> bool {
    vm.annotations().get(labels::MIGRATE).map(String::as_str) == Some("true")
}

/// Where a machine is: as recorded, else where its machine object is. The latter holds when the
/// status was lost after the object was made, and keeps a second one from being made elsewhere.
/// `None` means that the machine has no place yet.
pub fn current(
    vm: &VirtualMachine,
    machines: &[MachineObject<'_>],
    sites: &[Site<'_>],
) -> Option<Scheduled> {
    let recorded = vm
        .status
        .as_ref()
        .and_then(|status| status.scheduled.as_ref());
    recorded.cloned().or_else(|| adopted(machines, sites))
}

fn adopted(machines: &[MachineObject<'_>], sites: &[Site<'_>]) -> Option<Scheduled> {
    machines.iter().find_map(|machine| {
        let (provider, failure_domain) = (machine.provider?, machine.failure_domain?);
        let site = sites
            .iter()
            .find(|site| site.provider.name_any() == provider);
        Some(Scheduled {
            provider_name: provider.to_owned(),
            provider_class: site
                .map(|site| site.provider.spec.provider_class_ref.name.clone())
                .unwrap_or_default(),
            failure_domain: failure_domain.to_owned(),
            ..Scheduled::default()
        })
    })
}

/// Decides about a machine that has a place. Pure: the same input, the same answer, so a machine
/// that stays does so in every pass.
pub fn decide(request: &Request<'_>, current: &Scheduled) -> Decision {
    let (reason, drift) = match look(request, current) {
        Finding::Matches => return Decision::Keep { confirmed: true },
        Finding::Unknown => return Decision::Keep { confirmed: false },
        Finding::Drift(reason, drift) => (reason, drift),
    };
    let stays = |what: &str, waiting| Decision::Surface {
        reason,
        message: bounded(&format!("{drift}; {what}")),
        waiting,
    };
    let spec = &request.vm.spec;
    let edited = current
        .placement_digest
        .as_ref()
        .is_some_and(|recorded| *recorded != digest(spec.placement.as_ref()));
    let may_move = match spec.migration_policy() {
        MigrationPolicy::Never => return stays("migrationPolicy is never", false),
        MigrationPolicy::Automatic => true,
        MigrationPolicy::OnSpecChange => edited,
        MigrationPolicy::Manual => is_migration_requested(request.vm),
    };
    if !may_move {
        return stays(
            "the machine stays; to make it again elsewhere, which loses its disks, set \
             migrationPolicy to manual and the annotation banlieue.io/migrate to \"true\"",
            false,
        );
    }
    match schedule(request) {
        Ok(to) => Decision::Move {
            to,
            reason,
            message: bounded(&drift),
        },
        Err(unschedulable) => stays(&unschedulable.message, true),
    }
}

/// The current place with what the classes are there today, for applying the machine object of a
/// machine that stays. `None` if that cannot be told, because the Provider, its class, the failure
/// domain or a network class is not there: the object then stays as it is.
pub fn stay(request: &Request<'_>, current: &Scheduled) -> Option<Placement> {
    let site = site(request, current)?;
    let class = site.class?;
    let domain = domain(site, current)?;
    Some(Placement {
        provider: current.provider_name.clone(),
        provider_class: class.name_any(),
        backend: class.spec.backend,
        failure_domain: current.failure_domain.clone(),
        storage: zone::storage_classes(site.provider, domain, request.class),
        networks: zone::network_classes(site.provider, domain, request.class)?,
        image: None,
    })
}

/// What `status.scheduled` records of a machine that stays. Targets of classes stay what they were
/// when the machine was made; the digest follows the spec while the place satisfies it.
pub fn kept(
    vm: &VirtualMachine,
    current: &Scheduled,
    decision: &Decision,
    stay: Option<&Placement>,
) -> Scheduled {
    let mut kept = current.clone();
    if let Decision::Keep { confirmed: true } = decision {
        kept.placement_digest = Some(digest(vm.spec.placement.as_ref()));
    }
    if let Some(place) = stay {
        kept.provider_class.clone_from(&place.provider_class);
        kept.resolved_storage = first_meaning(&current.resolved_storage, &place.storage);
        let networks = place.network_classes();
        kept.resolved_networks = first_meaning(&current.resolved_networks, &networks);
    }
    kept
}

/// The classes of today, each with the target that was recorded for it first.
fn first_meaning(recorded: &[ResolvedClass], now: &[ResolvedClass]) -> Vec<ResolvedClass> {
    let first = |class: &ResolvedClass| {
        let mut recorded = recorded.iter();
        let old = recorded.find(|old| old.class_name == class.class_name);
        old.unwrap_or(class).clone()
    };
    now.iter().map(first).collect()
}

enum Finding {
    Matches,
    Unknown,
    Drift(Reason, String),
}

fn look(request: &Request<'_>, current: &Scheduled) -> Finding {
    let provider = &current.provider_name;
    let rules = match Rules::new(request) {
        Ok(rules) => rules,
        Err(unreadable) => return Finding::Drift(unreadable.reason, unreadable.message),
    };
    let Some(site) = site(request, current) else {
        let message = format!("Provider {provider} does not exist");
        return Finding::Drift(Reason::ProviderChanged, message);
    };
    let place = format!("{provider}/{}", current.failure_domain);
    let drift = |reason, rejection: Rejection| {
        Finding::Drift(reason, format!("{place} {}", rejection.detail))
    };
    if let Err(rejection) = rules.selects_provider(site) {
        return drift(Reason::ProviderChanged, rejection);
    }
    let Some(domain) = domain(site, current) else {
        if !is_ready(site) {
            return Finding::Unknown;
        }
        let gone = Rejection::domain_gone(&current.failure_domain);
        return drift(Reason::FailureDomainChanged, gone);
    };
    if let Err(rejection) = rules.selects_domain(domain) {
        return drift(Reason::FailureDomainChanged, rejection);
    }
    if let Err(rejection) = rules.keeps_distance(domain) {
        return drift(rejection.reason, rejection);
    }
    if !is_ready(site) {
        return Finding::Matches;
    }
    let (storage, networks) = match rules.supports(site, domain) {
        Ok(resolved) => resolved,
        Err(rejection) => return drift(rejection.reason, rejection),
    };
    let networks: Vec<ResolvedClass> = networks.into_iter().map(|network| network.class).collect();
    if let Some(message) = remapped("storage", &current.resolved_storage, &storage) {
        return Finding::Drift(Reason::StorageMappingChanged, message);
    }
    match remapped("network", &current.resolved_networks, &networks) {
        Some(message) => Finding::Drift(Reason::NetworkMappingChanged, message),
        None => Finding::Matches,
    }
}

fn domain<'a>(site: &Site<'a>, current: &Scheduled) -> Option<&'a FailureDomain> {
    let mut domains = published(site.provider).iter();
    domains.find(|domain| domain.name == current.failure_domain)
}

fn site<'a>(request: &Request<'a>, current: &Scheduled) -> Option<&'a Site<'a>> {
    let mut sites = request.sites.iter();
    sites.find(|site| site.provider.name_any() == current.provider_name)
}

fn is_ready(site: &Site<'_>) -> bool {
    let status = site.provider.status.as_ref();
    status.is_some_and(|status| is_true(&status.conditions, ConditionType::Ready))
}

/// A class that means another target than when the machine was made. Classes that only one side
/// has come from an edit of the VMClass, which is no matter of place.
fn remapped(what: &str, recorded: &[ResolvedClass], now: &[ResolvedClass]) -> Option<String> {
    recorded.iter().find_map(|old| {
        let new = now.iter().find(|new| new.class_name == old.class_name)?;
        (new.backend_id != old.backend_id).then(|| {
            format!(
                "{what} class {} is {} now, and the machine is on {}",
                old.class_name, new.backend_id, old.backend_id
            )
        })
    })
}

#[cfg(test)]
mod tests;
