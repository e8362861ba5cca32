//! How containers end, and start again.

use std::time::Duration;

use anyhow::Context as _;
use banlieue_tests::node_agent;
use banlieue_tests::wait::{eventually, until, until_gone};
use banlieue_tests::workload::{available, create, is_ready, restarts};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{Namespace, Pod};
use kube::api::{DeleteParams, PostParams};
use kube::{Api, ResourceExt as _};
use serde_json::json;

use super::{IMAGE, ask, cluster, cluster_with, deployment, ended};

#[tokio::test]
async fn a_killed_pod_is_restarted_and_counted_and_a_frozen_one_is_not_ready() {
    let cluster = cluster().await;
    let client = cluster.client();
    let node = cluster.node().unwrap();
    create::<Deployment>(&client, "default", deployment("server", 1, json!({})))
        .await
        .unwrap();
    let pod = available(&client, "default", "server")
        .await
        .unwrap()
        .remove(0);
    let (name, first) = (pod.name_any(), node.processes());
    let pods: Api<Pod> = Api::default_namespaced(client.clone());

    for count in 1..=3 {
        node.kill("default", &name).unwrap();
        let pod = until(&pods, &name, "to run again", |pod| {
            restarts(pod) == count && is_ready(pod)
        })
        .await
        .unwrap();
        let status = pod.status.unwrap().container_statuses.unwrap().remove(0);
        let last = status.last_state.unwrap().terminated.unwrap();
        assert_eq!((last.exit_code, last.signal), (137, Some(9)));
    }
    ended(&first).unwrap();

    node.freeze("default", &name).unwrap();
    until(&pods, &name, "to be unready", |pod| !is_ready(pod))
        .await
        .unwrap();
    node.thaw("default", &name).unwrap();
    let pod = until(&pods, &name, "to be ready again", is_ready)
        .await
        .unwrap();
    assert_eq!(restarts(&pod), 3);
    node.freeze("default", "absent").unwrap_err();
}

#[tokio::test]
async fn a_container_that_is_not_alive_is_ended_and_started_again() {
    let cluster = cluster_with(node_agent::Options {
        liveness_period: Some(Duration::from_millis(50)),
        ..node_agent::Options::default()
    })
    .await;
    let client = cluster.client();
    let pods: Api<Pod> = Api::default_namespaced(client.clone());
    let server = |name: &str, probe: &str, path: &str| {
        let probe_of = json!({"httpGet": {"path": path, "port": "health"}, "failureThreshold": 2});
        json!({
            "metadata": {"name": name},
            "spec": {"containers": [{
                "name": "main", "image": IMAGE, "args": ["serve"],
                "ports": [{"name": "health", "containerPort": 8081}],
                probe: probe_of,
            }]},
        })
    };
    create::<Pod>(&client, "default", server("dead", "livenessProbe", "/no"))
        .await
        .unwrap();
    create::<Pod>(&client, "default", server("unborn", "startupProbe", "/no"))
        .await
        .unwrap();
    create::<Pod>(&client, "default", server("born", "startupProbe", "/livez"))
        .await
        .unwrap();
    for name in ["dead", "unborn"] {
        let pod = until(&pods, name, "to be restarted", |pod| restarts(pod) > 1)
            .await
            .unwrap();
        let status = pod.status.unwrap().container_statuses.unwrap().remove(0);
        // SIGTERM came first: the server ended on it, or had not yet begun to listen
        // for it.
        let last = status.last_state.unwrap().terminated.unwrap();
        assert!(matches!(last.exit_code, 0 | 143), "{name}: {last:?}");
    }
    let born = until(&pods, "born", "to be ready", is_ready).await.unwrap();
    assert_eq!(restarts(&born), 0);
}

#[tokio::test]
async fn pods_with_the_same_ports_run_together_and_end_with_their_owner() {
    let cluster = cluster().await;
    let client = cluster.client();
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let toy = serde_json::from_value(json!({"metadata": {"name": "toy"}})).unwrap();
    namespaces
        .create(&PostParams::default(), &toy)
        .await
        .unwrap();
    create::<Deployment>(&client, "default", deployment("a", 2, json!({})))
        .await
        .unwrap();
    create::<Deployment>(&client, "toy", deployment("b", 2, json!({})))
        .await
        .unwrap();
    let mut pods = available(&client, "default", "a").await.unwrap();
    pods.extend(available(&client, "toy", "b").await.unwrap());
    assert_eq!(pods.len(), 4);
    let mut hosts: Vec<String> = pods
        .iter()
        .map(|pod| {
            let environment = ask(pod, "/environment").unwrap();
            let host = environment
                .lines()
                .find(|line| line.starts_with("HOSTNAME="));
            host.unwrap().to_owned()
        })
        .collect();
    hosts.sort();
    hosts.dedup();
    assert_eq!(hosts.len(), 4);

    let processes = cluster.node().unwrap().processes();
    assert_eq!(processes.len(), 4);
    let deployments: Api<Deployment> = Api::default_namespaced(client.clone());
    let parameters = DeleteParams::foreground();
    deployments.delete("a", &parameters).await.unwrap();
    until_gone(&deployments, "a").await.unwrap();
    let parameters = DeleteParams::default();
    namespaces.delete("toy", &parameters).await.unwrap();
    until_gone(&namespaces, "toy").await.unwrap();
    // The objects go only after the processes.
    ended(&processes).unwrap();
    let log = cluster
        .node()
        .unwrap()
        .log("default", &pods[0].name_any(), "server");
    let log = std::fs::read_to_string(log).unwrap();
    assert!(log.ends_with("ends\n"), "no graceful end: {log}");
}

#[tokio::test]
async fn no_process_is_left_when_the_cluster_is_dropped() {
    let cluster = cluster().await;
    let client = cluster.client();
    let pod = |name: &str, script: &str| {
        json!({
            "metadata": {"name": name},
            "spec": {"containers": [{"name": "main", "image": IMAGE, "command": ["sh", "-c", script]}]},
        })
    };
    // One with a child of its own, one that does not listen, one that hangs. In a
    // command `$$$$` is `$$`.
    let scripts = [
        ("parent", "sleep 1000 & echo $!; wait"),
        (
            "deaf",
            "trap '' TERM; echo $$$$; while :; do sleep 1000; done",
        ),
        ("frozen", "echo $$$$; exec sleep 1000"),
    ];
    let pods: Api<Pod> = Api::default_namespaced(client.clone());
    let node = cluster.node().unwrap();
    let mut children = Vec::new();
    for (name, script) in scripts {
        create::<Pod>(&client, "default", pod(name, script))
            .await
            .unwrap();
        until(&pods, name, "to be ready", is_ready).await.unwrap();
        let log = node.log("default", name, "main");
        let id = eventually("the script to start", async || {
            let text = std::fs::read_to_string(&log)?;
            let line = text.lines().next().context("no output")?;
            Ok(line.parse::<u32>()?)
        });
        children.push(id.await.unwrap());
    }
    let processes = node.processes();
    node.freeze("default", "frozen").unwrap();
    // It has begun to end, with all the time that it wants.
    let parameters = DeleteParams::default();
    pods.delete("deaf", &parameters).await.unwrap();
    until(&pods, "deaf", "to be deleted", |pod| {
        pod.metadata.deletion_timestamp.is_some()
    })
    .await
    .unwrap();
    drop(cluster);
    ended(&processes).unwrap();
    // Killed as well, but it is init who takes note of its end.
    eventually("the child to end", async || ended(&children))
        .await
        .unwrap();
}
