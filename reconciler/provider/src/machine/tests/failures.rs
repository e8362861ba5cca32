use banlieue_backend::ErrorKind;
use banlieue_sim::world::call::CallKind;
use banlieue_sim::world::fault::{Fault, Rule};
use serde_json::json;

use super::*;
use crate::testing::PROVIDER;

fn always(fault: Fault, call: CallKind) -> Rule {
    Rule::new(fault).on(call).times(0)
}

/// Condition of a machine that could not be made, and of one that runs, for every kind of error.
#[tokio::test(start_paused = true)]
async fn every_kind_of_error_is_one_condition_that_stays() {
    let table = [
        (
            ErrorKind::Retry,
            [
                "Ready False ConnectFailed",
                "Reconciling True ConnectFailed",
            ],
            [
                "Ready Unknown ConnectFailed",
                "Reconciling True ConnectFailed",
            ],
        ),
        (
            ErrorKind::Busy,
            ["Ready False Progressing", "Reconciling True Progressing"],
            ["Ready True PoweredOn", "Reconciling True Progressing"],
        ),
        (
            ErrorKind::Refused,
            [
                "Ready False ProvisionFailed",
                "Stalled True ProvisionFailed",
            ],
            [
                "Ready False ProvisionFailed",
                "Stalled True ProvisionFailed",
            ],
        ),
        (
            ErrorKind::Auth,
            ["Ready False Unauthorized", "Stalled True Unauthorized"],
            ["Ready Unknown Unauthorized", "Stalled True Unauthorized"],
        ),
        (
            ErrorKind::Unsupported,
            ["Ready False Unsupported", "Stalled True Unsupported"],
            ["Ready False Unsupported", "Stalled True Unsupported"],
        ),
        (
            ErrorKind::NotFound,
            [
                "Ready False ProvisionFailed",
                "Stalled True ProvisionFailed",
            ],
            [
                "Ready False ProvisionFailed",
                "Stalled True ProvisionFailed",
            ],
        ),
    ];
    for (kind, unmade, made) in table {
        let fresh = stage().await;
        fresh.fault(always(Fault::Error(kind), CallKind::Create));
        assert!(fresh.pass().await.is_err());
        assert_eq!(fresh.told(), unmade, "{kind}");
        assert_quiet(&fresh).await;

        let old = running().await;
        old.fault(always(Fault::Error(kind), CallKind::Observe));
        assert!(old.pass().await.is_err());
        assert_eq!(old.told()[1..], made, "{kind}");
        assert_quiet(&old).await;
    }
}

/// Failing again in the same way writes nothing.
async fn assert_quiet(stage: &Stage) {
    stage.server.journal();
    let before = stage.machine();
    for _ in 0..3 {
        let _ = stage.pass().await;
    }
    let journal = stage.server.journal();
    assert!(
        !journal.iter().any(|line| line.starts_with("api")),
        "{journal:?}"
    );
    assert_eq!(stage.machine(), before);
}

#[tokio::test(start_paused = true)]
async fn a_backend_that_is_away_leaves_addresses_and_power_as_last_known() {
    let stage = running().await;
    let known = stage.machine().unwrap()["status"].clone();
    stage.fault(always(Fault::BlackHole, CallKind::Observe));
    assert!(stage.pass().await.is_err());
    let status = stage.machine().unwrap()["status"].clone();
    for field in [
        "addresses",
        "observedPowerState",
        "initialization",
        "placement",
    ] {
        assert_eq!(status[field], known[field], "{field}");
    }
    assert_eq!(stage.told()[0], "GuestReady True GuestAnnounced");
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_vanished_is_not_made_again() {
    let stage = running().await;
    stage
        .simulator
        .with(|world| world.remove_by_hand(&identity(), false));
    for _ in 0..2 {
        stage.pass().await.unwrap();
    }
    assert_eq!(
        stage.server.journal(),
        ["observe", "api: status", "observe"]
    );
    assert_eq!(
        stage.told()[1..],
        ["Ready False BackendMissing", "Stalled True BackendMissing"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_stranger_with_our_identity_is_left_alone_and_told() {
    let mut stage = stage().await;
    let uuid = identity().uuid();
    stage
        .simulator
        .with(|world| world.place_stranger("theirs", 0, Some(uuid)));
    stage.pass().await.unwrap();
    assert_eq!(
        stage.told(),
        ["Ready False BackendForeign", "Stalled True BackendForeign"]
    );
    assert!(stage.machine().unwrap()["spec"]["providerID"].is_null());
    stage.delete();
    stage.pass().await.unwrap();
    assert!(stage.machine().is_none());
    assert_eq!(stage.machines_there(), 1);
}

/// Every call of a creation is lost once: the answer never comes, the work may have been done.
#[tokio::test(start_paused = true)]
async fn a_lost_answer_to_any_call_still_gives_one_machine() {
    for call in 1..=11 {
        let stage = stage().await;
        stage.fault(Rule::new(Fault::LostAnswer).nth(call));
        for _ in 0..3 {
            let _ = stage.pass().await;
        }
        assert_eq!(stage.machines_there(), 1, "call {call}");
        assert_eq!(stage.told()[1], "Ready True PoweredOn", "call {call}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_object_restored_under_another_uid_gets_no_second_machine() {
    let mut stage = running().await;
    stage.edit(MACHINE, |machine| {
        machine["metadata"]["uid"] = "another".into();
    });
    stage.pass().await.unwrap();
    assert_eq!(
        stage.told()[1..],
        ["Ready False InvalidSpec", "Stalled True InvalidSpec"]
    );
    assert_eq!(stage.machines_there(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_a_machine_refers_to_is_told_when_it_is_not_there() {
    let table = [
        (
            json!({"failureDomain": "nowhere"}),
            "NoFailureDomainMatched",
        ),
        (json!({"failureDomain": null}), "InvalidSpec"),
        (json!({"imageRef": {"name": "none"}}), "ImageNotFound"),
        (
            json!({"disks": [{"name": "root", "sizeGiB": 9, "storageClass": "none"}]}),
            "StorageClassUnavailable",
        ),
        (
            json!({"network": [{"name": "eth0", "networkClass": "none"}]}),
            "NetworkClassUnavailable",
        ),
        (
            json!({"userData": "x".repeat(65 * 1024)}),
            "UserDataTooLarge",
        ),
        (json!({"disks": []}), "InvalidSpec"),
    ];
    for (change, reason) in table {
        let mut stage = stage().await;
        stage.edit(MACHINE, |machine| {
            let spec = machine["spec"].as_object_mut().unwrap();
            spec.extend(change.as_object().unwrap().clone());
        });
        stage.pass().await.unwrap();
        assert_eq!(stage.told()[0], format!("Ready False {reason}"));
        assert_eq!(
            stage.server.journal(),
            ["api: finalizers", "observe", "api: status"]
        );
        assert_quiet(&stage).await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_image_that_is_gone_does_not_concern_a_machine_that_exists() {
    let mut stage = running().await;
    stage.edit(crate::testing::IMAGE, |image| image["status"] = json!({}));
    stage.edit(PROVIDER, |provider| {
        let domain = &mut provider["status"]["failureDomains"][0];
        domain["attributes"]["availableStorageClasses"] = json!([]);
    });
    stage.pass().await.unwrap();
    assert_eq!(stage.server.journal(), ["observe"]);
}
