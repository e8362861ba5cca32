//! The objects that run one Provider's process: its identity, its rights, its Deployment.
//!
//! The operator applies them, one set for each Provider. Every object carries the labels by which
//! the set is found again when its Provider or its class changed.

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::api::rbac::v1::{ClusterRoleBinding, PolicyRule, Role, RoleBinding};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::{Resource, ResourceExt};

use super::object::{labels, strings};
use super::rbac::{Account, IMPORT_ROLE, policy_rules, role_ref, subject};
use super::settings::Settings;
use super::workloads::{Process, build_namespace, deployment_spec, identity};
use crate::access::{self, Workload};
use crate::labels as keys;
use crate::names::{cluster_scoped_workload, workload};
use crate::platform::{Backend, DeploymentMode, Provider, ProviderClass, PullPolicy, WorkloadRule};

/// The objects of one Provider's process.
///
/// Those in the Provider's namespace have an owner reference to it. The others, which the garbage
/// collector would not find, are removed by whoever made them.
#[derive(Clone, Debug, PartialEq)]
pub struct ProviderWorkload {
    /// Identity of the process.
    pub service_account: ServiceAccount,
    /// What its replicas elect their leader by. It is made here and not by the process, so that it
    /// goes with the rest, and the process needs no right to make one, which cannot be limited to a
    /// name.
    pub lease: Lease,
    /// Its Lease and what it needs to log in, each where it is, with the rules that the class adds.
    pub roles: Vec<Role>,
    /// Grants of `roles`, and of the Role to import images in the build namespace where the
    /// backend needs it.
    pub role_bindings: Vec<RoleBinding>,
    /// Grant of what every process of this backend may do.
    pub cluster_role_binding: ClusterRoleBinding,
    /// The process. `None` where somebody else runs it, or where the class has no image.
    pub deployment: Option<Deployment>,
}

/// Who acts on the API server for the Providers of a backend.
pub fn provider_workload(backend: Backend) -> Workload {
    match backend {
        Backend::Vsphere => Workload::ProviderVsphere,
        Backend::Libvirt => Workload::ProviderLibvirt,
        Backend::Sim => Workload::ProviderSim,
    }
}

/// Namespace in which the process of a Provider runs.
pub fn namespace(provider: &Provider, class: &ProviderClass) -> String {
    let own = || provider.namespace().unwrap_or_default();
    class.spec.workload_namespace.clone().unwrap_or_else(own)
}

/// Labels of every object of a Provider's process, whichever its class.
pub fn provider_labels(provider: &Provider) -> BTreeMap<String, String> {
    strings([
        (keys::PROVIDER, provider.name_any().as_str()),
        (
            keys::PROVIDER_NAMESPACE,
            provider.namespace().unwrap_or_default().as_str(),
        ),
    ])
}

/// The objects of a Provider's process.
pub fn build(settings: &Settings, provider: &Provider, class: &ProviderClass) -> ProviderWorkload {
    let account = Account {
        namespace: namespace(provider, class),
        name: workload(&class.name_any(), &provider.name_any()),
    };
    build_as(account, settings, provider, class)
}

/// The objects of a process in the platform's namespace, for a Provider in whose own nothing can be
/// made any more because it is being deleted. There is no Role in that namespace among them: the
/// process cannot log in, unless the backend takes it without credentials, and lets machines go
/// that a person gave up.
pub fn refuge(settings: &Settings, provider: &Provider, class: &ProviderClass) -> ProviderWorkload {
    let namespace = provider.namespace();
    let account = Account {
        namespace: settings.namespace.clone(),
        // Providers of several namespaces may meet here.
        name: shared_name(provider, class),
    };
    let mut workload = build_as(account, settings, provider, class);
    workload.roles.retain(|role| role.namespace() != namespace);
    let bindings = &mut workload.role_bindings;
    bindings.retain(|binding| binding.namespace() != namespace);
    workload
}

fn build_as(
    account: Account,
    settings: &Settings,
    provider: &Provider,
    class: &ProviderClass,
) -> ProviderWorkload {
    let set = Set {
        settings,
        provider,
        class,
        backend: class.spec.backend,
        account,
    };
    let roles = set.roles();
    let mut role_bindings: Vec<RoleBinding> = roles.iter().map(|role| set.binding(role)).collect();
    role_bindings.extend(set.import_binding());
    ProviderWorkload {
        service_account: ServiceAccount {
            metadata: set.metadata(&set.account.namespace, &set.account.name),
            ..ServiceAccount::default()
        },
        lease: Lease {
            metadata: set.metadata(&set.account.namespace, &set.account.name),
            ..Lease::default()
        },
        roles,
        role_bindings,
        cluster_role_binding: set.cluster_role_binding(),
        deployment: set.deployment(),
    }
}

struct Set<'a> {
    settings: &'a Settings,
    provider: &'a Provider,
    class: &'a ProviderClass,
    backend: Backend,
    account: Account,
}

impl Set<'_> {
    fn provider_namespace(&self) -> String {
        self.provider.namespace().unwrap_or_default()
    }

    fn labels(&self) -> BTreeMap<String, String> {
        let component = provider_workload(self.backend).component();
        let mut all = labels(Some(component));
        all.extend(provider_labels(self.provider));
        all.insert(keys::PROVIDER_CLASS.to_owned(), self.class.name_any());
        all
    }

    fn metadata(&self, namespace: &str, name: &str) -> ObjectMeta {
        let reference = self.provider.controller_owner_ref(&());
        let same_namespace = namespace == self.provider_namespace();
        let owners = reference
            .filter(|_| same_namespace)
            .map(|owner| vec![owner]);
        ObjectMeta {
            name: Some(name.to_owned()),
            namespace: Some(namespace.to_owned()),
            labels: Some(self.labels()),
            owner_references: owners,
            ..ObjectMeta::default()
        }
    }

    /// The Lease is where the process runs, credentials and trust are where the Provider is; what
    /// the class adds holds where the Provider is.
    fn roles(&self) -> Vec<Role> {
        let (secrets, config_maps) = self.credentials();
        let lease = policy_rules(&access::provider_instance_rules::<String>(
            &self.account.name,
            &[],
            &[],
        ));
        let mut own = policy_rules(&access::credential_rules(&secrets, &config_maps));
        own.extend(self.class.spec.additional_rules.iter().map(additional));
        if self.account.namespace == self.provider_namespace() {
            let rules = lease.into_iter().chain(own).collect();
            return vec![self.role(&self.account.namespace, &self.account.name, rules)];
        }
        let mut roles = vec![self.role(&self.account.namespace, &self.account.name, lease)];
        if !own.is_empty() {
            roles.push(self.role(&self.provider_namespace(), &self.account.name, own));
        }
        roles
    }

    fn role(&self, namespace: &str, name: &str, rules: Vec<PolicyRule>) -> Role {
        Role {
            metadata: self.metadata(namespace, name),
            rules: Some(rules),
        }
    }

    /// Secrets and ConfigMaps that the process reads. Inline trust needs none.
    fn credentials(&self) -> (Vec<String>, Vec<String>) {
        let connection = &self.provider.spec.connection;
        let bundle = connection.ca_bundle.as_ref();
        let trusted = bundle.and_then(|bundle| bundle.secret_ref.as_ref());
        let credentials = connection.credentials_ref.as_ref();
        let mut secrets: Vec<String> = credentials
            .map(|secret| secret.name.clone())
            .into_iter()
            .chain(trusted.map(|secret| secret.name.clone()))
            .collect();
        secrets.dedup();
        let config_map = bundle.and_then(|bundle| bundle.config_map_ref.as_ref());
        let config_maps = config_map.map(|map| map.name.clone());
        (secrets, config_maps.into_iter().collect())
    }

    fn binding(&self, role: &Role) -> RoleBinding {
        let name = role.name_any();
        RoleBinding {
            metadata: role.metadata.clone(),
            role_ref: role_ref("Role", &name),
            subjects: Some(vec![subject(&self.account)]),
        }
    }

    fn import_binding(&self) -> Option<RoleBinding> {
        let namespace = &self.settings.image_builder_namespace;
        let rules = access::build_namespace_rules(provider_workload(self.backend));
        (!rules.is_empty()).then(|| RoleBinding {
            metadata: self.metadata(namespace, &shared_name(self.provider, self.class)),
            role_ref: role_ref("Role", IMPORT_ROLE),
            subjects: Some(vec![subject(&self.account)]),
        })
    }

    fn cluster_role_binding(&self) -> ClusterRoleBinding {
        ClusterRoleBinding {
            metadata: ObjectMeta {
                name: Some(shared_name(self.provider, self.class)),
                labels: Some(self.labels()),
                ..ObjectMeta::default()
            },
            role_ref: role_ref("ClusterRole", provider_workload(self.backend).name()),
            subjects: Some(vec![subject(&self.account)]),
        }
    }

    fn deployment(&self) -> Option<Deployment> {
        let spec = &self.class.spec;
        let managed = spec.deployment() == DeploymentMode::Managed;
        let image = spec.image.as_ref().filter(|_| managed)?;
        let mut env = identity();
        env.push(build_namespace(self.settings));
        let process = Process {
            name: "provider",
            args: self.args(),
            env,
            image: image.reference(),
            pull_policy: image.pull_policy.map(PullPolicy::as_str).map(str::to_owned),
            pull_secrets: image.pull_secrets.iter().map(|s| s.name.clone()).collect(),
            service_account: self.account.name.clone(),
            labels: self.labels(),
            resources: spec.resources.clone(),
            node_selector: spec.node_selector.clone(),
            tolerations: spec.tolerations.clone(),
        };
        Some(Deployment {
            metadata: self.metadata(&self.account.namespace, &self.account.name),
            spec: Some(deployment_spec(spec.replicas(), process)),
            status: None,
        })
    }

    /// The Lease is in the Pod's namespace.
    fn args(&self) -> Vec<String> {
        let logging = self.class.spec.logging.clone().unwrap_or_default();
        let level = logging
            .level
            .unwrap_or_else(|| self.settings.log_level.clone());
        vec![
            "provider".to_owned(),
            self.backend.to_string(),
            format!("--provider-name={}", self.provider.name_any()),
            format!("--namespace={}", self.provider_namespace()),
            format!("--lease-name={}", self.account.name),
            format!(
                "--log-format={}",
                logging.format.unwrap_or_default().as_str()
            ),
            format!("--log-level={level}"),
        ]
    }
}

/// Name of objects where Providers of several namespaces have theirs.
fn shared_name(provider: &Provider, class: &ProviderClass) -> String {
    cluster_scoped_workload(
        &class.name_any(),
        &provider.namespace().unwrap_or_default(),
        &provider.name_any(),
    )
}

fn additional(rule: &WorkloadRule) -> PolicyRule {
    PolicyRule {
        api_groups: Some(rule.api_groups.clone()),
        resources: Some(rule.resources.clone()),
        verbs: rule.verbs.clone(),
        resource_names: (!rule.resource_names.is_empty()).then(|| rule.resource_names.clone()),
        non_resource_urls: None,
    }
}

#[cfg(test)]
mod tests;
