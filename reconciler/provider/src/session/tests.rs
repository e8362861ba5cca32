#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::time::Duration;

use banlieue_backend::ErrorKind;
use banlieue_core::machine::Identity;
use banlieue_sim::WorldSpec;
use banlieue_sim::world::call::CallKind;
use banlieue_sim::world::fault::{Fault, Rule};

use super::*;
use crate::testing::{PROVIDER, Stage, world};

fn connects(stage: &Stage) -> u64 {
    stage.simulator.with(|world| {
        let counts = world.log().counts();
        counts.get(&CallKind::Connect).copied().unwrap_or_default()
    })
}

async fn observe(stage: &Stage) -> Result<(), CallError> {
    let seen = stage.session.observe(&Identity::of("a")).await;
    seen.map(|seen| assert!(seen.is_none()))
}

fn kind(result: Result<(), CallError>) -> ErrorKind {
    match result {
        Err(CallError::Backend(error)) => error.kind(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn everybody_shares_one_connection() {
    let stage = Stage::new(world());
    let all = futures::future::join_all((0..10).map(|_| observe(&stage))).await;
    assert!(all.iter().all(Result::is_ok));
    assert_eq!(connects(&stage), 1);
}

#[tokio::test(start_paused = true)]
async fn rotated_credentials_cost_one_connection() {
    let stage = Stage::new(world());
    observe(&stage).await.unwrap();
    stage.keys.put("secret", "password", "new");
    let all = futures::future::join_all((0..10).map(|_| observe(&stage))).await;
    assert!(all.iter().all(Result::is_ok));
    assert_eq!(connects(&stage), 2);
}

#[tokio::test(start_paused = true)]
async fn another_endpoint_is_another_connection() {
    let mut stage = Stage::new(world());
    observe(&stage).await.unwrap();
    stage.edit(PROVIDER, |it| {
        it["spec"]["connection"]["endpoint"] = "sim://two".into();
    });
    observe(&stage).await.unwrap();
    assert_eq!(connects(&stage), 2);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_expired_is_renewed_unseen() {
    let stage = Stage::new(world());
    observe(&stage).await.unwrap();
    tokio::time::advance(Duration::from_secs(60)).await;
    stage.fault(Rule::new(Fault::SessionExpired));
    observe(&stage).await.unwrap();
    assert_eq!(connects(&stage), 2);
}

#[tokio::test(start_paused = true)]
async fn a_backend_that_refuses_every_call_is_not_flooded_with_logins() {
    let stage = Stage::new(world());
    let rule = Rule::new(Fault::Error(ErrorKind::Auth)).on(CallKind::Observe);
    stage.fault(rule.times(0));
    for _ in 0..20 {
        assert_eq!(kind(observe(&stage).await), ErrorKind::Auth);
    }
    assert_eq!(connects(&stage), 1);
    tokio::time::advance(Duration::from_secs(10)).await;
    assert_eq!(kind(observe(&stage).await), ErrorKind::Auth);
    assert_eq!(connects(&stage), 2);
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_fails_is_tried_again_after_a_pause() {
    let stage = Stage::new(WorldSpec {
        password: Some("right".into()),
        ..world()
    });
    for _ in 0..5 {
        assert_eq!(kind(observe(&stage).await), ErrorKind::Auth);
    }
    assert_eq!(connects(&stage), 1);
    tokio::time::advance(Duration::from_secs(10)).await;
    assert_eq!(kind(observe(&stage).await), ErrorKind::Auth);
    assert_eq!(connects(&stage), 2);
    stage.keys.put("secret", "password", "right");
    observe(&stage).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_last_connection_serves_while_the_secret_is_gone() {
    let stage = Stage::new(world());
    observe(&stage).await.unwrap();
    stage.keys.remove("secret");
    observe(&stage).await.unwrap();
    assert_eq!(connects(&stage), 1);
}

#[tokio::test(start_paused = true)]
async fn no_call_takes_longer_than_its_deadline() {
    let stage = Stage::new(world());
    for call in [CallKind::Connect, CallKind::Observe] {
        stage.fault(Rule::new(Fault::BlackHole).on(call).times(1));
        let result = tokio::time::timeout(Duration::from_secs(31), observe(&stage));
        assert_eq!(kind(result.await.unwrap()), ErrorKind::Retry);
    }
    observe(&stage).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_closed_session_is_closed_on_the_backend() {
    let stage = Stage::new(world());
    observe(&stage).await.unwrap();
    let sessions = || stage.simulator.with(|world| world.state().sessions);
    assert_eq!(sessions(), 1);
    stage.session.close().await;
    assert_eq!(sessions(), 0);
}
