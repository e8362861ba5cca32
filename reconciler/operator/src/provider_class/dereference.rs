//! All that is read about a ProviderClass.

use banlieue_kit::cache::Cache;
use banlieue_schemas::platform::{Provider, ProviderClass};
use kube::ResourceExt;

use crate::cluster_roles::ClusterRoles;

/// What is known of every kind that the reconciler reads or writes.
#[derive(Clone, Debug)]
pub struct Caches {
    /// All ProviderClasses.
    pub classes: Cache<ProviderClass>,
    /// Providers of all namespaces.
    pub providers: Cache<Provider>,
    /// The shared ClusterRoles of the backends.
    pub cluster_roles: ClusterRoles,
}

/// What was found about a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// How many Providers name it.
    pub providers: usize,
    /// Whether the shared ClusterRole of its backend exists.
    pub cluster_role: bool,
}

/// Looks up who uses a class, and what its processes need.
pub fn find(caches: &Caches, class: &ProviderClass) -> Found {
    let name = class.name_any();
    let of_class = |provider: &Provider| provider.spec.provider_class_ref.name == name;
    Found {
        providers: caches.providers.filter(of_class).len(),
        cluster_role: caches.cluster_roles.has(class.spec.backend),
    }
}
