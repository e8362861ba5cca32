//! When a watch that failed asks again.
//!
//! kube's own backoff begins anew with every list that a watch asks for, whatever the answer. While
//! the API server is away, or does not serve the kind, each watch would ask once a second for ever.

use std::time::Duration;

use tokio::time::Instant;

use crate::backoff::Backoff;

/// Waits from half a second to half a minute.
const BACKOFF: Backoff = Backoff {
    first: Duration::from_secs(1),
    max: Duration::from_secs(30),
};

/// A watch of which nothing happens may be well although it tells nothing: after so long without a
/// failure it was.
const WELL: Duration = Duration::from_secs(120);

/// The failures of one watch.
pub(super) struct Retry {
    seed: String,
    failures: u32,
    last: Option<Instant>,
}

impl Retry {
    /// Of a watch that has not failed. `seed` sets it apart from those of other processes, so that
    /// they do not come back together.
    pub(super) fn new(seed: String) -> Self {
        Self {
            seed,
            failures: 0,
            last: None,
        }
    }

    /// The API server answered.
    pub(super) fn heard(&mut self) {
        self.failures = 0;
    }

    /// The watch failed `now`; how long to wait before it asks again.
    pub(super) fn failed(&mut self, now: Instant) -> Duration {
        let quiet = self.last.map(|last| now.duration_since(last));
        if quiet.is_some_and(|quiet| quiet > BACKOFF.max + WELL) {
            self.failures = 0;
        }
        self.last = Some(now);
        self.failures = self.failures.saturating_add(1);
        BACKOFF.delay(self.failures, &self.seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watch_asks_less_often_the_longer_it_fails_and_at_once_when_it_was_well() {
        let mut retry = Retry::new("a".to_owned());
        let mut now = Instant::now();
        let mut fail = |retry: &mut Retry, well: Duration| {
            now += well;
            let wait = retry.failed(now);
            now += wait;
            wait.as_secs_f64()
        };
        let soon = 0.5..=1.0;
        let late = 15.0..=30.0;
        assert!(soon.contains(&fail(&mut retry, Duration::ZERO)));
        for _ in 0..10 {
            fail(&mut retry, Duration::ZERO);
        }
        assert!(late.contains(&fail(&mut retry, Duration::from_secs(10))));
        assert!(soon.contains(&fail(&mut retry, WELL + BACKOFF.max)));
        fail(&mut retry, Duration::ZERO);
        retry.heard();
        assert!(soon.contains(&fail(&mut retry, Duration::ZERO)));
    }
}
