#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kube::Resource;
use serde_json::json;

use super::*;

fn template_ref() -> ContractReference {
    ContractReference {
        api_group: "infrastructure.banlieue.io".into(),
        kind: "SimMachineTemplate".into(),
        name: "workers-1".into(),
    }
}

#[test]
fn an_object_names_its_version_and_kind_and_nothing_unset() {
    let value = serde_json::to_value(Cluster::default()).unwrap();
    assert_eq!(
        value,
        json!({"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Cluster", "metadata": {}, "spec": {}})
    );
    assert_eq!(Cluster::api_version(&()), API_VERSION);
    assert_eq!(MachineDeployment::plural(&()), "machinedeployments");
    assert_eq!(MachineHealthCheck::default().kind, "MachineHealthCheck");
}

#[test]
fn explicit_false_and_zero_survive_a_round_trip() {
    let cluster = json!({
        "apiVersion": API_VERSION, "kind": "Cluster", "metadata": {"name": "c1"},
        "spec": {"paused": false},
    });
    let typed: Cluster = serde_json::from_value(cluster.clone()).unwrap();
    assert_eq!(serde_json::to_value(typed).unwrap(), cluster);

    let check = json!({
        "apiVersion": API_VERSION, "kind": "MachineHealthCheck", "metadata": {"name": "c1"},
        "spec": {
            "clusterName": "c1", "selector": {"matchLabels": {CLUSTER_NAME_LABEL: "c1"}},
            "checks": {
                "nodeStartupTimeoutSeconds": 0,
                "unhealthyNodeConditions": [
                    {"type": "Ready", "status": "Unknown", "timeoutSeconds": 0}
                ],
            },
            "remediation": {"triggerIf": {"unhealthyLessThanOrEqualTo": "40%"}},
        },
    });
    let typed: MachineHealthCheck = serde_json::from_value(check.clone()).unwrap();
    assert_eq!(serde_json::to_value(typed).unwrap(), check);
}

#[test]
fn a_machine_deployment_has_the_v1beta2_shape() {
    let deployment = MachineDeployment {
        spec: MachineDeploymentSpec {
            cluster_name: "c1".into(),
            replicas: Some(0),
            rollout: Some(Rollout {
                strategy: Some(RolloutStrategy {
                    kind: RolloutType::RollingUpdate,
                    rolling_update: Some(RollingUpdate {
                        max_surge: Some(IntOrString::String("25%".into())),
                        max_unavailable: Some(IntOrString::Int(0)),
                    }),
                }),
            }),
            template: MachineTemplate {
                spec: MachineSpec {
                    cluster_name: "c1".into(),
                    version: Some("v1.36.1".into()),
                    failure_domain: Some("a".into()),
                    bootstrap: Bootstrap {
                        data_secret_name: Some("c1-join".into()),
                        ..Bootstrap::default()
                    },
                    infrastructure_ref: template_ref(),
                    deletion: Some(MachineDeletion {
                        node_drain_timeout_seconds: Some(0),
                        ..MachineDeletion::default()
                    }),
                },
                ..MachineTemplate::default()
            },
            ..MachineDeploymentSpec::default()
        },
        ..MachineDeployment::default()
    };
    assert_eq!(
        serde_json::to_value(deployment).unwrap()["spec"],
        json!({
            "clusterName": "c1",
            "replicas": 0,
            "rollout": {"strategy": {
                "type": "RollingUpdate",
                "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 0},
            }},
            "selector": {},
            "template": {"spec": {
                "clusterName": "c1",
                "version": "v1.36.1",
                "failureDomain": "a",
                "bootstrap": {"dataSecretName": "c1-join"},
                "infrastructureRef": {
                    "apiGroup": "infrastructure.banlieue.io",
                    "kind": "SimMachineTemplate",
                    "name": "workers-1",
                },
                "deletion": {"nodeDrainTimeoutSeconds": 0},
            }},
        })
    );
}
