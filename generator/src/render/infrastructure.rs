//! The infrastructure cluster: which Providers carry a cluster, and where its control plane runs.

use banlieue_schemas::{
    common::{LabelSelector, LocalObjectReference},
    fleet::Cluster,
    infrastructure::{ApiEndpoint, InfraClusterSpec},
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelectorRequirement;
use serde_json::{Value, json};

use super::{
    RenderError, machines,
    object::{metadata, to_value},
};
use crate::plan::ClusterPlan;

/// The infrastructure cluster of a cluster.
///
/// # Errors
/// A spec that has no JSON form; none of ours.
pub fn cluster(plan: &ClusterPlan, cluster: &Cluster) -> Result<Value, RenderError> {
    let kind = kind(plan);
    let spec = InfraClusterSpec {
        control_plane_endpoint: cluster.control_plane.endpoint.as_ref().map(|endpoint| {
            ApiEndpoint {
                host: endpoint.host.clone(),
                port: i32::from(endpoint.port),
            }
        }),
        provider_refs: plan
            .providers
            .iter()
            .map(|name| LocalObjectReference { name: name.clone() })
            .collect(),
        control_plane_failure_domain_selector: control_plane_domains(plan),
        paused: cluster.paused,
        ..InfraClusterSpec::default()
    };
    let labels = [(
        banlieue_schemas::capi::CLUSTER_NAME_LABEL,
        plan.name.as_str(),
    )];
    Ok(json!({
        "apiVersion": format!("{}/{}", banlieue_schemas::INFRASTRUCTURE_GROUP, banlieue_schemas::VERSION),
        "kind": kind,
        "metadata": metadata(&plan.name, Some(&plan.namespace), &labels),
        "spec": to_value(&kind, &spec)?,
    }))
}

/// Kind of the infrastructure cluster.
pub fn kind(plan: &ClusterPlan) -> String {
    format!("{}Cluster", machines::kind_prefix(plan.backend))
}

/// Selects the planned failure domains by name, so that Cluster API places the members where the
/// plan's promises were proven.
fn control_plane_domains(plan: &ClusterPlan) -> Option<LabelSelector> {
    let domains = &plan.control_plane.domains;
    (!domains.is_empty()).then(|| LabelSelector {
        match_expressions: Some(vec![LabelSelectorRequirement {
            key: "name".to_owned(),
            operator: "In".to_owned(),
            values: Some(domains.clone()),
        }]),
        match_labels: None,
    })
}
