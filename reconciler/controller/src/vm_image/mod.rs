//! VMImages: `Ready`, from the rows that each Provider's process writes.
//!
//! There is nothing to make or to tear down, so a pass is a look-up and a status. It owns its
//! conditions only: rows and artifacts have other writers.

mod dereference;
mod status;

use std::sync::Arc;

use banlieue_kit::errors::ApiError;
use banlieue_kit::runner::{Config, Next, Reconciler, Reporting, Runner, Trigger, fingerprint};
use banlieue_kit::{Client, ObjectRef, Timestamp};
use banlieue_schemas::platform::VmImage;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::watched::Watched;

/// Reconciles VMImages.
pub struct VmImages {
    client: Client,
    watched: Watched,
}

/// The reconciler, ready to run. Rows change an image, and so do Providers that come and go.
pub fn runner(
    client: Client,
    watched: Watched,
    config: Config,
    reporting: Reporting,
) -> Runner<VmImages> {
    let images = watched.images.clone();
    let providers = watched.providers.clone();
    let rows = |image: &VmImage| {
        let status = image.status.as_ref();
        fingerprint(&status.map(|status| &status.per_provider))
    };
    let cache = images.cache().clone();
    let every_image = move |_: &ObjectMeta| {
        let all = cache.list();
        all.iter()
            .map(|image| ObjectRef::from_obj(&**image))
            .collect::<Vec<_>>()
    };
    let reconciler = VmImages { client, watched };
    Runner::new(
        reconciler,
        &images,
        Trigger::IntentAnd(rows),
        config,
        reporting,
    )
    .watches(&providers, Trigger::Intent, every_image)
}

impl Reconciler for VmImages {
    type Object = VmImage;
    type Error = ApiError;
    const NAME: &'static str = "vm_image";

    async fn reconcile(&self, image: Arc<VmImage>, now: Timestamp) -> Result<Next, ApiError> {
        if image.metadata.deletion_timestamp.is_some() {
            return Ok(Next::Wait);
        }
        let providers = dereference::providers(&self.watched);
        status::publish(&self.client, &self.watched, &image, &providers, now).await?;
        Ok(Next::Wait)
    }
}

#[cfg(test)]
mod tests;
