use std::time::Duration;

use banlieue_kit::runner::Next;
use banlieue_sim::WorldSpec;
use banlieue_sim::world::spec::{Abilities, Latency};
use serde_json::{Value, json};

use super::*;
use crate::testing::metadata;

#[tokio::test(start_paused = true)]
async fn a_machine_is_made_with_three_writes() {
    let stage = stage().await;
    assert_eq!(stage.pass().await.unwrap(), Next::Wait);
    assert_eq!(
        stage.server.journal(),
        [
            "api: finalizers",
            "observe",
            "create",
            "observe",
            "configure",
            "observe",
            "disks",
            "observe",
            "seed",
            "observe",
            "power",
            "observe",
            "api: spec",
            "api: status",
        ]
    );
    let machine = stage.machine().unwrap();
    let uuid = identity().uuid().to_string();
    assert_eq!(machine["spec"]["providerID"], format!("sim://p1/{uuid}"));
    let status = &machine["status"];
    assert_eq!(status["initialization"]["provisioned"], true);
    assert_eq!(status["failureDomain"], "p1-dc1-c1");
    assert_eq!(status["instanceUuid"], uuid);
    assert_eq!(status["observedPowerState"], "PoweredOn");
    assert_eq!(status["placement"]["provider"], "p1");
    assert_eq!(status["observedGeneration"], 2);
    assert_eq!(status["addresses"][0]["type"], "Hostname");
}

#[tokio::test(start_paused = true)]
async fn names_of_classes_and_image_reach_the_backend_as_its_own() {
    let stage = stage().await;
    stage.pass().await.unwrap();
    let there = stage.simulator.with(|world| world.state());
    assert_eq!(there.machines[0].disks[0].pool, "ssd");
    assert_eq!(there.machines[0].nics[0].network, "lan");
}

#[tokio::test(start_paused = true)]
async fn a_second_pass_looks_once_and_writes_nothing() {
    let stage = running().await;
    let before = stage.machine();
    for _ in 0..3 {
        assert_eq!(stage.pass().await.unwrap(), Next::Wait);
    }
    assert_eq!(stage.server.journal(), ["observe", "observe", "observe"]);
    assert_eq!(stage.machine(), before);
}

/// Two statuses are worth a write: that the backend works, and that it is done.
#[tokio::test(start_paused = true)]
async fn a_slow_backend_costs_one_status_more() {
    let mut stage = Stage::ready(WorldSpec {
        latency: Latency {
            create: [60_000; 2],
            ..Latency::NONE
        },
        ..world()
    })
    .await;
    stage.edit(crate::testing::PROVIDER, |_| ());
    stage.server.put(MACHINE, machine());
    assert!(matches!(stage.pass().await.unwrap(), Next::After(_)));
    assert_eq!(
        stage.told(),
        ["Ready False Cloning", "Reconciling True Cloning"]
    );
    assert!(matches!(stage.pass().await.unwrap(), Next::After(_)));
    stage.simulator.skip(Duration::from_secs(60));
    assert_eq!(stage.pass().await.unwrap(), Next::Wait);
    let journal = stage.server.journal();
    let writes: Vec<_> = journal
        .iter()
        .filter(|line| line.starts_with("api"))
        .collect();
    assert_eq!(
        writes,
        ["api: finalizers", "api: status", "api: spec", "api: status"]
    );
    assert_eq!(stage.told()[1], "Ready True PoweredOn");
}

#[tokio::test(start_paused = true)]
async fn a_machine_of_another_provider_is_left_alone() {
    let stage = stage().await;
    stage.server.edit(MACHINE, |machine| {
        machine["spec"]["providerRef"]["name"] = "p2".into();
        machine["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
        machine["metadata"]["finalizers"] = json!(["banlieue.io/simmachine"]);
    });
    assert_eq!(stage.pass().await.unwrap(), Next::Wait);
    assert!(stage.server.journal().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_machine_stays_in_its_zone_whatever_its_spec_says_later() {
    let mut stage = running().await;
    stage.edit(MACHINE, |machine| {
        machine["spec"]["failureDomain"] = "gone".into();
    });
    stage.pass().await.unwrap();
    assert_eq!(stage.server.journal(), ["observe"]);
}

#[tokio::test(start_paused = true)]
async fn power_follows_the_spec() {
    let mut stage = running().await;
    stage.edit(MACHINE, |machine| {
        machine["spec"]["desiredPowerState"] = "PoweredOff".into();
    });
    stage.pass().await.unwrap();
    assert_eq!(
        stage.server.journal(),
        ["observe", "power", "observe", "api: status"]
    );
    assert_eq!(stage.told()[1], "Ready True PoweredOff");
}

#[tokio::test(start_paused = true)]
async fn a_resize_that_has_to_wait_is_told_and_done_at_the_next_power_off() {
    let mut stage = Stage::ready(WorldSpec {
        abilities: Abilities::LEAST,
        ..world()
    })
    .await;
    stage.server.put(MACHINE, machine());
    stage.pass().await.unwrap();
    stage.edit(MACHINE, |machine| machine["spec"]["numCpus"] = 4.into());
    stage.pass().await.unwrap();
    let pending = "ResizePending True AwaitingPowerOff".to_owned();
    assert!(stage.told().contains(&pending), "{:?}", stage.told());
    stage.edit(MACHINE, |machine| {
        machine["spec"]["desiredPowerState"] = "PoweredOff".into();
    });
    stage.pass().await.unwrap();
    assert!(!stage.told().contains(&pending));
    let there = stage.simulator.with(|world| world.state());
    assert_eq!(there.machines[0].cpus, 4);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_done_while_provider_or_machine_is_paused() {
    let pauses: [fn(&mut Stage); 2] = [
        |stage| stage.pause(true),
        |stage| {
            stage.edit(MACHINE, |machine| {
                let paused = json!({"cluster.x-k8s.io/paused": ""});
                machine["metadata"]["annotations"] = paused;
            });
        },
    ];
    for pause in pauses {
        let mut stage = stage().await;
        pause(&mut stage);
        stage.pass().await.unwrap();
        assert_eq!(stage.server.journal(), ["api: status"]);
        assert_eq!(stage.told(), ["Paused True Paused", "Ready Unknown Paused"]);
        stage.pass().await.unwrap();
        assert!(stage.server.journal().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_is_paused_later_keeps_what_is_known_of_it() {
    let mut stage = running().await;
    let known = stage.told();
    stage.pause(true);
    stage.pass().await.unwrap();
    assert_eq!(
        stage.told(),
        [known[0].as_str(), "Paused True Paused", known[1].as_str()]
    );
    stage.pause(false);
    stage.pass().await.unwrap();
    assert_eq!(stage.told(), known);
}

fn owned(stage: &mut Stage, spec: &Value) {
    stage.owner_feed.list(&[json!({
        "apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Machine",
        "metadata": metadata(Some("ns"), "owner"), "spec": spec,
    })]);
    stage.edit(MACHINE, |machine| {
        machine["metadata"]["ownerReferences"] = json!([{
            "apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Machine", "name": "owner", "uid": "o",
        }]);
    });
}

#[tokio::test(start_paused = true)]
async fn a_cluster_api_machine_waits_for_its_bootstrap_data_and_goes_where_its_owner_says() {
    let mut stage = stage().await;
    stage.edit(MACHINE, |machine| {
        machine["spec"]["failureDomain"] = "elsewhere".into();
    });
    owned(&mut stage, &json!({"failureDomain": "p1-dc1-c1"}));
    stage.pass().await.unwrap();
    assert_eq!(stage.told()[0], "Ready False WaitingForBootstrapData");
    assert_eq!(stage.machines_there(), 0);

    stage.server.put(
        "/api/v1/namespaces/ns/secrets/data",
        json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": metadata(Some("ns"), "data"),
            "data": {"value": "I2Nsb3VkLWNvbmZpZw=="},
        }),
    );
    let bootstrap = json!({"dataSecretName": "data"});
    owned(
        &mut stage,
        &json!({"failureDomain": "p1-dc1-c1", "bootstrap": bootstrap}),
    );
    stage.pass().await.unwrap();
    assert_eq!(stage.told()[1], "Ready True PoweredOn");
    let seen = stage
        .simulator
        .with(|world| world.user_data(&identity()).map(str::to_owned));
    assert_eq!(seen.as_deref(), Some("#cloud-config"));
}
