//! All that is read about a Provider. What is not there is an answer, not an error.

use std::collections::BTreeMap;
use std::sync::Arc;

use banlieue_core::workloads::Existing;
use banlieue_kit::cache::Cache;
use banlieue_kit::errors::ApiError;
use banlieue_kit::{Client, Kind, list};
use banlieue_schemas::infrastructure::{LibvirtMachine, SimMachine, VSphereMachine};
use banlieue_schemas::labels;
use banlieue_schemas::manifests::ObjectId;
use banlieue_schemas::manifests::provider_workload::provider_labels;
use banlieue_schemas::platform::{Provider, ProviderClass};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::api::rbac::v1::{ClusterRoleBinding, Role, RoleBinding};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::{Resource, ResourceExt};

use crate::cluster_roles::ClusterRoles;

/// What is known of every kind that the reconciler reads or writes.
#[derive(Clone, Debug)]
pub struct Caches {
    /// Providers of all namespaces.
    pub providers: Cache<Provider>,
    /// All ProviderClasses.
    pub classes: Cache<ProviderClass>,
    /// Identities of processes.
    pub service_accounts: Cache<ServiceAccount>,
    /// What their replicas elect a leader by.
    pub leases: Cache<Lease>,
    /// Rights of single processes.
    pub roles: Cache<Role>,
    /// Grants in a namespace.
    pub role_bindings: Cache<RoleBinding>,
    /// Grants in the cluster.
    pub cluster_role_bindings: Cache<ClusterRoleBinding>,
    /// Processes.
    pub deployments: Cache<Deployment>,
    /// What all processes of a backend are granted.
    pub cluster_roles: ClusterRoles,
}

/// What was found about a Provider.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Its class, if that exists and parses.
    pub class: Option<Arc<ProviderClass>>,
    /// Providers of its name.
    pub namesakes: Vec<Arc<Provider>>,
    /// Deployments with its labels.
    pub deployments: Vec<Arc<Deployment>>,
    /// Whether what all processes of its backend are granted is there.
    pub cluster_role: bool,
}

/// Looks a Provider's class and process up.
pub fn find(caches: &Caches, provider: &Provider) -> Found {
    let class = &provider.spec.provider_class_ref.name;
    let own = provider_labels(provider);
    let class = caches.classes.get(None, class);
    let backend = class.as_ref().map(|class| class.spec.backend);
    Found {
        cluster_role: backend.is_some_and(|backend| caches.cluster_roles.has(backend)),
        class,
        namesakes: caches
            .providers
            .filter(|other| other.metadata.name == provider.metadata.name),
        deployments: caches
            .deployments
            .filter(|deployment| carries(&deployment.metadata, &own)),
    }
}

/// Every object that carries the labels of the Provider.
pub fn existing(caches: &Caches, provider: &Provider) -> Vec<Existing> {
    let own = provider_labels(provider);
    let mut existing = Vec::new();
    add(&mut existing, &caches.service_accounts, &own);
    add(&mut existing, &caches.leases, &own);
    add(&mut existing, &caches.roles, &own);
    add(&mut existing, &caches.role_bindings, &own);
    add(&mut existing, &caches.cluster_role_bindings, &own);
    add(&mut existing, &caches.deployments, &own);
    existing
}

/// Kind of some machine object that names the Provider, asked of the API server. All kinds are
/// looked at, because the class that says which is the right one may be gone.
pub async fn machines(
    client: &Client,
    provider: &ObjectMeta,
) -> Result<Option<&'static str>, ApiError> {
    let name = provider.name.clone().unwrap_or_default();
    let labels = BTreeMap::from([(labels::PROVIDER.to_owned(), name)]);
    let namespace = provider.namespace.as_deref();
    if list::any::<SimMachine>(client, namespace, &labels)
        .await?
        .is_some()
    {
        return Ok(Some("SimMachine"));
    }
    if list::any::<LibvirtMachine>(client, namespace, &labels)
        .await?
        .is_some()
    {
        return Ok(Some("LibvirtMachine"));
    }
    let found = list::any::<VSphereMachine>(client, namespace, &labels).await?;
    Ok(found.map(|_| "VSphereMachine"))
}

/// Identity of an object of a kind.
pub fn id<K: Kind>(meta: &ObjectMeta) -> ObjectId {
    ObjectId {
        group: K::group(&()).into_owned(),
        kind: K::kind(&()).into_owned(),
        namespace: meta.namespace.clone(),
        name: meta.name.clone().unwrap_or_default(),
    }
}

fn add<K: Kind>(existing: &mut Vec<Existing>, cache: &Cache<K>, own: &BTreeMap<String, String>) {
    let objects = cache.all();
    let objects = objects.iter().filter(|object| carries(object.meta(), own));
    existing.extend(objects.map(|object| Existing {
        id: id::<K>(object.meta()),
        labels: object.labels().clone(),
    }));
}

fn carries(meta: &ObjectMeta, own: &BTreeMap<String, String>) -> bool {
    let labels = meta.labels.as_ref();
    own.iter()
        .all(|(key, value)| labels.and_then(|labels| labels.get(key)) == Some(value))
}
