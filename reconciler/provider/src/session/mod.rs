//! The session with the backend: one connection a process, shared by everyone in it.
//!
//! It is made by whoever first needs it and made again when the Provider, its Secret or its trusted
//! certificates change, so that a rotation needs no restart and touches no machine. A call that the
//! backend refuses as unauthorised is made once more on a new connection, since sessions expire.
//! While the Provider or what it refers to is gone, the last connection serves: a machine can still
//! be removed when its Provider went first.
//!
//! Every call has a deadline, and only so many run at once. Dropping a call is harmless: every step
//! may be repeated.

mod access;
mod keyring;
mod link;
mod metrics;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use banlieue_backend::{
    Backend, BackendError, Connect, ErrorKind, Hint, ImageRequest, Images, Inventory, Machines,
    Progress,
};
use banlieue_core::inventory::Survey;
use banlieue_core::machine::{Capabilities, Identity, Observed, Step};
use banlieue_kit::cache::Cache;
use banlieue_schemas::conditions::Reason;
use banlieue_schemas::platform::Provider;
use futures::channel::mpsc;
use tokio::sync::Semaphore;

use crate::config::{Config, Limits};
use crate::problem::Problem;
use link::{Link, Open};
use metrics::timed;

#[cfg(test)]
pub(crate) use access::Found;
pub(crate) use access::{Access, Look, References};
pub(crate) use keyring::Keyring;
pub(crate) use metrics::Calls;

/// Why a call has no answer.
#[derive(Debug)]
pub(crate) enum CallError {
    /// What it takes to connect is not there.
    NoAccess(Problem),
    /// The backend failed or refused.
    Backend(BackendError),
}

type Held<C> = Arc<Open<<C as Connect>::Backend>>;

/// The session of a process.
pub(crate) struct Session<C: Connect, L> {
    link: Link<C>,
    provider: Cache<Provider>,
    namespace: String,
    name: String,
    look: L,
    limits: Limits,
    slots: Semaphore,
    calls: Calls,
}

impl<C: Connect, L: Look> Session<C, L> {
    /// A session that is not connected yet, and what changes on the backend once it is.
    pub(crate) fn new(
        connect: C,
        config: &Config,
        provider: Cache<Provider>,
        look: L,
        calls: Calls,
    ) -> (Self, mpsc::UnboundedReceiver<Hint>) {
        let (hints, changes) = mpsc::unbounded();
        let limits = config.backend;
        let session = Self {
            link: Link::new(connect, limits, hints, calls.clone()),
            provider,
            namespace: config.namespace.clone(),
            name: config.provider.clone(),
            look,
            limits,
            slots: Semaphore::new(usize::from(limits.concurrency.max(1))),
            calls,
        };
        (session, changes)
    }

    /// What the backend can do.
    pub(crate) async fn capabilities(&self) -> Result<Capabilities, CallError> {
        Ok(self.open().await?.backend.capabilities())
    }

    /// What the backend has.
    pub(crate) async fn survey(&self) -> Result<Survey, CallError> {
        let ask = |open: Held<C>| async move { open.backend.survey().await };
        self.call("survey", |_| "ok", ask).await
    }

    /// What the backend calls an image.
    pub(crate) async fn find(&self, image: &ImageRequest) -> Result<Option<String>, CallError> {
        let ask = |open: Held<C>| async move { open.backend.find(image).await };
        self.call("find_image", |_| "ok", ask).await
    }

    /// Looks at a machine.
    pub(crate) async fn observe(&self, machine: &Identity) -> Result<Option<Observed>, CallError> {
        let ask = |open: Held<C>| async move { open.backend.observe(machine).await };
        self.call("observe", |_| "ok", ask).await
    }

    /// Does a step.
    pub(crate) async fn execute(
        &self,
        machine: &Identity,
        step: &Step,
    ) -> Result<Progress, CallError> {
        let ask = |open: Held<C>| async move { open.backend.execute(machine, step).await };
        let result = |progress: &Progress| match progress {
            Progress::Done => "ok",
            Progress::InFlight { .. } => "in_flight",
        };
        self.call(step.kind().as_str(), result, ask).await
    }

    /// Ends the session. What is in flight on the backend goes on.
    pub(crate) async fn close(&self) {
        if let Some(open) = self.link.take() {
            // Whoever waits for the end of the process does not wait for a backend that is away.
            let _ = tokio::time::timeout(self.limits.deadline, open.backend.close()).await;
        }
    }

    async fn call<T, F>(
        &self,
        call: &'static str,
        result: fn(&T) -> &'static str,
        ask: impl Fn(Held<C>) -> F + Send,
    ) -> Result<T, CallError>
    where
        F: Future<Output = Result<T, BackendError>> + Send,
    {
        let open = self.open().await?;
        let answer = self.once(call, result, ask(Arc::clone(&open))).await;
        if !matches!(&answer, Err(error) if error.kind() == ErrorKind::Auth) {
            return answer.map_err(CallError::Backend);
        }
        self.link.expired(&open);
        let renewed = self.open().await?;
        if Arc::ptr_eq(&open, &renewed) {
            return answer.map_err(CallError::Backend);
        }
        let answer = self.once(call, result, ask(renewed)).await;
        answer.map_err(CallError::Backend)
    }

    async fn once<T>(
        &self,
        call: &'static str,
        result: fn(&T) -> &'static str,
        asking: impl Future<Output = Result<T, BackendError>> + Send,
    ) -> Result<T, BackendError> {
        // Nobody closes the semaphore.
        let _slot = self.slots.acquire().await.ok();
        timed(call, self.limits.deadline, &self.calls, result, asking).await
    }

    /// What it takes to connect, or what of it is missing.
    pub(crate) async fn access(&self) -> Result<Access, Problem> {
        let Some(provider) = self.provider.get(Some(&self.namespace), &self.name) else {
            return Err(self.no_provider());
        };
        let references = References::of(&provider);
        // What is not known by then is told as such.
        let settled = self.look.settled(&references);
        let _ = tokio::time::timeout(self.limits.deadline, settled).await;
        Access::of(&provider, self.link.connector().keys(), &self.look)
    }

    async fn open(&self) -> Result<Held<C>, CallError> {
        match self.access().await {
            Ok(access) => self.link.with(access).await.map_err(CallError::Backend),
            Err(problem) => self.link.open().ok_or(CallError::NoAccess(problem)),
        }
    }

    fn no_provider(&self) -> Problem {
        let message = format!("Provider {} does not exist", self.name);
        Problem::stalled(Reason::ProviderNotFound, message)
    }
}
