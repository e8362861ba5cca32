//! What to do about a Provider's process. Pure.

use std::sync::Arc;

use banlieue_core::workloads;
use banlieue_kit::events::{Saying, Severity};
use banlieue_schemas::conditions::Reason;
use banlieue_schemas::manifests::Settings;
use banlieue_schemas::manifests::provider_classes::default_spec;
use banlieue_schemas::manifests::provider_workload::{self, ProviderWorkload};
use banlieue_schemas::names::cluster_scoped_workload;
use banlieue_schemas::platform::{
    Backend, DeploymentMode, Provider, ProviderClass, ProviderClassSpec, WorkloadImage,
};
use k8s_openapi::api::apps::v1::Deployment;
use kube::ResourceExt;

use super::dereference::Found;
use crate::cluster_roles;

/// What to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    /// Bring the objects to this, and remove those that it supersedes.
    Apply(Box<Wanted>),
    /// Change nothing. What people are told, if it is not their wish.
    Leave(Option<Saying>),
}

/// A process that should run.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// The class that it was built from.
    pub class: Arc<ProviderClass>,
    /// Its objects.
    pub workload: ProviderWorkload,
}

/// Plans for a Provider that is not being deleted.
pub fn running(settings: &Settings, provider: &Provider, found: &Found) -> Plan {
    let others = found.namesakes.iter().map(AsRef::as_ref);
    let decided = workloads::plan(settings, provider, found.class.as_deref(), others);
    match (decided, &found.class) {
        (workloads::Plan::Apply(_), Some(class)) if !found.cluster_role => {
            let name = cluster_roles::name(class.spec.backend);
            let note = format!(
                "ClusterRole {name} does not exist and so cannot be granted; what runs is left as it is"
            );
            leave(Reason::ClusterRoleMissing, note)
        }
        (workloads::Plan::Apply(workload), Some(class)) => apply(class, *workload),
        (workloads::Plan::NameTaken { namespace }, _) => leave(
            Reason::InvalidSpec,
            format!(
                "the class runs processes of all namespaces in one, where Provider \
                 {namespace}/{} of the same name was first",
                provider.name_any()
            ),
        ),
        (workloads::Plan::ClassMissing, _) => {
            let class = &provider.spec.provider_class_ref.name;
            leave(
                Reason::ProviderClassNotFound,
                format!("ProviderClass {class} does not exist; what runs is left as it is"),
            )
        }
        _ => Plan::Leave(None),
    }
}

/// Plans for a Provider that is being deleted while machines need its process.
///
/// A pause, or a class that is gone, holds changes back but not the end: a process that vanished is
/// started again. `going` says that the namespace is being deleted too, so that it has to be
/// started elsewhere; where it was started once it stays.
pub fn serving(settings: &Settings, provider: &Provider, found: &Found, going: bool) -> Plan {
    let known = found.class.clone();
    let Some(class) = known.or_else(|| remembered(provider).map(Arc::new)) else {
        return Plan::Leave(None);
    };
    let external = class.spec.deployment() == DeploymentMode::External;
    let paused = class.spec.paused == Some(true) || provider.spec.paused == Some(true);
    let held = paused || found.class.is_none();
    if (held && (external || runs(found))) || (going && external) {
        return Plan::Leave(None);
    }
    if going || in_refuge(settings, provider, found) {
        return apply(
            &class,
            provider_workload::refuge(settings, provider, &class),
        );
    }
    let others = found.namesakes.iter().map(AsRef::as_ref);
    match workloads::build(settings, provider, &class, others) {
        workloads::Plan::Apply(workload) => apply(&class, *workload),
        _ => Plan::Leave(None),
    }
}

/// Whether a Deployment is there that is not going.
pub fn runs(found: &Found) -> bool {
    live(found).next().is_some()
}

fn live(found: &Found) -> impl Iterator<Item = &Deployment> {
    let deployments = found.deployments.iter().map(AsRef::as_ref);
    deployments.filter(|deployment| deployment.metadata.deletion_timestamp.is_none())
}

fn in_refuge(settings: &Settings, provider: &Provider, found: &Found) -> bool {
    let class = &provider.spec.provider_class_ref.name;
    let namespace = provider.namespace().unwrap_or_default();
    let name = cluster_scoped_workload(class, &namespace, &provider.name_any());
    live(found).any(|deployment| {
        deployment.namespace().as_ref() == Some(&settings.namespace)
            && deployment.name_any() == name
    })
}

/// A class that is gone, as far as the Provider's status and endpoint tell.
fn remembered(provider: &Provider) -> Option<ProviderClass> {
    let recorded = provider.status.as_ref()?.workload.as_ref()?;
    let image = WorkloadImage {
        repository: recorded.image.clone()?,
        ..WorkloadImage::default()
    };
    let endpoint = &provider.spec.connection.endpoint;
    let is_meant = |backend: &Backend| endpoint.starts_with(backend.endpoint_scheme());
    let backend = Backend::ALL.into_iter().find(is_meant)?;
    let elsewhere = provider.namespace().as_ref() != Some(&recorded.namespace);
    let spec = ProviderClassSpec {
        workload_namespace: elsewhere.then(|| recorded.namespace.clone()),
        ..default_spec(backend, image)
    };
    Some(ProviderClass::new(
        &provider.spec.provider_class_ref.name,
        spec,
    ))
}

fn apply(class: &Arc<ProviderClass>, workload: ProviderWorkload) -> Plan {
    let class = Arc::clone(class);
    Plan::Apply(Box::new(Wanted { class, workload }))
}

fn leave(reason: Reason, note: String) -> Plan {
    Plan::Leave(Some(Saying {
        severity: Severity::Warning,
        reason,
        action: "Run",
        note,
    }))
}

#[cfg(test)]
mod tests;
