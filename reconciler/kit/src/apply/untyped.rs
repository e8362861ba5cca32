//! Apply of an object of any kind, for an installer.

use banlieue_schemas::managers::Manager;
use banlieue_schemas::manifests::object_id;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, Patch, PatchParams, TypeMeta};
use kube::{Api, Client};
use serde_json::Value;

use crate::errors::{ApiError, ErrorKind};

/// Applies a rendered object as `manager`, whether or not it exists, and takes over what others
/// own of it. Doing it twice is harmless. The API server's name of the kind is its plural.
///
/// An object without `apiVersion` or `kind` is refused.
pub async fn apply_untyped(
    client: &Client,
    manager: &Manager,
    object: &Value,
) -> Result<DynamicObject, ApiError> {
    const ACTION: &str = "apply";
    let id = object_id(object);
    let refused = |source: &'static str| ApiError::other(ACTION, &id, ErrorKind::Internal, source);
    let types = TypeMeta {
        api_version: object["apiVersion"].as_str().unwrap_or_default().to_owned(),
        kind: id.kind.clone(),
    };
    let kind = GroupVersionKind::try_from(types).map_err(|_| refused("its apiVersion is none"))?;
    if kind.kind.is_empty() {
        return Err(refused("it has no kind"));
    }
    let resource = ApiResource::from_gvk(&kind);
    let objects: Api<DynamicObject> = match &id.namespace {
        Some(namespace) => Api::namespaced_with(client.clone(), namespace, &resource),
        None => Api::all_with(client.clone(), &resource),
    };
    let params = PatchParams::apply(&manager.to_string()).force();
    objects
        .patch(&id.name, &params, &Patch::Apply(object))
        .await
        .map_err(|error| ApiError::new(ACTION, &id, error))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use serde_json::json;

    use super::*;
    use crate::fake::Fake;

    #[tokio::test]
    async fn kinds_of_either_scope_are_found_by_their_plural() {
        let table = [
            (
                json!({
                    "apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy",
                    "metadata": { "name": "a", "namespace": "n" },
                }),
                "PATCH /apis/networking.k8s.io/v1/namespaces/n/networkpolicies/a",
            ),
            (
                json!({
                    "apiVersion": "banlieue.io/v1alpha1", "kind": "ProviderClass",
                    "metadata": { "name": "sim" },
                }),
                "PATCH /apis/banlieue.io/v1alpha1/providerclasses/sim",
            ),
            (
                json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "n" } }),
                "PATCH /api/v1/namespaces/n",
            ),
        ];
        for (object, line) in table {
            let fake = Fake::echo();
            let manager = Manager::Bootstrap;
            apply_untyped(&fake.client(), &manager, &object)
                .await
                .unwrap();
            let call = fake.call();
            assert_eq!(call.line(), line);
            assert_eq!(call.body, object);
            assert!(call.query.contains("force=true"));
            assert!(call.query.contains("fieldManager=banlieue.io%2Fbootstrap"));
        }
        let fake = Fake::echo();
        let nothing = apply_untyped(&fake.client(), &Manager::Bootstrap, &json!({})).await;
        assert_eq!(nothing.unwrap_err().kind(), ErrorKind::Internal);
        assert!(fake.calls().is_empty());
    }
}
