//! What a container finds when it starts.

use anyhow::ensure;
use banlieue_tests::wait::{eventually, until};
use banlieue_tests::workload::{available, create, is_ready};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret, ServiceAccount};
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use kube::api::{Patch, PatchParams};
use kube::{Api, Client};
use serde_json::{Value, json};

use super::{IMAGE, address, ask, cluster, deployment};

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
