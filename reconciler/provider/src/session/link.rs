//! The one connection of a process, as a future that everybody waits for.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use banlieue_backend::{BackendError, Connect, ErrorKind, Hint, Machines};
use futures::channel::mpsc;
use futures::future::{BoxFuture, Shared};
use futures::{FutureExt, StreamExt};
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use super::access::Access;
use super::metrics::{Calls, timed};
use crate::config::Limits;

/// A connection, with the task that hears what changes on the backend.
pub(super) struct Open<B> {
    pub(super) backend: B,
    _hearing: AbortOnDropHandle<()>,
}

/// Why there is no connection. Everybody who waited gets it.
#[derive(Clone, Debug)]
pub(super) struct Refused {
    kind: ErrorKind,
    message: String,
}

type Outcome<B> = Result<Arc<Open<B>>, Refused>;

/// One attempt to connect, and what came of it.
struct Attempt<B> {
    access: Access,
    began: Instant,
    outcome: Shared<BoxFuture<'static, Outcome<B>>>,
}

/// The last attempt to connect. A new one replaces it; what still works on the old connection
/// keeps it until it is done.
pub(super) struct Link<C: Connect> {
    connect: Arc<C>,
    deadline: Duration,
    /// Least time between two attempts with the same access.
    pause: Duration,
    hints: mpsc::UnboundedSender<Hint>,
    calls: Calls,
    /// Whether there was a connection before, of which hints may have been missed.
    connected: Arc<AtomicBool>,
    last: Mutex<Option<Attempt<C::Backend>>>,
}

impl<C: Connect> Link<C> {
    pub(super) fn new(
        connect: C,
        limits: Limits,
        hints: mpsc::UnboundedSender<Hint>,
        calls: Calls,
    ) -> Self {
        Self {
            connect: Arc::new(connect),
            deadline: limits.deadline,
            pause: limits.reconnect,
            hints,
            calls,
            connected: Arc::default(),
            last: Mutex::default(),
        }
    }

    pub(super) fn connector(&self) -> &C {
        &self.connect
    }

    /// The connection with this access. Connects if there is none, or one with another access.
    pub(super) async fn with(&self, access: Access) -> Result<Arc<Open<C::Backend>>, BackendError> {
        let outcome = self.attempt(access);
        outcome.await.map_err(Refused::into)
    }

    /// The connection that is open, whatever its access.
    pub(super) fn open(&self) -> Option<Arc<Open<C::Backend>>> {
        let last = self.last();
        last.as_ref()?.outcome.peek()?.clone().ok()
    }

    /// Forgets a connection that the backend no longer accepts, unless it is too young: then the
    /// next one would fare no better.
    pub(super) fn expired(&self, open: &Arc<Open<C::Backend>>) {
        let mut last = self.last();
        let same = last.as_ref().is_some_and(|attempt| {
            let outcome = attempt.outcome.peek();
            let same = outcome
                .and_then(|outcome| outcome.as_ref().ok())
                .is_some_and(|known| Arc::ptr_eq(known, open));
            same && attempt.began.elapsed() >= self.pause
        });
        if same {
            *last = None;
        }
    }

    fn attempt(&self, access: Access) -> Shared<BoxFuture<'static, Outcome<C::Backend>>> {
        let mut last = self.last();
        if let Some(attempt) = last.as_ref().filter(|attempt| attempt.access == access) {
            let failed = attempt.outcome.peek().is_some_and(Result::is_err);
            if !failed || attempt.began.elapsed() < self.pause {
                return attempt.outcome.clone();
            }
        }
        let outcome = self.connect(access.clone()).boxed().shared();
        *last = Some(Attempt {
            access,
            began: Instant::now(),
            outcome: outcome.clone(),
        });
        outcome
    }

    fn connect(
        &self,
        access: Access,
    ) -> impl Future<Output = Outcome<C::Backend>> + Send + 'static {
        let (connect, deadline) = (Arc::clone(&self.connect), self.deadline);
        let (hints, connected) = (self.hints.clone(), Arc::clone(&self.connected));
        let calls = self.calls.clone();
        async move {
            let connecting = connect.connect(&access.endpoint, &access.credentials);
            let backend = match timed("connect", deadline, &calls, |_| "ok", connecting).await {
                Ok(backend) => backend,
                Err(error) => {
                    let (kind, error) = (error.kind(), Refused::from(&error));
                    tracing::warn!(%kind, error = error.message, "not connected");
                    return Err(error);
                }
            };
            tracing::info!("connected");
            if connected.swap(true, Ordering::Relaxed) {
                let _ = hints.unbounded_send(Hint::Any);
            }
            let mut changes = backend.changes();
            let hearing = async move {
                while let Some(hint) = changes.next().await {
                    if hints.unbounded_send(hint).is_err() {
                        return;
                    }
                }
            };
            Ok(Arc::new(Open {
                backend,
                _hearing: AbortOnDropHandle::new(tokio::spawn(hearing)),
            }))
        }
    }

    /// Forgets the connection and gives it away.
    pub(super) fn take(&self) -> Option<Arc<Open<C::Backend>>> {
        let taken = self.last().take();
        taken?.outcome.peek()?.clone().ok()
    }

    fn last(&self) -> MutexGuard<'_, Option<Attempt<C::Backend>>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<&BackendError> for Refused {
    fn from(error: &BackendError) -> Self {
        Self {
            kind: error.kind(),
            message: error.message().to_owned(),
        }
    }
}

impl From<Refused> for BackendError {
    fn from(refused: Refused) -> Self {
        Self::new(refused.kind, refused.message)
    }
}
