//! The simulator passes the suite that every backend passes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;

use std::sync::Arc;

use banlieue_backend::conformance::{Fixture, run_all};
use banlieue_backend::{Connect, Endpoint};
use banlieue_sim::server::serve;
use banlieue_sim::world::spec::{Abilities, Latency};
use banlieue_sim::{SimClientConnect, SimConnect, Simulator, WorldSpec, Worlds, WorldsSpec};
use tokio::net::TcpListener;

use self::fixture::SimFixture;

/// Every case passes, and none is left out.
async fn passes<C: Connect>(fixture: SimFixture<C>)
where
    SimFixture<C>: Fixture,
{
    let report = run_all(&fixture).await;
    println!("{report}");
    assert!(report.cases().len() > 30);
    assert_eq!(report.failed(), Vec::<&str>::new());
    assert_eq!(report.untried(), Vec::<&str>::new());
}

async fn passes_in_process(spec: WorldSpec) {
    let simulator = Simulator::start(spec);
    passes(SimFixture {
        connect: SimConnect::to(Arc::clone(&simulator)),
        endpoint: Endpoint::default(),
        simulator,
        used: 0.into(),
    })
    .await;
}

#[tokio::test]
async fn in_process_with_work_that_takes_time() {
    passes_in_process(WorldSpec::default()).await;
}

#[tokio::test]
async fn in_process_with_work_that_is_done_at_once() {
    passes_in_process(WorldSpec {
        latency: Latency::NONE,
        ..WorldSpec::default()
    })
    .await;
}

#[tokio::test]
async fn in_process_with_the_least_that_a_backend_can_do() {
    passes_in_process(WorldSpec {
        abilities: Abilities::LEAST,
        ..WorldSpec::default()
    })
    .await;
}

#[tokio::test]
async fn behind_a_server() {
    let worlds = Arc::new(Worlds::new(WorldsSpec::default()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = serve(listener, Arc::clone(&worlds), std::future::pending());
    let server = tokio::spawn(server);
    passes(SimFixture {
        connect: SimClientConnect::default(),
        endpoint: Endpoint {
            url: format!("sim://{address}/conformance"),
            ..Endpoint::default()
        },
        simulator: worlds.get("conformance"),
        used: 0.into(),
    })
    .await;
    server.abort();
}
