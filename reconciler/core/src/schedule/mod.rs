//! The scheduler: where a machine is made, or why nowhere.
//!
//! Every failure domain of every Provider in the machine's namespace is a candidate. Filters refuse
//! candidates, each with a reason; scores order the rest. Ties are broken by a hash of the
//! machine's UID and the candidate, so that a fleet spreads instead of piling on the first name.
//!
//! Candidates are compared by, in this order:
//!
//! 1. whether the machine fits into what is known to be free;
//! 2. machines that it prefers to be away from;
//! 3. machines of its group in the failure domain, then on the Provider;
//! 4. how many machines of its shape fit, in powers of two; unknown counts as the middle;
//! 5. the hash.

mod filter;
mod group;
mod reasons;
mod score;
#[cfg(test)]
mod tests;
pub(crate) mod zone;

use banlieue_schemas::common::SubnetDefaults;
use banlieue_schemas::conditions::Reason;
use banlieue_schemas::platform::{
    Backend, Provider, ProviderClass, ResolvedClass, Scheduled, VirtualMachine, VmClass, VmImage,
};
use kube::ResourceExt;

pub use group::Peer;
pub use reasons::Rejection;

pub(crate) use filter::Rules;
pub(crate) use zone::published;

/// What a decision about the place of one machine looks at.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The machine.
    pub vm: &'a VirtualMachine,
    /// Its class.
    pub class: &'a VmClass,
    /// Its image.
    pub image: &'a VmImage,
    /// Every Provider of its namespace.
    pub sites: &'a [Site<'a>],
    /// The machines of its namespace. The machine itself never counts, so it may be among them.
    pub peers: &'a [Peer<'a>],
}

/// A Provider and its class.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// The Provider.
    pub provider: &'a Provider,
    /// Its ProviderClass, `None` if that does not exist.
    pub class: Option<&'a ProviderClass>,
}

/// A place, and what the machine's classes are there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Name of the Provider.
    pub provider: String,
    /// Name of the ProviderClass.
    pub provider_class: String,
    /// Backend of the ProviderClass, which decides the kind of the machine object.
    pub backend: Backend,
    /// Name of the failure domain.
    pub failure_domain: String,
    /// What each storage class is there, sorted by class.
    pub storage: Vec<ResolvedClass>,
    /// What each network class is there, sorted by class.
    pub networks: Vec<ResolvedNetwork>,
    /// What the backend calls the image there, if it says so.
    pub image: Option<String>,
}

/// A network class in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedNetwork {
    /// The class, and what the backend calls it.
    pub class: ResolvedClass,
    /// What the subnet gives a guest.
    pub subnet: SubnetDefaults,
}

impl Placement {
    /// What `status.scheduled` records of the place. `digest` is that of the placement which the
    /// place satisfies, see [`placement::digest`](crate::placement::digest).
    pub fn scheduled(&self, digest: String) -> Scheduled {
        Scheduled {
            provider_name: self.provider.clone(),
            provider_class: self.provider_class.clone(),
            failure_domain: self.failure_domain.clone(),
            placement_digest: Some(digest),
            resolved_storage: self.storage.clone(),
            resolved_networks: self.network_classes(),
        }
    }

    /// What each network class is there, without its subnet.
    pub fn network_classes(&self) -> Vec<ResolvedClass> {
        let networks = self.networks.iter();
        networks.map(|network| network.class.clone()).collect()
    }
}

/// Why a machine has no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unschedulable {
    /// The reason of the candidates that came closest.
    pub reason: Reason,
    /// Every candidate that was refused, grouped by why. Bounded, and equal for equal input.
    pub message: String,
}

/// Finds the best place.
pub fn schedule(request: &Request<'_>) -> Result<Placement, Unschedulable> {
    let rules = Rules::new(request)?;
    rules.image_fits_class()?;
    let mut candidates = Vec::new();
    let mut refused = reasons::Refused::default();
    for site in request.sites {
        let provider = site.provider.name_any();
        let class = match rules.open(site) {
            Ok(class) => class,
            Err(rejection) => {
                refused.add(provider, rejection);
                continue;
            }
        };
        let domains = published(site.provider);
        if domains.is_empty() {
            refused.add(provider, Rejection::no_failure_domain());
            continue;
        }
        for domain in domains {
            match rules.place(site, class, domain) {
                Ok(placement) => candidates.push((site, domain, placement)),
                Err(rejection) => refused.add(format!("{provider}/{}", domain.name), rejection),
            }
        }
    }
    score::best(request, &rules, candidates).ok_or_else(|| refused.summary())
}

/// What [`schedule`] would answer if this were the only failure domain.
pub fn at(
    request: &Request<'_>,
    provider: &str,
    failure_domain: &str,
) -> Result<Placement, Unschedulable> {
    let only: Vec<Site<'_>> = request
        .sites
        .iter()
        .copied()
        .filter(|site| site.provider.name_any() == provider)
        .collect();
    let rules = Rules::new(request)?;
    rules.image_fits_class()?;
    let mut refused = reasons::Refused::default();
    for site in &only {
        let domain = published(site.provider)
            .iter()
            .find(|domain| domain.name == failure_domain);
        let placement = rules.open(site).and_then(|class| match domain {
            Some(domain) => rules.place(site, class, domain),
            None => Err(Rejection::domain_gone(failure_domain)),
        });
        match placement {
            Ok(placement) => return Ok(placement),
            Err(rejection) => refused.add(format!("{provider}/{failure_domain}"), rejection),
        }
    }
    Err(refused.summary())
}
