//! The objects of one cluster.

use std::collections::BTreeMap;

use banlieue_schemas::{
    capi::{
        self, Bootstrap, CapiObject, ClusterNetwork, ClusterSpec, ContractReference, HealthChecks,
        MachineDeploymentSpec, MachineHealthCheckSpec, MachineSpec, MachineTemplate, NetworkRanges,
        Remediation, RemediationTrigger, UnhealthyNodeCondition,
    },
    fleet::{Cluster, Resources},
    infrastructure::{ApiEndpoint, TemplateMetadata},
    names::exact_hash,
};
use k8s_openapi::apimachinery::pkg::{
    apis::meta::v1::{LabelSelector, ObjectMeta},
    util::intstr::IntOrString,
};
use serde_json::{Value, json};

use super::{
    Context, RenderError,
    bundle::parse,
    infrastructure,
    machines::{self, Owner},
    object::{Object, Place, Removal, metadata, to_value},
    scopes, stage, templates,
};
use crate::plan::{ClusterPlan, clusters::DomainPlan, names};

/// Label of machines whose resources are not guaranteed.
pub const RESOURCES_LABEL: (&str, &str) = ("banlieue.io/resources", "best-effort");
/// Label with the tier.
pub const TIER_LABEL: &str = "banlieue.io/tier";

/// Renders a cluster: templates first, then what refers to them, and its entry in the engine.
///
/// Only the `Cluster` itself is pruned when its files go; Cluster API then removes the rest in
/// the right order. Pruning all at once would orphan machines.
///
/// # Errors
/// A template that fails or makes no acceptable object.
pub fn objects(context: Context<'_>, plan: &ClusterPlan) -> Result<Vec<Object>, RenderError> {
    let Some(cluster) = context.fleet.clusters.get(&plan.key) else {
        return Ok(Vec::new());
    };
    let scope = scopes::cluster(plan);
    let folder = stage::cluster_folder(plan);
    let origin = ["clusters", plan.key.as_str()];
    let place = Place::new(&folder, &scope, &origin);
    let shelf = Place::new(
        format!("{folder}/templates"),
        &scopes::templates(plan),
        &origin,
    );

    let labels = machine_labels(plan);
    let mut objects = Vec::new();
    let mut machine_template = |class: &str, role: &str| -> Result<_, RenderError> {
        let Some(spec) = context.fleet.classes.get(class) else {
            return Err(shape("", format!("class `{class}` is not in the fleet")));
        };
        let owner = Owner {
            cluster: &plan.name,
            namespace: &plan.namespace,
            role,
        };
        let made = machines::template(plan.backend, spec, &cluster.image, owner, &labels)?;
        objects.push(shelf.put(made.value, Removal::Keep));
        Ok(ContractReference {
            api_group: banlieue_schemas::INFRASTRUCTURE_GROUP.to_owned(),
            kind: made.kind,
            name: made.name,
        })
    };
    let workers = machine_template(&plan.worker_class, "workers")?;
    let members = plan
        .control_plane_class
        .as_deref()
        .map(|class| machine_template(class, "cp"))
        .transpose()?;

    let variables = variables(context, plan, cluster, &labels, members.as_ref());
    let kind = to_value("control plane kind", &cluster.control_plane.kind)?;
    let kind = kind.as_str().unwrap_or_default();
    let bootstrap = bootstrap(context, plan, kind, &variables)?;
    let bootstrap_ref = reference(&bootstrap);
    objects.push(shelf.put(bootstrap, Removal::Keep));
    let control_plane = control_plane(context, plan, kind, &variables)?;
    let control_plane_ref = reference(&control_plane);

    objects.push(place.put(infrastructure::cluster(plan, cluster)?, Removal::Keep));
    objects.push(place.put(control_plane, Removal::Keep));
    objects.push(place.put(
        capi_cluster(plan, cluster, control_plane_ref)?,
        Removal::Prune,
    ));
    for domain in &plan.domains {
        let deployment = deployment(plan, cluster, domain, &workers, &bootstrap_ref)?;
        let file = format!("workers-{}.yaml", domain.name);
        objects.push(place.put_as(&file, deployment, Removal::Keep));
    }
    objects.push(place.put(health_check(plan)?, Removal::Keep));
    for name in context.templates.names_in("capi/extra/") {
        let mut extra = template_object(context, name, &variables)?;
        fill_metadata(&mut extra, plan, None);
        objects.push(place.put(extra, Removal::Keep));
    }
    objects.push(entry(context, plan));
    Ok(objects)
}

/// The cluster's entry in the engine's folder.
fn entry(context: Context<'_>, plan: &ClusterPlan) -> Object {
    let stage = stage::cluster(context.fleet, plan);
    super::bundle::entry(
        context,
        &stage,
        &scopes::cluster(plan),
        &["clusters", &plan.key],
        "clusters",
    )
}

fn machine_labels(plan: &ClusterPlan) -> Value {
    match plan.resources {
        Resources::Guaranteed => json!({}),
        Resources::BestEffort => json!({ RESOURCES_LABEL.0: RESOURCES_LABEL.1 }),
    }
}

/// What every template of a cluster gets. `docs/templates.md` is the list for users.
fn variables(
    context: Context<'_>,
    plan: &ClusterPlan,
    cluster: &Cluster,
    labels: &Value,
    members: Option<&ContractReference>,
) -> minijinja::Value {
    let endpoint = cluster.control_plane.endpoint.as_ref();
    let node_labels: Vec<String> = cluster
        .workers
        .labels
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    let template = members.map(|reference| {
        json!({
            "api_group": reference.api_group,
            "api_version": format!("{}/{}", reference.api_group, banlieue_schemas::VERSION),
            "kind": reference.kind,
            "name": reference.name,
        })
    });
    templates::variables(json!({
        "fleet": { "name": context.fleet.metadata.name },
        "cluster": {
            "key": plan.key,
            "name": plan.name,
            "namespace": plan.namespace,
            "tier": plan.tier,
            "version": cluster.version,
            "image": cluster.image,
            "labels": cluster.labels,
            "values": cluster.values,
        },
        "control_plane": {
            "replicas": plan.control_plane.replicas,
            "host": endpoint.map(|e| &e.host),
            "port": endpoint.map_or(6443, |e| e.port),
        },
        "machines": { "labels": labels, "template": template },
        "network": {
            "pods": cluster.network.pods,
            "services": cluster.network.services,
            "domain": cluster.network.domain,
        },
        "workers": {
            "replicas": plan.workers(),
            "labels": cluster.workers.labels,
            "node_labels": node_labels.join(","),
        },
    }))
}

/// The workers' bootstrap configuration, named after its content: a change of it in place would
/// roll nothing.
fn bootstrap(
    context: Context<'_>,
    plan: &ClusterPlan,
    kind: &str,
    variables: &minijinja::Value,
) -> Result<Value, RenderError> {
    let mut object = template_object(context, &format!("capi/{kind}/workers.yaml.j2"), variables)?;
    let hash = exact_hash(&object, names::HASH_LENGTH);
    fill_metadata(
        &mut object,
        plan,
        Some(&names::template(&plan.name, "bootstrap", &hash)),
    );
    Ok(object)
}

fn control_plane(
    context: Context<'_>,
    plan: &ClusterPlan,
    kind: &str,
    variables: &minijinja::Value,
) -> Result<Value, RenderError> {
    let name = format!("capi/{kind}/control-plane.yaml.j2");
    let mut object = template_object(context, &name, variables)?;
    fill_metadata(&mut object, plan, Some(&names::control_plane(&plan.name)));
    Ok(object)
}

/// Renders a template that makes one object.
fn template_object(
    context: Context<'_>,
    name: &str,
    variables: &minijinja::Value,
) -> Result<Value, RenderError> {
    let text = context.templates.render(name, variables)?;
    let value = parse(name, &text)?;
    for field in ["apiVersion", "kind"] {
        if !value.get(field).is_some_and(Value::is_string) {
            return Err(shape(name, format!("makes an object without `{field}`")));
        }
    }
    Ok(value)
}

/// Sets name, namespace and the label that Cluster API finds a cluster's objects by. A name of
/// the template's own is kept where none is given.
fn fill_metadata(object: &mut Value, plan: &ClusterPlan, name: Option<&str>) {
    let own = object
        .pointer("/metadata/name")
        .and_then(Value::as_str)
        .map(str::to_owned);
    let name = name
        .map(str::to_owned)
        .or(own)
        .unwrap_or_else(|| plan.name.clone());
    let labels = [(capi::CLUSTER_NAME_LABEL, plan.name.as_str())];
    let mut filled = metadata(&name, Some(&plan.namespace), &labels);
    if let Some(Value::Object(given)) = object.get("metadata").cloned() {
        for (key, value) in given {
            match (key.as_str(), value) {
                ("labels", Value::Object(labels)) => {
                    for (label, text) in labels {
                        filled["labels"][label] = text;
                    }
                }
                ("name" | "namespace", _) => {}
                (_, value) => filled[key] = value,
            }
        }
    }
    object["metadata"] = filled;
}

fn reference(object: &Value) -> ContractReference {
    let text = |pointer: &str| {
        object
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let group = text("/apiVersion")
        .split_once('/')
        .map_or("", |(group, _)| group);
    ContractReference {
        api_group: group.to_owned(),
        kind: text("/kind").to_owned(),
        name: text("/metadata/name").to_owned(),
    }
}

fn capi_cluster(
    plan: &ClusterPlan,
    cluster: &Cluster,
    control_plane: ContractReference,
) -> Result<Value, RenderError> {
    let mut labels: BTreeMap<String, String> = cluster.labels.clone();
    labels.insert(TIER_LABEL.to_owned(), names::label(&plan.tier));
    let ranges = |blocks: &[String]| {
        Some(NetworkRanges {
            cidr_blocks: blocks.to_vec(),
        })
    };
    let network = &cluster.network;
    let object = CapiObject::new(
        meta(plan, &plan.name, labels),
        ClusterSpec {
            cluster_network: Some(ClusterNetwork {
                pods: ranges(&network.pods),
                services: ranges(&network.services),
                service_domain: Some(network.domain.clone()),
            }),
            control_plane_endpoint: cluster.control_plane.endpoint.as_ref().map(|endpoint| {
                ApiEndpoint {
                    host: endpoint.host.clone(),
                    port: i32::from(endpoint.port),
                }
            }),
            control_plane_ref: Some(control_plane),
            infrastructure_ref: Some(ContractReference {
                api_group: banlieue_schemas::INFRASTRUCTURE_GROUP.to_owned(),
                kind: infrastructure::kind(plan),
                name: plan.name.clone(),
            }),
            paused: cluster.paused.then_some(true),
        },
    );
    to_value("Cluster", &object)
}

/// The workers of one failure domain. A spare has a deployment of none: no engine deletes one that
/// leaves git, so its last workers go by its number. With autoscaling the number is the
/// autoscaler's: a number here would take machines away at every sync.
fn deployment(
    plan: &ClusterPlan,
    cluster: &Cluster,
    domain: &DomainPlan,
    machines: &ContractReference,
    bootstrap: &ContractReference,
) -> Result<Value, RenderError> {
    let own = BTreeMap::from([
        (capi::CLUSTER_NAME_LABEL.to_owned(), plan.name.clone()),
        (
            capi::DEPLOYMENT_NAME_LABEL.to_owned(),
            domain.deployment.clone(),
        ),
    ]);
    let mut labels = own.clone();
    if plan.resources == Resources::BestEffort {
        labels.insert(RESOURCES_LABEL.0.to_owned(), RESOURCES_LABEL.1.to_owned());
    }
    let autoscaling = cluster.workers.autoscaling.as_ref();
    let mut metadata = meta(plan, &domain.deployment, BTreeMap::new());
    metadata.annotations = autoscaling.map(|bounds| {
        BTreeMap::from([
            (
                capi::AUTOSCALER_MIN_SIZE_ANNOTATION.to_owned(),
                bounds.min.to_string(),
            ),
            (
                capi::AUTOSCALER_MAX_SIZE_ANNOTATION.to_owned(),
                bounds.max.to_string(),
            ),
        ])
    });
    let object = CapiObject::new(
        metadata,
        MachineDeploymentSpec {
            cluster_name: plan.name.clone(),
            replicas: if autoscaling.is_some() {
                None
            } else {
                i32::try_from(domain.workers).ok()
            },
            selector: LabelSelector {
                match_labels: Some(own),
                match_expressions: None,
            },
            template: MachineTemplate {
                metadata: TemplateMetadata {
                    labels,
                    ..TemplateMetadata::default()
                },
                spec: MachineSpec {
                    cluster_name: plan.name.clone(),
                    version: Some(cluster.version.clone()),
                    failure_domain: Some(domain.name.clone()),
                    bootstrap: Bootstrap {
                        config_ref: Some(bootstrap.clone()),
                        ..Bootstrap::default()
                    },
                    infrastructure_ref: machines.clone(),
                    ..MachineSpec::default()
                },
            },
            ..MachineDeploymentSpec::default()
        },
    );
    to_value("MachineDeployment", &object)
}

/// Replaces machines whose node is gone, unless so many are that the fault lies elsewhere.
fn health_check(plan: &ClusterPlan) -> Result<Value, RenderError> {
    let unhealthy = |status: &str| UnhealthyNodeCondition {
        kind: "Ready".to_owned(),
        status: status.to_owned(),
        timeout_seconds: 300,
    };
    let object = CapiObject::new(
        meta(plan, &names::health_check(&plan.name), BTreeMap::new()),
        MachineHealthCheckSpec {
            cluster_name: plan.name.clone(),
            selector: LabelSelector {
                match_labels: Some(BTreeMap::from([(
                    capi::CLUSTER_NAME_LABEL.to_owned(),
                    plan.name.clone(),
                )])),
                match_expressions: None,
            },
            checks: Some(HealthChecks {
                node_startup_timeout_seconds: Some(capi::DEFAULT_NODE_STARTUP_TIMEOUT_SECONDS),
                unhealthy_node_conditions: vec![unhealthy("False"), unhealthy("Unknown")],
                ..HealthChecks::default()
            }),
            remediation: Some(Remediation {
                trigger_if: Some(RemediationTrigger {
                    unhealthy_less_than_or_equal_to: Some(IntOrString::String("40%".to_owned())),
                    unhealthy_in_range: None,
                }),
            }),
        },
    );
    to_value("MachineHealthCheck", &object)
}

fn meta(plan: &ClusterPlan, name: &str, mut labels: BTreeMap<String, String>) -> ObjectMeta {
    labels.insert(capi::CLUSTER_NAME_LABEL.to_owned(), plan.name.clone());
    ObjectMeta {
        name: Some(name.to_owned()),
        namespace: Some(plan.namespace.clone()),
        labels: Some(labels),
        ..ObjectMeta::default()
    }
}

fn shape(template: &str, reason: String) -> RenderError {
    RenderError::Shape {
        template: template.to_owned(),
        reason,
    }
}
