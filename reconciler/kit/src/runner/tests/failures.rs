//! What a runner makes of trouble.

use std::sync::atomic::{AtomicBool, Ordering};

use super::*;

fn short() -> Config {
    Config {
        backoff: Backoff {
            first: Duration::from_secs(1),
            max: Duration::from_secs(8),
        },
        ..Config::default()
    }
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_told_once_and_retried_after_waits_that_double() {
    let mut bench = Bench::start(&[object("a")], short(), failing(ErrorKind::Backend));
    let mut before = bench.next_at().await;
    for limit in [1.0, 2.0, 4.0, 8.0, 8.0] {
        let at = bench.next_at().await;
        let wait = at - before;
        assert!(
            (limit / 2.0..=limit + 0.1).contains(&wait),
            "{wait} of {limit}"
        );
        before = at;
    }
    bench.during(MOMENT).await;
    let body = bench.events.call().body;
    assert_eq!(body["reason"], "ReconcileFailed");
    assert_eq!(body["note"], "cannot do it");
    assert_eq!(body["regarding"]["uid"], "uid-a");
    assert!(
        bench.counts("banlieue_reconcile_errors_total{controller=\"scripted\",kind=\"backend\"} 6")
    );
}

#[tokio::test(start_paused = true)]
async fn success_starts_the_waits_anew() {
    let well = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&well);
    let mut bench = Bench::start(&[object("a")], short(), move |_| {
        let result = if flag.swap(false, Ordering::Relaxed) {
            Ok(Next::After(Duration::from_secs(1)))
        } else {
            Err(Trouble(ErrorKind::Backend))
        };
        future::ready(result).boxed()
    });
    for _ in 0..4 {
        bench.next_at().await;
    }
    well.store(true, Ordering::Relaxed);
    bench.next_at().await;
    let failed_again = bench.next_at().await;
    let wait = bench.next_at().await - failed_again;
    assert!(wait <= 1.1, "{wait}");
}

#[tokio::test(start_paused = true)]
async fn what_passes_by_itself_is_counted_and_not_told() {
    for kind in [ErrorKind::Conflict, ErrorKind::Transient] {
        let mut bench = Bench::start(&[object("a")], short(), failing(kind));
        bench.during(Duration::from_secs(1)).await;
        assert!(bench.events.calls().is_empty(), "{kind}");
        let text = bench.metrics.encode().unwrap();
        assert!(text.contains(&format!("kind=\"{kind}\"")), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_a_hang_and_an_object_that_does_not_parse_stop_nobody_else() {
    let objects = [
        object("panics"),
        object("hangs"),
        invalid("bad"),
        object("good"),
    ];
    let config = Config {
        deadline: Duration::from_secs(5),
        resync: Duration::from_secs(3600),
        backoff: Backoff {
            first: Duration::from_secs(3600),
            max: Duration::from_secs(3600),
        },
        ..Config::default()
    };
    let mut bench = Bench::start(&objects, config, |name| match name {
        "panics" => async { panic!("a defect") }.boxed(),
        "hangs" => future::pending().boxed(),
        other => content(other),
    });
    let names = bench.during(Duration::from_secs(60)).await;
    assert_eq!(names, ["good", "hangs", "invalid bad", "panics"]);
    let mut notes: Vec<_> = bench
        .events
        .calls()
        .iter()
        .map(|call| format!("{}: {}", call.body["regarding"]["name"], call.body["note"]))
        .collect();
    notes.sort();
    assert_eq!(notes.len(), 3, "{notes:#?}");
    assert!(notes[0].starts_with("\"bad\": \"the stored object does not have the shape"));
    assert!(notes[1].starts_with("\"hangs\": \"the reconcile was cut off after 5s"));
    assert!(notes[2].starts_with("\"panics\": \"the reconcile panicked"));
    for kind in ["internal", "timeout", "invalid"] {
        let labels = format!("{{controller=\"scripted\",kind=\"{kind}\"}}");
        assert!(
            bench.counts(&format!("banlieue_reconcile_errors_total{labels} 1")),
            "{kind}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_object_that_does_not_parse_is_reported_once_and_waits_for_a_change() {
    let config = Config {
        resync: Duration::from_secs(60),
        ..Config::default()
    };
    let mut bench = Bench::start(&[invalid("bad")], config, content);
    let calls = bench.during(Duration::from_secs(600)).await;
    assert!(calls.len() >= 10, "{calls:?}");
    assert_eq!(bench.events.calls().len(), 1);
    let mut mended = object("bad");
    mended["metadata"]["generation"] = 2.into();
    bench.feed.apply(&mended);
    assert_eq!(bench.during(MOMENT).await, ["bad"]);
}

#[tokio::test(start_paused = true)]
async fn an_object_that_is_gone_is_forgotten() {
    let mut bench = Bench::start(&[object("a")], short(), failing(ErrorKind::Backend));
    bench.during(Duration::from_secs(20)).await;
    bench.feed.delete(&object("a"));
    bench.during(Duration::from_secs(20)).await;
    assert!(bench.during(Duration::from_secs(600)).await.is_empty());
    let again = bench.begin.elapsed().as_secs_f64();
    bench.feed.apply(&object("a"));
    let first = bench.next_at().await;
    let second = bench.next_at().await;
    assert!(
        first - again < 0.1 && second - first <= 1.1,
        "{first} {second}"
    );
}
