//! The controller's part of the status.

use std::sync::Arc;

use banlieue_core::image::status;
use banlieue_kit::errors::ApiError;
use banlieue_kit::status::{Written, write_part};
use banlieue_kit::{Client, Timestamp};
use banlieue_schemas::managers::Manager;
use banlieue_schemas::platform::{Provider, VmImage, VmImageStatus};

use crate::watched::Watched;

/// Writes conditions, and the generation that they are about.
pub(super) async fn publish(
    client: &Client,
    watched: &Watched,
    image: &VmImage,
    providers: &[Arc<Provider>],
    now: Timestamp,
) -> Result<(), ApiError> {
    let wanted = status(image, providers.iter().map(|provider| &**provider), now);
    let (meta, read) = (&image.metadata, own_part(image));
    let manager = Manager::Controller;
    let written = write_part::<VmImage>(client, &manager, meta, &read, &wanted).await?;
    if let Written::Written(image) = written {
        watched.images.cache().wrote(&image);
    }
    Ok(())
}

/// What of the status is the controller's.
fn own_part(image: &VmImage) -> VmImageStatus {
    let status = image.status.clone().unwrap_or_default();
    VmImageStatus {
        observed_generation: status.observed_generation,
        conditions: status.conditions,
        ..VmImageStatus::default()
    }
}
