#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use serde_json::{Value, json};

use super::*;

fn pod() -> Value {
    json!({
        "metadata": {
            "name": "p", "namespace": "ns", "uid": "u", "generation": 1, "resourceVersion": "1",
            "labels": {"a": "b"},
        },
        "status": {"phase": "Pending", "message": "m"},
    })
}

fn change(object: &Value, deleted: bool) -> Change<Pod> {
    let object = serde_json::from_value(object.clone()).unwrap();
    Change { object, deleted }
}

fn phase(pod: &Pod) -> u64 {
    fingerprint(&pod.status.as_ref().and_then(|status| status.phase.clone()))
}

/// Whether a change of one place passes, after the object was seen once.
fn passes(trigger: Trigger<Pod>, at: &str, new: Value) -> bool {
    let mut filter = Filter::new(trigger);
    assert!(filter.passes(&change(&pod(), false)));
    let mut changed = pod();
    changed["metadata"]["resourceVersion"] = "2".into();
    let (parent, field) = at.rsplit_once('/').unwrap();
    changed.pointer_mut(parent).unwrap()[field] = new;
    filter.passes(&change(&changed, false))
}

#[test]
fn a_status_that_we_wrote_calls_for_nothing_and_anything_else_does() {
    let status = ("/status/phase", json!("Running"));
    let intents = [
        ("/metadata/generation", json!(2)),
        ("/metadata/labels", json!({"a": "c"})),
        ("/metadata/annotations", json!({"a": "c"})),
        ("/metadata/finalizers", json!(["x/y"])),
        ("/metadata/deletionTimestamp", json!("2026-01-01T00:00:00Z")),
        ("/metadata/uid", json!("another")),
        ("/spec", json!("does not parse")),
        (
            "/metadata/ownerReferences",
            json!([{"apiVersion": "v1", "kind": "K", "name": "n", "uid": "o"}]),
        ),
    ];
    for (at, new) in intents {
        for trigger in [Trigger::Intent, Trigger::IntentAnd(phase), Trigger::Any] {
            assert!(passes(trigger, at, new.clone()), "{at}");
        }
        let calls = passes(Trigger::Metadata, at, new);
        assert_eq!(calls, at != "/metadata/generation", "{at}");
    }
    let (at, new) = status;
    assert!(!passes(Trigger::Intent, at, new.clone()));
    assert!(passes(Trigger::IntentAnd(phase), at, new.clone()));
    assert!(passes(Trigger::Any, at, new));
    assert!(!passes(
        Trigger::IntentAnd(phase),
        "/status/message",
        json!("other")
    ));
}

#[test]
fn a_lease_that_is_prolonged_calls_for_nothing() {
    let mut filter = Filter::<Lease>::new(Trigger::Metadata);
    let mut see = |version: &str, time: &str| {
        let object = json!({
            "metadata": {"name": "l", "resourceVersion": version},
            "spec": {"renewTime": time},
        });
        let object = serde_json::from_value(object).unwrap();
        filter.passes(&Change {
            object,
            deleted: false,
        })
    };
    assert!(see("1", "2026-01-01T00:00:00.000000Z"));
    assert!(!see("2", "2026-01-01T00:00:05.000000Z"));
}

#[test]
fn a_list_after_a_broken_watch_calls_for_what_changed_only() {
    let mut filter = Filter::new(Trigger::Intent);
    let seen = change(&pod(), false);
    let passes = [&seen, &seen, &change(&pod(), true), &seen].map(|change| filter.passes(change));
    assert_eq!(passes, [true, false, true, true]);
}

#[test]
fn a_kind_without_generation_counts_whole() {
    let mut filter = Filter::<ConfigMap>::new(Trigger::Intent);
    let mut see = |version: &str| {
        let object = json!({"metadata": {"name": "c", "resourceVersion": version}});
        let object = serde_json::from_value(object).unwrap();
        filter.passes(&Change {
            object,
            deleted: false,
        })
    };
    assert_eq!([see("1"), see("1"), see("2")], [true, false, true]);
}
