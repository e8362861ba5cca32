#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod failures;
mod lifecycle;
mod triggers;

use std::sync::Mutex;

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use super::*;
use crate::cache::feed::Feed;
use crate::errors::ErrorKind;
use crate::fake::Fake;

#[derive(Debug, thiserror::Error)]
#[error("cannot do it")]
struct Trouble(ErrorKind);

impl ReconcileError for Trouble {
    fn kind(&self) -> ErrorKind {
        self.0
    }
}

type Script = Box<dyn Fn(&str) -> BoxFuture<'static, Result<Next, Trouble>> + Send + Sync>;

/// Tells the test the name of each object that it is called for, then does what the script says.
struct Scripted {
    script: Script,
    called: mpsc::UnboundedSender<(String, Instant)>,
}

impl Reconciler for Scripted {
    type Object = ConfigMap;
    type Error = Trouble;
    const NAME: &'static str = "scripted";

    async fn reconcile(&self, object: Arc<ConfigMap>, _: Timestamp) -> Result<Next, Trouble> {
        let name = object.metadata.name.clone().unwrap();
        self.called.send((name.clone(), Instant::now())).unwrap();
        (self.script)(&name).await
    }

    async fn invalid(&self, meta: &ObjectMeta, _: &str, _: Timestamp) -> Result<Next, Trouble> {
        let name = format!("invalid {}", meta.name.clone().unwrap());
        self.called.send((name, Instant::now())).unwrap();
        Ok(Next::Wait)
    }
}

/// A runner at work, and all that can be seen of it.
struct Bench {
    feed: Feed<ConfigMap>,
    events: Fake,
    metrics: Metrics,
    health: Health,
    shutdown: CancellationToken,
    called: mpsc::UnboundedReceiver<(String, Instant)>,
    begin: Instant,
}

impl Bench {
    /// A bench and a runner that is not running yet.
    fn new(
        feed: Feed<ConfigMap>,
        config: Config,
        script: impl Fn(&str) -> BoxFuture<'static, Result<Next, Trouble>> + Send + Sync + 'static,
    ) -> (Self, Runner<Scripted>) {
        let (sender, called) = mpsc::unbounded_channel();
        let bench = Self {
            feed,
            events: Fake::echo(),
            metrics: Metrics::new(),
            health: Health::new(),
            shutdown: CancellationToken::new(),
            called,
            begin: Instant::now(),
        };
        let reconciler = Scripted {
            script: Box::new(script),
            called: sender,
        };
        let reporting = Reporting {
            events: Events::new(bench.events.client(), "c", "i"),
            metrics: bench.metrics.clone(),
            health: bench.health.clone(),
        };
        let watch = bench.feed.watch();
        let runner = Runner::new(reconciler, watch, Trigger::Intent, config, reporting);
        (bench, runner)
    }

    /// A bench with its runner running.
    fn start(
        objects: &[Value],
        config: Config,
        script: impl Fn(&str) -> BoxFuture<'static, Result<Next, Trouble>> + Send + Sync + 'static,
    ) -> Self {
        let (bench, runner) = Self::new(Feed::listed(objects), config, script);
        tokio::spawn(runner.run(bench.shutdown.clone()));
        bench
    }

    /// Names of the objects reconciled in this time.
    async fn during(&mut self, time: Duration) -> Vec<String> {
        sleep(time).await;
        let mut names = Vec::new();
        while let Ok((name, _)) = self.called.try_recv() {
            names.push(name);
        }
        names.sort();
        names
    }

    /// Seconds from the start at which the next reconcile begins.
    async fn next_at(&mut self) -> f64 {
        let (_, at) = self.called.recv().await.unwrap();
        at.duration_since(self.begin).as_secs_f64()
    }

    fn counts(&self, line: &str) -> bool {
        let text = self.metrics.encode().unwrap();
        text.lines().any(|found| found == line)
    }
}

fn object(name: &str) -> Value {
    json!({"metadata": {
        "name": name, "namespace": "ns", "uid": format!("uid-{name}"), "generation": 1,
    }})
}

fn invalid(name: &str) -> Value {
    let mut object = object(name);
    object["data"] = "not a map".into();
    object
}

fn content(_: &str) -> BoxFuture<'static, Result<Next, Trouble>> {
    future::ready(Ok(Next::Wait)).boxed()
}

fn failing(kind: ErrorKind) -> impl Fn(&str) -> BoxFuture<'static, Result<Next, Trouble>> {
    move |_| future::ready(Err(Trouble(kind))).boxed()
}

/// Less than any wait that a test looks for.
const MOMENT: Duration = Duration::from_millis(100);
