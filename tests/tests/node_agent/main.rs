//! Pods on the test bed's node: what its users rely on when they let Deployments and
//! Jobs run for real.

mod ends;
mod jobs;
mod surroundings;

use std::path::Path;

use anyhow::{Result, ensure};
use banlieue_tests::cluster::{Cluster, Options};
use banlieue_tests::node_agent;
use k8s_openapi::api::core::v1::Pod;
use serde_json::{Value, json};

const IMAGE: &str = "registry.example.com/tests/probe-server:v1";

async fn cluster() -> Cluster {
    cluster_with(node_agent::Options::default()).await
}

async fn cluster_with(node: node_agent::Options) -> Cluster {
    let options = Options {
        node: Some(node.image("probe-server", env!("CARGO_BIN_EXE_probe-server"))),
        ..Options::default()
    };
    Cluster::start(options).await.unwrap()
}

/// A Deployment of the probe server with probes, its Pods labelled `app: NAME`.
fn deployment(name: &str, replicas: u32, pod: Value) -> Value {
    let mut template = json!({
        "containers": [{
            "name": "server", "image": IMAGE, "args": ["serve"],
            "ports": [
                {"name": "health", "containerPort": 8081},
                {"name": "metrics", "containerPort": 8080},
            ],
            "readinessProbe": {"httpGet": {"path": "/readyz", "port": "health"}, "periodSeconds": 1},
            "livenessProbe": {"httpGet": {"path": "/livez", "port": "health"}, "periodSeconds": 30},
        }],
    });
    merge(&mut template, pod);
    json!({
        "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": template},
        },
    })
}

/// Puts `changes` over `value`; the first container's over the first container's.
fn merge(value: &mut Value, changes: Value) {
    match (value, changes) {
        (Value::Object(value), Value::Object(changes)) => {
            for (key, change) in changes {
                merge(value.entry(key).or_insert(Value::Null), change);
            }
        }
        (Value::Array(list), Value::Array(changes)) if !list.is_empty() => {
            for (value, change) in list.iter_mut().zip(changes) {
                if value.is_object() {
                    merge(value, change);
                } else {
                    *value = change;
                }
            }
        }
        (value, changes) => *value = changes,
    }
}

/// The body of an answer, or why there is none.
fn ask(pod: &Pod, path: &str) -> Result<String> {
    let url = format!("http://{}:8081{path}", address(pod));
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .build()
        .into();
    let mut answer = agent.get(&url).call()?;
    let text = answer.body_mut().read_to_string()?;
    ensure!(answer.status().is_success(), "{url}: {text}");
    Ok(text)
}

fn address(pod: &Pod) -> String {
    let status = pod.status.clone().unwrap();
    status.pod_ip.unwrap()
}

fn ended(processes: &[u32]) -> Result<()> {
    for id in processes {
        let path = format!("/proc/{id}");
        ensure!(!Path::new(&path).exists(), "process {id} is left");
    }
    Ok(())
}
