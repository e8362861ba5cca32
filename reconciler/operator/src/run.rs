//! Watches, and which of their news concern which reconciler.

use banlieue_kit::cache::{Cache, Watch, WatchOptions, Watches};
use banlieue_kit::runner::{self, CutOff, Reporting, Runner, Trigger, fingerprint};
use banlieue_kit::{CancellationToken, Client, Kind, ObjectRef};
use banlieue_schemas::access::Workload;
use banlieue_schemas::labels;
use banlieue_schemas::manifests::Settings;
use banlieue_schemas::platform::{Provider, ProviderClass};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding, Role, RoleBinding};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::cluster_roles::ClusterRoles;
use crate::provider_class::{self, ProviderClasses};
use crate::workloads::{Caches, Workloads};

/// What differs between two operators.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The platform around it: its namespace, that of builds, and what processes log.
    pub settings: Settings,
    /// Limits of each reconciler.
    pub limits: runner::Config,
}

/// Every kind that the operator watches.
struct Watched {
    providers: Watch<Provider>,
    classes: Watch<ProviderClass>,
    service_accounts: Watch<ServiceAccount>,
    leases: Watch<Lease>,
    roles: Watch<Role>,
    role_bindings: Watch<RoleBinding>,
    cluster_role_bindings: Watch<ClusterRoleBinding>,
    deployments: Watch<Deployment>,
    /// One watch for each name: the operator may see no other ClusterRole.
    cluster_roles: Vec<Watch<ClusterRole>>,
}

/// Reconciles Providers and ProviderClasses until `shutdown`, or until the future is dropped.
pub async fn run(
    client: Client,
    config: Config,
    reporting: Reporting,
    shutdown: CancellationToken,
) -> Result<(), CutOff> {
    let mut drivers = Watches::new(client.clone(), reporting.health.clone());
    let watched = watch(&mut drivers);
    let workloads = watched.workloads(client.clone(), config.clone(), reporting.clone());
    let classes = watched.provider_classes(client, config.limits, reporting);
    let running = async {
        tokio::try_join!(
            workloads.run(shutdown.clone()),
            classes.run(shutdown.clone())
        )
    };
    tokio::select! {
        () = drivers.run() => Ok(()),
        ended = running => ended.map(drop),
    }
}

fn watch(watches: &mut Watches) -> Watched {
    let own = || WatchOptions {
        labels: Some(labels::PROVIDER_CLASS.to_owned()),
        managed_fields: true,
        ..WatchOptions::default()
    };
    let mut named = |name: &str| {
        watches.add(WatchOptions {
            fields: Some(format!("metadata.name={name}")),
            ..WatchOptions::default()
        })
    };
    let cluster_roles = Workload::PROVIDERS.map(|workload| named(workload.name()));
    Watched {
        cluster_roles: cluster_roles.into(),
        providers: watches.add(WatchOptions::default()),
        classes: watches.add(WatchOptions::default()),
        service_accounts: watches.add(own()),
        leases: watches.add(own()),
        roles: watches.add(own()),
        role_bindings: watches.add(own()),
        cluster_role_bindings: watches.add(own()),
        deployments: watches.add(own()),
    }
}

impl Watched {
    fn workloads(&self, client: Client, config: Config, reporting: Reporting) -> Runner<Workloads> {
        let reconciler = Workloads {
            client,
            settings: config.settings,
            caches: Caches {
                providers: self.providers.cache().clone(),
                classes: self.classes.cache().clone(),
                service_accounts: self.service_accounts.cache().clone(),
                leases: self.leases.cache().clone(),
                roles: self.roles.cache().clone(),
                role_bindings: self.role_bindings.cache().clone(),
                cluster_role_bindings: self.cluster_role_bindings.cache().clone(),
                deployments: self.deployments.cache().clone(),
                cluster_roles: self.known_cluster_roles(),
            },
            events: reporting.events.clone(),
        };
        let of_class = self.providers.cache().clone();
        let namesakes = self.providers.cache().clone();
        let (objects, limits) = (&self.providers, config.limits);
        let mut runner = Runner::new(reconciler, objects, Trigger::Intent, limits, reporting)
            .watches(&self.classes, Trigger::Intent, move |class| {
                providers_of(&of_class, class)
            })
            // A name that was taken is free once the other Provider is gone.
            .watches(&self.providers, Trigger::Intent, move |provider| {
                namesakes_of(&namesakes, provider)
            })
            .watches(&self.service_accounts, Trigger::Intent, provider_of)
            .watches(&self.leases, Trigger::Metadata, provider_of)
            .watches(&self.roles, Trigger::Intent, provider_of)
            .watches(&self.role_bindings, Trigger::Intent, provider_of)
            .watches(&self.cluster_role_bindings, Trigger::Intent, provider_of)
            .watches(&self.deployments, Trigger::IntentAnd(ready), provider_of);
        for roles in &self.cluster_roles {
            let every = self.providers.cache().clone();
            runner = runner.watches(roles, Trigger::Intent, move |_| all(&every));
        }
        runner
    }

    fn known_cluster_roles(&self) -> ClusterRoles {
        ClusterRoles::new(self.cluster_roles.iter().map(|watch| watch.cache().clone()))
    }

    fn provider_classes(
        &self,
        client: Client,
        limits: runner::Config,
        reporting: Reporting,
    ) -> Runner<ProviderClasses> {
        let reconciler = ProviderClasses {
            client,
            caches: provider_class::Caches {
                classes: self.classes.cache().clone(),
                providers: self.providers.cache().clone(),
                cluster_roles: self.known_cluster_roles(),
            },
        };
        // A Provider that changed its class concerns two, of which only one is known.
        let every = || {
            let classes = self.classes.cache().clone();
            move |_: &ObjectMeta| all(&classes)
        };
        let mut runner = Runner::new(
            reconciler,
            &self.classes,
            Trigger::Intent,
            limits,
            reporting,
        )
        .watches(&self.providers, Trigger::Intent, every());
        for roles in &self.cluster_roles {
            runner = runner.watches(roles, Trigger::Intent, every());
        }
        runner
    }
}

/// What of a Deployment's status shows on its Provider.
fn ready(deployment: &Deployment) -> u64 {
    let status = deployment.status.as_ref();
    fingerprint(&status.and_then(|status| status.ready_replicas))
}

/// The Provider whose process an object is for.
fn provider_of(meta: &ObjectMeta) -> Option<ObjectRef<Provider>> {
    let labels = meta.labels.as_ref()?;
    let name = labels.get(labels::PROVIDER)?;
    let namespace = labels.get(labels::PROVIDER_NAMESPACE)?;
    Some(ObjectRef::new(name).within(namespace))
}

fn providers_of(providers: &Cache<Provider>, class: &ObjectMeta) -> Vec<ObjectRef<Provider>> {
    let class = class.name.as_deref().unwrap_or_default();
    let of_class = providers.filter(|provider| provider.spec.provider_class_ref.name == class);
    references(&of_class)
}

fn namesakes_of(providers: &Cache<Provider>, provider: &ObjectMeta) -> Vec<ObjectRef<Provider>> {
    let namesakes = providers.filter(|other| {
        other.metadata.name == provider.name && other.metadata.namespace != provider.namespace
    });
    references(&namesakes)
}

fn all<K: Kind>(cache: &Cache<K>) -> Vec<ObjectRef<K>> {
    references(&cache.list())
}

fn references<K: Kind>(objects: &[std::sync::Arc<K>]) -> Vec<ObjectRef<K>> {
    objects
        .iter()
        .map(|object| ObjectRef::from_obj(&**object))
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use serde_json::{from_value, json};

    use super::*;

    fn provider(namespace: &str, name: &str, class: &str) -> Provider {
        from_value(json!({
            "apiVersion": "banlieue.io/v1alpha1", "kind": "Provider",
            "metadata": { "name": name, "namespace": namespace },
            "spec": {
                "providerClassRef": { "name": class },
                "connection": { "endpoint": "sim://local" },
            },
        }))
        .unwrap()
    }

    fn named(found: impl IntoIterator<Item = ObjectRef<Provider>>) -> Vec<String> {
        let mut names: Vec<String> = found
            .into_iter()
            .map(|found| format!("{}/{}", found.namespace.unwrap(), found.name))
            .collect();
        names.sort();
        names
    }

    #[test]
    fn an_edited_class_concerns_its_providers_in_all_namespaces() {
        let providers = Cache::of([
            provider("a", "one", "sim"),
            provider("b", "one", "sim"),
            provider("b", "two", "canary"),
        ]);
        let class = ObjectMeta {
            name: Some("sim".into()),
            ..ObjectMeta::default()
        };
        assert_eq!(named(providers_of(&providers, &class)), ["a/one", "b/one"]);
    }

    #[test]
    fn a_provider_concerns_those_that_may_want_its_names() {
        let first = provider("a", "one", "sim");
        let others = [provider("b", "one", "sim"), provider("a", "two", "sim")];
        let providers = Cache::of([first.clone()].into_iter().chain(others));
        assert_eq!(named(namesakes_of(&providers, &first.metadata)), ["b/one"]);
    }

    #[test]
    fn an_object_names_its_provider_by_labels_wherever_it_is() {
        let mut meta: ObjectMeta = from_value(json!({
            "name": "x", "namespace": "workers",
            "labels": { "banlieue.io/provider": "one", "banlieue.io/provider-namespace": "a" },
        }))
        .unwrap();
        assert_eq!(named(provider_of(&meta)), ["a/one"]);
        meta.labels.as_mut().unwrap().remove(labels::PROVIDER);
        assert!(provider_of(&meta).is_none());
    }

    #[test]
    fn of_a_deployments_status_only_ready_replicas_count() {
        let deployment = |status| {
            let deployment: Deployment =
                from_value(json!({ "metadata": {}, "status": status })).unwrap();
            ready(&deployment)
        };
        let one = deployment(json!({ "readyReplicas": 1 }));
        assert_eq!(
            one,
            deployment(json!({ "readyReplicas": 1, "replicas": 2 }))
        );
        assert_ne!(one, deployment(json!({ "replicas": 2 })));
    }
}
