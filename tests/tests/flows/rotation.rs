//! Credentials change while everything runs: no process starts again, and no machine notices.

use banlieue_schemas::names;
use banlieue_sim::world::call::CallKind;
use banlieue_sim::world::log::Outcome;
use banlieue_tests::live::CREDENTIALS;
use banlieue_tests::wait::{eventually, until};
use banlieue_tests::workload::{available, restarts};
use k8s_openapi::api::core::v1::{Pod, Secret};
use kube::api::{Patch, PatchParams};
use kube::{Api, Client, ResourceExt as _};
use serde_json::json;

use crate::{TEAM, machine_of, run, site};

/// What clients of the hypervisor have to show afterwards.
const NEXT: &str = "close sesame";

#[tokio::test]
async fn another_password_needs_no_restart_and_touches_no_machine() {
    let platform = site(&["west"]).await;
    let client = platform.client();
    run(&platform, "web", "west").await;
    let machine = machine_of(&client, "web").await.name_any();
    // Its guest is up: from now on nothing more is to be said of it.
    let machine = until(
        &Api::namespaced(client.clone(), TEAM),
        &machine,
        "to have addresses",
        |machine: &banlieue_schemas::infrastructure::SimMachine| {
            let status = machine.status.as_ref();
            status.is_some_and(|status| !status.addresses.is_empty())
        },
    )
    .await
    .unwrap();
    let process = process(&client).await;
    let world = platform.simulator().control("west").unwrap();
    world.clear_calls().await.unwrap();

    world.set_password(Some(NEXT)).await.unwrap();
    let secrets: Api<Secret> = Api::namespaced(client.clone(), TEAM);
    let edit = Patch::Merge(json!({"stringData": {"password": NEXT}}));
    let name = format!("west-{CREDENTIALS}");
    secrets
        .patch(&name, &PatchParams::default(), &edit)
        .await
        .unwrap();
    run(&platform, "api", "west").await;

    eventually("a session with the new password", async || {
        let calls = world.calls().await?.calls;
        let logins = calls.iter().filter(|call| call.kind == CallKind::Connect);
        let logins: Vec<Outcome> = logins.map(|call| call.outcome).collect();
        anyhow::ensure!(logins == [Outcome::Done], "{logins:?}");
        Ok(())
    })
    .await
    .unwrap();
    assert_eq!(
        platform.simulator().machines("west").await.unwrap().len(),
        2
    );
    assert_eq!(self::process(&client).await, process);
    let same = machine_of(&client, "web").await;
    assert_eq!(same.resource_version(), machine.resource_version());
}

/// The one Pod that serves the Provider, and how often it was started again.
async fn process(client: &Client) -> (String, i32) {
    let name = names::workload("sim", "west");
    let pods: Vec<Pod> = available(client, TEAM, &name).await.unwrap();
    assert_eq!(pods.len(), 1);
    (pods[0].name_any(), restarts(&pods[0]))
}
