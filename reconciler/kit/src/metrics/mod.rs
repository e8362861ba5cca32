//! Metrics in the OpenMetrics text format.
//!
//! | metric | labels |
//! |---|---|
//! | `banlieue_reconcile_total` | `controller`, `result`: `success`, `requeue` or `error` |
//! | `banlieue_reconcile_duration_seconds` | `controller` |
//! | `banlieue_reconcile_errors_total` | `controller`, `kind` as in [`ErrorKind`] |
//! | `banlieue_leader` | `role`; 1 for the leader, 0 for a stand-by |
//! | `banlieue_api_requests_total` | `verb`, `resource`, `code` |

mod request;
mod routes;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::errors::ErrorKind;

pub use request::Request;
pub use routes::routes;

/// Upper bounds of the buckets of durations, in seconds.
const BUCKETS: [f64; 12] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0,
];

/// How a reconcile ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It waits for a change.
    Success,
    /// It asked to be called again.
    Requeue,
    /// It failed.
    Error,
}

impl Outcome {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Requeue => "requeue",
            Self::Error => "error",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Reconciles {
    controller: &'static str,
    result: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Controller {
    controller: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Errors {
    controller: &'static str,
    kind: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Leader {
    role: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Requests {
    verb: &'static str,
    resource: String,
    code: String,
}

/// The metrics of a process. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Metrics {
    registry: Arc<Mutex<Registry>>,
    reconciles: Family<Reconciles, Counter>,
    durations: Family<Controller, Histogram, fn() -> Histogram>,
    errors: Family<Errors, Counter>,
    leader: Family<Leader, Gauge>,
    requests: Family<Requests, Counter>,
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl Metrics {
    /// The metrics of the kit, all at nothing.
    pub fn new() -> Self {
        let metrics = Self {
            registry: Arc::new(Mutex::new(Registry::with_prefix("banlieue"))),
            reconciles: Family::default(),
            durations: Family::new_with_constructor(|| Histogram::new(BUCKETS)),
            errors: Family::default(),
            leader: Family::default(),
            requests: Family::default(),
        };
        metrics.register(|registry| {
            let family = metrics.reconciles.clone();
            registry.register("reconcile", "Reconciles by result", family);
            registry.register(
                "reconcile_duration_seconds",
                "Time that a reconcile took",
                metrics.durations.clone(),
            );
            let family = metrics.errors.clone();
            registry.register("reconcile_errors", "Failed reconciles by kind", family);
            let family = metrics.leader.clone();
            registry.register("leader", "Whether this process leads", family);
            registry.register(
                "api_requests",
                "Requests to the API server by answer",
                metrics.requests.clone(),
            );
        });
        metrics
    }

    /// Adds metrics of the process's own. Names get the prefix `banlieue_`, counters also the
    /// suffix `_total`.
    pub fn register(&self, add: impl FnOnce(&mut Registry)) {
        let mut registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        add(&mut registry);
    }

    /// The text that `/metrics` serves.
    pub fn encode(&self) -> Result<String, std::fmt::Error> {
        let registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &registry)?;
        Ok(text)
    }

    /// Says whether this process leads.
    pub fn set_leader(&self, role: &str, leads: bool) {
        let role = role.to_owned();
        let gauge = self.leader.get_or_create(&Leader { role });
        gauge.set(i64::from(leads));
    }

    pub(crate) fn reconciled(&self, controller: &'static str, result: Outcome, took: Duration) {
        let result = result.as_str();
        self.reconciles
            .get_or_create(&Reconciles { controller, result })
            .inc();
        self.durations
            .get_or_create(&Controller { controller })
            .observe(took.as_secs_f64());
    }

    pub(crate) fn failed(&self, controller: &'static str, kind: ErrorKind) {
        let kind = kind.as_str();
        self.errors
            .get_or_create(&Errors { controller, kind })
            .inc();
    }

    /// `code` is the HTTP status, `None` if there was no answer.
    pub(crate) fn requested(&self, request: Request, code: Option<u16>) {
        let code = code.map_or_else(|| "none".to_owned(), |code| code.to_string());
        let Request { verb, resource } = request;
        self.requests
            .get_or_create(&Requests {
                verb,
                resource,
                code,
            })
            .inc();
    }
}

#[cfg(test)]
mod tests;
