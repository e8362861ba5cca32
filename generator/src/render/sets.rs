//! The objects of a set of standalone machines.

use std::collections::BTreeMap;

use banlieue_schemas::{
    common::{KeySelector, LabelSelector, LocalObjectReference},
    fleet::VirtualMachines,
    platform::{AntiAffinity, AntiAffinityMode, Placement, UserDataSource, VirtualMachineSpec},
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelectorRequirement;
use serde_json::{Value, json};

use super::{
    Context, RenderError,
    object::{Object, Place, Removal, metadata, to_value},
    providers::SITE_LABEL,
    scopes, stage, templates,
};
use crate::plan::{SetPlan, names};

/// Label of the machines of one set.
pub const SET_LABEL: &str = banlieue_schemas::labels::SET;
/// Key of user data in a Secret or ConfigMap.
const USER_DATA_KEY: &str = "user-data";

/// Renders a set: its user data where a template makes it, its machines, and its entry.
///
/// # Errors
/// A template that fails.
pub fn objects(context: Context<'_>, plan: &SetPlan) -> Result<Vec<Object>, RenderError> {
    let Some(set) = context.fleet.virtual_machines.get(&plan.key) else {
        return Ok(Vec::new());
    };
    let scope = scopes::set(plan);
    let origin = ["virtualMachines", plan.key.as_str()];
    let place = Place::new(stage::set_folder(plan), &scope, &origin);
    let mut objects = Vec::new();
    let mut user_data = set.user_data.clone();
    if let Some(cloud_init) = &set.cloud_init {
        let name = names::user_data(&plan.key);
        let variables = templates::variables(json!({
            "fleet": { "name": context.fleet.metadata.name },
            "set": { "name": plan.key, "namespace": plan.namespace, "machines": plan.machines },
            "values": cloud_init.values,
        }));
        let template = format!("cloud-init/{}.yaml.j2", cloud_init.template);
        let text = context.templates.render(&template, &variables)?;
        let config_map = json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": metadata(&name, Some(&plan.namespace), &[(SET_LABEL, &names::label(&plan.key))]),
            "data": { USER_DATA_KEY: text },
        });
        objects.push(place.put(config_map, Removal::Prune));
        user_data = Some(UserDataSource {
            config_map_ref: Some(KeySelector {
                name,
                key: Some(USER_DATA_KEY.to_owned()),
            }),
            secret_ref: None,
        });
    }
    for (index, name) in plan.machines.iter().enumerate() {
        objects.push(place.put(
            machine(plan, set, index, name, user_data.clone())?,
            Removal::Prune,
        ));
    }
    let stage = stage::set(context.fleet, plan);
    objects.push(super::bundle::entry(
        context,
        &stage,
        &scope,
        &origin,
        "virtualmachines",
    ));
    Ok(objects)
}

fn machine(
    plan: &SetPlan,
    set: &VirtualMachines,
    index: usize,
    name: &str,
    user_data: Option<UserDataSource>,
) -> Result<Value, RenderError> {
    let spec = VirtualMachineSpec {
        class_ref: LocalObjectReference {
            name: set.class.clone(),
        },
        image_ref: LocalObjectReference {
            name: set.image.clone(),
        },
        placement: placement(plan, set),
        desired_power_state: Some(set.desired_power_state),
        user_data,
        migration_policy: Some(set.migration_policy),
        network_overrides: set
            .network_overrides
            .get(&index.to_string())
            .cloned()
            .unwrap_or_default(),
        ..VirtualMachineSpec::default()
    };
    let mut labels: Vec<(&str, &str)> = set
        .labels
        .iter()
        .map(|(key, value)| (key.as_str(), value.as_str()))
        .collect();
    let label = names::label(&plan.key);
    labels.push((SET_LABEL, &label));
    Ok(json!({
        "apiVersion": format!("{}/{}", banlieue_schemas::PLATFORM_GROUP, banlieue_schemas::VERSION),
        "kind": "VirtualMachine",
        "metadata": metadata(name, Some(&plan.namespace), &labels),
        "spec": to_value("VirtualMachine", &spec)?,
    }))
}

/// Keeps the machines to their sites, and apart from each other.
fn placement(plan: &SetPlan, set: &VirtualMachines) -> Option<Placement> {
    let provider_selector = (!plan.sites.is_empty()).then(|| LabelSelector {
        match_expressions: Some(vec![LabelSelectorRequirement {
            key: SITE_LABEL.to_owned(),
            operator: "In".to_owned(),
            values: Some(plan.sites.iter().map(|site| names::label(site)).collect()),
        }]),
        match_labels: None,
    });
    let apart = AntiAffinity {
        topology_key: "name".to_owned(),
        label_selector: LabelSelector {
            match_labels: Some(BTreeMap::from([(
                SET_LABEL.to_owned(),
                names::label(&plan.key),
            )])),
            match_expressions: None,
        },
        mode: Some(AntiAffinityMode::Preferred),
    };
    let anti_affinity = if set.spread { vec![apart] } else { Vec::new() };
    (provider_selector.is_some() || set.spread).then_some(Placement {
        provider_selector,
        failure_domain_selector: None,
        anti_affinity,
    })
}
