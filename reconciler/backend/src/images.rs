//! Images that machines are made from.

use std::future::Future;

use banlieue_schemas::common::StringMap;
use banlieue_schemas::platform::ImageSourceKind;

use crate::errors::BackendError;

/// An image in one zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageRequest {
    /// How the image comes to the backend.
    pub kind: ImageSourceKind,
    /// Name of the template, volume or file.
    pub reference: String,
    /// The zone, in the backend's own terms: the failure domain's `attributes.raw`.
    pub place: StringMap,
}

/// Looks for images. Writes nothing.
pub trait Images: Send + Sync {
    /// What the backend calls the image in that zone, or `None` if it is not there.
    ///
    /// # Errors
    /// Whenever absence or presence could not be told for sure, and [`ErrorKind::Unsupported`] for
    /// a kind of source that this backend cannot use.
    ///
    /// [`ErrorKind::Unsupported`]: crate::ErrorKind::Unsupported
    fn find(
        &self,
        request: &ImageRequest,
    ) -> impl Future<Output = Result<Option<String>, BackendError>> + Send;
}
