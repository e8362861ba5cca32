#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::*;
use crate::fake::{Answer, Fake};

fn settings() -> Settings {
    Settings {
        client: client::Settings::new("controller", "1"),
        identity: "pod-1".to_owned(),
        health: "127.0.0.1:0".parse().unwrap(),
        metrics: "127.0.0.1:0".parse().unwrap(),
        lease: Some(Lease {
            namespace: "ns".to_owned(),
            name: "lease".to_owned(),
            timing: Timing::default(),
        }),
    }
}

/// A server that grants the Lease until `down`.
fn server(down: Arc<AtomicBool>) -> Fake {
    Fake::new(move |call| match call.method.as_str() {
        _ if down.load(Ordering::Relaxed) => Answer::Break,
        "GET" => Answer::refusal(404, "NotFound"),
        _ => {
            let mut lease = call.body.clone();
            lease["metadata"]["resourceVersion"] = "1".into();
            Answer::ok(lease)
        }
    })
}

fn context(fake: &Fake, fence: &Fence) -> Context {
    let metrics = Metrics::new();
    let client = fake.client_with(metrics.clone(), fence.clone());
    Context {
        reporting: Reporting {
            events: Events::new(client.clone(), "c", "i"),
            metrics,
            health: Health::new(),
        },
        client,
        shutdown: CancellationToken::new(),
    }
}

/// Sets a flag when it is dropped.
struct Dropped(Arc<AtomicBool>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[tokio::test(start_paused = true)]
async fn a_lost_lease_drops_the_work_and_fails_the_process() {
    let down = Arc::new(AtomicBool::new(false));
    let (fake, fence) = (server(Arc::clone(&down)), Fence::closed());
    let context = context(&fake, &fence);
    let ended = Arc::new(AtomicBool::new(false));
    let flag = Dropped(Arc::clone(&ended));
    let begin = Instant::now();
    let result = act(settings(), fence.clone(), context, async move |_| {
        let _flag = flag;
        sleep(Duration::from_secs(5)).await;
        down.store(true, Ordering::Relaxed);
        std::future::pending::<Result<(), Infallible>>().await
    })
    .await;
    assert!(matches!(result, Err(ProcessError::Lost)));
    assert!(ended.load(Ordering::Relaxed));
    assert!(!fence.is_open(Instant::now()));
    assert!(begin.elapsed() <= Duration::from_secs(15));
}

#[tokio::test(start_paused = true)]
async fn work_that_ends_frees_the_lease() {
    let (fake, fence) = (server(Arc::default()), Fence::closed());
    let context = context(&fake, &fence);
    let shutdown = context.shutdown.clone();
    let work = async |context: Context| {
        context.shutdown.cancelled().await;
        Ok::<_, Infallible>(())
    };
    let (result, ()) = tokio::join!(act(settings(), fence, context, work), async {
        sleep(Duration::from_secs(3)).await;
        shutdown.cancel();
    });
    result.unwrap();
    let last: Value = fake.calls().last().unwrap().body["spec"].clone();
    assert_eq!(last["holderIdentity"], json!(""));
}

#[tokio::test(start_paused = true)]
async fn a_stand_by_that_is_asked_to_end_never_works() {
    let (fake, fence) = (Fake::refusing(503, "ServiceUnavailable"), Fence::closed());
    let context = context(&fake, &fence);
    let shutdown = context.shutdown.clone();
    let work = async |_| -> Result<(), Infallible> { panic!("it does not lead") };
    let (result, ()) = tokio::join!(act(settings(), fence, context, work), async {
        sleep(Duration::from_secs(30)).await;
        shutdown.cancel();
    });
    result.unwrap();
}

#[tokio::test]
async fn a_process_that_cannot_be_probed_does_not_start() {
    let taken = Server::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let settings = Settings {
        metrics: taken.address(),
        ..settings()
    };
    let work = async |_| -> Result<(), Infallible> { panic!("it cannot be scraped") };
    let result = run(settings, work).await;
    assert!(matches!(result, Err(ProcessError::Server(_))));
}
