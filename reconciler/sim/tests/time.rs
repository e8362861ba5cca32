//! Waiting, by a clock that shows what the test tells it to.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use banlieue_backend::{Connect, Credentials, Endpoint, ErrorKind, Hint, Inventory, Machines};
use banlieue_core::machine::{Desired, Disk, Hardware, Identity, Seed, Step};
use banlieue_schemas::common::PowerState;
use banlieue_sim::world::fault::{Fault, Rule};
use banlieue_sim::world::spec::{Latency, ZoneSpec};
use banlieue_sim::{ManualClock, SimBackend, SimConnect, Simulator, WorldSpec};
use futures::{FutureExt, StreamExt};

async fn connected(clock: &ManualClock) -> SimBackend {
    let spec = WorldSpec {
        latency: Latency {
            create: [500, 500],
            ..Latency::NONE
        },
        ..WorldSpec::default()
    };
    let simulator = Simulator::with_clock(spec, clock.clone());
    let connect = SimConnect::to(Arc::clone(&simulator));
    let (endpoint, nothing) = (Endpoint::default(), Credentials::default());
    connect.connect(&endpoint, &nothing).await.unwrap()
}

fn strike(backend: &SimBackend, fault: Fault) {
    let rule = Rule::new(fault);
    backend.simulator().with(|world| world.script().add(rule));
}

fn create() -> Step {
    let zone = ZoneSpec::default();
    Step::Create(Box::new(Desired {
        name: "web-1".into(),
        zone: "z".into(),
        place: zone.place(),
        image: zone.reference("debian-13"),
        hardware: Hardware::default(),
        disks: vec![Disk {
            name: "os".into(),
            size_gib: 10,
            ..Disk::default()
        }],
        nics: Vec::new(),
        seed: Seed::default(),
        power: PowerState::PoweredOn,
    }))
}

#[tokio::test]
async fn a_slow_answer_comes_when_its_time_is_over() {
    let clock = ManualClock::new();
    let backend = connected(&clock).await;
    strike(&backend, Fault::Slow(1000));
    let mut survey = pin!(backend.survey());
    assert!((&mut survey).now_or_never().is_none());
    clock.advance(Duration::from_millis(999));
    assert!((&mut survey).now_or_never().is_none());
    clock.advance(Duration::from_millis(1));
    assert!(survey.await.is_ok());
}

#[tokio::test]
async fn a_call_without_an_answer_ends_at_its_deadline() {
    let clock = ManualClock::new();
    let backend = connected(&clock).await;
    strike(&backend, Fault::BlackHole);
    let mut survey = pin!(backend.survey());
    assert!((&mut survey).now_or_never().is_none());
    clock.advance(Duration::from_secs(61));
    assert_eq!(survey.await.unwrap_err().kind(), ErrorKind::Retry);
}

#[tokio::test]
async fn work_that_ends_by_itself_is_told() {
    let clock = ManualClock::new();
    let backend = connected(&clock).await;
    let identity = Identity::of("a");
    let ours = Hint::Machine("a".to_owned());
    let mut hints = backend.changes();
    backend.execute(&identity, &create()).await.unwrap();
    assert_eq!(hints.next().await.unwrap(), ours);
    assert!(hints.next().now_or_never().is_none());
    clock.advance(Duration::from_millis(500));
    assert_eq!(hints.next().await.unwrap(), ours);
    assert!(backend.observe(&identity).await.unwrap().unwrap().defined);
}
