//! The Providers of a namespace, each with its class.

use std::sync::Arc;

use banlieue_core::schedule::Site;
use banlieue_schemas::platform::{Provider, ProviderClass};

use crate::watched::Watched;

/// Providers as the caches hold them.
#[derive(Clone, Debug)]
pub(crate) struct Sites(Vec<(Arc<Provider>, Option<Arc<ProviderClass>>)>);

impl Sites {
    /// The Providers of a namespace, by name.
    pub(crate) fn of(watched: &Watched, namespace: Option<&str>) -> Self {
        let providers = watched.providers.cache();
        let mut providers =
            providers.filter(|provider| provider.metadata.namespace.as_deref() == namespace);
        providers.sort_by(|one, other| one.metadata.name.cmp(&other.metadata.name));
        let classes = watched.provider_classes.cache();
        let with_class = |provider: Arc<Provider>| {
            let class = classes.get(None, &provider.spec.provider_class_ref.name);
            (provider, class)
        };
        Self(providers.into_iter().map(with_class).collect())
    }

    /// What decisions look at.
    pub(crate) fn views(&self) -> Vec<Site<'_>> {
        let sites = self.0.iter();
        sites
            .map(|(provider, class)| Site {
                provider,
                class: class.as_deref(),
            })
            .collect()
    }
}
