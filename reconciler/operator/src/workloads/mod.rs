//! Provider -> its process: identity, rights, Deployment.
//!
//! ```text
//! Provider --finalizer--> dereference --> plan --> apply --> status.workload
//!     |
//!     '- deleted: machines left? --yes--> plan (keep it served) --> apply --> look again
//!                      '--------no---> cleanup --> finalizer goes
//! ```
//!
//! **Deletion.** A Provider that is deleted keeps its process for as long as a machine object names
//! it, because only that process can remove the VM behind it. So deleting Provider and machines
//! together, in any order, ends with everything gone, and deleting a Provider that is in use waits
//! for its machines. What may go wrong meanwhile, and why the end is reached all the same:
//!
//! - *The class is gone or paused:* what runs is left as it is. If it vanishes, it is started once
//!   more, from the class or else from what `status.workload` remembers of it.
//! - *The namespace is being deleted:* its Deployment goes with it and nothing can be made there.
//!   The process then runs in the operator's namespace, a refuge, as long as it takes.
//! - *The Secret is gone:* the process cannot log in, says so on each machine, and lets a machine go
//!   that a person gave up by `banlieue.io/abandon`. It has to run for that, too.
//!
//! Whether machines are left is asked of the API server, not of a cache: old news would take the
//! process away from a machine that was made a moment ago. In the end everything that carries the
//! Provider's labels is removed, except for what the garbage collector removes as the Provider goes.

pub mod apply;
pub mod cleanup;
pub mod dereference;
pub mod plan;
pub mod status;

use std::sync::Arc;

use banlieue_kit::errors::{ApiError, ErrorKind, ReconcileError};
use banlieue_kit::events::Events;
use banlieue_kit::finalizer::{self, Added};
use banlieue_kit::runner::{Next, Reconciler};
use banlieue_kit::{Client, Timestamp};
use banlieue_schemas::managers::Manager;
use banlieue_schemas::manifests::Settings;
use banlieue_schemas::platform::Provider;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

pub use dereference::Caches;
use plan::Plan;

/// Keeps a Provider until its machines, and what no owner reference reaches, are gone.
pub const FINALIZER: &str = "banlieue.io/provider-workload";

/// Why a process is not as its class says.
#[derive(Debug, thiserror::Error)]
pub enum WorkloadError {
    /// The API server failed or refused.
    #[error(transparent)]
    Api(#[from] ApiError),
    /// The objects have no JSON.
    #[error("cannot tell which objects the process needs")]
    Encode(#[from] serde_json::Error),
}

impl ReconcileError for WorkloadError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Api(error) => error.kind(),
            Self::Encode(_) => ErrorKind::Internal,
        }
    }
}

/// The reconciler of Providers.
pub struct Workloads {
    /// Writes, and asks what no cache may answer.
    pub client: Client,
    /// The platform around it.
    pub settings: Settings,
    /// What is known.
    pub caches: Caches,
    /// Tells people, on the Provider. Its conditions are not the operator's.
    pub events: Events,
}

impl Reconciler for Workloads {
    type Object = Provider;
    type Error = WorkloadError;
    const NAME: &'static str = "workloads";

    async fn reconcile(
        &self,
        provider: Arc<Provider>,
        now: Timestamp,
    ) -> Result<Next, WorkloadError> {
        if provider.metadata.deletion_timestamp.is_some() {
            return self.end(&provider.metadata, Some(&provider), now).await;
        }
        let meta = &provider.metadata;
        let added = finalizer::add(&self.client, &Manager::Operator, meta, FINALIZER);
        let provider = match added.await? {
            Added::Present => provider,
            Added::Added(stored) => {
                self.caches.providers.wrote(&stored);
                stored
            }
            Added::Terminating => return Ok(Next::Wait),
        };
        let found = dereference::find(&self.caches, &provider);
        let plan = plan::running(&self.settings, &provider, &found);
        self.carry_out(&provider, &plan, now).await?;
        Ok(Next::Wait)
    }

    async fn invalid(
        &self,
        meta: &ObjectMeta,
        _error: &str,
        now: Timestamp,
    ) -> Result<Next, WorkloadError> {
        match meta.deletion_timestamp {
            Some(_) => self.end(meta, None, now).await,
            None => Ok(Next::Wait),
        }
    }
}

impl Workloads {
    /// Lets a Provider go that is being deleted, once nothing needs its process any more.
    /// `provider` is `None` if what is stored does not parse: what runs is then left as it is.
    async fn end(
        &self,
        meta: &ObjectMeta,
        provider: Option<&Arc<Provider>>,
        now: Timestamp,
    ) -> Result<Next, WorkloadError> {
        if !finalizer::has(meta, FINALIZER) || self.caches.providers.was_let_go(meta) {
            return Ok(Next::Wait);
        }
        let Some(kind) = dereference::machines(&self.client, meta).await? else {
            cleanup::remove(&self.client, meta).await?;
            self.caches.providers.let_go(meta);
            return Ok(Next::Wait);
        };
        self.events
            .say::<Provider>(meta, &status::waiting(kind), now)
            .await;
        if let Some(provider) = provider {
            self.serve(provider, now).await?;
        }
        Ok(Next::After(cleanup::look_again(meta, now)))
    }

    /// Keeps a process there for the machines of a Provider that is being deleted.
    async fn serve(&self, provider: &Arc<Provider>, now: Timestamp) -> Result<(), WorkloadError> {
        let found = dereference::find(&self.caches, provider);
        let plan = plan::serving(&self.settings, provider, &found, false);
        match self.carry_out(provider, &plan, now).await {
            Err(error) if error.kind() == ErrorKind::Terminating => {}
            ended => return ended,
        }
        if plan::runs(&found) {
            // It serves until it goes with its namespace, and that will be heard.
            return Ok(());
        }
        let plan = plan::serving(&self.settings, provider, &found, true);
        self.carry_out(provider, &plan, now).await
    }

    async fn carry_out(
        &self,
        provider: &Arc<Provider>,
        plan: &Plan,
        now: Timestamp,
    ) -> Result<(), WorkloadError> {
        match plan {
            Plan::Apply(wanted) => {
                apply::apply(&self.client, &self.caches, provider, &wanted.workload).await?;
            }
            Plan::Leave(Some(saying)) => {
                let meta = &provider.metadata;
                self.events.say::<Provider>(meta, saying, now).await;
            }
            Plan::Leave(None) => {}
        }
        let wanted = status::of(provider, plan, &self.caches.deployments);
        status::write(&self.client, &self.caches.providers, provider, wanted).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
