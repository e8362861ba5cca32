//! Deployments of the platform, and how many of their Pods may be away at once.

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec};
use k8s_openapi::api::core::v1::{
    Capabilities, Container, ContainerPort, EnvVar, EnvVarSource, HTTPGetAction,
    LocalObjectReference, ObjectFieldSelector, PodSecurityContext, PodSpec, PodTemplateSpec, Probe,
    ResourceRequirements, SeccompProfile, SecurityContext, Toleration, TopologySpreadConstraint,
};
use k8s_openapi::api::policy::v1::{PodDisruptionBudget, PodDisruptionBudgetSpec};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::object::{labels, metadata_in, selector, strings};
use super::settings::Settings;
use crate::access::Workload;

/// Port that serves metrics.
pub const METRICS_PORT: i32 = 8080;
/// Port that serves `/livez` and `/readyz`.
pub const HEALTH_PORT: i32 = 8081;

const HEALTH: &str = "health";
/// User and group of the image.
const UNPRIVILEGED: i64 = 65532;

/// What differs between the Pods of two workloads.
pub(super) struct Process {
    /// Name of the container.
    pub name: &'static str,
    pub args: Vec<String>,
    pub env: Vec<EnvVar>,
    pub image: String,
    pub pull_policy: Option<String>,
    pub pull_secrets: Vec<String>,
    pub service_account: String,
    /// Labels of the Pods, by which their Deployment finds them and nobody else does.
    pub labels: BTreeMap<String, String>,
    pub resources: Option<ResourceRequirements>,
    pub node_selector: Option<BTreeMap<String, String>>,
    pub tolerations: Vec<Toleration>,
}

/// Deployment of a workload that runs in the platform's namespace.
pub fn deployment(settings: &Settings, workload: Workload) -> Deployment {
    let component = Some(workload.component());
    let process = Process {
        name: workload.component(),
        args: vec![
            workload.component().to_owned(),
            "--log-format=json".to_owned(),
            format!("--log-level={}", settings.log_level),
        ],
        env: environment(settings, workload),
        image: settings.image.reference(),
        pull_policy: None,
        pull_secrets: settings.image_pull_secrets.clone(),
        service_account: workload.name().to_owned(),
        labels: labels(component),
        resources: None,
        node_selector: None,
        tolerations: Vec::new(),
    };
    Deployment {
        metadata: metadata_in(&settings.namespace, workload.name(), component),
        spec: Some(deployment_spec(settings.replicas, process)),
        status: None,
    }
}

pub(super) fn deployment_spec(replicas: i32, process: Process) -> DeploymentSpec {
    DeploymentSpec {
        replicas: Some(replicas),
        selector: selector(process.labels.clone()),
        template: PodTemplateSpec {
            metadata: Some(ObjectMeta {
                labels: Some(process.labels.clone()),
                annotations: Some(strings([
                    ("prometheus.io/path", "/metrics"),
                    ("prometheus.io/port", "8080"),
                    ("prometheus.io/scrape", "true"),
                ])),
                ..ObjectMeta::default()
            }),
            spec: Some(pod(process)),
        },
        ..DeploymentSpec::default()
    }
}

/// Keeps a drain from taking the leader and its stand-by at once, but lets a broken Pod go.
pub fn disruption_budget(settings: &Settings, workload: Workload) -> PodDisruptionBudget {
    let component = Some(workload.component());
    PodDisruptionBudget {
        metadata: metadata_in(&settings.namespace, workload.name(), component),
        spec: Some(PodDisruptionBudgetSpec {
            max_unavailable: Some(IntOrString::Int(1)),
            selector: Some(selector(labels(component))),
            unhealthy_pod_eviction_policy: Some("AlwaysAllow".to_owned()),
            ..PodDisruptionBudgetSpec::default()
        }),
        status: None,
    }
}

fn pod(process: Process) -> PodSpec {
    let spread = selector(process.labels.clone());
    PodSpec {
        image_pull_secrets: present(
            process
                .pull_secrets
                .iter()
                .map(|name| LocalObjectReference { name: name.clone() })
                .collect(),
        ),
        node_selector: process.node_selector.clone(),
        security_context: Some(PodSecurityContext {
            run_as_group: Some(UNPRIVILEGED),
            run_as_non_root: Some(true),
            run_as_user: Some(UNPRIVILEGED),
            seccomp_profile: Some(SeccompProfile {
                localhost_profile: None,
                type_: "RuntimeDefault".to_owned(),
            }),
            ..PodSecurityContext::default()
        }),
        service_account_name: Some(process.service_account.clone()),
        tolerations: present(process.tolerations.clone()),
        topology_spread_constraints: Some(vec![TopologySpreadConstraint {
            label_selector: Some(spread),
            max_skew: 1,
            topology_key: "kubernetes.io/hostname".to_owned(),
            when_unsatisfiable: "ScheduleAnyway".to_owned(),
            ..TopologySpreadConstraint::default()
        }]),
        containers: vec![container(process)],
        ..PodSpec::default()
    }
}

fn container(process: Process) -> Container {
    // Limits as the API server prints them: another spelling would show as drift.
    let resources = process.resources.unwrap_or_else(|| ResourceRequirements {
        claims: None,
        limits: Some(quantities("1", "512Mi")),
        requests: Some(quantities("50m", "128Mi")),
    });
    Container {
        args: Some(process.args),
        env: Some(process.env),
        image: Some(process.image),
        image_pull_policy: process.pull_policy,
        liveness_probe: Some(probe("/livez", 10, 30)),
        name: process.name.to_owned(),
        ports: Some(vec![
            port(HEALTH, HEALTH_PORT),
            port("metrics", METRICS_PORT),
        ]),
        readiness_probe: Some(probe("/readyz", 2, 5)),
        resources: Some(resources),
        security_context: Some(SecurityContext {
            allow_privilege_escalation: Some(false),
            capabilities: Some(Capabilities {
                add: None,
                drop: Some(vec!["ALL".to_owned()]),
            }),
            read_only_root_filesystem: Some(true),
            ..SecurityContext::default()
        }),
        ..Container::default()
    }
}

/// A list, absent if it is empty: a server drops an empty one.
fn present<T>(items: Vec<T>) -> Option<Vec<T>> {
    (!items.is_empty()).then_some(items)
}

fn environment(settings: &Settings, workload: Workload) -> Vec<EnvVar> {
    let mut variables = identity();
    if matches!(workload, Workload::Operator | Workload::ImageBuilder) {
        variables.push(build_namespace(settings));
    }
    variables
}

/// Who a process is, for its Lease and its Events. The version of a reference is written although
/// it is the default: server-side apply owns the reference as a whole.
pub(super) fn identity() -> Vec<EnvVar> {
    let field = |name: &str, path: &str| EnvVar {
        name: name.to_owned(),
        value: None,
        value_from: Some(EnvVarSource {
            field_ref: Some(ObjectFieldSelector {
                api_version: Some("v1".to_owned()),
                field_path: path.to_owned(),
            }),
            ..EnvVarSource::default()
        }),
    };
    vec![
        field("POD_NAME", "metadata.name"),
        field("POD_NAMESPACE", "metadata.namespace"),
        field("POD_SERVICE_ACCOUNT", "spec.serviceAccountName"),
    ]
}

/// In which namespace images are built and imported.
pub(super) fn build_namespace(settings: &Settings) -> EnvVar {
    EnvVar {
        name: "BANLIEUE_BUILD_NAMESPACE".to_owned(),
        value: Some(settings.image_builder_namespace.clone()),
        value_from: None,
    }
}

fn probe(path: &str, initial_delay_seconds: i32, period_seconds: i32) -> Probe {
    Probe {
        http_get: Some(HTTPGetAction {
            path: Some(path.to_owned()),
            port: IntOrString::String(HEALTH.to_owned()),
            ..HTTPGetAction::default()
        }),
        initial_delay_seconds: Some(initial_delay_seconds),
        period_seconds: Some(period_seconds),
        ..Probe::default()
    }
}

/// The protocol is written although it is the default: it is part of the list's key, and
/// server-side apply compares keys before defaults.
fn port(name: &str, number: i32) -> ContainerPort {
    ContainerPort {
        container_port: number,
        name: Some(name.to_owned()),
        protocol: Some("TCP".to_owned()),
        ..ContainerPort::default()
    }
}

fn quantities(cpu: &str, memory: &str) -> BTreeMap<String, Quantity> {
    [("cpu", cpu), ("memory", memory)]
        .into_iter()
        .map(|(key, value)| (key.to_owned(), Quantity(value.to_owned())))
        .collect()
}
