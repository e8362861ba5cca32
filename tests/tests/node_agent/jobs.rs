//! Pods that end by themselves.

use banlieue_tests::wait::until;
use banlieue_tests::workload::create;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use kube::Api;
use kube::api::ListParams;
use serde_json::{Value, json};

use super::{IMAGE, cluster, merge};

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
