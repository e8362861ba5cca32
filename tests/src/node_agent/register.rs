//! The Node object, and the binding of Pods to it.

use std::net::Ipv4Addr;
use std::time::Duration;

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::{Binding, Node, ObjectReference, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Status;
use kube::api::{ObjectMeta, Patch, PatchParams, PostParams};
use kube::{Api, Client, ResourceExt as _};
use serde_json::json;

use super::NODE;

/// Creates the Node, Ready and with room for everything. Nobody looks for its
/// heartbeat: the controller manager runs without the controller that would.
pub(super) async fn register(client: &Client) -> Result<()> {
    let nodes: Api<Node> = Api::all(client.clone());
    let node = serde_json::from_value(json!({
        "metadata": {"name": NODE, "labels": {"kubernetes.io/hostname": NODE, "kubernetes.io/os": "linux"}},
    }))?;
    nodes
        .create(&PostParams::default(), &node)
        .await
        .context("create the Node")?;
    let room =
        json!({"cpu": "1000", "memory": "1000Gi", "pods": "60000", "ephemeral-storage": "1000Gi"});
    let ready = json!({
        "type": "Ready", "status": "True", "reason": "NodeReady",
        "message": "runs Pods as local processes",
    });
    let status = json!({"status": {
        "capacity": room, "allocatable": room,
        "addresses": [{"type": "InternalIP", "address": Ipv4Addr::LOCALHOST}],
        "conditions": [ready],
    }});
    let parameters = PatchParams::default();
    nodes
        .patch_status(NODE, &parameters, &Patch::Merge(status))
        .await?;
    // Every new node is tainted as not ready until a controller has seen it.
    let untainted = json!({"spec": {"taints": null}});
    nodes
        .patch(NODE, &parameters, &Patch::Merge(untainted))
        .await?;
    Ok(())
}

/// Whether `pod` waits for a node.
pub(super) fn is_pending(pod: &Pod) -> bool {
    let gated = |spec: &k8s_openapi::api::core::v1::PodSpec| {
        spec.scheduling_gates.iter().flatten().next().is_some()
    };
    let spec = pod.spec.as_ref();
    pod.metadata.deletion_timestamp.is_none()
        && spec.is_some_and(|spec| spec.node_name.is_none() && !gated(spec))
}

/// Binds `pod` to the node. Tried until it is bound or gone.
pub(super) async fn bind(client: Client, pod: Pod) {
    let name = pod.name_any();
    let pods: Api<Pod> = Api::namespaced(client, &pod.namespace().unwrap_or_default());
    let binding = Binding {
        metadata: ObjectMeta {
            name: Some(name.clone()),
            uid: pod.uid(),
            ..ObjectMeta::default()
        },
        target: ObjectReference {
            kind: Some("Node".to_owned()),
            name: Some(NODE.to_owned()),
            ..ObjectReference::default()
        },
    };
    loop {
        let bound: kube::Result<Status> = pods
            .create_subresource("binding", &name, &PostParams::default(), &binding)
            .await;
        match bound {
            Ok(_) => return,
            // Gone, or bound already.
            Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => return,
            Err(error) => {
                eprintln!("node: bind {name}: {error}");
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        }
    }
}
