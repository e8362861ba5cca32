//! What a process may not do, and whom its trouble does not reach.

use banlieue_schemas::manifests::rbac::USER_DATA_ROLE;
use banlieue_schemas::names;
use banlieue_schemas::platform::VirtualMachine;
use banlieue_tests::live::{self, SYSTEM, is_ready, ready};
use banlieue_tests::wait::eventually;
use banlieue_tests::workload::create;
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::api::rbac::v1::RoleBinding;
use kube::api::{DeleteParams, ListParams};
use kube::{Api, Client, ResourceExt as _};

use crate::{TEAM, run, site};

#[tokio::test]
async fn secrets_are_read_by_those_whom_they_are_for_and_by_nobody_else() {
    let platform = site(&["west", "east"]).await;
    let cluster = platform.cluster();
    let west = cluster
        .client_as(TEAM, &names::workload("sim", "west"))
        .await
        .unwrap();
    let own: Api<Secret> = Api::namespaced(west.clone(), TEAM);
    // It follows its Secret and never asks for it by name.
    assert_eq!(
        own.list(&only("west-credentials"))
            .await
            .unwrap()
            .items
            .len(),
        1
    );
    refused(&west, TEAM, "east-credentials").await;
    assert!(
        own.list(&ListParams::default()).await.is_err(),
        "all Secrets of its namespace"
    );

    // The controller has a Role here, and loses it; elsewhere it never had one.
    let controller = cluster
        .client_as(SYSTEM, "banlieue-controller")
        .await
        .unwrap();
    let read: Api<Secret> = Api::namespaced(controller.clone(), TEAM);
    read.get("west-credentials").await.unwrap();
    refused(&controller, "default", "anything").await;
    refused(&controller, "kube-system", "anything").await;
    let grants: Api<RoleBinding> = Api::namespaced(platform.client(), TEAM);
    grants
        .delete(USER_DATA_ROLE, &DeleteParams::default())
        .await
        .unwrap();
    eventually("the right to end", async || {
        anyhow::ensure!(
            read.get("west-credentials").await.is_err(),
            "it still reads"
        );
        Ok(())
    })
    .await
    .unwrap();

    // The operator hands out what it may read itself, and that is nothing in its own namespace.
    let operator = cluster
        .client_as(SYSTEM, "banlieue-operator")
        .await
        .unwrap();
    refused(&operator, SYSTEM, "anything").await;
}

#[tokio::test]
async fn a_process_that_hangs_stops_no_other_provider() {
    let platform = site(&["west", "east", "north"]).await;
    let client = platform.client();
    let vms: Api<VirtualMachine> = Api::namespaced(client.clone(), TEAM);
    let node = platform.cluster().node().unwrap();
    let hung = platform.pods(TEAM, "west").await.unwrap();
    assert_eq!(hung.len(), 1);
    node.freeze(TEAM, &hung[0]).unwrap();

    let waiting = live::virtual_machine("west-1", "west");
    create::<VirtualMachine>(&client, TEAM, waiting)
        .await
        .unwrap();
    for (name, provider) in [("east-1", "east"), ("north-1", "north"), ("east-2", "east")] {
        run(&platform, name, provider).await;
    }
    assert!(!is_ready(&vms.get("west-1").await.unwrap()));
    assert_eq!(platform.simulator().machines("west").await.unwrap(), []);

    node.thaw(TEAM, &hung[0]).unwrap();
    ready(&vms, "west-1").await.unwrap();
}

/// A list of the object of that name alone.
fn only(name: &str) -> ListParams {
    ListParams::default().fields(&format!("metadata.name={name}"))
}

/// Whether a Secret is refused because of who asks, not because it is not there.
async fn refused(client: &Client, namespace: &str, name: &str) {
    let secrets: Api<Secret> = Api::namespaced(client.clone(), namespace);
    let read = secrets.get(name).await.map(|secret| secret.name_any());
    let listed = secrets.list(&only(name)).await.map(|list| list.items.len());
    for error in [read.unwrap_err(), listed.unwrap_err()] {
        let error = error.to_string();
        assert!(error.contains("forbidden"), "{error}");
    }
}
