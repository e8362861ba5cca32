//! The other machines: which of them belong together, and where they are.

use std::collections::BTreeMap;

use banlieue_schemas::common::StringMap;
use banlieue_schemas::labels;
use banlieue_schemas::platform::{FailureDomain, VirtualMachine};
use kube::ResourceExt;

use super::{Site, published};
use crate::selector::Matcher;

/// Label that names a failure domain in its own labels.
const NAME: &str = "name";

/// What scheduling reads of a machine of the namespace. A caller that placed machines whose status
/// it has not read back yet adds their places here.
#[derive(Clone, Debug)]
pub struct Peer<'a> {
    /// Its UID.
    pub uid: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its labels.
    pub labels: &'a StringMap,
    /// UID of its controller.
    pub owner: Option<&'a str>,
    /// Name of its VMClass.
    pub class: &'a str,
    /// Where it runs.
    pub place: Option<PeerPlace<'a>>,
    /// Where it is being moved.
    pub destination: Option<PeerPlace<'a>>,
}

/// A place that a peer takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerPlace<'a> {
    /// Name of the Provider.
    pub provider: &'a str,
    /// Name of the failure domain.
    pub failure_domain: &'a str,
}

impl<'a> Peer<'a> {
    /// The view of a machine, as its status says.
    pub fn of(vm: &'a VirtualMachine) -> Self {
        let status = vm.status.as_ref();
        let scheduled = status.and_then(|status| status.scheduled.as_ref());
        let migration = status.and_then(|status| status.migration.as_ref());
        Self {
            uid: vm.metadata.uid.as_deref().unwrap_or_default(),
            name: vm.metadata.name.as_deref().unwrap_or_default(),
            labels: vm.labels(),
            owner: controller(vm),
            class: &vm.spec.class_ref.name,
            place: scheduled.map(|scheduled| PeerPlace {
                provider: &scheduled.provider_name,
                failure_domain: &scheduled.failure_domain,
            }),
            destination: migration.map(|migration| PeerPlace {
                provider: &migration.to.provider_name,
                failure_domain: &migration.to.failure_domain,
            }),
        }
    }

    /// Where it will be when nothing moves any more.
    pub(super) fn settled(&self) -> Option<PeerPlace<'a>> {
        self.destination.or(self.place)
    }

    /// Where it may be at this moment.
    fn places(&self) -> impl Iterator<Item = PeerPlace<'a>> {
        [self.place, self.destination].into_iter().flatten()
    }
}

/// An anti-affinity, with the machines that it selects.
#[derive(Debug)]
pub(crate) struct Distance<'a> {
    pub(super) topology_key: &'a str,
    peers: Vec<&'a Peer<'a>>,
    by_value: BTreeMap<&'a str, Vec<&'a Peer<'a>>>,
}

impl<'a> Distance<'a> {
    pub(super) fn new(
        topology_key: &'a str,
        selector: &Matcher,
        others: impl Iterator<Item = &'a Peer<'a>>,
        sites: &'a [Site<'a>],
    ) -> Self {
        let mut distance = Self {
            topology_key,
            peers: others
                .filter(|peer| selector.matches(peer.labels))
                .collect(),
            by_value: BTreeMap::new(),
        };
        for &peer in &distance.peers {
            for place in peer.places() {
                if let Some(value) = value_at(sites, place, topology_key) {
                    distance.by_value.entry(value).or_default().push(peer);
                }
            }
        }
        distance
    }

    /// Every machine that is selected, wherever it is.
    pub(super) fn peers(&self) -> &[&'a Peer<'a>] {
        &self.peers
    }

    /// Machines whose failure domain has this value of the key. A machine whose failure domain is
    /// no longer published, or lacks the label, is nowhere near.
    pub(super) fn too_close(&self, value: &str) -> &[&'a Peer<'a>] {
        self.by_value.get(value).map_or(&[], Vec::as_slice)
    }
}

fn value_at<'a>(sites: &'a [Site<'a>], place: PeerPlace<'_>, key: &str) -> Option<&'a str> {
    let site = sites
        .iter()
        .find(|site| site.provider.metadata.name.as_deref() == Some(place.provider))?;
    let domain = published(site.provider)
        .iter()
        .find(|domain| domain.name == place.failure_domain)?;
    value_of(domain, key)
}

/// The value of a failure domain's label. `name` is always known.
pub(super) fn value_of<'a>(domain: &'a FailureDomain, key: &str) -> Option<&'a str> {
    let label = domain.labels.get(key).map(String::as_str);
    label.or_else(|| (key == NAME).then_some(domain.name.as_str()))
}

/// The machines to spread from: those that an anti-affinity selects, else those of the same set,
/// else of the same controller, else of the same class.
pub(super) fn group<'d, 'a: 'd>(
    vm: &VirtualMachine,
    distances: impl Iterator<Item = &'d Distance<'a>>,
    others: impl Iterator<Item = &'a Peer<'a>>,
) -> Vec<&'a Peer<'a>> {
    let mut distances = distances.peekable();
    if distances.peek().is_some() {
        let all = distances.flat_map(Distance::peers);
        let by_uid: BTreeMap<&str, &Peer<'_>> = all.map(|peer| (peer.uid, *peer)).collect();
        return by_uid.into_values().collect();
    }
    let set = vm.labels().get(labels::SET);
    let owner = controller(vm);
    others
        .filter(|peer| {
            if set.is_some() {
                peer.labels.get(labels::SET) == set
            } else if owner.is_some() {
                peer.owner == owner
            } else {
                peer.class == vm.spec.class_ref.name
            }
        })
        .collect()
}

fn controller(vm: &VirtualMachine) -> Option<&str> {
    let mut owners = vm.owner_references().iter();
    let controller = owners.find(|owner| owner.controller == Some(true));
    controller.map(|owner| owner.uid.as_str())
}
