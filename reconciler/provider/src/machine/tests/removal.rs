use std::time::Duration;

use banlieue_backend::ErrorKind;
use banlieue_kit::runner::Next;
use banlieue_sim::world::call::CallKind;
use banlieue_sim::world::fault::{Fault, Rule};
use serde_json::json;

use super::*;
use crate::testing::Fault as Broken;

fn abandon(stage: &mut Stage, uid: &str) {
    let uid = uid.to_owned();
    stage.edit(MACHINE, |machine| {
        machine["metadata"]["annotations"] = json!({"banlieue.io/abandon": uid});
    });
}

fn away(stage: &Stage) {
    let rule = Rule::new(Fault::Error(ErrorKind::Retry));
    stage.fault(rule.on(CallKind::Observe).times(0));
}

#[tokio::test(start_paused = true)]
async fn a_machine_is_removed_with_one_write() {
    let mut stage = running().await;
    stage.delete();
    assert_eq!(stage.pass().await.unwrap(), Next::Wait);
    assert_eq!(
        stage.server.journal(),
        [
            "observe",
            "power",
            "observe",
            "delete",
            "observe",
            "api: finalizers",
        ]
    );
    assert!(stage.machine().is_none());
    assert_eq!(stage.machines_there(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_was_let_go_is_not_asked_for_its_finalizer_again() {
    let mut stage = running().await;
    stage.delete();
    let shown = stage.machine().unwrap();
    stage.pass().await.unwrap();
    assert_eq!(stage.server.journal().last().unwrap(), "api: finalizers");
    assert_eq!(stage.pass_over(&shown).await.unwrap(), Next::Wait);
    stage.hear();
    assert_eq!(stage.pass_over(&shown).await.unwrap(), Next::Wait);
    assert_eq!(stage.server.journal(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_never_reached_the_backend_is_gone_at_once() {
    let mut stage = stage().await;
    stage.edit(MACHINE, |machine| {
        machine["metadata"]["finalizers"] = json!(["banlieue.io/simmachine"]);
        machine["spec"]["imageRef"]["name"] = "none".into();
        machine["spec"]["failureDomain"] = "none".into();
    });
    stage.delete();
    stage.pass().await.unwrap();
    assert_eq!(stage.server.journal(), ["observe", "api: finalizers"]);
    assert!(stage.machine().is_none());
}

#[tokio::test(start_paused = true)]
async fn what_others_attached_survives() {
    let mut stage = running().await;
    stage
        .simulator
        .with(|world| world.attach_by_hand(&identity(), "theirs"));
    stage.delete();
    stage.pass().await.unwrap();
    let journal = stage.server.journal();
    assert!(journal.contains(&"detach".to_owned()), "{journal:?}");
    assert!(stage.machine().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_guest_that_does_not_shut_down_has_its_time_and_no_more() {
    let mut stage = running().await;
    stage.fault(Rule::new(Fault::Hanging).on(CallKind::Power));
    stage.delete();
    let Next::After(again) = stage.pass().await.unwrap() else {
        panic!("the machine is not looked at again");
    };
    assert!(again <= Duration::from_secs(120));
    assert_eq!(
        stage.told()[1..],
        ["Ready False Deleting", "Reconciling True Deleting"]
    );
    stage.now += Duration::from_secs(119);
    assert_eq!(
        stage.pass().await.unwrap(),
        Next::After(Duration::from_secs(1))
    );
    stage.now += Duration::from_secs(1);
    stage.pass().await.unwrap();
    assert!(stage.machine().is_none());
    assert_eq!(stage.machines_there(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_to_any_call_still_ends_with_nothing_left() {
    for call in 1..=5 {
        let mut stage = running().await;
        stage.fault(Rule::new(Fault::LostAnswer).nth(call));
        stage.delete();
        for _ in 0..3 {
            if stage.machine().is_some() {
                let _ = stage.pass().await;
            }
        }
        assert!(stage.machine().is_none(), "call {call}");
        assert_eq!(stage.machines_there(), 0, "call {call}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_is_never_taken_for_an_absence() {
    for kind in ErrorKind::ALL {
        let mut stage = running().await;
        let rule = Rule::new(Fault::Error(kind)).on(CallKind::Observe);
        stage.fault(rule.times(0));
        stage.delete();
        assert!(stage.pass().await.is_err());
        assert_eq!(stage.told()[1], "Ready False Deleting");
        assert!(stage.pass().await.is_err());
        assert_eq!(stage.machines_there(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_machine_is_removed_after_its_provider_over_the_last_connection() {
    let mut stage = running().await;
    stage.keys.remove("secret");
    stage.remove_provider();
    stage.delete();
    stage.pass().await.unwrap();
    assert!(stage.machine().is_none());
    assert_eq!(stage.machines_there(), 0);
}

#[tokio::test(start_paused = true)]
async fn without_any_connection_the_condition_says_what_is_missing() {
    let mut stage = Stage::new(world());
    stage.keys.remove("secret");
    let mut leaving = machine();
    leaving["metadata"]["finalizers"] = json!(["banlieue.io/simmachine"]);
    leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
    stage.server.put(MACHINE, leaving);
    stage.hear();
    assert_eq!(stage.pass().await.unwrap(), Next::Wait);
    let ready = stage.condition(MACHINE, "Ready").unwrap();
    assert!(
        ready.contains("Secret secret with the credentials does not exist"),
        "{ready}"
    );
    assert!(ready.contains("banlieue.io/abandon"), "{ready}");
    stage.remove_provider();
    assert_eq!(stage.pass().await.unwrap(), Next::Wait);
    let ready = stage.condition(MACHINE, "Ready").unwrap();
    assert!(ready.contains("Provider p1 does not exist"), "{ready}");
}

#[tokio::test(start_paused = true)]
async fn a_machine_is_given_up_by_its_own_uid_only() {
    let mut stage = running().await;
    stage.delete();
    away(&stage);
    abandon(&mut stage, "another");
    assert!(stage.pass().await.is_err());
    let ready = stage.condition(MACHINE, "Ready").unwrap();
    assert!(ready.contains("names another UID"), "{ready}");
    stage.server.journal();

    abandon(&mut stage, "uid-of-m1");
    stage.pass().await.unwrap();
    assert_eq!(
        stage.server.journal(),
        ["observe", "api: Event Abandoned", "api: finalizers"]
    );
    assert!(stage.machine().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_can_be_removed_is_not_given_up() {
    let mut stage = running().await;
    stage.delete();
    abandon(&mut stage, "uid-of-m1");
    stage.pass().await.unwrap();
    assert_eq!(stage.machines_there(), 0);
    assert!(
        !stage
            .server
            .journal()
            .contains(&"api: Event Abandoned".to_owned())
    );
}

#[tokio::test(start_paused = true)]
async fn a_deletion_on_a_paused_provider_waits_and_says_so() {
    let mut stage = running().await;
    stage.pause(true);
    stage.delete();
    assert_eq!(stage.pass().await.unwrap(), Next::Wait);
    assert_eq!(stage.server.journal(), ["api: status"]);
    let ready = stage.condition(MACHINE, "Ready").unwrap();
    assert!(ready.contains("Provider p1 is paused"), "{ready}");
    stage.pause(false);
    stage.pass().await.unwrap();
    assert!(stage.machine().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_stored_object_that_does_not_parse_is_still_removed() {
    let mut stage = running().await;
    assert_eq!(stage.pass_invalid().await.unwrap(), Next::Wait);
    assert_eq!(stage.machines_there(), 1);
    stage.delete();
    stage.pass_invalid().await.unwrap();
    assert!(stage.machine().is_none());
    assert_eq!(stage.machines_there(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_write_that_fails_or_whose_answer_is_lost_is_made_good() {
    for fault in [Broken::Before, Broken::After] {
        for write in 1..=3 {
            let mut stage = stage().await;
            stage.server.fail(write, fault);
            for _ in 0..3 {
                let _ = stage.pass().await;
            }
            assert_eq!(stage.machines_there(), 1, "{write} {fault:?}");
            assert_eq!(stage.told()[1], "Ready True PoweredOn", "{write} {fault:?}");
            stage.delete();
            stage.server.fail(1, fault);
            let _ = stage.pass().await;
            if stage.machine().is_some() {
                stage.pass().await.unwrap();
            }
            assert!(stage.machine().is_none(), "{write} {fault:?}");
            assert_eq!(stage.machines_there(), 0, "{write} {fault:?}");
        }
    }
}
