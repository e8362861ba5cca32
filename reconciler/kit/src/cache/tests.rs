#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::{FutureExt, Stream, StreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Resource;
use serde_json::{Value, json};

use super::feed::Feed;
use super::*;
use crate::fake::{Answer, Fake};
use crate::health::{Health, Readiness, Role};

fn object(name: &str, version: &str) -> Value {
    json!({"metadata": {"name": name, "namespace": "ns", "resourceVersion": version}})
}

fn invalid(name: &str) -> Value {
    json!({"metadata": {"name": name, "namespace": "ns"}, "data": "not a map"})
}

/// What a subscriber has been told so far: `+name@version` or `-name`.
fn told(changes: &mut (impl Stream<Item = Change<ConfigMap>> + Unpin)) -> Vec<String> {
    let mut told = Vec::new();
    while let Some(Some(change)) = changes.next().now_or_never() {
        let meta = change.object.meta();
        let name = meta.name.as_deref().unwrap();
        told.push(match (change.deleted, meta.resource_version.as_deref()) {
            (true, _) => format!("-{name}"),
            (false, version) => format!("+{name}@{}", version.unwrap_or("?")),
        });
    }
    told.sort();
    told
}

#[test]
fn a_subscriber_is_told_what_is_there_and_what_changes() {
    let mut feed = Feed::<ConfigMap>::listed(&[object("a", "1"), object("b", "1")]);
    let mut changes = Box::pin(feed.watch().subscribe());
    assert_eq!(told(&mut changes), ["+a@1", "+b@1"]);
    feed.apply(&object("a", "2"));
    feed.delete(&object("b", "2"));
    assert_eq!(told(&mut changes), ["+a@2", "-b"]);
}

#[test]
fn what_vanished_while_the_watch_was_broken_is_told_as_deleted() {
    let mut feed = Feed::<ConfigMap>::listed(&[object("a", "1"), object("b", "1")]);
    let mut changes = Box::pin(feed.watch().subscribe());
    told(&mut changes);
    feed.list(&[object("b", "2"), object("c", "2")]);
    assert_eq!(told(&mut changes), ["+b@2", "+c@2", "-a"]);
    assert!(feed.watch().cache().get(Some("ns"), "a").is_none());
}

#[test]
fn nobody_is_told_before_the_cache_has_it() {
    let mut feed = Feed::<ConfigMap>::new();
    let cache = feed.watch().cache().clone();
    let mut changes = Box::pin(feed.watch().subscribe().map(move |change| {
        let name = change.object.meta().name.clone().unwrap();
        assert!(cache.get(Some("ns"), &name).is_some());
    }));
    feed.list(&[object("a", "1")]);
    assert!(changes.next().now_or_never().unwrap().is_some());
}

#[test]
fn an_object_that_does_not_parse_is_kept_apart() {
    let feed = Feed::<ConfigMap>::listed(&[object("a", "1"), invalid("bad")]);
    let cache = feed.watch().cache();
    assert!(cache.get(Some("ns"), "bad").is_none());
    assert!(cache.lookup(Some("ns"), "bad").is_some());
    assert!(cache.lookup(Some("ns"), "missing").is_none());
    assert_eq!(cache.list().len(), 1);
    assert_eq!(cache.all().len(), 2);
}

#[test]
fn not_there_means_nothing_before_the_first_list() {
    let mut feed = Feed::<ConfigMap>::new();
    let cache = feed.watch().cache().clone();
    let mut ready = std::pin::pin!(cache.ready());
    assert!(ready.as_mut().now_or_never().is_none());
    feed.list(&[]);
    assert!(ready.now_or_never().is_some());
}

#[tokio::test]
async fn everybody_who_waits_for_the_first_list_is_woken() {
    let mut feed = Feed::<ConfigMap>::new();
    let wait = || {
        let cache = feed.watch().cache().clone();
        tokio::spawn(async move { cache.ready().await })
    };
    let waiting = [wait(), wait(), wait()];
    tokio::task::yield_now().await;
    feed.list(&[]);
    for waiter in waiting {
        waiter.await.unwrap();
    }
}

/// Lists one object with managed fields, then watches for ever.
fn server() -> Fake {
    Fake::new(|call| {
        if call.query.contains("watch=true") {
            return Answer::Hang;
        }
        let mut object = object("a", "1");
        object["metadata"]["managedFields"] = json!([
            {"manager": "m", "operation": "Apply"},
            {"manager": "m", "operation": "Apply", "subresource": "status"},
            {"manager": "m", "operation": "Update"},
        ]);
        Answer::ok(json!({
            "kind": "ConfigMapList", "apiVersion": "v1",
            "metadata": {"resourceVersion": "1"}, "items": [object],
        }))
    })
}

#[tokio::test(start_paused = true)]
async fn a_watch_lists_what_was_asked_for_and_reports_ready() {
    let (fake, health) = (server(), Health::new());
    let mut watches = Watches::new(fake.client(), health.clone());
    let watch = watches.add::<ConfigMap>(WatchOptions {
        namespace: Some("ns".to_owned()),
        labels: Some("a=b".to_owned()),
        ..WatchOptions::default()
    });
    let keeping = watches.add::<ConfigMap>(WatchOptions {
        managed_fields: true,
        ..WatchOptions::default()
    });
    assert_eq!(health.readiness(), Readiness::Starting);
    tokio::spawn(watches.run());
    let both = futures::future::join(watch.cache().ready(), keeping.cache().ready());
    tokio::time::timeout(Duration::from_secs(60), both)
        .await
        .unwrap();
    tokio::task::yield_now().await;

    assert_eq!(health.readiness(), Readiness::Ready(Role::Standby));
    let calls = fake.calls();
    let list = calls
        .iter()
        .find(|call| call.path == "/api/v1/namespaces/ns/configmaps");
    assert!(list.unwrap().query.contains("labelSelector=a%3Db"));
    let managed = |watch: &Watch<ConfigMap>| {
        let object = watch.cache().get(Some("ns"), "a").unwrap();
        object.metadata.managed_fields.as_ref().map(Vec::len)
    };
    assert_eq!(managed(&watch), None);
    let applied_to_the_object_itself = Some(1);
    assert_eq!(managed(&keeping), applied_to_the_object_itself);
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_may_be_missing_counts_as_empty_until_it_is_served() {
    let served = Arc::new(AtomicBool::new(false));
    let switch = Arc::clone(&served);
    let fake = Fake::new(move |call| {
        if !switch.load(Ordering::Relaxed) {
            return Answer::refusal(404, "NotFound");
        }
        if call.query.contains("watch=true") {
            return Answer::Hang;
        }
        Answer::ok(json!({
            "kind": "ConfigMapList", "apiVersion": "v1",
            "metadata": {"resourceVersion": "1"}, "items": [object("a", "1")],
        }))
    });
    let mut watches = Watches::new(fake.client(), Health::new());
    let watch = watches.add::<ConfigMap>(WatchOptions {
        optional: true,
        ..WatchOptions::default()
    });
    tokio::spawn(watches.run());
    watch.cache().ready().await;
    assert!(watch.cache().list().is_empty());
    tokio::time::sleep(Duration::from_secs(600)).await;
    let asked = fake.calls().len();
    assert!((20..=45).contains(&asked), "asked {asked} times");
    served.store(true, Ordering::Relaxed);
    let mut changes = Box::pin(watch.subscribe());
    assert!(changes.next().await.is_some());
    assert_eq!(watch.cache().list().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_api_server_that_is_away_is_not_asked_every_second() {
    let fake = Fake::new(|_| Answer::refusal(503, "ServiceUnavailable"));
    let health = Health::new();
    let mut watches = Watches::new(fake.client(), health.clone());
    watches.add::<ConfigMap>(WatchOptions::default());
    tokio::spawn(watches.run());
    tokio::time::sleep(Duration::from_secs(600)).await;
    let asked = fake.calls().len();
    assert!((20..=45).contains(&asked), "asked {asked} times");
    assert_eq!(health.readiness(), Readiness::Starting);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_an_answer_and_no_list() {
    let fake = Fake::new(|_| Answer::refusal(403, "Forbidden"));
    let mut watches = Watches::new(fake.client(), Health::new());
    let watch = watches.add::<ConfigMap>(WatchOptions::default());
    tokio::spawn(watches.run());
    watch.cache().answered().await;
    assert!(!watch.cache().is_ready());
}

#[test]
fn a_cache_of_given_objects_serves_tests_of_its_users() {
    let cache = Cache::of([serde_json::from_value::<ConfigMap>(object("a", "1")).unwrap()]);
    assert!(cache.get(Some("ns"), "a").is_some());
    assert!(cache.ready().now_or_never().is_some());
}
