//! One reconcile of one object, and what is made of its result.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use banlieue_schemas::conditions::Reason;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::jiff::Timestamp;
use kube::Resource;
use kube::runtime::controller::Action;
use tokio::time::{Duration, Instant, error::Elapsed, timeout};
use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument;

use super::{Config, Next, Reconciler, Reporting};
use crate::backoff::spread;
use crate::errors::{ErrorKind, ReconcileError, chain};
use crate::events::{Saying, Severity};
use crate::guard::Guarded;
use crate::metrics::Outcome;

/// Longest name of an action in Events that says what failed.
const ACTION: &str = "Reconcile";

/// Why there is no answer from a reconciler.
#[derive(Debug, thiserror::Error)]
enum Failure<E: ReconcileError> {
    #[error(transparent)]
    Failed(E),
    #[error("the reconcile was cut off after {after:?}")]
    CutOff {
        after: Duration,
        #[source]
        source: Elapsed,
    },
    #[error("the reconcile panicked")]
    Panicked,
}

impl<E: ReconcileError> Failure<E> {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Failed(error) => error.kind(),
            Self::CutOff { .. } => ErrorKind::Timeout,
            Self::Panicked => ErrorKind::Internal,
        }
    }

    fn reason(&self) -> Reason {
        match self {
            Self::Failed(error) => error.reason(),
            Self::CutOff { .. } | Self::Panicked => Reason::ReconcileFailed,
        }
    }
}

/// A reconciler, and what has to be remembered between its calls.
pub(super) struct Attempts<R: Reconciler> {
    reconciler: Arc<R>,
    pub(super) config: Config,
    reporting: Reporting,
    /// Failures in a row, by UID.
    failures: Mutex<HashMap<String, u32>>,
}

impl<R: Reconciler> Attempts<R> {
    pub(super) fn new(reconciler: R, config: Config, reporting: Reporting) -> Self {
        Self {
            reconciler: Arc::new(reconciler),
            config,
            reporting,
            failures: Mutex::default(),
        }
    }

    /// Forgets an object that is gone.
    pub(super) fn forget(&self, meta: &ObjectMeta) {
        let uid = meta.uid.as_deref().unwrap_or_default();
        self.failures().remove(uid);
        self.reporting.events.forget(uid);
    }

    /// Reconciles once. Never fails: a failure is reported and becomes a wait.
    pub(super) async fn run(&self, object: Guarded<R::Object>) -> Result<Action, Infallible> {
        let meta = object.meta();
        let span = tracing::info_span!(
            "reconcile",
            controller = R::NAME,
            namespace = meta.namespace.as_deref(),
            name = meta.name.as_deref(),
            uid = meta.uid.as_deref(),
        );
        let now = Timestamp::now();
        let action = async {
            let started = Instant::now();
            let result = self.call(object.clone(), now).await;
            self.settle(&object, result, started.elapsed(), now).await
        };
        Ok(action.instrument(span).await)
    }

    /// Calls the reconciler in a task of its own, so that reconciles run in parallel and a panic
    /// is one object's failure. The task ends with this future.
    async fn call(
        &self,
        object: Guarded<R::Object>,
        now: Timestamp,
    ) -> Result<Next, Failure<R::Error>> {
        let reconciler = Arc::clone(&self.reconciler);
        let work = async move {
            match object {
                Guarded::Valid(object) => reconciler.reconcile(object, now).await,
                Guarded::Invalid(invalid) => {
                    let meta = &invalid.metadata;
                    reconciler.invalid(meta, &invalid.error, now).await
                }
            }
        };
        let after = self.config.deadline;
        let work = timeout(after, work).in_current_span();
        match AbortOnDropHandle::new(tokio::spawn(work)).await {
            Ok(Ok(result)) => result.map_err(Failure::Failed),
            Ok(Err(source)) => Err(Failure::CutOff { after, source }),
            Err(_) => Err(Failure::Panicked),
        }
    }

    async fn settle(
        &self,
        object: &Guarded<R::Object>,
        result: Result<Next, Failure<R::Error>>,
        took: Duration,
        now: Timestamp,
    ) -> Action {
        let meta = object.meta();
        let uid = meta.uid.as_deref().unwrap_or_default();
        if let Guarded::Invalid(invalid) = object {
            self.report_invalid(meta, &invalid.error, now).await;
        }
        let resync = spread(self.config.resync, uid);
        let (outcome, wait) = match result {
            Ok(next) => {
                self.failures().remove(uid);
                if object.valid().is_some() {
                    self.reporting.events.settle(uid);
                }
                match next {
                    Next::Wait => (Outcome::Success, resync),
                    Next::After(wait) => (Outcome::Requeue, wait.min(resync)),
                }
            }
            Err(failure) => {
                self.report(meta, &failure, now).await;
                (Outcome::Error, self.backoff(uid))
            }
        };
        let metrics = &self.reporting.metrics;
        metrics.reconciled(R::NAME, outcome, took);
        Action::requeue(wait)
    }

    fn backoff(&self, uid: &str) -> Duration {
        let mut failures = self.failures();
        let failures = failures.entry(uid.to_owned()).or_default();
        *failures = failures.saturating_add(1);
        self.config.backoff.delay(*failures, uid)
    }

    async fn report(&self, meta: &ObjectMeta, failure: &Failure<R::Error>, now: Timestamp) {
        let kind = failure.kind();
        let error = chain(failure).to_string();
        self.reporting.metrics.failed(R::NAME, kind);
        if !kind.concerns_people() {
            tracing::info!(%kind, error, "not reconciled, trying again");
            return;
        }
        tracing::warn!(%kind, error, "not reconciled, trying again");
        let saying = warning(failure.reason(), error);
        let events = &self.reporting.events;
        events.say::<R::Object>(meta, &saying, now).await;
    }

    /// Counted and told once for each text, whatever the hook makes of the object.
    async fn report_invalid(&self, meta: &ObjectMeta, error: &str, now: Timestamp) {
        let note = format!("the stored object does not have the shape of its kind: {error}");
        let saying = warning(Reason::InvalidSpec, note);
        let events = &self.reporting.events;
        if events.say::<R::Object>(meta, &saying, now).await {
            tracing::warn!(error, "the stored object does not parse");
            self.reporting.metrics.failed(R::NAME, ErrorKind::Invalid);
        }
    }

    fn failures(&self) -> MutexGuard<'_, HashMap<String, u32>> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn warning(reason: Reason, note: String) -> Saying {
    Saying {
        severity: Severity::Warning,
        reason,
        action: ACTION,
        note,
    }
}
