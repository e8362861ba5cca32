//! The objects that run a Provider's process: which are wanted, and which are superseded.
//!
//! The objects themselves are built by [`provider_workload`]. A set is found again by its labels,
//! whatever its class was called or whichever namespace it ran in.

mod class;

use std::collections::BTreeSet;

use banlieue_schemas::common::StringMap;
use banlieue_schemas::labels;
use banlieue_schemas::manifests::Settings;
use banlieue_schemas::manifests::object::{ObjectId, object_id, to_value};
use banlieue_schemas::manifests::provider_workload::{self, ProviderWorkload};
use banlieue_schemas::platform::{DeploymentMode, Provider, ProviderClass, WorkloadStatus};
use k8s_openapi::api::apps::v1::Deployment;
use kube::ResourceExt;

pub use class::class_status;

/// What the operator does about a Provider.
#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    /// Apply these objects, then remove those that are [`superseded`].
    Apply(Box<ProviderWorkload>),
    /// Its ProviderClass does not exist. What runs keeps running.
    ClassMissing,
    /// It or its class is paused. What runs keeps running.
    Paused,
    /// In the namespace that the class chose for all processes, another Provider has the name.
    NameTaken {
        /// Namespace of the other Provider.
        namespace: String,
    },
    /// It is being deleted: remove everything that carries its labels, its finalizer last.
    Remove,
}

/// An object that exists and carries the labels of a Provider's process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Existing {
    /// Which object it is.
    pub id: ObjectId,
    /// Its labels.
    pub labels: StringMap,
}

/// Decides about one Provider. `others` are the Providers of all namespaces.
pub fn plan<'a>(
    settings: &Settings,
    provider: &Provider,
    class: Option<&ProviderClass>,
    others: impl Iterator<Item = &'a Provider>,
) -> Plan {
    if provider.metadata.deletion_timestamp.is_some() {
        return Plan::Remove;
    }
    let Some(class) = class else {
        return Plan::ClassMissing;
    };
    if class.spec.paused == Some(true) || provider.spec.paused == Some(true) {
        return Plan::Paused;
    }
    build(settings, provider, class, others)
}

/// The objects of a process, whatever is paused or being deleted, unless their names are taken.
pub fn build<'a>(
    settings: &Settings,
    provider: &Provider,
    class: &ProviderClass,
    others: impl Iterator<Item = &'a Provider>,
) -> Plan {
    match rival(provider, class, others) {
        Some(namespace) => Plan::NameTaken { namespace },
        None => Plan::Apply(Box::new(provider_workload::build(
            settings, provider, class,
        ))),
    }
}

/// Identities of the objects of a set. The error is that of serialisation.
pub fn wanted(workload: &ProviderWorkload) -> Result<BTreeSet<ObjectId>, serde_json::Error> {
    // Without `..`, so that a new kind of object does not compile until it is listed.
    let ProviderWorkload {
        service_account,
        lease,
        roles,
        role_bindings,
        cluster_role_binding,
        deployment,
    } = workload;
    let mut values = vec![
        to_value(service_account)?,
        to_value(lease)?,
        to_value(cluster_role_binding)?,
    ];
    for role in roles {
        values.push(to_value(role)?);
    }
    for binding in role_bindings {
        values.push(to_value(binding)?);
    }
    if let Some(deployment) = deployment {
        values.push(to_value(deployment)?);
    }
    Ok(values.iter().map(object_id).collect())
}

/// The objects of a Provider that are no longer wanted, in a fixed order. What does not carry the
/// labels of exactly this Provider is never among them.
pub fn superseded(
    provider: &Provider,
    wanted: &BTreeSet<ObjectId>,
    existing: &[Existing],
) -> Vec<ObjectId> {
    let own = provider_workload::provider_labels(provider);
    let is_own = |object: &&Existing| {
        let carries = |(key, value)| object.labels.get(key) == Some(value);
        own.iter().all(carries) && object.labels.contains_key(labels::PROVIDER_CLASS)
    };
    let superseded: BTreeSet<&ObjectId> = existing
        .iter()
        .filter(is_own)
        .map(|object| &object.id)
        .filter(|id| !wanted.contains(*id))
        .collect();
    superseded.into_iter().cloned().collect()
}

/// What `status.workload` shows. `ready_replicas` is what the Deployment says, if there is one.
pub fn status(
    provider: &Provider,
    class: &ProviderClass,
    workload: &ProviderWorkload,
    ready_replicas: Option<i32>,
) -> WorkloadStatus {
    let deployment = workload.deployment.as_ref();
    WorkloadStatus {
        mode: class.spec.deployment(),
        namespace: workload.service_account.namespace().unwrap_or_default(),
        deployment_name: deployment.map(ResourceExt::name_any),
        image: deployment.and_then(image),
        ready_replicas: match class.spec.deployment() {
            DeploymentMode::Managed => Some(ready_replicas.unwrap_or(0)),
            DeploymentMode::External => None,
        },
        observed_generation: provider.metadata.generation,
    }
}

/// Image of a process.
fn image(deployment: &Deployment) -> Option<String> {
    let pod = deployment.spec.as_ref()?.template.spec.as_ref()?;
    pod.containers.first()?.image.clone()
}

/// Processes of one namespace are told apart by class and Provider. Where a class puts those of
/// several namespaces into one, the Provider that was there first keeps the name.
fn rival<'a>(
    provider: &Provider,
    class: &ProviderClass,
    others: impl Iterator<Item = &'a Provider>,
) -> Option<String> {
    class.spec.workload_namespace.as_ref()?;
    let age = |provider: &Provider| {
        let created = provider.metadata.creation_timestamp.clone();
        (created.is_none(), created, provider.namespace())
    };
    others
        .filter(|other| other.name_any() == provider.name_any())
        .filter(|other| other.namespace() != provider.namespace())
        .filter(|other| other.spec.provider_class_ref == provider.spec.provider_class_ref)
        .filter(|other| age(other) < age(provider))
        .min_by_key(|other| age(other))
        .and_then(ResourceExt::namespace)
}

#[cfg(test)]
mod tests;
