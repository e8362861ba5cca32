#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod overlap;
mod requests;
mod server;

use tokio::time::Instant;

use super::*;
use crate::fake::Fake;
use crate::health::{Readiness, Role};
use server::LeaseServer;

fn candidate(fake: &Fake, identity: &str) -> Election {
    let fence = Fence::closed();
    let metrics = Metrics::new();
    Election {
        client: fake.client_with(metrics.clone(), fence.clone()),
        namespace: "ns".to_owned(),
        name: "lease".to_owned(),
        identity: identity.to_owned(),
        role: "controller".to_owned(),
        timing: Timing::default(),
        fence,
        health: Health::new(),
        metrics,
    }
}

async fn win(election: &Election) -> Leadership {
    let shutdown = CancellationToken::new();
    election.clone().win(&shutdown).await.unwrap()
}

fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

#[tokio::test(start_paused = true)]
async fn the_first_candidate_leads_at_once_and_says_so() {
    let server = LeaseServer::new();
    let election = candidate(&server.fake(), "a");
    let leadership = win(&election).await;
    assert_eq!(election.health.readiness(), Readiness::Ready(Role::Leader));
    assert!(
        election
            .metrics
            .encode()
            .unwrap()
            .contains("banlieue_leader{role=\"controller\"} 1")
    );
    assert_eq!(server.holder(), "a");
    assert!(!leadership.lost().is_cancelled());
}

#[tokio::test(start_paused = true)]
async fn a_stand_by_waits_for_as_long_as_the_leader_renews() {
    let server = LeaseServer::new();
    let leadership = win(&candidate(&server.fake(), "a")).await;
    let second = candidate(&server.fake(), "b");
    let waiting = tokio::time::timeout(seconds(300), win(&second)).await;
    assert!(waiting.is_err());
    assert!(!leadership.lost().is_cancelled());
    assert_eq!(second.health.readiness(), Readiness::Ready(Role::Standby));
}

#[tokio::test(start_paused = true)]
async fn a_silent_leader_is_followed_after_the_whole_duration() {
    let server = LeaseServer::new();
    drop(win(&candidate(&server.fake(), "a")).await);
    let silent = Instant::now();
    let _leadership = win(&candidate(&server.fake(), "b")).await;
    let waited = silent.elapsed();
    assert!(
        seconds(15) <= waited && waited <= seconds(15 + 2),
        "{waited:?}"
    );
    assert_eq!(server.holder(), "b");
    assert_eq!(server.lease()["spec"]["leaseTransitions"], 1);
}

#[tokio::test(start_paused = true)]
async fn a_released_lease_is_taken_with_the_next_attempt() {
    let server = LeaseServer::new();
    let first = candidate(&server.fake(), "a");
    let leadership = win(&first).await;
    leadership.release().await;
    assert_eq!(server.holder(), "");
    assert!(!first.fence.is_open(Instant::now()));
    let released = Instant::now();
    let _leadership = win(&candidate(&server.fake(), "b")).await;
    assert!(released.elapsed() <= seconds(2));
}

#[tokio::test(start_paused = true)]
async fn shutdown_ends_the_wait() {
    let server = LeaseServer::new();
    let _leadership = win(&candidate(&server.fake(), "a")).await;
    let shutdown = CancellationToken::new();
    let waiting = candidate(&server.fake(), "b").win(&shutdown);
    let (won, ()) = tokio::join!(waiting, async {
        tokio::time::sleep(seconds(5)).await;
        shutdown.cancel();
    });
    assert!(won.is_none());
}

#[tokio::test(start_paused = true)]
async fn an_api_server_that_does_not_answer_shows_in_health() {
    let server = LeaseServer::new();
    let election = candidate(&server.fake(), "a");
    server.cut();
    let shutdown = CancellationToken::new();
    let _ = tokio::time::timeout(seconds(60), election.clone().win(&shutdown)).await;
    assert_eq!(election.health.readiness(), Readiness::Unreachable);
    server.mend();
    let _leadership = win(&election).await;
    assert_eq!(election.health.readiness(), Readiness::Ready(Role::Leader));
}
