//! Images: where this Provider has each of them, as its own row of `status.perProvider`.
//!
//! ```text
//! dereference -> plan -> look in each failure domain -> the row
//! ```
//!
//! Nothing here writes to the backend, and the row is computed anew each time, so dying after any
//! call is harmless. The row goes with the image's source for the Provider's class, and with the
//! Provider.

mod apply;
mod dereference;
mod plan;
mod status;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use banlieue_backend::Connect;
use banlieue_kit::cache::Cache;
use banlieue_kit::runner::{Next, Reconciler};
use banlieue_kit::{Client, Timestamp};
use banlieue_schemas::platform::{Backend, Provider, VmImage};

use crate::config::Config;
use crate::errors::Error;
use crate::problem::Problem;
use crate::session::{Look, Session};
use plan::{Plan, plan};
use status::{row, row_without_zones};

/// Reconciles the rows of one Provider.
pub(crate) struct ImageReconciler<C: Connect, L> {
    pub(crate) client: Client,
    pub(crate) session: Arc<Session<C, L>>,
    pub(crate) providers: Cache<Provider>,
    pub(crate) images: Cache<VmImage>,
    pub(crate) backend: Backend,
    pub(crate) config: Arc<Config>,
}

impl<C: Connect, L: Look> Reconciler for ImageReconciler<C, L> {
    type Object = VmImage;
    type Error = Error;
    const NAME: &'static str = "image";

    async fn reconcile(&self, image: Arc<VmImage>, _: Timestamp) -> Result<Next, Error> {
        let references = self.dereference(&image);
        let (namespace, name) = (&self.config.namespace, &self.config.provider);
        let (wanted, error) = match plan(&references) {
            Plan::Keep => return Ok(Next::Wait),
            Plan::Remove => (None, None),
            Plan::Not(reason, message) => {
                let row = row_without_zones(namespace, name, reason, message);
                (Some(row), None)
            }
            Plan::Look(looks) => {
                let (zones, error) = self.look(looks).await;
                (Some(row(namespace, name, zones)), error)
            }
        };
        let missing = wanted.as_ref().is_some_and(|row| !row.ready);
        self.write(&image, references.row, wanted).await?;
        match error {
            Some(error) => Err(Error::backend(Problem::of(name, &error), error)),
            // A template may be made by hand, which nobody tells.
            None if missing => Ok(Next::After(self.config.survey_every)),
            None => Ok(Next::Wait),
        }
    }
}
