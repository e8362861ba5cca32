#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::atomic::{AtomicU16, Ordering};

use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::api::rbac::v1::ClusterRole;
use kube::Resource;
use serde_json::json;

use super::*;
use crate::fake::{Answer, Fake, config_map};

fn saying(note: &str) -> Saying {
    Saying {
        severity: Severity::Warning,
        reason: Reason::InvalidSpec,
        action: "Reconcile",
        note: note.to_owned(),
    }
}

fn now() -> Timestamp {
    "2026-01-02T03:04:05.000006Z".parse().unwrap()
}

fn events(fake: &Fake) -> Events {
    Events::new(fake.client(), "banlieue-controller", "pod-1")
}

async fn say(events: &Events, note: &str) -> bool {
    events
        .say::<ConfigMap>(config_map("a").meta(), &saying(note), now())
        .await
}

#[tokio::test]
async fn an_event_tells_who_says_what_about_which_object() {
    let fake = Fake::echo();
    assert!(say(&events(&fake), "bad").await);
    let call = fake.call();
    assert_eq!(
        call.line(),
        "POST /apis/events.k8s.io/v1/namespaces/ns/events"
    );
    let mut body = call.body;
    let name = body["metadata"]["name"].take();
    assert!(name.as_str().unwrap().starts_with("a."), "{name}");
    assert_eq!(
        body,
        json!({
            "apiVersion": "events.k8s.io/v1", "kind": "Event",
            "metadata": {"name": null, "namespace": "ns"},
            "eventTime": "2026-01-02T03:04:05.000006Z",
            "type": "Warning", "reason": "InvalidSpec", "action": "Reconcile", "note": "bad",
            "regarding": {"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "namespace": "ns",
                "uid": "uid-a"},
            "reportingController": "banlieue-controller", "reportingInstance": "pod-1",
        })
    );
}

#[tokio::test]
async fn the_same_is_said_once() {
    let fake = Fake::echo();
    let events = events(&fake);
    let said = [
        say(&events, "x").await,
        say(&events, "y").await,
        say(&events, "x").await,
    ];
    assert_eq!(said, [true, true, false]);
    assert_eq!(fake.calls().len(), 2);
}

#[tokio::test]
async fn saying_it_again_after_a_restart_stores_nothing_new() {
    let fake = Fake::refusing(409, "AlreadyExists");
    let names = [events(&fake), events(&fake)].map(async |events| {
        say(&events, "x").await;
        // A refusal as existing counts as said.
        assert!(!say(&events, "x").await);
    });
    for name in names {
        name.await;
    }
    let calls = fake.calls();
    assert_eq!(calls.len(), 2);
    assert_eq!(
        calls[0].body["metadata"]["name"],
        calls[1].body["metadata"]["name"]
    );
}

#[tokio::test]
async fn what_could_not_be_said_is_said_again() {
    let code = Arc::new(AtomicU16::new(403));
    let answers = Arc::clone(&code);
    let fake = Fake::new(move |call| match answers.load(Ordering::Relaxed) {
        200 => Answer::ok(call.body.clone()),
        code => Answer::refusal(code, "Forbidden"),
    });
    let events = events(&fake);
    assert!(say(&events, "x").await);
    code.store(200, Ordering::Relaxed);
    assert!(say(&events, "x").await);
    assert!(!say(&events, "x").await);
}

#[tokio::test]
async fn an_object_that_was_well_in_between_is_told_about_again() {
    let fake = Fake::echo();
    let events = events(&fake);
    say(&events, "x").await;
    events.settle("uid-a");
    events.settle("uid-a");
    assert!(say(&events, "x").await);
    events.forget("uid-a");
    assert!(say(&events, "x").await);
}

#[tokio::test]
async fn what_every_pass_says_is_asked_for_once() {
    let fake = Fake::echo();
    let events = events(&fake);
    assert!(say(&events, "x").await);
    for _ in 0..3 {
        events.settle("uid-a");
        assert!(!say(&events, "x").await);
    }
}

#[tokio::test]
async fn long_texts_fit_and_cluster_scoped_objects_have_a_place() {
    let fake = Fake::echo();
    let meta = ObjectMeta {
        name: Some("n".repeat(253)),
        ..ObjectMeta::default()
    };
    let note = "ä".repeat(1000);
    events(&fake)
        .say::<ClusterRole>(&meta, &saying(&note), now())
        .await;
    let body = fake.call().body;
    assert_eq!(body["metadata"]["namespace"], "default");
    assert_eq!(body["metadata"]["name"].as_str().unwrap().len(), 253);
    assert_eq!(body["note"].as_str().unwrap().len(), 1024);
}
