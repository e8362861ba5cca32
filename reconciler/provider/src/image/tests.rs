#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::time::Duration;

use banlieue_backend::ErrorKind;
use banlieue_kit::runner::Next;
use banlieue_sim::WorldSpec;
use banlieue_sim::world::call::CallKind;
use banlieue_sim::world::fault::{Fault, Rule};
use banlieue_sim::world::spec::ZoneSpec;
use serde_json::{Value, json};

use crate::testing::{IMAGE, PROVIDER, Stage, world};

async fn surveyed(spec: WorldSpec) -> Stage {
    let mut stage = Stage::new(spec);
    stage.survey().await.unwrap();
    stage.server.journal();
    stage
}

fn row(stage: &Stage) -> Value {
    stage.server.get(IMAGE).unwrap()["status"]["perProvider"][0].clone()
}

#[tokio::test(start_paused = true)]
async fn an_image_that_is_there_gets_a_row_with_one_write() {
    let mut stage = surveyed(world()).await;
    assert_eq!(stage.look_for_image().await.unwrap(), Next::Wait);
    assert_eq!(stage.server.journal(), ["findimage", "api: status"]);
    let row = row(&stage);
    assert_eq!(row["ready"], true);
    assert_eq!(
        (&row["providerNamespace"], &row["providerName"]),
        (&json!("ns"), &json!("p1"))
    );
    assert_eq!(row["zones"][0]["name"], "p1-dc1-c1");
    assert_eq!(row["zones"][0]["resolvedRef"], row["resolvedRef"]);

    stage.look_for_image().await.unwrap();
    assert_eq!(stage.server.journal(), ["findimage"]);
}

#[tokio::test(start_paused = true)]
async fn a_row_is_ready_only_where_every_zone_is() {
    let mut bare = ZoneSpec::new("dc1", "c2", &[]);
    bare.images.clear();
    let zones = vec![ZoneSpec::new("dc1", "c1", &[]), bare];
    let mut stage = surveyed(WorldSpec { zones, ..world() }).await;
    // It may be made by hand, which nobody tells.
    assert_eq!(
        stage.look_for_image().await.unwrap(),
        Next::After(Duration::from_secs(300))
    );
    let row = row(&stage);
    assert_eq!(
        (&row["ready"], &row["reason"]),
        (&json!(false), &json!("TemplateNotFound"))
    );
    let ready: Vec<_> = row["zones"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["ready"])
        .collect();
    assert_eq!(ready, [true, false]);
}

#[tokio::test(start_paused = true)]
async fn every_kind_of_error_is_one_reason_that_stays() {
    for kind in ErrorKind::ALL {
        let mut stage = surveyed(world()).await;
        let rule = Rule::new(Fault::Error(kind)).on(CallKind::FindImage);
        stage.fault(rule.times(0));
        assert!(stage.look_for_image().await.is_err());
        let reason = match kind {
            ErrorKind::Unsupported => "UnsupportedSourceKind",
            _ => "LookupFailed",
        };
        assert_eq!(row(&stage)["zones"][0]["reason"], reason, "{kind}");
        stage.server.journal();
        assert!(stage.look_for_image().await.is_err());
        let journal = stage.server.journal();
        assert!(
            !journal.contains(&"api: status".to_owned()),
            "{kind}: {journal:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_image_that_has_to_be_built_is_not_looked_for() {
    let mut stage = surveyed(world()).await;
    let digest = "0".repeat(64);
    stage.edit(IMAGE, |image| {
        image["spec"]["sources"] = json!([{
            "providerClass": "sims", "kind": "Url", "importFrom": format!("r@sha256:{digest}"),
        }]);
    });
    stage.look_for_image().await.unwrap();
    assert_eq!(stage.server.journal(), ["api: status"]);
    assert_eq!(row(&stage)["reason"], "BuildPending");
}

#[tokio::test(start_paused = true)]
async fn a_provider_without_failure_domains_has_no_image_yet() {
    let mut stage = Stage::new(world());
    stage.look_for_image().await.unwrap();
    assert_eq!(stage.server.journal(), ["api: status"]);
    assert_eq!(row(&stage)["reason"], "NoFailureDomains");
}

#[tokio::test(start_paused = true)]
async fn the_row_goes_with_the_source_and_with_the_provider() {
    let gone: [fn(&mut Stage); 3] = [
        |stage| {
            stage.edit(IMAGE, |image| {
                image["spec"]["sources"][0]["providerClass"] = "others".into();
            });
        },
        |stage| {
            stage.edit(PROVIDER, |provider| {
                provider["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
            });
        },
        Stage::remove_provider,
    ];
    for gone in gone {
        let mut stage = surveyed(world()).await;
        stage.look_for_image().await.unwrap();
        gone(&mut stage);
        stage.server.journal();
        for _ in 0..2 {
            stage.look_for_image().await.unwrap();
            gone(&mut stage);
        }
        assert_eq!(stage.server.journal(), ["api: status"]);
        assert!(row(&stage).is_null());
    }
}

#[tokio::test(start_paused = true)]
async fn an_image_without_a_source_for_the_class_is_left_alone() {
    let mut stage = surveyed(world()).await;
    stage.edit(IMAGE, |image| {
        image["spec"]["sources"][0]["providerClass"] = "others".into();
    });
    stage.look_for_image().await.unwrap();
    assert!(stage.server.journal().is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_row_of_a_paused_provider_stays() {
    let mut stage = surveyed(world()).await;
    stage.look_for_image().await.unwrap();
    stage.pause(true);
    stage.server.journal();
    stage.look_for_image().await.unwrap();
    assert!(stage.server.journal().is_empty());
    assert_eq!(row(&stage)["ready"], true);
}
