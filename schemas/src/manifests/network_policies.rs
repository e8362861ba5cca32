//! Who may talk to whom in the platform's namespaces.
//!
//! Everything is refused, then each component gets what it needs. A kubelet's probes are allowed
//! by every network plugin and need no rule.

use k8s_openapi::api::networking::v1::{
    NetworkPolicy, NetworkPolicyEgressRule, NetworkPolicyIngressRule, NetworkPolicyPeer,
    NetworkPolicyPort, NetworkPolicySpec,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::object::{labels, metadata_in, selector, strings};
use super::settings::Settings;
use super::workloads::METRICS_PORT;
use crate::access::Workload;

/// Label of a namespace whose Pods may scrape metrics.
pub const MONITORING_LABEL: &str = "banlieue.io/monitoring";

const DNS_PORT: i32 = 53;
const DEFAULT_DENY: &str = "default-deny";

/// Refuses all traffic in the platform's namespace that no other policy allows.
pub fn system_default_deny(settings: &Settings) -> NetworkPolicy {
    let spec = NetworkPolicySpec {
        pod_selector: Some(LabelSelector::default()),
        policy_types: Some(policy_types(&["Egress", "Ingress"])),
        ..NetworkPolicySpec::default()
    };
    policy(&settings.namespace, DEFAULT_DENY, None, spec)
}

/// Refuses connections to builds and imports. They reach out to registries and backends whose
/// addresses nobody knows beforehand.
pub fn build_default_deny(settings: &Settings) -> NetworkPolicy {
    let spec = NetworkPolicySpec {
        pod_selector: Some(LabelSelector::default()),
        policy_types: Some(policy_types(&["Ingress"])),
        ..NetworkPolicySpec::default()
    };
    policy(&settings.image_builder_namespace, DEFAULT_DENY, None, spec)
}

/// Lets a workload reach DNS and the API server, and be scraped. A provider process may reach
/// any address: the port of a backend's endpoint is the Provider's choice.
pub fn workload(settings: &Settings, workload: Workload) -> NetworkPolicy {
    let egress = if Workload::PROVIDERS.contains(&workload) {
        NetworkPolicyEgressRule::default()
    } else {
        let dns = ["UDP", "TCP"].map(|protocol| port(protocol, DNS_PORT));
        let api_server = settings
            .api_server_ports
            .iter()
            .map(|&number| port("TCP", number));
        NetworkPolicyEgressRule {
            ports: Some(dns.into_iter().chain(api_server).collect()),
            to: None,
        }
    };
    let spec = NetworkPolicySpec {
        egress: Some(vec![egress]),
        ingress: Some(vec![NetworkPolicyIngressRule {
            from: Some(vec![NetworkPolicyPeer {
                namespace_selector: Some(selector(strings([(MONITORING_LABEL, "true")]))),
                ..NetworkPolicyPeer::default()
            }]),
            ports: Some(vec![port("TCP", METRICS_PORT)]),
        }]),
        pod_selector: Some(selector(labels(Some(workload.component())))),
        policy_types: Some(policy_types(&["Egress", "Ingress"])),
    };
    policy(
        &settings.namespace,
        workload.name(),
        Some(workload.component()),
        spec,
    )
}

fn policy(
    namespace: &str,
    name: &str,
    component: Option<&str>,
    spec: NetworkPolicySpec,
) -> NetworkPolicy {
    NetworkPolicy {
        metadata: metadata_in(namespace, name, component),
        spec: Some(spec),
    }
}

fn policy_types(types: &[&str]) -> Vec<String> {
    types.iter().map(|name| (*name).to_owned()).collect()
}

fn port(protocol: &str, number: i32) -> NetworkPolicyPort {
    NetworkPolicyPort {
        end_port: None,
        port: Some(IntOrString::Int(number)),
        protocol: Some(protocol.to_owned()),
    }
}
