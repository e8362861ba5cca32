//! Objects that were stored before their rules got stricter: they are told of, stop nobody, cost no
//! further write, and can be deleted.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use banlieue_schemas::conditions::Reason;
use banlieue_schemas::infrastructure::SimMachine;
use banlieue_schemas::platform::VirtualMachine;
use banlieue_tests::platform::{Case, Options, Platform, all_hold};
use banlieue_tests::wait::{eventually, until_gone};
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::events::v1::Event;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{ApiResource, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::{Api, CustomResourceExt, Resource};
use serde::de::DeserializeOwned;
use serde_json::{Value, from_value, json, to_value};

/// Where the rule for `spec.desiredPowerState` is in a CustomResourceDefinition.
const FIELD: &str =
    "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/desiredPowerState";

/// A kind of which one object is misshapen.
trait Ruled:
    Resource<DynamicType = (), Scope = NamespaceResourceScope>
    + CustomResourceExt
    + Clone
    + Debug
    + DeserializeOwned
{
}

impl Ruled for VirtualMachine {}
impl Ruled for SimMachine {}

/// Sets which power states the API server takes, all if none are given; returns those before.
async fn rule<K: Ruled>(case: &Case, states: Option<Value>) -> Result<Option<Value>> {
    let definitions = case.shared::<CustomResourceDefinition>();
    let mut definition = to_value(definitions.get(K::crd_name()).await?)?;
    let field = definition.pointer_mut(FIELD).context("no such field")?;
    let field = field.as_object_mut().context("no schema")?;
    let before = match states {
        Some(states) => field.insert("enum".to_owned(), states),
        None => field.remove("enum"),
    };
    let definition: CustomResourceDefinition = from_value(definition)?;
    let params = PostParams::default();
    definitions
        .replace(K::crd_name(), &params, &definition)
        .await?;
    Ok(before)
}

/// Asks for a power state that no type knows.
async fn ask_for<K: Ruled>(case: &Case, state: &str, params: &PatchParams) -> Result<()> {
    let patch = Patch::Merge(json!({"spec": {"desiredPowerState": state}}));
    let objects: Api<DynamicObject> = objects::<K>(case);
    objects.patch("vm", params, &patch).await?;
    Ok(())
}

/// Objects of a kind, whatever their shape.
fn objects<K: Ruled>(case: &Case) -> Api<DynamicObject> {
    let client = case.api::<K>().into_client();
    Api::namespaced_with(client, &case.name, &ApiResource::erase::<K>(&()))
}

/// Gives the object named `vm` a power state that is allowed for a moment only.
async fn misshape<K: Ruled>(case: &Case) -> Result<()> {
    let states = rule::<K>(case, None).await?;
    eventually("the rule to go", async || {
        ask_for::<K>(case, "Sometimes", &PatchParams::default()).await
    })
    .await?;
    rule::<K>(case, states).await?;
    eventually("the rule to be back", async || {
        let dry = PatchParams::default().dry_run();
        let refused = ask_for::<K>(case, "Seldom", &dry).await.is_err();
        ensure!(refused, "another state is still taken");
        Ok(())
    })
    .await
}

/// Waits until people were told which field of the object is wrong, and how.
async fn told<K: Ruled>(case: &Case) -> Result<()> {
    let events = case.api::<Event>();
    let (kind, reason) = (K::kind(&()), Reason::InvalidSpec.to_string());
    eventually("an Event", async || {
        let events = events.list(&ListParams::default()).await?.items;
        let told = events.iter().any(|event| {
            let about = event.regarding.as_ref().and_then(|it| it.kind.as_deref());
            let note = event.note.as_deref().unwrap_or_default();
            about == Some(&*kind)
                && event.reason.as_ref() == Some(&reason)
                && note.contains("does not have the shape of its kind")
                && note.contains("desiredPowerState")
                && note.contains("Sometimes")
        });
        let notes: Vec<_> = events.into_iter().filter_map(|it| it.note).collect();
        ensure!(told, "told: {notes:?}");
        Ok(())
    })
    .await
}

/// Makes a machine, one of whose two objects becomes misshapen, and removes it.
async fn goes<K: Ruled>(platform: &Arc<Platform>) -> Result<()> {
    let options = Options {
        resync: Duration::from_millis(50),
        machines: 2,
        ..Options::default()
    };
    let case = Case::start(platform, options).await?;
    case.create_machine("vm", "a").await?;
    case.machine_ready("vm", "a").await?;
    misshape::<K>(&case).await?;
    told::<K>(&case).await?;
    case.stays_quiet(&[]).await?;

    case.create_machine("other", "a").await?;
    case.machine_ready("other", "a").await?;
    case.delete_machine("other").await?;
    case.machine_gone("other").await?;

    let vms = objects::<VirtualMachine>(&case);
    vms.delete("vm", &Default::default()).await?;
    until_gone(&vms, "vm").await?;
    case.no_machine().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_object_that_no_longer_has_the_shape_of_its_kind_is_told_of_and_can_be_deleted()
-> Result<()> {
    let platform = Platform::start().await?;
    let vm = goes::<VirtualMachine>(&platform).await;
    let machine = goes::<SimMachine>(&platform).await;
    all_hold(vec![
        vm.context("a VirtualMachine"),
        machine.context("a SimMachine"),
    ])
}
