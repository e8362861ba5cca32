//! Nothing is written by a process that does not lead any more.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::time::Instant;

/// Lets writes through only while the leadership lasts. Cheap to clone.
///
/// A process that was stopped and goes on does not know yet that it lost its Lease; the clock
/// already says so. Leases and reads always pass.
#[derive(Clone, Debug, Default)]
pub struct Fence(Arc<Mutex<State>>);

#[derive(Clone, Copy, Debug, Default)]
enum State {
    /// The process needs no leadership.
    #[default]
    Open,
    /// Open until then.
    Until(Instant),
    /// It does not lead.
    Closed,
}

/// A write was refused because this process does not lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this process does not hold its Lease")]
pub struct Fenced;

impl Fence {
    /// For a process without election: always open.
    pub fn open() -> Self {
        Self::default()
    }

    /// For a process with election: closed until it leads.
    pub fn closed() -> Self {
        let fence = Self::default();
        fence.close();
        fence
    }

    /// Whether writes pass at this time.
    pub fn is_open(&self, now: Instant) -> bool {
        match *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Open => true,
            State::Until(end) => now < end,
            State::Closed => false,
        }
    }

    pub(crate) fn open_until(&self, end: Instant) {
        self.set(State::Until(end));
    }

    pub(crate) fn close(&self) {
        self.set(State::Closed);
    }

    fn set(&self, state: State) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use tokio::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_opens_with_the_leadership_and_closes_by_the_clock() {
        let fence = Fence::closed();
        let now = Instant::now();
        assert!(!fence.is_open(now));
        fence.open_until(now + Duration::from_secs(10));
        assert!(fence.is_open(now + Duration::from_secs(9)));
        assert!(!fence.is_open(now + Duration::from_secs(10)));
        fence.close();
        assert!(!fence.is_open(now));
        assert!(Fence::open().is_open(now));
    }
}
