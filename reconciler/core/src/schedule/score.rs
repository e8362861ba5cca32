//! Scores: the order of the candidates that no filter refused.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use banlieue_schemas::platform::{FailureDomain, FreeCapacity};
use kube::ResourceExt;
use sha2::{Digest, Sha256};

use super::filter::others;
use super::group::{Peer, group, value_of};
use super::{Placement, Request, Rules, Site};
use crate::hardware::Hardware;

type Candidate<'a> = (&'a Site<'a>, &'a FailureDomain, Placement);

/// The parts of a score in the order in which they count; the lowest wins.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Score {
    does_not_fit: bool,
    unwanted_neighbours: usize,
    group_in_domain: usize,
    group_on_provider: usize,
    room: Reverse<u32>,
    hash: [u8; 32],
}

/// The best candidate, `None` if there is none.
pub(super) fn best(
    request: &Request<'_>,
    rules: &Rules<'_>,
    candidates: Vec<Candidate<'_>>,
) -> Option<Placement> {
    let group = Group::of(request, rules);
    let need = need(request);
    let rooms: Vec<Option<u64>> = candidates
        .iter()
        .map(|(_, domain, _)| {
            let free = domain.attributes.free_capacity.as_ref();
            free.and_then(|free| room(free, &need))
        })
        .collect();
    let middle = middle(&rooms);
    let scored = candidates.into_iter().zip(rooms).map(|(candidate, room)| {
        let (site, domain, placement) = candidate;
        let provider = site.provider.name_any();
        let score = Score {
            does_not_fit: room == Some(0),
            unwanted_neighbours: unwanted_neighbours(rules, domain),
            group_in_domain: group.in_domain(&provider, &domain.name),
            group_on_provider: group.on_provider(&provider),
            room: Reverse(room.unwrap_or(middle).checked_ilog2().unwrap_or_default()),
            hash: hash(request, &provider, &domain.name),
        };
        (score, placement)
    });
    scored
        .min_by(|(one, _), (other, _)| one.cmp(other))
        .map(|(_, placement)| placement)
}

/// Where the machines are that this one is spread from.
struct Group<'a> {
    domains: BTreeMap<(&'a str, &'a str), usize>,
    providers: BTreeMap<&'a str, usize>,
}

impl<'a> Group<'a> {
    fn of(request: &Request<'a>, rules: &Rules<'a>) -> Self {
        let distances = rules.required.iter().chain(&rules.preferred);
        let peers: Vec<&Peer<'_>> = group(request.vm, distances, others(request));
        let mut counts = Self {
            domains: BTreeMap::new(),
            providers: BTreeMap::new(),
        };
        for place in peers.into_iter().filter_map(Peer::settled) {
            let domain = (place.provider, place.failure_domain);
            *counts.domains.entry(domain).or_default() += 1;
            *counts.providers.entry(place.provider).or_default() += 1;
        }
        counts
    }

    fn in_domain(&self, provider: &str, domain: &str) -> usize {
        self.domains.get(&(provider, domain)).copied().unwrap_or(0)
    }

    fn on_provider(&self, provider: &str) -> usize {
        self.providers.get(provider).copied().unwrap_or(0)
    }
}

/// Machines that this one prefers to be away from. In a failure domain without the label all of
/// them may be near.
fn unwanted_neighbours(rules: &Rules<'_>, domain: &FailureDomain) -> usize {
    let near =
        rules
            .preferred
            .iter()
            .map(|distance| match value_of(domain, distance.topology_key) {
                Some(value) => distance.too_close(value).len(),
                None => distance.peers().len(),
            });
    near.sum()
}

/// What one machine takes.
struct Need {
    cpus: u64,
    memory_mib: u64,
    storage_gib: BTreeMap<String, u64>,
}

fn need(request: &Request<'_>) -> Need {
    let class = &request.class.spec;
    let overridden = request.vm.spec.hardware_override.as_ref();
    // An override that cannot be realised is reported when the machine is resolved.
    let hardware = Hardware::of(class, overridden).unwrap_or_else(|_| Hardware::of_class(class));
    let mut storage_gib = BTreeMap::new();
    for disk in &hardware.disks {
        *storage_gib.entry(disk.storage_class.clone()).or_default() += u64::from(disk.size_gib);
    }
    Need {
        cpus: hardware.cpus.into(),
        memory_mib: hardware.memory_mib.into(),
        storage_gib,
    }
}

/// How many such machines fit, by the scarcest of what is known; `None` if nothing is.
fn room(free: &FreeCapacity, need: &Need) -> Option<u64> {
    let cpus = free.cpus.map(|free| (u64::from(free), need.cpus));
    let memory = free.memory_mib.map(|free| (free, need.memory_mib));
    let storage = free.storage.iter().filter_map(|free| {
        let needed = need.storage_gib.get(&free.storage_class)?;
        Some((free.size_gib, *needed))
    });
    let known = cpus.into_iter().chain(memory).chain(storage);
    known
        .filter_map(|(free, need)| free.checked_div(need))
        .min()
}

/// The middle of what is known, for what is not.
fn middle(rooms: &[Option<u64>]) -> u64 {
    let mut known: Vec<u64> = rooms.iter().copied().flatten().collect();
    known.sort_unstable();
    known.get(known.len() / 2).copied().unwrap_or_default()
}

fn hash(request: &Request<'_>, provider: &str, domain: &str) -> [u8; 32] {
    let uid = request.vm.metadata.uid.as_deref().unwrap_or_default();
    let mut hasher = Sha256::new();
    for part in [uid, provider, domain] {
        hasher.update(part);
        // Not part of any name, so that no two candidates are one text.
        hasher.update([0]);
    }
    hasher.finalize().into()
}
