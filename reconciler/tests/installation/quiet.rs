//! What the operator asks of the API server, request by request, with the operator's own rights.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, ensure};
use banlieue_kit::CancellationToken;
use banlieue_kit::client::{self, ApiService, Fence};
use banlieue_kit::events::Events;
use banlieue_kit::health::Health;
use banlieue_kit::metrics::Metrics;
use banlieue_kit::runner::Reporting;
use banlieue_operator::Config;
use banlieue_schemas::infrastructure::SimMachine;
use banlieue_schemas::platform::{Provider, ProviderClass};
use banlieue_tests::cluster::{Cluster, Options};
use banlieue_tests::wait::{eventually, until};
use banlieue_tests::workload::create;
use k8s_openapi::api::rbac::v1::ClusterRole;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde_json::json;
use tower::ServiceExt;

use crate::{install, versions};

/// For how long nothing is written before everything counts as written.
const CALM: Duration = Duration::from_secs(2);

/// Writes that left the operator, in order.
type Writes = Arc<Mutex<Vec<String>>>;

struct Operator {
    writes: Writes,
    metrics: Metrics,
    shutdown: CancellationToken,
}

impl Operator {
    /// Starts it in this process, as the ServiceAccount `banlieue-operator`.
    async fn start(cluster: &Cluster) -> Self {
        let writes = Writes::default();
        let seen = Arc::clone(&writes);
        let layer = Arc::new(move |inner: ApiService| {
            let seen = Arc::clone(&seen);
            ApiService::new(inner.map_request(move |request: http::Request<_>| {
                if request.method() != http::Method::GET {
                    let line = format!("{} {}", request.method(), request.uri().path());
                    seen.lock().unwrap().push(line);
                }
                request
            }))
        });
        let settings = client::Settings {
            kubeconfig: Some(kubeconfig(cluster)),
            layer: Some(layer),
            ..client::Settings::new("operator", "test")
        };
        let metrics = Metrics::new();
        let client = client::connect(&settings, metrics.clone(), Fence::open())
            .await
            .unwrap();
        let reporting = Reporting {
            events: Events::new(client.clone(), "banlieue-operator", "test"),
            metrics: metrics.clone(),
            health: Health::new(),
        };
        let shutdown = CancellationToken::new();
        let running =
            banlieue_operator::run(client, Config::default(), reporting, shutdown.clone());
        tokio::spawn(running);
        Self {
            writes,
            metrics,
            shutdown,
        }
    }

    fn writes(&self) -> Vec<String> {
        self.writes.lock().unwrap().clone()
    }

    /// Reconciles of Providers so far.
    fn reconciles(&self) -> u64 {
        let text = self.metrics.encode().unwrap();
        let counted = text.lines().filter(|line| {
            line.starts_with("banlieue_reconcile_total") && line.contains("\"workloads\"")
        });
        counted
            .map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap())
            .sum()
    }
}

impl Drop for Operator {
    fn drop(&mut self) {
        self.shutdown.cancel();
    }
}

/// A kubeconfig with a token of the operator's ServiceAccount.
fn kubeconfig(cluster: &Cluster) -> std::path::PathBuf {
    let api = cluster.api();
    let token = api
        .kubectl(&[
            "create",
            "token",
            "banlieue-operator",
            "--namespace",
            "banlieue-system",
        ])
        .unwrap();
    let text = std::fs::read_to_string(api.kubeconfig()).unwrap();
    let mut config: serde_json::Value =
        banlieue_gen::load::parse_value("kubeconfig", &text).unwrap();
    config["users"][0]["user"] = json!({ "token": token.trim() });
    let path = api.directory().join("operator.kubeconfig");
    std::fs::write(&path, config.to_string()).unwrap();
    path
}

async fn touch(client: &Client, value: &str) {
    let classes: Api<ProviderClass> = Api::all(client.clone());
    let patch = json!({ "metadata": { "annotations": { "tests.example.com/touched": value } } });
    let params = PatchParams::default();
    classes
        .patch("sim", &params, &Patch::Merge(patch))
        .await
        .unwrap();
}

/// A cluster with the platform in it and no node, and the operator of that platform.
async fn installed() -> (Cluster, Operator) {
    let options = Options {
        node: None,
        ..Options::default()
    };
    let cluster = Cluster::start(options).await.unwrap();
    install(&cluster);
    let operator = Operator::start(&cluster).await;
    (cluster, operator)
}

/// A Provider of a class, whose backend nobody asks.
async fn register(client: &Client, name: &str, class: &str) {
    let provider = json!({
        "metadata": { "name": name },
        "spec": {
            "providerClassRef": { "name": class },
            "connection": { "endpoint": "sim://nowhere" },
        },
    });
    create::<Provider>(client, "default", provider)
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_costs_nine_writes_once_and_none_afterwards() {
    let (cluster, operator) = installed().await;
    let client = cluster.client();
    let classes: Api<ProviderClass> = Api::all(client.clone());
    until(&classes, "sim", "to have a status", |class| {
        class.status.is_some()
    })
    .await
    .unwrap();
    let before = operator.writes().len();

    register(&client, "east", "sim").await;
    served(&client, "east").await;
    until(&classes, "sim", "to count it", |class| {
        class
            .status
            .as_ref()
            .is_some_and(|status| status.providers == Some(1))
    })
    .await
    .unwrap();

    // Every round is a reconcile of everything, caused by a change that concerns nothing.
    let mut reconciles = operator.reconciles();
    for round in 0..5 {
        touch(&client, &round.to_string()).await;
        eventually("another reconcile", async || {
            let now = operator.reconciles();
            ensure!(now > reconciles, "{now} reconciles");
            Ok(())
        })
        .await
        .context("the class is watched")
        .unwrap();
        reconciles = operator.reconciles();
    }

    let writes = operator.writes();
    let rbac = "/apis/rbac.authorization.k8s.io/v1";
    let name = "banlieue-provider-sim-east";
    let mut expected = [
        "PATCH /apis/banlieue.io/v1alpha1/namespaces/default/providers/east".to_owned(),
        format!("PATCH /api/v1/namespaces/default/serviceaccounts/{name}"),
        format!("PATCH /apis/coordination.k8s.io/v1/namespaces/default/leases/{name}"),
        format!("PATCH {rbac}/namespaces/default/roles/{name}"),
        format!("PATCH {rbac}/namespaces/default/rolebindings/{name}"),
        format!("PATCH {rbac}/clusterrolebindings/banlieue-provider-sim-default-east"),
        format!("PATCH /apis/apps/v1/namespaces/default/deployments/{name}"),
        "PATCH /apis/banlieue.io/v1alpha1/namespaces/default/providers/east/status".to_owned(),
        "PATCH /apis/banlieue.io/v1alpha1/providerclasses/sim/status".to_owned(),
    ];
    let mut since = writes[before..].to_vec();
    since.sort();
    expected.sort();
    assert_eq!(since, expected);
}

/// Makes what a person has to see to: a class without rights, a paused one that has no process yet,
/// Providers of both and of a class that is not there, and one that is being deleted while a
/// machine needs it.
async fn trouble(cluster: &Cluster) {
    let client = cluster.client();
    let classes: Api<ProviderClass> = Api::all(client.clone());
    let providers: Api<Provider> = Api::namespaced(client.clone(), "default");
    let roles: Api<ClusterRole> = Api::all(client.clone());
    let role = "banlieue-provider-libvirt";
    roles.delete(role, &DeleteParams::default()).await.unwrap();
    let sim = classes.get("sim").await.unwrap();
    for (name, spec) in [
        ("denied", json!({ "backend": "libvirt" })),
        ("paused", json!({ "paused": true })),
    ] {
        let mut class = json!({ "metadata": { "name": name }, "spec": sim.spec });
        for (field, value) in spec.as_object().unwrap() {
            class["spec"][field] = value.clone();
        }
        let class = serde_json::from_value(class).unwrap();
        let params = PostParams::default();
        classes.create(&params, &class).await.unwrap();
    }
    for (name, class) in [
        ("denied", "denied"),
        ("paused", "paused"),
        ("lost", "nowhere"),
        ("held", "sim"),
    ] {
        register(&client, name, class).await;
    }
    let machine = json!({
        "metadata": {
            "name": "web",
            "labels": { "banlieue.io/provider": "held" },
            "finalizers": ["tests.example.com/held"],
        },
        "spec": {
            "providerRef": { "name": "held" }, "imageRef": { "name": "none" },
            "numCpus": 1, "memoryMiB": 512, "disks": [{ "name": "os", "sizeGiB": 4 }],
        },
    });
    create::<SimMachine>(&client, "default", machine)
        .await
        .unwrap();
    served(&client, "held").await;
    let params = DeleteParams::default();
    providers.delete("held", &params).await.unwrap();
}

async fn served(client: &Client, provider: &str) {
    let providers: Api<Provider> = Api::namespaced(client.clone(), "default");
    until(&providers, provider, "to be served", |provider| {
        let status = provider.status.as_ref();
        status.is_some_and(|status| status.workload.is_some())
    })
    .await
    .unwrap();
}

/// What the operator wrote once it writes no more.
async fn settled(operator: &Operator) -> Vec<String> {
    let mut seen = operator.writes();
    loop {
        tokio::time::sleep(CALM).await;
        let now = operator.writes();
        if now.len() == seen.len() {
            return now;
        }
        seen = now;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_has_to_see_to_costs_no_write_while_nobody_does() {
    let (cluster, operator) = installed().await;
    let client = cluster.client();
    trouble(&cluster).await;
    let classes: Api<ProviderClass> = Api::all(client.clone());
    let says = async |class: &str, type_: &str, reason: &str| {
        until(&classes, class, reason, |class| {
            let status = class.status.as_ref();
            let conditions = status.map(|status| status.conditions.as_slice());
            let mut conditions = conditions.unwrap_or_default().iter();
            conditions.any(|it| it.type_ == type_ && it.reason == reason)
        })
        .await
        .unwrap();
    };
    says("denied", "Ready", "ClusterRoleMissing").await;
    says("paused", "Paused", "Paused").await;
    let wrote = settled(&operator).await;
    let events = wrote.iter().filter(|line| line.ends_with("/events"));
    assert_eq!(events.count(), 3, "of denied, lost and held: {wrote:?}");

    let kinds = [
        ("banlieue.io", "v1alpha1", "Provider"),
        ("banlieue.io", "v1alpha1", "ProviderClass"),
        ("apps", "v1", "Deployment"),
        ("events.k8s.io", "v1", "Event"),
    ];
    let before = versions(&client, &kinds, "").await;
    let reconciles = operator.reconciles();
    eventually("the deletion to be looked at again", async || {
        let now = operator.reconciles();
        ensure!(now > reconciles + 2, "{now} reconciles");
        Ok(())
    })
    .await
    .unwrap();
    assert_eq!(operator.writes(), wrote);
    // One that starts again knows nothing, and looks at everything.
    drop(operator);
    let operator = Operator::start(&cluster).await;
    eventually("another look at each Provider", async || {
        let now = operator.reconciles();
        ensure!(now >= 4, "{now} reconciles");
        Ok(())
    })
    .await
    .unwrap();
    let again = settled(&operator).await;
    let changes: Vec<_> = again.iter().filter(|it| !it.contains("/events")).collect();
    assert!(changes.is_empty(), "{changes:?}");
    assert_eq!(versions(&client, &kinds, "").await, before);

    install(&cluster);
    served(&client, "denied").await;
}
