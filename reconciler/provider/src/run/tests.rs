#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;

use banlieue_kit::events::Events;
use banlieue_kit::health::Health;
use banlieue_kit::metrics::Metrics;
use banlieue_schemas::infrastructure::SimMachine;
use banlieue_sim::SimConnect;
use serde_json::json;

use super::*;
use crate::testing::{MACHINE, Stage, machine, metadata, world};

const SECRET: &str = "/api/v1/namespaces/ns/secrets/secret";

#[tokio::test(start_paused = true)]
async fn a_process_watches_what_is_its_own_and_makes_its_machines() {
    let stage = Stage::ready(world()).await;
    let (server, simulator) = (&stage.server, Arc::clone(&stage.simulator));
    server.put(MACHINE, machine());
    server.put(
        SECRET,
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": metadata(Some("ns"), "secret")}),
    );
    let fake = server.fake();
    let (client, metrics) = (fake.client(), Metrics::new());
    let reporting = Reporting {
        events: Events::new(client.clone(), "test", "test"),
        metrics: metrics.clone(),
        health: Health::new(),
    };
    let shutdown = CancellationToken::new();
    let running = tokio::spawn(run::<SimMachine, _>(
        client,
        SimConnect::to(Arc::clone(&simulator)),
        Config::new("ns", "p1"),
        reporting,
        shutdown.clone(),
    ));
    let ready = |machine: serde_json::Value| machine["status"]["observedPowerState"] == "PoweredOn";
    server.until(|it| it.get(MACHINE).is_some_and(ready)).await;
    shutdown.cancel();
    running.await.unwrap().unwrap();

    let calls = fake.calls().into_iter();
    let watched: BTreeSet<String> = calls
        .filter(|call| call.method == "GET")
        .map(|call| {
            let query = call.query.split('&');
            let selector = query.filter(|part| part.contains("Selector"));
            let name = call.path.rsplit('/').next().unwrap().to_owned();
            [name]
                .into_iter()
                .chain(selector.map(str::to_owned))
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    assert_eq!(
        Vec::from_iter(watched),
        [
            "machines",
            "providers fieldSelector=metadata.name%3Dp1",
            "secrets fieldSelector=metadata.name%3Dsecret",
            "simmachines labelSelector=banlieue.io%2Fprovider%3Dp1",
            "vmimages",
        ]
    );
    let text = metrics.encode().unwrap();
    let created = r#"banlieue_backend_calls_total{call="create",result="ok"} 1"#;
    assert!(text.contains(created), "{text}");
    // That of the stage is still open.
    assert_eq!(simulator.with(|world| world.state().sessions), 1);
}
