//! What a runner is called for.

use super::*;

#[tokio::test(start_paused = true)]
async fn every_object_is_reconciled_once_and_again_when_it_changes() {
    let mut bench = Bench::start(&[object("a"), object("b")], Config::default(), content);
    assert_eq!(bench.during(MOMENT).await, ["a", "b"]);
    let mut changed = object("a");
    changed["metadata"]["generation"] = 2.into();
    bench.feed.apply(&changed);
    assert_eq!(bench.during(MOMENT).await, ["a"]);
    assert!(bench.counts("banlieue_reconcile_total{controller=\"scripted\",result=\"success\"} 3"));
}

#[tokio::test(start_paused = true)]
async fn our_own_status_and_a_new_list_call_for_nothing() {
    let mut bench = Bench::start(&[object("a")], Config::default(), content);
    bench.during(MOMENT).await;
    let mut written = object("a");
    written["metadata"]["resourceVersion"] = "9".into();
    bench.feed.apply(&written);
    bench.feed.list(&[written]);
    assert!(bench.during(MOMENT).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn owners_and_mapped_objects_are_reconciled_when_another_changes_or_goes() {
    let (mut bench, runner) = Bench::new(
        Feed::listed(&[object("a"), object("b"), object("c")]),
        Config::default(),
        content,
    );
    let mut children = Feed::<ConfigMap>::listed(&[]);
    let mut classes = Feed::<ConfigMap>::listed(&[]);
    let (extra, named) = futures::channel::mpsc::unbounded();
    let runner = runner
        .owns(children.watch(), Trigger::Any)
        .watches(classes.watch(), Trigger::Any, |meta| {
            assert_eq!(meta.name.as_deref(), Some("class"));
            [
                ObjectRef::new("b").within("ns"),
                ObjectRef::new("gone").within("ns"),
            ]
        })
        .triggered_by(named);
    tokio::spawn(runner.run(bench.shutdown.clone()));
    bench.during(MOMENT).await;

    let mut child = object("child");
    child["metadata"]["ownerReferences"] =
        json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "uid-a"}]);
    children.apply(&child);
    assert_eq!(bench.during(MOMENT).await, ["a"]);
    children.delete(&child);
    assert_eq!(bench.during(MOMENT).await, ["a"]);
    // An object that does not parse can still be mapped.
    classes.apply(&invalid("class"));
    assert_eq!(bench.during(MOMENT).await, ["b"]);
    extra
        .unbounded_send(ObjectRef::new("c").within("ns"))
        .unwrap();
    assert_eq!(bench.during(MOMENT).await, ["c"]);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_reconciled_before_every_watch_has_listed() {
    let (mut bench, runner) = Bench::new(Feed::listed(&[object("a")]), Config::default(), content);
    let mut others = Feed::<ConfigMap>::new();
    let runner = runner.owns(others.watch(), Trigger::Any);
    tokio::spawn(runner.run(bench.shutdown.clone()));
    assert!(bench.during(Duration::from_secs(60)).await.is_empty());
    assert_eq!(bench.health.readiness(), health::Readiness::Starting);
    others.list(&[]);
    assert_eq!(bench.during(MOMENT).await, ["a"]);
    assert_eq!(
        bench.health.readiness(),
        health::Readiness::Ready(health::Role::Standby)
    );
}

#[tokio::test(start_paused = true)]
async fn a_quiet_object_is_looked_at_regularly_and_early_on_request() {
    let config = Config {
        resync: Duration::from_secs(600),
        ..Config::default()
    };
    let mut bench = Bench::start(&[object("a")], config, content);
    bench.next_at().await;
    let second = bench.next_at().await;
    assert!((540.0..=601.0).contains(&second), "{second}");

    let mut bench = Bench::start(&[object("a")], config, |_| {
        future::ready(Ok(Next::After(Duration::from_secs(7)))).boxed()
    });
    bench.next_at().await;
    let second = bench.next_at().await;
    assert!((7.0..7.1).contains(&second), "{second}");
    bench.during(MOMENT).await;
    assert!(bench.counts("banlieue_reconcile_total{controller=\"scripted\",result=\"requeue\"} 2"));
}
