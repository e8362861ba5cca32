//! Which requests an election makes.

use super::super::elector::{Elector, Renewal};
use super::*;

fn lines(fake: &Fake) -> Vec<String> {
    fake.calls()
        .iter()
        .map(|call| call.method.clone())
        .collect()
}

#[tokio::test(start_paused = true)]
async fn leading_costs_one_request_a_renewal() {
    let server = LeaseServer::new();
    let fake = server.fake();
    let mut elector = Elector::new(candidate(&fake, "a"));
    assert!(elector.campaign().await.is_some());
    for _ in 0..3 {
        let renewal = elector.renew().await.unwrap();
        assert_eq!(renewal, Renewal::Held(Instant::now()));
    }
    assert_eq!(lines(&fake), ["GET", "POST", "PUT", "PUT", "PUT"]);
}

#[tokio::test(start_paused = true)]
async fn of_two_that_find_no_lease_one_leads() {
    let server = LeaseServer::new();
    let mut first = Elector::new(candidate(&server.fake(), "a"));
    let mut second = Elector::new(candidate(&server.fake(), "b"));
    let (first, second) = tokio::join!(first.campaign(), second.campaign());
    assert!(first.is_some() != second.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_slept_gets_a_conflict_and_stops() {
    let server = LeaseServer::new();
    let fake = server.fake();
    let mut sleeper = Elector::new(candidate(&fake, "a"));
    assert!(sleeper.campaign().await.is_some());
    let mut second = Elector::new(candidate(&server.fake(), "b"));
    assert!(second.campaign().await.is_none());
    tokio::time::advance(seconds(15)).await;
    assert!(second.campaign().await.is_some());

    assert_eq!(sleeper.renew().await.unwrap(), Renewal::Lost);
    assert_eq!(lines(&fake), ["GET", "POST", "PUT", "GET"]);
    assert_eq!(server.holder(), "b");
    // It cannot take away what is not its own either.
    assert!(sleeper.release().await.is_err());
    assert_eq!(server.holder(), "b");
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_somebody_labelled_is_still_ours_and_keeps_the_label() {
    let server = LeaseServer::new();
    let mut elector = Elector::new(candidate(&server.fake(), "a"));
    elector.campaign().await.unwrap();
    server.touch();
    assert!(matches!(elector.renew().await.unwrap(), Renewal::Held(_)));
    assert_eq!(server.lease()["metadata"]["labels"]["touched"], "yes");
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_is_found_again() {
    let server = LeaseServer::new();
    let mut elector = Elector::new(candidate(&server.fake(), "a"));
    elector.campaign().await.unwrap();
    server.lose_answers();
    assert!(elector.renew().await.is_err());
    server.mend();
    assert!(matches!(elector.renew().await.unwrap(), Renewal::Held(_)));
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_to_the_first_write_is_found_again() {
    let server = LeaseServer::new();
    let mut elector = Elector::new(candidate(&server.fake(), "a"));
    server.lose_answers();
    assert!(elector.campaign().await.is_none());
    server.mend();
    assert!(elector.campaign().await.is_none() || server.holder() == "a");
    assert!(elector.campaign().await.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_is_gone_is_lost() {
    let server = LeaseServer::new();
    let mut elector = Elector::new(candidate(&server.fake(), "a"));
    elector.campaign().await.unwrap();
    server.remove();
    assert_eq!(elector.renew().await.unwrap(), Renewal::Lost);
}
