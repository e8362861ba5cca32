//! A world that many may use at once, with a clock.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use banlieue_backend::{BackendError, Hint};
use futures::future::BoxFuture;
use tokio::sync::watch;

use crate::clock::{Clock, RunningClock};
use crate::world::World;
use crate::world::call::{Answer, Call, Reply};
use crate::world::spec::WorldSpec;

/// A running world. Clients share it in an [`Arc`].
pub struct Simulator {
    world: Mutex<World>,
    clock: Arc<dyn Clock>,
    /// By how many milliseconds the world is ahead of its clock.
    ahead: AtomicU64,
    /// Counts what may have changed the world, for those who wait for it.
    touched: watch::Sender<u64>,
}

impl Simulator {
    /// Begins a world by the clock of the process.
    pub fn start(spec: WorldSpec) -> Arc<Self> {
        Self::with_clock(spec, RunningClock::start())
    }

    /// Begins a world by another clock.
    pub fn with_clock(spec: WorldSpec, clock: impl Clock) -> Arc<Self> {
        Arc::new(Self {
            world: Mutex::new(World::new(spec)),
            clock: Arc::new(clock),
            ahead: AtomicU64::new(0),
            touched: watch::Sender::new(0),
        })
    }

    /// Time since the world began.
    pub fn now(&self) -> Duration {
        self.clock.now() + self.ahead()
    }

    /// Ends once the world is so much older.
    pub fn wait(&self, time: Duration) -> BoxFuture<'static, ()> {
        self.clock.until(self.clock.now() + time)
    }

    /// Skips time: what would have ended in it has ended.
    pub fn skip(&self, time: Duration) {
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.ahead.fetch_add(millis, Ordering::SeqCst);
        self.with(|_| ());
    }

    /// Looks at the world, or changes it as a person would: faults, single steps, what is removed
    /// by hand. Everything that is due by now has happened before.
    pub fn with<R>(&self, act: impl FnOnce(&mut World) -> R) -> R {
        let result = {
            let mut world = self.world();
            world.settle(self.now());
            act(&mut world)
        };
        self.touched.send_modify(|count| *count += 1);
        result
    }

    /// Answers a call, once the world has let its client wait. It may never end: callers bring
    /// their own deadline.
    pub async fn call(&self, session: Option<u64>, call: &Call) -> Result<Answer, BackendError> {
        let reply = self.world().call(self.now(), session, call);
        self.touched.send_modify(|count| *count += 1);
        match reply {
            Reply::Never => std::future::pending().await,
            Reply::Answer { after, result } => {
                if !after.is_zero() {
                    self.wait(after).await;
                }
                result
            }
        }
    }

    /// Waits until something changed after `cursor`, and answers it with the next cursor.
    pub async fn hints_after(&self, cursor: u64) -> (Vec<Hint>, u64) {
        let mut touched = self.touched.subscribe();
        loop {
            touched.mark_unchanged();
            let (hints, next, wake) = self.hints_now(cursor);
            if !hints.is_empty() {
                return (hints, next);
            }
            let wake = async {
                match wake {
                    Some(at) => self.wait(at.saturating_sub(self.now())).await,
                    None => std::future::pending().await,
                }
            };
            // The sender lives as long as `self`: `changed` does not fail.
            tokio::select! {
                _ = touched.changed() => {}
                () = wake => {}
            }
        }
    }

    /// Cursor of one who wants to hear of what changes from now on.
    pub fn hint_cursor(&self) -> u64 {
        self.world().hint_cursor()
    }

    fn hints_now(&self, cursor: u64) -> (Vec<Hint>, u64, Option<Duration>) {
        let mut world = self.world();
        world.settle(self.now());
        let hints = world.hints_since(cursor);
        (hints, world.hint_cursor(), world.next_event())
    }

    fn ahead(&self) -> Duration {
        Duration::from_millis(self.ahead.load(Ordering::SeqCst))
    }

    /// A panic of another client leaves the world as it was between two changes of it.
    fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
