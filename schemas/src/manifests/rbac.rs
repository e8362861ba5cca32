//! Identities and rights, built from [`access`].

use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::api::rbac::v1::{
    ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef, Subject,
};

use super::object::{metadata, metadata_in, strings};
use super::settings::Settings;
use crate::access::{self, Rule, Workload};

const API_GROUP: &str = "rbac.authorization.k8s.io";
/// Label by which Cluster API's manager takes a ClusterRole's rules over.
const AGGREGATE_TO_CAPI: &str = "cluster.x-k8s.io/aggregate-to-manager";
/// Name of the Role, in the build namespace, with which provider processes import artifacts.
/// The operator binds each Provider's ServiceAccount to it.
pub const IMPORT_ROLE: &str = "banlieue-provider-import";
/// Name of the ServiceAccount, in the build namespace, of the Pods that import and push.
pub const IMPORT_ACCOUNT: &str = "banlieue-import";
/// Name of the Role and RoleBinding made by [`bootstrap_data`].
pub const BOOTSTRAP_DATA_ROLE: &str = "banlieue-bootstrap-data";
/// Name of the Role and RoleBinding made by [`user_data`].
pub const USER_DATA_ROLE: &str = "banlieue-controller-userdata";
/// Name of the Role and RoleBinding made by [`operator_credentials`].
pub const OPERATOR_CREDENTIALS_ROLE: &str = "banlieue-operator-credentials";

/// A ServiceAccount, as the subject of a binding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Account {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

/// ServiceAccount of a workload that runs in the platform's namespace.
pub fn service_account(settings: &Settings, workload: Workload) -> ServiceAccount {
    ServiceAccount {
        metadata: metadata_in(
            &settings.namespace,
            workload.name(),
            Some(workload.component()),
        ),
        ..ServiceAccount::default()
    }
}

/// ServiceAccount of the Pods that import and push artifacts. It has no rights, and no token.
pub fn import_account(settings: &Settings) -> ServiceAccount {
    ServiceAccount {
        metadata: metadata_in(
            &settings.image_builder_namespace,
            IMPORT_ACCOUNT,
            Some("import"),
        ),
        automount_service_account_token: Some(false),
        ..ServiceAccount::default()
    }
}

/// ClusterRole of a workload.
pub fn cluster_role(workload: Workload) -> ClusterRole {
    let mut metadata = metadata(workload.name(), Some(workload.component()));
    if workload == Workload::CapiInfrastructure {
        let label = strings([(AGGREGATE_TO_CAPI, "true")]);
        metadata.labels.get_or_insert_default().extend(label);
    }
    ClusterRole {
        metadata,
        rules: Some(policy_rules(&access::cluster_rules(workload))),
        ..ClusterRole::default()
    }
}

/// Grants a workload of the platform's namespace its ClusterRole.
pub fn cluster_role_binding(settings: &Settings, workload: Workload) -> ClusterRoleBinding {
    ClusterRoleBinding {
        metadata: metadata(workload.name(), Some(workload.component())),
        role_ref: role_ref("ClusterRole", workload.name()),
        subjects: Some(vec![subject(&account(settings, workload))]),
    }
}

/// Role of a workload in its own namespace, `None` if it needs none.
pub fn own_role(settings: &Settings, workload: Workload) -> Option<(Role, RoleBinding)> {
    let rules = access::namespaced_rules(workload);
    let component = workload.component();
    (!rules.is_empty()).then(|| {
        let accounts = [account(settings, workload)];
        role(
            &settings.namespace,
            workload.name(),
            component,
            &rules,
            &accounts,
        )
    })
}

/// Role of a workload of the platform's namespace in the build namespace, `None` if it needs none.
pub fn build_role(settings: &Settings, workload: Workload) -> Option<(Role, RoleBinding)> {
    let rules = access::build_namespace_rules(workload);
    let component = workload.component();
    (!rules.is_empty()).then(|| {
        let accounts = [account(settings, workload)];
        let namespace = &settings.image_builder_namespace;
        role(namespace, workload.name(), component, &rules, &accounts)
    })
}

/// Role in the build namespace to which the operator binds provider processes.
pub fn import_role(settings: &Settings) -> Role {
    Role {
        metadata: metadata_in(
            &settings.image_builder_namespace,
            IMPORT_ROLE,
            Some("import"),
        ),
        // The rules of all backends that import are the same.
        rules: Some(policy_rules(&access::build_namespace_rules(
            Workload::ProviderVsphere,
        ))),
    }
}

/// Lets provider processes read the bootstrap data of the clusters in `namespace`.
pub fn bootstrap_data(namespace: &str, providers: &[Account]) -> (Role, RoleBinding) {
    let rules = access::bootstrap_data_rules();
    role(
        namespace,
        BOOTSTRAP_DATA_ROLE,
        "provider",
        &rules,
        providers,
    )
}

/// Lets the controller read the user data of the VirtualMachines in `namespace`.
pub fn user_data(settings: &Settings, namespace: &str) -> (Role, RoleBinding) {
    let controller = Workload::Controller;
    let accounts = [account(settings, controller)];
    let rules = access::user_data_rules();
    role(
        namespace,
        USER_DATA_ROLE,
        controller.component(),
        &rules,
        &accounts,
    )
}

/// Lets the operator grant each Provider's process in `namespace` its credentials: it has to hold
/// what it grants. The names are those of all Providers in the namespace; `None` without any.
pub fn operator_credentials<N: AsRef<str>>(
    settings: &Settings,
    namespace: &str,
    secrets: &[N],
    config_maps: &[N],
) -> Option<(Role, RoleBinding)> {
    let rules = access::credential_rules(secrets, config_maps);
    let operator = Workload::Operator;
    (!rules.is_empty()).then(|| {
        let accounts = [account(settings, operator)];
        role(
            namespace,
            OPERATOR_CREDENTIALS_ROLE,
            operator.component(),
            &rules,
            &accounts,
        )
    })
}

/// The form in which RBAC objects hold rules.
pub fn policy_rules(rules: &[Rule]) -> Vec<PolicyRule> {
    let owned = |texts: &[&str]| {
        texts
            .iter()
            .map(|text| (*text).to_owned())
            .collect::<Vec<_>>()
    };
    rules
        .iter()
        .map(|rule| PolicyRule {
            api_groups: Some(vec![rule.api_group.to_owned()]),
            resources: Some(owned(&rule.resources)),
            verbs: owned(&rule.verbs),
            resource_names: (!rule.resource_names.is_empty()).then(|| rule.resource_names.clone()),
            non_resource_urls: None,
        })
        .collect()
}

fn role(
    namespace: &str,
    name: &str,
    component: &str,
    rules: &[Rule],
    accounts: &[Account],
) -> (Role, RoleBinding) {
    let role = Role {
        metadata: metadata_in(namespace, name, Some(component)),
        rules: Some(policy_rules(rules)),
    };
    let binding = RoleBinding {
        metadata: metadata_in(namespace, name, Some(component)),
        role_ref: role_ref("Role", name),
        subjects: Some(accounts.iter().map(subject).collect()),
    };
    (role, binding)
}

fn account(settings: &Settings, workload: Workload) -> Account {
    Account {
        namespace: settings.namespace.clone(),
        name: workload.name().to_owned(),
    }
}

pub(super) fn role_ref(kind: &str, name: &str) -> RoleRef {
    RoleRef {
        api_group: Some(API_GROUP.to_owned()),
        kind: kind.to_owned(),
        name: name.to_owned(),
    }
}

pub(super) fn subject(account: &Account) -> Subject {
    Subject {
        api_group: None,
        kind: "ServiceAccount".to_owned(),
        name: account.name.clone(),
        namespace: Some(account.namespace.clone()),
    }
}
