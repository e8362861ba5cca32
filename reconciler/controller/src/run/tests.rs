#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::time::Duration;

use banlieue_kit::events::Events;
use banlieue_kit::fake::{Answer, Fake};
use banlieue_kit::health::{Health, Readiness, Role};
use banlieue_kit::metrics::Metrics;
use serde_json::json;

use super::*;

/// An API server without objects, on which Cluster API is not installed.
fn empty() -> Fake {
    Fake::new(|call| {
        if call.path.starts_with("/apis/cluster.x-k8s.io/") {
            return Answer::refusal(404, "NotFound");
        }
        if call.query.contains("watch=") {
            return Answer::Hang;
        }
        Answer::ok(json!({
            "kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": [],
        }))
    })
}

#[tokio::test(start_paused = true)]
async fn it_gets_ready_without_cluster_api_and_ends_when_asked() {
    let (server, health, shutdown) = (empty(), Health::new(), CancellationToken::new());
    let reporting = Reporting {
        events: Events::new(server.client(), "banlieue-controller", "test"),
        metrics: Metrics::new(),
        health: health.clone(),
    };
    let settings = Settings {
        namespace: Some("prod".to_owned()),
        ..Settings::default()
    };
    let process = tokio::spawn(run(server.client(), settings, reporting, shutdown.clone()));
    // Paused time: it runs until it waits.
    while server.calls().is_empty() || health.readiness() != Readiness::Ready(Role::Standby) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    shutdown.cancel();
    process.await.unwrap().unwrap();

    let calls = server.calls();
    let listed: Vec<&str> = calls
        .iter()
        .filter(|call| !call.query.contains("watch="))
        .map(|call| call.path.as_str())
        .collect();
    assert!(listed.contains(&"/apis/banlieue.io/v1alpha1/namespaces/prod/virtualmachines"));
    assert!(listed.contains(&"/apis/banlieue.io/v1alpha1/vmclasses"));
    assert!(calls.iter().all(|call| call.method == "GET"));
}
