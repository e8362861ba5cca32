//! ProviderClass -> its status: how many Providers use it, and whether it can be used, before any
//! Provider does.
//!
//! ```text
//! ProviderClass, Providers, ClusterRoles --dereference--> status
//! ```
//!
//! A class has no finalizer and no objects of its own: deleting it stops nothing that runs.

pub mod dereference;
pub mod status;

use std::sync::Arc;

use banlieue_kit::errors::ApiError;
use banlieue_kit::runner::{Next, Reconciler};
use banlieue_kit::{Client, Timestamp};
use banlieue_schemas::platform::ProviderClass;

pub use dereference::Caches;

/// The reconciler of ProviderClasses.
pub struct ProviderClasses {
    /// Writes the status.
    pub client: Client,
    /// What is known.
    pub caches: Caches,
}

impl Reconciler for ProviderClasses {
    type Object = ProviderClass;
    type Error = ApiError;
    const NAME: &'static str = "provider-classes";

    async fn reconcile(&self, class: Arc<ProviderClass>, now: Timestamp) -> Result<Next, ApiError> {
        let found = dereference::find(&self.caches, &class);
        status::write(&self.client, &self.caches.classes, &class, found, now).await?;
        Ok(Next::Wait)
    }
}

#[cfg(test)]
mod tests;
