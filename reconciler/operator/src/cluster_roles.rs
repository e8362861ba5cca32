//! The ClusterRoles that the processes of a backend share. They come with the platform; the
//! operator grants them, and may not make them.

use banlieue_kit::cache::Cache;
use banlieue_schemas::manifests::provider_workload::provider_workload;
use banlieue_schemas::platform::Backend;
use k8s_openapi::api::rbac::v1::ClusterRole;

/// What is known of them, which may be spread over several watches.
#[derive(Clone, Debug)]
pub struct ClusterRoles(Vec<Cache<ClusterRole>>);

impl ClusterRoles {
    /// The ClusterRoles in these caches.
    pub fn new(caches: impl IntoIterator<Item = Cache<ClusterRole>>) -> Self {
        Self(caches.into_iter().collect())
    }

    /// Whether that of a backend is there.
    pub fn has(&self, backend: Backend) -> bool {
        let role = name(backend);
        self.0
            .iter()
            .any(|roles| roles.lookup(None, role).is_some())
    }
}

/// Name of the ClusterRole of a backend.
pub fn name(backend: Backend) -> &'static str {
    provider_workload(backend).name()
}
