//! Pods on the test bed's node: what its users rely on when they let Deployments and
//! Jobs run for real.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use banlieue_tests::cluster::{Cluster, Options};
use banlieue_tests::node_agent;
use banlieue_tests::wait::{eventually, until, until_gone};
use banlieue_tests::workload::{available, create, is_ready, restarts};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{
    ConfigMap, Namespace, PersistentVolumeClaim, Pod, Secret, ServiceAccount,
};
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::{Api, Client, ResourceExt as _};
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

fn address(pod: &Pod) -> String {
    let status = pod.status.clone().unwrap();
    status.pod_ip.unwrap()
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

fn ended(processes: &[u32]) -> Result<()> {
    for id in processes {
        let path = format!("/proc/{id}");
        ensure!(!Path::new(&path).exists(), "process {id} is left");
    }
    Ok(())
}

async fn bind_role(client: &Client, account: &str, rules: Value) {
    create::<Role>(
        client,
        "default",
        json!({"metadata": {"name": account}, "rules": rules}),
    )
    .await
    .unwrap();
    create::<RoleBinding>(
        client,
        "default",
        json!({
            "metadata": {"name": account},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": account},
            "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": "default"}],
        }),
    )
    .await
    .unwrap();
}

#[tokio::test]
async fn a_deployment_runs_as_its_service_account_with_its_environment_and_volumes() {
    let cluster = cluster().await;
    let client = cluster.client();
    for account in ["lister", "nobody"] {
        let object = json!({"metadata": {"name": account}});
        create::<ServiceAccount>(&client, "default", object)
            .await
            .unwrap();
    }
    let list = json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}]);
    bind_role(&client, "lister", list).await;
    let secret =
        json!({"metadata": {"name": "value"}, "stringData": {"value": "one", "other": "x"}});
    create::<Secret>(&client, "default", secret).await.unwrap();
    let settings =
        json!({"metadata": {"name": "settings"}, "data": {"COLOUR": "red", "size": "9"}});
    create::<ConfigMap>(&client, "default", settings)
        .await
        .unwrap();

    let pod = |account| {
        json!({
            "serviceAccountName": account,
            "securityContext": {"runAsUser": 65532, "runAsGroup": 65532},
            "volumes": [
                {"name": "value", "secret": {"secretName": "value"}},
                {"name": "scratch", "emptyDir": {}},
            ],
            "containers": [{
                "args": ["serve", "--file=/etc/probe/$(FILE)"],
                "env": [
                    {"name": "FILE", "value": "value"},
                    {"name": "NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}},
                    {"name": "ADDRESS", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
                    {"name": "SIZE", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "size"}}},
                    {"name": "OTHER", "valueFrom": {"secretKeyRef": {"name": "value", "key": "other"}}},
                    {"name": "BOTH", "value": "$(SIZE)$(OTHER)"},
                ],
                "envFrom": [{"configMapRef": {"name": "settings"}, "prefix": "MY_"}],
                "securityContext": {"readOnlyRootFilesystem": true},
                "volumeMounts": [
                    {"name": "value", "mountPath": "/etc/probe"},
                    {"name": "scratch", "mountPath": "/scratch/deep"},
                ],
            }],
        })
    };
    create::<Deployment>(&client, "default", deployment("lister", 1, pod("lister")))
        .await
        .unwrap();
    create::<Deployment>(&client, "default", deployment("nobody", 1, pod("nobody")))
        .await
        .unwrap();
    let lister = available(&client, "default", "lister")
        .await
        .unwrap()
        .remove(0);
    let nobody = available(&client, "default", "nobody")
        .await
        .unwrap()
        .remove(0);

    let names = ask(&lister, "/config-maps").unwrap();
    assert_eq!(names, "kube-root-ca.crt\nsettings");
    let refused = ask(&nobody, "/config-maps").unwrap_err().to_string();
    let identity = "system:serviceaccount:default:nobody";
    assert!(refused.contains(identity), "{refused}");

    let environment = ask(&lister, "/environment").unwrap();
    let address = address(&lister);
    for line in [
        "NAMESPACE=default",
        &format!("ADDRESS={address}"),
        "BOTH=9x",
        "MY_COLOUR=red",
        &format!("BANLIEUE_METRICS_ADDRESS={address}:8080"),
    ] {
        assert!(
            environment.lines().any(|it| it == line),
            "{line}: {environment}"
        );
    }
    assert_eq!(ask(&lister, "/identity").unwrap(), "65532:65532 false");

    assert_eq!(ask(&lister, "/file").unwrap(), "one");
    let secrets: Api<Secret> = Api::default_namespaced(client.clone());
    let patch = Patch::Merge(json!({"stringData": {"value": "two"}}));
    let parameters = PatchParams::default();
    secrets.patch("value", &parameters, &patch).await.unwrap();
    eventually("the mounted Secret to change", async || {
        let text = ask(&lister, "/file")?;
        ensure!(text == "two", "{text}");
        Ok(())
    })
    .await
    .unwrap();
}

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

fn job(name: &str, policy: &str, pod: Value) -> Value {
    let mut template = json!({
        "restartPolicy": policy,
        "containers": [{"name": "main", "image": IMAGE}],
    });
    merge(&mut template, pod);
    json!({
        "metadata": {"name": name},
        "spec": {"backoffLimit": 0, "template": {"spec": template}},
    })
}

#[tokio::test]
async fn jobs_succeed_and_fail_with_their_programs() {
    let cluster = cluster().await;
    let client = cluster.client();
    let claim = json!({
        "metadata": {"name": "shared"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    });
    create::<PersistentVolumeClaim>(&client, "default", claim)
        .await
        .unwrap();
    let shared = json!([{"name": "data", "persistentVolumeClaim": {"claimName": "shared"}}]);
    let mounts = json!([{"name": "data", "mountPath": "/data"}]);
    let writer = json!({
        "volumes": shared,
        "initContainers": [{
            "name": "first", "image": IMAGE, "args": ["write", "/data/first", "from init"],
            "volumeMounts": mounts,
        }],
        "containers": [{"command": ["sh", "-c", "cp /data/first /data/second"], "volumeMounts": mounts}],
    });
    let reader = json!({
        "volumes": shared,
        "containers": [{"command": ["sh", "-c", "cat /data/second; grep -q 'from init' /data/second"], "volumeMounts": mounts}],
    });
    let jobs: Api<Job> = Api::default_namespaced(client.clone());
    let over = async |name: &str| -> String {
        let job = until(&jobs, name, "to end", |job| {
            let conditions = job.status.iter().flat_map(|it| &it.conditions).flatten();
            let mut types = conditions.map(|condition| condition.type_.as_str());
            types.any(|type_| matches!(type_, "Complete" | "Failed"))
        })
        .await
        .unwrap();
        let conditions = job.status.unwrap().conditions.unwrap();
        let types: Vec<String> = conditions.into_iter().map(|it| it.type_).collect();
        types.join(" ")
    };
    create::<Job>(&client, "default", job("writer", "Never", writer))
        .await
        .unwrap();
    assert_eq!(over("writer").await, "SuccessCriteriaMet Complete");
    create::<Job>(&client, "default", job("reader", "OnFailure", reader))
        .await
        .unwrap();
    assert_eq!(over("reader").await, "SuccessCriteriaMet Complete");

    let failing = json!({"containers": [{"args": ["exit", "3"]}]});
    create::<Job>(&client, "default", job("failing", "Never", failing))
        .await
        .unwrap();
    assert_eq!(over("failing").await, "FailureTarget Failed");
    let exec = json!({"containers": [{"args": ["exit", "0"], "lifecycle": {"preStop": {"sleep": {"seconds": 1}}}}]});
    create::<Job>(&client, "default", job("refused", "Never", exec))
        .await
        .unwrap();
    assert_eq!(over("refused").await, "FailureTarget Failed");

    let pods: Api<Pod> = Api::default_namespaced(client.clone());
    let status = async |job: &str| {
        let selector = ListParams::default().labels(&format!("job-name={job}"));
        let mut found = pods.list(&selector).await.unwrap().items;
        found.remove(0).status.unwrap()
    };
    let failed = status("failing")
        .await
        .container_statuses
        .unwrap()
        .remove(0);
    assert_eq!(failed.state.unwrap().terminated.unwrap().exit_code, 3);
    let refused = status("refused").await;
    assert_eq!(refused.reason.as_deref(), Some("Unsupported"));
    assert!(
        refused
            .message
            .unwrap()
            .ends_with("container main: lifecycle")
    );
}

#[tokio::test]
async fn what_a_pod_refers_to_may_come_later() {
    let cluster = cluster().await;
    let client = cluster.client();
    let pods: Api<Pod> = Api::default_namespaced(client.clone());
    let pod = json!({
        "metadata": {"name": "early"},
        "spec": {
            "volumes": [{"name": "value", "secret": {"secretName": "late"}}],
            "containers": [{
                "name": "main", "image": IMAGE, "args": ["serve"],
                "env": [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "late", "key": "a"}}}],
                "ports": [{"name": "health", "containerPort": 8081}],
                "volumeMounts": [{"name": "value", "mountPath": "/etc/probe"}],
            }],
        },
    });
    create::<Pod>(&client, "default", pod).await.unwrap();
    let waits_for = async |reason: &str| {
        until(&pods, "early", "to wait", |pod| {
            let statuses = pod.status.iter().flat_map(|it| &it.container_statuses);
            let mut states = statuses.flatten().filter_map(|it| it.state.as_ref());
            states.any(|it| {
                let waiting = it.waiting.as_ref();
                waiting.is_some_and(|waiting| {
                    waiting.reason.as_deref() == Some(reason)
                        && waiting
                            .message
                            .as_deref()
                            .unwrap_or_default()
                            .contains("late not found")
                })
            })
        })
        .await
        .unwrap();
    };
    waits_for("ContainerCreating").await;
    let secret = json!({"metadata": {"name": "late"}, "stringData": {"value": "here"}});
    create::<Secret>(&client, "default", secret).await.unwrap();
    waits_for("CreateContainerConfigError").await;
    let settings = json!({"metadata": {"name": "late"}, "data": {"a": "b"}});
    create::<ConfigMap>(&client, "default", settings)
        .await
        .unwrap();
    let pod = until(&pods, "early", "to be ready", is_ready)
        .await
        .unwrap();
    let file = eventually("the server to answer", async || ask(&pod, "/file")).await;
    assert_eq!(file.unwrap(), "here");
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
