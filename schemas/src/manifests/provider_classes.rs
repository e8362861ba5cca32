//! ProviderClasses that an installation has without anybody writing one.

use kube::core::ObjectMeta;
use serde_json::Value;

use super::object::to_value;
use super::settings::{Image, Settings};
use crate::platform::{Backend, ProviderClass, ProviderClassSpec, WorkloadImage};

/// A class of a backend of which only the image is chosen.
pub fn default_spec(backend: Backend, image: WorkloadImage) -> ProviderClassSpec {
    ProviderClassSpec {
        backend,
        deployment: None,
        image: Some(image),
        workload_namespace: None,
        replicas: None,
        resources: None,
        node_selector: None,
        tolerations: Vec::new(),
        logging: None,
        additional_rules: Vec::new(),
        paused: None,
    }
}

/// A ProviderClass as it is rendered. The error is that of serialisation.
pub fn object(name: &str, spec: ProviderClassSpec) -> Result<Value, serde_json::Error> {
    to_value(&ProviderClass {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            ..ObjectMeta::default()
        },
        spec,
        status: None,
    })
}

/// One class for each backend, under the backend's name, whose processes run the platform's own
/// image. The error is that of serialisation.
pub fn defaults(
    settings: &Settings,
    backends: &[Backend],
) -> Result<Vec<Value>, serde_json::Error> {
    let class = |backend: &Backend| {
        let spec = default_spec(*backend, workload_image(&settings.image));
        object(backend.as_str(), spec)
    };
    backends.iter().map(class).collect()
}

fn workload_image(image: &Image) -> WorkloadImage {
    WorkloadImage {
        repository: image.repository.clone(),
        tag: Some(image.tag.clone()),
        digest: image.digest.clone(),
        ..WorkloadImage::default()
    }
}
