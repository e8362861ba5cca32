//! The two namespaces of the platform.

use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::object::{PRUNE_DISABLED, metadata, strings};
use super::settings::Settings;

/// Namespace of the platform's own workloads, none of which needs a privilege.
pub fn system(settings: &Settings) -> Namespace {
    namespace(&settings.namespace, "restricted")
}

/// Namespace of image builds, which mount and loop devices as root. Audit and warnings stay
/// strict, so that everything but a build stands out.
pub fn image_builder(settings: &Settings) -> Namespace {
    namespace(&settings.image_builder_namespace, "privileged")
}

/// Removing a namespace from git must not delete what lives in it.
fn namespace(name: &str, enforce: &str) -> Namespace {
    let mut metadata = ObjectMeta {
        annotations: Some(strings(PRUNE_DISABLED)),
        ..metadata(name, None)
    };
    let pod_security = [
        ("pod-security.kubernetes.io/audit", "restricted"),
        ("pod-security.kubernetes.io/enforce", enforce),
        ("pod-security.kubernetes.io/warn", "restricted"),
    ];
    metadata
        .labels
        .get_or_insert_default()
        .extend(strings(pod_security));
    Namespace {
        metadata,
        ..Namespace::default()
    }
}
