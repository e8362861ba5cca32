//! Where a simulator gets its time from.

use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::watch;
use tokio::time::Instant;

/// Tells the time and waits for it.
pub trait Clock: Send + Sync + 'static {
    /// Time since the clock began.
    fn now(&self) -> Duration;

    /// Ends once the clock shows `at`.
    fn until(&self, at: Duration) -> BoxFuture<'static, ()>;
}

/// The clock of the process. Tests of tokio may pause it.
#[derive(Clone, Copy, Debug)]
pub struct RunningClock(Instant);

impl RunningClock {
    /// A clock that begins now.
    pub fn start() -> Self {
        Self(Instant::now())
    }
}

impl Clock for RunningClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn until(&self, at: Duration) -> BoxFuture<'static, ()> {
        tokio::time::sleep_until(self.0 + at).boxed()
    }
}

/// A clock that shows what it is told to.
#[derive(Clone, Debug)]
pub struct ManualClock(watch::Sender<Duration>);

impl ManualClock {
    /// A clock at zero.
    pub fn new() -> Self {
        Self(watch::Sender::new(Duration::ZERO))
    }

    /// Lets so much time pass.
    pub fn advance(&self, by: Duration) {
        self.0.send_modify(|now| *now += by);
    }
}

impl Default for ManualClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Duration {
        *self.0.borrow()
    }

    fn until(&self, at: Duration) -> BoxFuture<'static, ()> {
        let mut now = self.0.subscribe();
        async move {
            if now.wait_for(|now| *now >= at).await.is_err() {
                // Nobody is left who could let time pass.
                std::future::pending::<()>().await;
            }
        }
        .boxed()
    }
}
