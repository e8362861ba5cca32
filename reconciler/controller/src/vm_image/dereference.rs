//! The Providers whose rows may count.

use std::sync::Arc;

use banlieue_schemas::platform::Provider;

use crate::watched::Watched;

/// Providers of all namespaces.
pub(super) fn providers(watched: &Watched) -> Vec<Arc<Provider>> {
    watched.providers.cache().list()
}
