//! The effects: looking for the image, and writing the row.

use banlieue_backend::{BackendError, Connect, ImageRequest};
use banlieue_kit::errors::ApiError;
use banlieue_kit::status::{self as stored, Written};
use banlieue_schemas::managers::Manager;
use banlieue_schemas::platform::{ProviderImageStatus, VmImage, VmImageStatus, ZoneImageStatus};
use futures::future::join_all;

use super::ImageReconciler;
use super::status::zone;
use crate::session::{CallError, Look};

impl<C: Connect, L: Look> ImageReconciler<C, L> {
    /// Looks in each failure domain. An error of one of them comes along with what was found.
    pub(super) async fn look(
        &self,
        looks: Vec<(String, ImageRequest)>,
    ) -> (Vec<ZoneImageStatus>, Option<BackendError>) {
        // The session bounds how many calls run at once.
        let found = join_all(looks.into_iter().map(async |(name, request)| {
            let found = self.session.find(&request).await;
            let zone = zone(name, &request.reference, &found);
            let error = match found {
                Err(CallError::Backend(error)) => Some(error),
                Ok(_) | Err(CallError::NoAccess(_)) => None,
            };
            (zone, error)
        }))
        .await;
        let (zones, errors): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        (zones, errors.into_iter().flatten().next())
    }

    /// Writes the row, or takes it away; nobody else's is touched.
    pub(super) async fn write(
        &self,
        image: &VmImage,
        old: Option<ProviderImageStatus>,
        new: Option<ProviderImageStatus>,
    ) -> Result<(), ApiError> {
        let part = |row: Option<ProviderImageStatus>| VmImageStatus {
            per_provider: row.into_iter().collect(),
            ..VmImageStatus::default()
        };
        let manager = Manager::ProviderInstance {
            backend: self.backend,
            namespace: self.config.namespace.clone(),
            provider: self.config.provider.clone(),
        };
        let (read, wanted) = (part(old), part(new));
        let meta = &image.metadata;
        let written = stored::write_part(&self.client, &manager, meta, &read, &wanted).await?;
        if let Written::Written(image) = written {
            self.images.wrote(&image);
        }
        Ok(())
    }
}
