//! Limits of a runner.

use std::time::Duration;

use super::Backoff;

/// Limits of a runner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Reconciles that run at once, at least 1.
    pub concurrency: u16,
    /// Longest time that one reconcile may take; then it is cut off and counts as failed.
    pub deadline: Duration,
    /// An object of which nothing is heard is reconciled again after this, up to a tenth earlier.
    pub resync: Duration,
    /// Waits after failures.
    pub backoff: Backoff,
    /// How long running reconciles may take to finish at shutdown.
    pub drain: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            concurrency: 16,
            deadline: Duration::from_secs(120),
            resync: Duration::from_secs(600),
            backoff: Backoff::default(),
            drain: Duration::from_secs(20),
        }
    }
}
