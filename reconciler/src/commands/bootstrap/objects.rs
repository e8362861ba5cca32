//! What is installed.

use banlieue_schemas::manifests::{self, Settings, Stage, provider_classes};
use banlieue_schemas::platform::Backend;
use serde_json::Value;

/// Every object of an installation, in the order in which it can be applied, with a ProviderClass
/// for each of the backends. The error is that of serialisation.
pub fn objects(
    settings: &Settings,
    backends: &[Backend],
) -> Result<Vec<(Stage, Value)>, serde_json::Error> {
    let mut objects = manifests::platform(settings)?;
    let classes = provider_classes::defaults(settings, backends)?;
    objects.extend(classes.into_iter().map(|class| (Stage::Classes, class)));
    Ok(objects)
}
