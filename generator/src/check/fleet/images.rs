//! Where images are imported from.

use banlieue_schemas::{PLATFORM_GROUP, fleet::Fleet};
use serde_json::Value;

use crate::{
    check::{codes, finding::Fault},
    diagnostic::shown,
    load::node::Path,
    render::Object,
};

/// Sources of an image that the fleet's admission policy refuses.
pub fn registries<'a>(fleet: &'a Fleet, object: &'a Object) -> impl Iterator<Item = Fault> + 'a {
    let allowed = &fleet.platform.allowed_registries;
    let is_image = object.id.group == PLATFORM_GROUP && object.id.kind == "VMImage";
    let sources = object.value["spec"]["sources"].as_array();
    let sources = sources.filter(|_| is_image && !allowed.is_empty());
    let imports = sources.into_iter().flatten().enumerate();
    imports.filter_map(|(index, source)| {
        let from = source.get("importFrom").and_then(Value::as_str)?;
        let within = |registry: &String| {
            let rest = from.strip_prefix(registry.as_str());
            rest.is_some_and(|rest| rest.starts_with('/'))
        };
        if allowed.iter().any(within) {
            return None;
        }
        Some(Fault::new(
            &codes::REGISTRY,
            &Path::Root
                .key("spec")
                .key("sources")
                .index(index)
                .key("importFrom"),
            format!("is {}, which the admission policy refuses", shown(from)),
            format!(
                "import it from {}, or add its registry to `platform.allowedRegistries`",
                allowed.join(" or ")
            ),
        ))
    })
}
