//! What processes may read in the namespaces of the fleet, and nowhere else.

use std::collections::BTreeSet;

use banlieue_schemas::{
    fleet::Fleet,
    manifests::{
        Settings,
        rbac::{self, Account},
    },
    names::workload,
};
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use serde_json::Value;

use super::{RenderError, object::to_value};
use crate::plan::{Plan, ProviderPlan};

/// Roles and bindings for each namespace of the fleet: provider processes read bootstrap data, the
/// controller reads user data, and the operator holds exactly the credentials that it hands on.
///
/// # Errors
/// None that a fleet can cause.
pub fn objects(fleet: &Fleet, settings: &Settings, plan: &Plan) -> Result<Vec<Value>, RenderError> {
    let mut objects = Vec::new();
    let mut add = |(role, binding): (Role, RoleBinding)| -> Result<(), RenderError> {
        objects.push(to_value("Role", &role)?);
        objects.push(to_value("RoleBinding", &binding)?);
        Ok(())
    };
    for namespace in &plan.namespaces {
        let here: Vec<&ProviderPlan> = plan
            .providers
            .iter()
            .filter(|provider| &provider.namespace == namespace)
            .collect();
        let accounts: Vec<Account> = here
            .iter()
            .map(|provider| account(fleet, provider))
            .collect();
        if !accounts.is_empty() {
            add(rbac::bootstrap_data(namespace, &accounts))?;
        }
        add(rbac::user_data(settings, namespace))?;
        let (secrets, config_maps) = credentials(fleet, &here);
        rbac::operator_credentials(settings, namespace, &secrets, &config_maps)
            .map_or(Ok(()), &mut add)?;
    }
    Ok(objects)
}

/// The ServiceAccount that the operator gives to a Provider's process.
fn account(fleet: &Fleet, provider: &ProviderPlan) -> Account {
    let class = fleet.provider_classes.get(&provider.class);
    let namespace = class.and_then(|class| class.workload_namespace.clone());
    Account {
        namespace: namespace.unwrap_or_else(|| provider.namespace.clone()),
        name: workload(&provider.class, &provider.name),
    }
}

/// Names of the Secrets and ConfigMaps that the Providers refer to, sorted.
fn credentials(fleet: &Fleet, providers: &[&ProviderPlan]) -> (Vec<String>, Vec<String>) {
    let mut secrets = BTreeSet::new();
    let mut config_maps = BTreeSet::new();
    for provider in providers {
        let Some(site) = fleet.sites.get(&provider.site) else {
            continue;
        };
        let zone = provider.zone.as_ref().and_then(|zone| site.zones.get(zone));
        let own = zone.and_then(|zone| zone.credentials.as_ref());
        secrets.extend(own.or(site.credentials.as_ref()).map(|c| c.secret.clone()));
        if let Some(bundle) = &site.ca_bundle {
            secrets.extend(
                bundle
                    .secret_ref
                    .as_ref()
                    .map(|reference| reference.name.clone()),
            );
            config_maps.extend(
                bundle
                    .config_map_ref
                    .as_ref()
                    .map(|reference| reference.name.clone()),
            );
        }
    }
    (
        secrets.into_iter().collect(),
        config_maps.into_iter().collect(),
    )
}
