//! What whoever owns a namespace with Providers and machines, or the platform, applies before them.

use anyhow::Result;
use banlieue_schemas::manifests::{Settings, rbac};
use banlieue_schemas::platform::{VmClass, VmImage};
use k8s_openapi::api::core::v1::{Namespace, Secret};
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use kube::api::PostParams;
use kube::{Api, Client};
use serde_json::{from_value, json, to_value};

use super::{PASSWORD, image, vm_class};
use crate::workload::create;

/// What the name of a Provider's Secret ends with.
pub const CREDENTIALS: &str = "credentials";

/// Makes a namespace, the Secret `<provider>-credentials` of each Provider, and the Roles with
/// which the operator hands credentials out and the controller reads user data.
pub async fn prepare(client: &Client, namespace: &str, providers: &[&str]) -> Result<()> {
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let object = from_value(json!({"metadata": {"name": namespace}}))?;
    namespaces.create(&PostParams::default(), &object).await?;
    let names: Vec<String> = providers
        .iter()
        .map(|provider| format!("{provider}-{CREDENTIALS}"))
        .collect();
    for name in &names {
        let secret = json!({"metadata": {"name": name}, "stringData": {"password": PASSWORD}});
        create::<Secret>(client, namespace, secret).await?;
    }
    let settings = Settings::default();
    let none: &[String] = &[];
    let credentials = rbac::operator_credentials(&settings, namespace, &names, none);
    let user_data = rbac::user_data(&settings, namespace);
    for (role, binding) in credentials.into_iter().chain([user_data]) {
        create::<Role>(client, namespace, to_value(role)?).await?;
        create::<RoleBinding>(client, namespace, to_value(binding)?).await?;
    }
    Ok(())
}

/// Offers the shape and the image to everybody. `classes` are those whose Providers have it.
pub async fn offer(client: &Client, classes: &[&str]) -> Result<()> {
    let parameters = PostParams::default();
    let shapes: Api<VmClass> = Api::all(client.clone());
    shapes.create(&parameters, &from_value(vm_class())?).await?;
    let images: Api<VmImage> = Api::all(client.clone());
    let object = from_value(image(classes))?;
    images.create(&parameters, &object).await?;
    Ok(())
}
