//! The Provider itself: whether its backend can be used, and the failure domains that it shows.
//!
//! ```text
//! dereference: connect, survey -> plan: failure domains -> status, a part of it
//! ```
//!
//! Nothing here writes to the backend, and the status is computed anew each time, so dying after
//! any call is harmless.

mod dereference;
mod plan;
mod status;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use banlieue_backend::Connect;
use banlieue_kit::cache::Cache;
use banlieue_kit::runner::{Next, Reconciler};
use banlieue_kit::status::{self as stored, Written};
use banlieue_kit::{Client, Timestamp};
use banlieue_schemas::managers::Manager;
use banlieue_schemas::platform::{Backend, Provider};

use crate::config::Config;
use crate::errors::Error;
use crate::session::{Look, Session};
use dereference::Found;
use plan::{Health, plan};
use status::{own_part, status};

/// Reconciles the one Provider of a process.
pub(crate) struct EndpointReconciler<C: Connect, L> {
    pub(crate) client: Client,
    pub(crate) session: Arc<Session<C, L>>,
    pub(crate) providers: Cache<Provider>,
    pub(crate) backend: Backend,
    pub(crate) config: Arc<Config>,
}

impl<C: Connect, L: Look> Reconciler for EndpointReconciler<C, L> {
    type Object = Provider;
    type Error = Error;
    const NAME: &'static str = "endpoint";

    async fn reconcile(&self, provider: Arc<Provider>, now: Timestamp) -> Result<Next, Error> {
        let found = self.dereference(&provider).await;
        let plan = plan(&provider, &found);
        let health = plan.health.clone();
        let (read, wanted) = (own_part(&provider), status(&provider, plan, now));
        let (manager, meta) = (Manager::Provider(self.backend), &provider.metadata);
        let written = stored::write_part(&self.client, &manager, meta, &read, &wanted).await?;
        if let Written::Written(provider) = written {
            self.providers.wrote(&provider);
        }
        match (found, health) {
            (Found::Survey(_), _) => Ok(Next::After(self.config.survey_every)),
            (Found::Away(problem, Some(error)), _) => Err(Error::backend(problem, error)),
            (Found::Unread(error), Health::Unusable(problem)) => {
                Err(Error::backend(problem, error))
            }
            _ => Ok(Next::Wait),
        }
    }
}
