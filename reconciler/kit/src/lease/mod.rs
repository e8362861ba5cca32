//! Leader election on one Lease.
//!
//! ```text
//!             lease free, or unchanged for its duration by our clock
//! stand-by ------------------------------------------------------------> leader
//!    ^                                                                     |
//!    |   released at shutdown; else the process ends: lost                 | renews
//!    '---------------------------------------------------------------------'
//! ```
//!
//! Every write carries the `resourceVersion` that it was decided on, so that of two writers one
//! gets a conflict. Times in the Lease are for people: a stand-by takes over only after it has
//! itself seen the Lease unchanged for as long as the Lease lasts, whatever the clocks of the
//! others say, and a leader stops by its own clock before that.
//!
//! Rights: `create` on Leases, `get` and `update` on the one of this name. No list, no watch.

mod decide;
mod elector;
mod leadership;

use std::time::Duration;

use kube::Client;
use tokio_util::sync::CancellationToken;

use crate::client::Fence;
use crate::health::Health;
use crate::metrics::Metrics;

use elector::Elector;
pub use leadership::Leadership;

/// Times of an election. `duration > renew_deadline > retry` must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// How long a stand-by waits after the last sign of life; whole seconds.
    pub duration: Duration,
    /// How long a leader acts after its last renewal.
    pub renew_deadline: Duration,
    /// Time between two attempts.
    pub retry: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            duration: Duration::from_secs(15),
            renew_deadline: Duration::from_secs(10),
            retry: Duration::from_secs(2),
        }
    }
}

/// One candidate.
#[derive(Clone)]
pub struct Election {
    /// Reaches the API server; its fence is [`Self::fence`].
    pub client: Client,
    /// Namespace of the Lease.
    pub namespace: String,
    /// Name of the Lease.
    pub name: String,
    /// Name of this process, which no other living process may have; the name of its Pod.
    pub identity: String,
    /// Value of the label `role` of the metric `banlieue_leader`.
    pub role: String,
    /// Times.
    pub timing: Timing,
    /// Opens while this process leads.
    pub fence: Fence,
    /// Learns the role, and whether the API server answers.
    pub health: Health,
    /// Learns who leads.
    pub metrics: Metrics,
}

impl Election {
    /// Waits until this process leads; `None` if `shutdown` came first.
    ///
    /// Failures of the API server are logged, show in health, and are tried again for ever.
    pub async fn win(self, shutdown: &CancellationToken) -> Option<Leadership> {
        let timing = self.timing;
        let mut elector = Elector::new(self);
        elector.announce(false);
        let mut attempts = tokio::time::interval(timing.retry);
        attempts.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                () = shutdown.cancelled() => return None,
                _ = attempts.tick() => {}
            }
            let won = tokio::select! {
                biased;
                () = shutdown.cancelled() => return None,
                won = elector.campaign() => won,
            };
            if let Some(since) = won {
                return Some(Leadership::start(elector, since));
            }
        }
    }
}

#[cfg(test)]
mod tests;
