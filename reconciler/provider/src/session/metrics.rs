//! Calls to the backend: each with a deadline, a span, and counted.
//!
//! | metric | labels |
//! |---|---|
//! | `banlieue_backend_calls_total` | `call`, `result`: `ok`, `in_flight` or a kind of error |
//! | `banlieue_backend_call_duration_seconds` | `call` |

use std::time::Duration;

use banlieue_backend::{BackendError, ErrorKind};
use banlieue_kit::errors::chain;
use banlieue_kit::metrics::Metrics;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use tokio::time::Instant;
use tracing::Instrument;

/// Upper bounds of the buckets of durations, in seconds.
const BUCKETS: [f64; 10] = [0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Call {
    call: &'static str,
    result: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Kind {
    call: &'static str,
}

/// Counts calls. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Calls {
    calls: Family<Call, Counter>,
    durations: Family<Kind, Histogram, fn() -> Histogram>,
}

impl Calls {
    /// Registers the metrics with those of the process.
    pub(crate) fn register(metrics: &Metrics) -> Self {
        let this = Self {
            calls: Family::default(),
            durations: Family::new_with_constructor(|| Histogram::new(BUCKETS)),
        };
        let (calls, durations) = (this.calls.clone(), this.durations.clone());
        metrics.register(|registry| {
            registry.register("backend_calls", "Calls to the backend by result", calls);
            let name = "backend_call_duration_seconds";
            registry.register(name, "Time that a call to the backend took", durations);
        });
        this
    }

    fn ended(&self, call: &'static str, result: &'static str, took: Duration) {
        self.calls.get_or_create(&Call { call, result }).inc();
        self.durations
            .get_or_create(&Kind { call })
            .observe(took.as_secs_f64());
    }
}

/// Makes a call that ends by its deadline. `result` is a word for how a good answer looks.
pub(super) async fn timed<T>(
    call: &'static str,
    deadline: Duration,
    calls: &Calls,
    result: fn(&T) -> &'static str,
    asking: impl Future<Output = Result<T, BackendError>>,
) -> Result<T, BackendError> {
    let began = Instant::now();
    let span = tracing::info_span!("backend", call);
    let asking = tokio::time::timeout(deadline, asking).instrument(span.clone());
    let answer = asking.await.unwrap_or_else(|elapsed| {
        let message = format!("the backend did not answer to {call} in time");
        Err(BackendError::new(ErrorKind::Retry, message).because(elapsed))
    });
    let word = match &answer {
        Ok(answer) => result(answer),
        Err(error) => {
            span.in_scope(|| {
                tracing::debug!(kind = %error.kind(), error = %chain(error), "a call failed");
            });
            error.kind().as_str()
        }
    };
    calls.ended(call, word, began.elapsed());
    answer
}
