//! A Provider is registered, upgraded by another class, and removed with its namespace.

use std::process::{Child, Command};

use banlieue_schemas::infrastructure::SimMachine;
use banlieue_schemas::platform::{Provider, ProviderClass, WorkloadStatus};
use banlieue_tests::cluster::Cluster;
use banlieue_tests::process::free_port;
use banlieue_tests::wait::{eventually, until, until_gone};
use banlieue_tests::workload::{available, create};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::api::rbac::v1::ClusterRoleBinding;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::{Api, Client, ResourceExt};
use serde_json::{Value, json};

use crate::{cluster, install, program, versions};

const HOLD: &str = "tests.example.com/hold";

/// The hypervisor.
struct Simulator {
    child: Child,
    endpoint: String,
}

impl Simulator {
    fn start() -> Self {
        let address = format!("127.0.0.1:{}", free_port().unwrap());
        let child = Command::new(program())
            .args(["sim", "--address", &address])
            .spawn()
            .unwrap();
        Self {
            child,
            endpoint: format!("sim://{address}"),
        }
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        // Both fail only when the process is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn register(client: &Client, endpoint: &str) {
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let namespace = serde_json::from_value(json!({ "metadata": { "name": "prod" } })).unwrap();
    namespaces
        .create(&PostParams::default(), &namespace)
        .await
        .unwrap();
    let provider = json!({
        "metadata": { "name": "east" },
        "spec": {
            "providerClassRef": { "name": "sim" },
            "connection": { "endpoint": endpoint },
        },
    });
    create::<Provider>(client, "prod", provider).await.unwrap();
}

fn workload(provider: &Provider) -> Option<&WorkloadStatus> {
    provider.status.as_ref()?.workload.as_ref()
}

/// Waits until the process of the Provider is ready in a Deployment of that name.
async fn served(client: &Client, deployment: &str) -> Provider {
    let providers: Api<Provider> = Api::namespaced(client.clone(), "prod");
    until(&providers, "east", "to be served", |provider| {
        workload(provider).is_some_and(|workload| {
            workload.deployment_name.as_deref() == Some(deployment)
                && workload.ready_replicas == Some(1)
        })
    })
    .await
    .unwrap()
}

async fn point_to_class(client: &Client, class: &str) {
    let providers: Api<Provider> = Api::namespaced(client.clone(), "prod");
    let patch = json!({ "spec": { "providerClassRef": { "name": class } } });
    let params = PatchParams::default();
    providers
        .patch("east", &params, &Patch::Merge(patch))
        .await
        .unwrap();
}

async fn cluster_role_bindings(client: &Client) -> Vec<String> {
    let bindings: Api<ClusterRoleBinding> = Api::all(client.clone());
    let ours = ListParams::default().labels("banlieue.io/provider");
    let found = bindings.list(&ours).await.unwrap();
    found.iter().map(ResourceExt::name_any).collect()
}

/// A machine that is still there when everything around it is being deleted.
async fn machine(client: &Client) {
    let machine = json!({
        "metadata": {
            "name": "vm", "labels": { "banlieue.io/provider": "east" }, "finalizers": [HOLD],
        },
        "spec": {
            "providerRef": { "name": "east" }, "imageRef": { "name": "none" },
            "numCpus": 1, "memoryMiB": 512, "disks": [{ "name": "os", "sizeGiB": 4 }],
        },
    });
    create::<SimMachine>(client, "prod", machine).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_is_registered_upgraded_and_removed_with_its_namespace() {
    let cluster = cluster().await;
    let client = cluster.client();
    install(&cluster);
    installing_again_changes_nothing(&cluster).await;
    for name in ["banlieue-operator", "banlieue-controller"] {
        available(&client, "banlieue-system", name).await.unwrap();
    }

    let classes: Api<ProviderClass> = Api::all(client.clone());
    until(&classes, "sim", "to be usable", |class| is_ready(class, 0))
        .await
        .unwrap();

    let simulator = Simulator::start();
    register(&client, &simulator.endpoint).await;
    let provider = served(&client, "banlieue-provider-sim-east").await;
    assert!(
        provider
            .finalizers()
            .iter()
            .any(|name| name == "banlieue.io/provider-workload")
    );
    until(&classes, "sim", "to count its Provider", |class| {
        is_ready(class, 1)
    })
    .await
    .unwrap();

    let canary = classes.get("sim").await.unwrap();
    let canary = ProviderClass::new("canary", canary.spec);
    classes
        .create(&PostParams::default(), &canary)
        .await
        .unwrap();
    point_to_class(&client, "canary").await;
    served(&client, "banlieue-provider-canary-east").await;
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), "prod");
    until_gone(&deployments, "banlieue-provider-sim-east")
        .await
        .unwrap();
    assert_eq!(
        cluster_role_bindings(&client).await,
        ["banlieue-provider-canary-prod-east"]
    );
    until(&classes, "sim", "to count none", |class| is_ready(class, 0))
        .await
        .unwrap();

    machine(&client).await;
    until_held(&client).await;
    classes
        .delete("canary", &DeleteParams::default())
        .await
        .unwrap();
    let namespaces: Api<Namespace> = Api::all(client.clone());
    namespaces
        .delete("prod", &DeleteParams::default())
        .await
        .unwrap();
    let refuge = "banlieue-provider-canary-prod-east";
    available(&client, "banlieue-system", refuge).await.unwrap();

    // The process in the refuge lets the machine go; so do we.
    let machines: Api<SimMachine> = Api::namespaced(client.clone(), "prod");
    until(&machines, "vm", "to be let go", |machine| {
        machine.finalizers() == [HOLD]
    })
    .await
    .unwrap();
    let patch = Patch::Merge(json!({ "metadata": { "finalizers": null } }));
    machines
        .patch("vm", &PatchParams::default(), &patch)
        .await
        .unwrap();
    until_gone(&namespaces, "prod").await.unwrap();
    assert_eq!(cluster_role_bindings(&client).await, [""; 0]);
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), "banlieue-system");
    until_gone(&deployments, refuge).await.unwrap();
}

fn is_ready(class: &ProviderClass, providers: i32) -> bool {
    let status = serde_json::to_value(&class.status).unwrap();
    let conditions = status["conditions"].as_array().into_iter().flatten();
    let ready = |condition: &Value| condition["type"] == "Ready" && condition["status"] == "True";
    status["providers"] == providers && conditions.into_iter().any(ready)
}

/// Waits until the provider process holds the machine.
async fn until_held(client: &Client) {
    let machines: Api<SimMachine> = Api::namespaced(client.clone(), "prod");
    let held = |machine: &SimMachine| machine.finalizers().len() == 2;
    until(&machines, "vm", "to be held by its provider", held)
        .await
        .unwrap();
}

/// Status is left out: others write it.
async fn installing_again_changes_nothing(cluster: &Cluster) {
    let kinds = [
        ("", "v1", "Namespace"),
        ("", "v1", "ServiceAccount"),
        ("rbac.authorization.k8s.io", "v1", "ClusterRole"),
        ("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding"),
        ("rbac.authorization.k8s.io", "v1", "Role"),
        ("rbac.authorization.k8s.io", "v1", "RoleBinding"),
        ("networking.k8s.io", "v1", "NetworkPolicy"),
        (
            "admissionregistration.k8s.io",
            "v1",
            "ValidatingAdmissionPolicyBinding",
        ),
    ];
    let label = "app.kubernetes.io/name=banlieue";
    let client = cluster.client();
    let before = versions(&client, &kinds, label).await;
    assert!(before.len() > 20, "{before:#?}");
    let said = install(cluster);
    assert!(
        said.contains("applied ProviderClass.banlieue.io sim"),
        "{said}"
    );
    eventually("objects to be as they were", async || {
        let after = versions(&client, &kinds, label).await;
        anyhow::ensure!(after == before, "{after:#?}");
        Ok(())
    })
    .await
    .unwrap();
}
