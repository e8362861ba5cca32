//! Where an image should be, on this Provider. What is not there is data.

use std::sync::Arc;

use banlieue_backend::Connect;
use banlieue_schemas::platform::{ImageSource, Provider, ProviderImageStatus, VmImage};

use super::ImageReconciler;
use crate::session::Look;

/// What a row is made from.
#[derive(Clone, Debug)]
pub(super) struct References {
    /// The Provider, unless it is gone or going.
    pub(super) provider: Option<Arc<Provider>>,
    /// The source for the Provider's class.
    pub(super) source: Option<ImageSource>,
    /// The row as it is.
    pub(super) row: Option<ProviderImageStatus>,
}

impl<C: Connect, L: Look> ImageReconciler<C, L> {
    /// Looks up the Provider, the source and the row.
    pub(super) fn dereference(&self, image: &VmImage) -> References {
        let (namespace, name) = (&self.config.namespace, &self.config.provider);
        let provider = self.providers.get(Some(namespace), name);
        let provider = provider.filter(|it| it.metadata.deletion_timestamp.is_none());
        let source = provider.as_ref().and_then(|provider| {
            let class = &provider.spec.provider_class_ref.name;
            let mut sources = image.spec.sources.iter();
            sources
                .find(|source| source.provider_class == *class)
                .cloned()
        });
        let mut rows = image.status.iter().flat_map(|status| &status.per_provider);
        let row =
            rows.find(|row| row.provider_name == *name && row.provider_namespace == *namespace);
        References {
            provider,
            source,
            row: row.cloned(),
        }
    }
}
