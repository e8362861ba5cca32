#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::time::Duration;

use banlieue_backend::ErrorKind;
use banlieue_kit::runner::Next;
use banlieue_sim::WorldSpec;
use banlieue_sim::world::call::CallKind;
use banlieue_sim::world::fault::{Fault, Rule};
use banlieue_sim::world::spec::ZoneSpec;
use serde_json::json;

use crate::testing::{PROVIDER, Stage, world};

fn answer(stage: &Stage) -> [String; 2] {
    ["ProviderReachable", "Ready"].map(|kind| {
        let text = stage.condition(PROVIDER, kind).unwrap();
        text.split(':').next().unwrap().to_owned()
    })
}

fn domains(stage: &Stage) -> usize {
    let provider = stage.server.get(PROVIDER).unwrap();
    provider["status"]["failureDomains"]
        .as_array()
        .map_or(0, Vec::len)
}

#[tokio::test(start_paused = true)]
async fn a_backend_that_answers_shows_its_failure_domains_with_one_write() {
    let mut stage = Stage::new(world());
    assert_eq!(
        stage.survey().await.unwrap(),
        Next::After(Duration::from_secs(300))
    );
    assert_eq!(stage.server.journal(), ["connect", "survey", "api: status"]);
    assert_eq!(answer(&stage), ["True Reconciled", "True Reconciled"]);
    let provider = stage.server.get(PROVIDER).unwrap();
    let domain = &provider["status"]["failureDomains"][0];
    assert_eq!(domain["name"], "p1-dc1-c1");
    assert_eq!(
        domain["attributes"]["availableStorageClasses"],
        json!(["fast"])
    );

    stage.survey().await.unwrap();
    assert_eq!(stage.server.journal(), ["survey"]);
}

#[tokio::test(start_paused = true)]
async fn what_others_write_stays_and_is_no_news() {
    let mut stage = Stage::new(world());
    let workload = json!({"mode": "Managed", "namespace": "ns", "readyReplicas": 1});
    let theirs = json!({
        "type": "Theirs", "status": "True", "reason": "R", "message": "",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    });
    stage.edit(PROVIDER, |it| it["status"] = json!({"workload": workload}));
    stage.survey().await.unwrap();
    stage.edit(PROVIDER, |it| {
        let conditions = it["status"]["conditions"].as_array_mut().unwrap();
        conditions.push(theirs);
    });
    stage.server.journal();
    stage.survey().await.unwrap();
    assert_eq!(stage.server.journal(), ["survey"]);
    let provider = stage.server.get(PROVIDER).unwrap();
    assert_eq!(provider["status"]["workload"], workload);
}

#[tokio::test(start_paused = true)]
async fn a_failure_keeps_the_failure_domains_and_is_told_once() {
    let table = [
        (
            ErrorKind::Retry,
            ["False ConnectFailed", "False ConnectFailed"],
        ),
        (
            ErrorKind::Auth,
            ["False Unauthorized", "False Unauthorized"],
        ),
        (
            ErrorKind::Busy,
            ["True Reconciled", "False InventoryFailed"],
        ),
        (
            ErrorKind::Refused,
            ["True Reconciled", "False InventoryFailed"],
        ),
        (
            ErrorKind::Unsupported,
            ["True Reconciled", "False InventoryFailed"],
        ),
        (
            ErrorKind::NotFound,
            ["True Reconciled", "False InventoryFailed"],
        ),
    ];
    for (kind, told) in table {
        let mut stage = Stage::ready(world()).await;
        let rule = Rule::new(Fault::Error(kind)).on(CallKind::Survey);
        stage.fault(rule.times(0));
        assert!(stage.survey().await.is_err());
        assert_eq!(answer(&stage), told, "{kind}");
        assert_eq!(domains(&stage), 1, "{kind}");
        stage.server.journal();
        assert!(stage.survey().await.is_err());
        let journal = stage.server.journal();
        assert!(
            !journal.contains(&"api: status".to_owned()),
            "{kind}: {journal:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_backend_that_does_not_answer_in_time_is_away() {
    let mut stage = Stage::ready(world()).await;
    stage.fault(Rule::new(Fault::BlackHole).on(CallKind::Survey).times(0));
    assert!(stage.survey().await.is_err());
    assert_eq!(
        answer(&stage),
        ["False ConnectFailed", "False ConnectFailed"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_missing_secret_is_told_without_a_call_and_found_again() {
    let mut stage = Stage::new(world());
    stage.keys.remove("secret");
    assert_eq!(stage.survey().await.unwrap(), Next::Wait);
    assert_eq!(stage.server.journal(), ["api: status"]);
    assert_eq!(
        answer(&stage),
        ["False SecretMissing", "False SecretMissing"]
    );
    stage.keys.put("secret", "password", "x");
    stage.survey().await.unwrap();
    assert_eq!(answer(&stage), ["True Reconciled", "True Reconciled"]);
}

#[tokio::test(start_paused = true)]
async fn wrong_credentials_are_told_until_they_are_right() {
    let mut stage = Stage::new(WorldSpec {
        password: Some("right".into()),
        ..world()
    });
    assert!(stage.survey().await.is_err());
    assert_eq!(answer(&stage), ["False Unauthorized", "False Unauthorized"]);
    stage.keys.put("secret", "password", "right");
    stage.survey().await.unwrap();
    assert_eq!(answer(&stage), ["True Reconciled", "True Reconciled"]);
}

#[tokio::test(start_paused = true)]
async fn a_class_that_no_zone_has_leaves_the_provider_usable() {
    let mut stage = Stage::new(world());
    stage.edit(PROVIDER, |it| {
        it["spec"]["capabilities"]["storageClasses"][0]["target"] = json!({"pool": "none"});
    });
    stage.survey().await.unwrap();
    let ready = stage.condition(PROVIDER, "Ready").unwrap();
    assert_eq!(
        ready,
        "True CapabilitiesIncomplete: no zone has storage class fast"
    );
}

#[tokio::test(start_paused = true)]
async fn zones_that_cannot_be_told_apart_or_are_none_are_a_failure() {
    let same = vec![
        ZoneSpec::new("dc", "C 1", &[]),
        ZoneSpec::new("dc", "c-1", &[]),
    ];
    for (zones, told) in [
        (same, "False InventoryFailed"),
        (Vec::new(), "False NoFailureDomains"),
    ] {
        let mut stage = Stage::new(WorldSpec { zones, ..world() });
        stage.survey().await.unwrap();
        assert_eq!(answer(&stage), ["True Reconciled", told]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_paused_provider_is_not_touched_and_keeps_what_is_known() {
    let mut stage = Stage::ready(world()).await;
    stage.pause(true);
    stage.survey().await.unwrap();
    assert_eq!(stage.server.journal(), ["api: status"]);
    assert_eq!(answer(&stage), ["True Reconciled", "True Reconciled"]);
    assert!(stage.condition(PROVIDER, "Paused").is_some());
    assert_eq!(domains(&stage), 1);
}
