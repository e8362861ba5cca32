//! The objects of the platform: the same whatever is selected.

use banlieue_schemas::{
    fleet::{Engine, Fleet},
    manifests::{self, provider_classes},
};
use serde_json::{Value, json};

use super::{
    Context, RenderError, access, argocd, bundle, flux,
    object::{Object, Place, Removal, metadata},
    providers, scopes, stage,
};
use crate::plan::Plan;

/// Renders definitions, access, workloads, classes, Providers, images, and the stages' entries.
///
/// # Errors
/// None that a fleet can cause; a spec that has no JSON form.
pub fn objects(context: Context<'_>, plan: &Plan) -> Result<Vec<Object>, RenderError> {
    let fleet = context.fleet;
    let scope = scopes::platform();
    let mut objects = Vec::new();
    let platform = manifests::platform(&settings(fleet)).map_err(|source| RenderError::Encode {
        what: "the platform".to_owned(),
        source,
    })?;
    for (stage, value) in platform {
        let place = Place::new(
            format!("infrastructure/{}", stage.folder()),
            &scope,
            &["platform"],
        );
        objects.push(place.put_namespaced(value, Removal::Prune));
    }
    let rbac = Place::new(stage::RBAC, &scope, &["platform"]);
    for namespace in own_namespaces(fleet, plan) {
        objects.push(rbac.put(namespace_object(fleet, namespace), Removal::Keep));
    }
    for value in access::objects(fleet, &settings(fleet), plan)? {
        objects.push(rbac.put_namespaced(value, Removal::Prune));
    }
    for (name, spec) in providers::classes(fleet) {
        let place = Place::new(stage::CLASSES, &scope, &["providerClasses", &name]);
        let class =
            provider_classes::object(&name, spec).map_err(|source| RenderError::Encode {
                what: format!("ProviderClass {name}"),
                source,
            })?;
        objects.push(place.put(class, Removal::Prune));
    }
    for (name, spec) in &fleet.classes {
        let place = Place::new(stage::CLASSES, &scope, &["classes", name]);
        objects.push(place.put(
            providers::cluster_scoped("VMClass", name, spec)?,
            Removal::Prune,
        ));
    }
    for provider in &plan.providers {
        let Some(site) = fleet.sites.get(&provider.site) else {
            continue;
        };
        let place = Place::new(stage::PROVIDERS, &scope, &["sites", &provider.site]);
        let file = format!("provider-{}-{}.yaml", provider.namespace, provider.name);
        objects.push(place.put_as(&file, providers::provider(provider, site)?, Removal::Prune));
    }
    for (name, spec) in &fleet.images {
        let place = Place::new(stage::IMAGES, &scope, &["images", name]);
        objects.push(place.put(
            providers::cluster_scoped("VMImage", name, spec)?,
            Removal::Prune,
        ));
    }
    // The folders are numbered in the order of the stages.
    objects.sort_by(|one, other| one.folder().cmp(other.folder()));
    objects.extend(engine(context));
    Ok(objects)
}

/// The engine's source or project, and the entries of the platform's stages.
fn engine(context: Context<'_>) -> Vec<Object> {
    let fleet = context.fleet;
    let scope = scopes::platform();
    let origin = ["gitops"];
    let mut objects = match fleet.gitops.engine {
        Engine::Flux => {
            let place = Place::new(flux::FOLDER, &scope, &origin);
            vec![
                place.put(flux::source(fleet), Removal::Keep),
                place.put(flux::root(fleet), Removal::Keep),
            ]
        }
        Engine::Argocd => {
            let place = Place::new(argocd::FOLDER, &scope, &origin);
            vec![
                place.put(argocd::health(fleet), Removal::Keep),
                place.put(argocd::project(fleet), Removal::Keep),
                place.put(argocd::root(fleet), Removal::Keep),
            ]
        }
    };
    let stages = stage::platform(fleet);
    objects.extend(
        stages
            .iter()
            .map(|stage| bundle::entry(context, stage, &scope, &origin, "platform")),
    );
    objects
}

fn settings(fleet: &Fleet) -> manifests::Settings {
    let platform = &fleet.platform;
    manifests::Settings {
        namespace: platform.namespace.clone(),
        image_builder_namespace: platform.image_builder.namespace.clone(),
        image: manifests::Image {
            repository: platform.image.repository.clone(),
            tag: platform.image.tag.clone().unwrap_or_default(),
            digest: platform.image.digest.clone(),
        },
        allowed_registries: platform.allowed_registries.clone(),
        ..manifests::Settings::default()
    }
}

/// Namespaces of the fleet that are not rendered with the platform's own workloads.
fn own_namespaces<'a>(fleet: &'a Fleet, plan: &'a Plan) -> impl Iterator<Item = &'a String> {
    let platform = &fleet.platform;
    let taken = [&platform.namespace, &platform.image_builder.namespace];
    plan.namespaces
        .iter()
        .filter(move |name| !taken.contains(name))
}

fn namespace_object(fleet: &Fleet, name: &str) -> Value {
    let mut labels: Vec<(&str, &str)> = vec![("app.kubernetes.io/part-of", "banlieue")];
    let own = fleet.platform.namespace_labels.iter();
    labels.extend(own.map(|(key, value)| (key.as_str(), value.as_str())));
    json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": metadata(name, None, &labels) })
}
