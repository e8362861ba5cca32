//! Whom a change concerns.

use std::sync::Arc;

use banlieue_backend::Hint;
use banlieue_core::conditions::{find, is_true};
use banlieue_kit::cache::Cache;
use banlieue_kit::runner::fingerprint;
use banlieue_kit::{Guarded, ObjectRef};
use banlieue_schemas::conditions::ConditionType;
use banlieue_schemas::platform::{Provider, VmImage};
use kube::Resource;

use crate::machine::{Machine, owner_name};

/// What of a Provider's status decides about machines and images: whether its backend answers, and
/// its failure domains without what is free there, which changes all the time.
pub(crate) fn shown(provider: &Provider) -> u64 {
    let Some(status) = &provider.status else {
        return 0;
    };
    let answers = find(&status.conditions, ConditionType::ProviderReachable);
    let domains = status.failure_domains.iter().cloned().map(|mut domain| {
        domain.attributes.free_capacity = None;
        domain
    });
    let domains: Vec<_> = domains.collect();
    fingerprint(&(answers.map(|answers| &answers.status), domains))
}

/// Where an image is ready.
pub(crate) fn rows(image: &VmImage) -> u64 {
    fingerprint(&image.status.as_ref().map(|status| &status.per_provider))
}

/// Every machine.
pub(crate) fn all<M: Machine>(machines: &Cache<M>) -> Vec<ObjectRef<M>> {
    let all = machines.all();
    all.iter().map(reference).collect()
}

/// The machines that wait for something: all that are not ready, or on their way out.
pub(crate) fn waiting<M: Machine>(machines: &Cache<M>) -> Vec<ObjectRef<M>> {
    let all = machines.all();
    all.iter()
        .filter(|machine| waits(machine))
        .map(reference)
        .collect()
}

fn waits<M: Machine>(machine: &Guarded<M>) -> bool {
    let Some(valid) = machine.valid() else {
        return true;
    };
    let conditions = valid.status_view().conditions;
    machine.meta().deletion_timestamp.is_some()
        || is_true(conditions, ConditionType::Paused)
        || !is_true(conditions, ConditionType::Ready)
}

/// The machines that wait and name this image.
pub(crate) fn waiting_for<M: Machine>(machines: &Cache<M>, image: &str) -> Vec<ObjectRef<M>> {
    let waiting = machines.filter(|machine| machine.image_ref() == image);
    waiting
        .into_iter()
        .map(|machine: Arc<M>| Guarded::Valid(machine))
        .filter(waits)
        .map(|machine| reference(&machine))
        .collect()
}

/// The machines that a Cluster API Machine of that name owns.
pub(crate) fn owned_by<M: Machine>(machines: &Cache<M>, owner: &str) -> Vec<ObjectRef<M>> {
    let all = machines.all();
    all.iter()
        .filter(|machine| owner_name(machine.meta()) == Some(owner))
        .map(reference)
        .collect()
}

/// The machines that a hint is about.
pub(crate) fn hinted<M: Machine>(machines: &Cache<M>, hint: &Hint) -> Vec<ObjectRef<M>> {
    let all = machines.all();
    let about = all.iter().filter(|machine| match hint {
        Hint::Any => true,
        Hint::Machine(uid) => machine.meta().uid.as_ref() == Some(uid),
    });
    about.map(reference).collect()
}

fn reference<M: Machine>(machine: &Guarded<M>) -> ObjectRef<M> {
    let meta = machine.meta();
    let name = meta.name.as_deref().unwrap_or_default();
    let namespace = meta.namespace.as_deref().unwrap_or_default();
    ObjectRef::new(name).within(namespace)
}
