#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use banlieue_schemas::common::{Condition, MachineAddress, PowerState};
use banlieue_schemas::conditions::ConditionType;
use banlieue_schemas::infrastructure::MachineStatusView;
use banlieue_schemas::platform::Backend;
use serde_json::json;

use super::*;
use crate::conditions::find;
use crate::fixtures::{object, vm};

fn condition(kind: &str, status: &str, reason: &str, message: &str) -> Condition {
    object(json!({
        "type": kind, "status": status, "reason": reason, "message": message,
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }))
}

fn machine<'a>(conditions: &'a [Condition], addresses: &'a [MachineAddress]) -> MachineObject<'a> {
    MachineObject {
        backend: Backend::Sim,
        name: "vm",
        uid: "u",
        generation: Some(3),
        terminating: false,
        provider: Some("a"),
        failure_domain: Some("z"),
        status: MachineStatusView {
            provisioned: true,
            addresses,
            observed_power_state: Some(PowerState::PoweredOn),
            conditions,
            observed_generation: Some(3),
            ..MachineStatusView::default()
        },
    }
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn place() -> Scheduled {
    Scheduled {
        provider_name: "a".into(),
        failure_domain: "z".into(),
        ..Scheduled::default()
    }
}

/// `status/reason` of a condition, or `-`.
fn said(status: &VirtualMachineStatus, kind: ConditionType) -> String {
    find(&status.conditions, kind).map_or_else(
        || "-".to_owned(),
        |condition| format!("{}/{}", condition.status, condition.reason),
    )
}

struct Case<'a> {
    vm: VirtualMachine,
    pass: Pass,
    scheduled: Option<Scheduled>,
    placement: Option<Decision>,
    migration: Option<Migration>,
    machine: Option<MachineObject<'a>>,
}

impl Case<'_> {
    fn first_sight() -> Self {
        Self {
            vm: vm("vm"),
            pass: Pass::Done,
            scheduled: None,
            placement: None,
            migration: None,
            machine: None,
        }
    }

    fn status(&self) -> VirtualMachineStatus {
        let facts = Facts {
            vm: &self.vm,
            pass: self.pass.clone(),
            scheduled: self.scheduled.clone(),
            placement: self.placement.as_ref(),
            migration: self.migration.as_ref(),
            machine: self.machine.as_ref(),
            held: Vec::new(),
        };
        status(&facts, at(1))
    }
}

/// A machine that runs where it may be.
fn running<'a>(conditions: &'a [Condition], addresses: &'a [MachineAddress]) -> Case<'a> {
    Case {
        scheduled: Some(place()),
        placement: Some(Decision::Keep { confirmed: true }),
        machine: Some(machine(conditions, addresses)),
        ..Case::first_sight()
    }
}

fn up() -> Vec<Condition> {
    vec![condition("Ready", "True", "PoweredOn", "runs")]
}

fn blocked(reason: Reason) -> Pass {
    Pass::Blocked {
        reason,
        message: "why".into(),
    }
}

use ConditionType::{
    GuestReady, InfrastructureReady, Migrating, Paused, PlacementValid, Ready, Reconciling,
    ResizePending, Stalled,
};

#[test]
fn at_first_sight_nothing_is_known() {
    let status = Case::first_sight().status();
    assert_eq!(said(&status, Ready), "Unknown/Pending");
    assert_eq!(said(&status, Reconciling), "True/Progressing");
    assert_eq!(
        said(&status, ConditionType::Scheduled),
        "Unknown/Scheduling"
    );
    assert_eq!(said(&status, PlacementValid), "-");
    assert_eq!(status.observed_generation, Some(1));
}

#[test]
fn ready_says_what_the_machine_object_says() {
    for (source, ready, reconciling) in [
        (up(), "True/Reconciled", "-"),
        (
            vec![condition("Ready", "False", "Cloning", "at 40 %")],
            "False/InfrastructureNotReady",
            "True/InfrastructureNotReady",
        ),
        (
            vec![condition("Ready", "Unknown", "Pending", "")],
            "Unknown/InfrastructureNotReady",
            "True/InfrastructureNotReady",
        ),
        (vec![], "Unknown/Pending", "True/Progressing"),
    ] {
        let status = running(&source, &[]).status();
        assert_eq!(said(&status, Ready), ready);
        assert_eq!(said(&status, Reconciling), reconciling);
    }
}

#[test]
fn a_running_machine_stays_ready_whatever_is_wrong_around_it() {
    let surface = |waiting| Decision::Surface {
        reason: Reason::ProviderChanged,
        message: "drift".into(),
        waiting,
    };
    for (pass, placement, reconciling, stalled) in [
        (
            blocked(Reason::NoProviderMatched),
            None,
            "True/NoProviderMatched",
            "-",
        ),
        (
            blocked(Reason::ClassNotFound),
            None,
            "True/ClassNotFound",
            "-",
        ),
        (blocked(Reason::InvalidSpec), None, "-", "True/InvalidSpec"),
        (Pass::Done, Some(surface(false)), "-", "-"),
        (Pass::Done, Some(surface(true)), "True/ProviderChanged", "-"),
        (Pass::Paused, None, "-", "-"),
    ] {
        let source = up();
        let mut case = running(&source, &[]);
        case.pass = pass.clone();
        case.placement = placement;
        let status = case.status();
        assert_eq!(said(&status, Ready), "True/Reconciled", "{pass:?}");
        assert_eq!(said(&status, Reconciling), reconciling, "{pass:?}");
        assert_eq!(said(&status, Stalled), stalled, "{pass:?}");
    }
}

#[test]
fn a_machine_without_object_that_is_blocked_is_not_ready() {
    let mut case = Case::first_sight();
    case.pass = blocked(Reason::ImageNotReady);
    let status = case.status();
    assert_eq!(said(&status, Ready), "False/ImageNotReady");
    assert_eq!(
        said(&status, ConditionType::Scheduled),
        "False/ImageNotReady"
    );
    assert_eq!(said(&status, InfrastructureReady), "-");
}

#[test]
fn a_change_that_the_provider_has_not_seen_is_under_way() {
    let source = up();
    let mut case = running(&source, &[]);
    case.machine.as_mut().unwrap().generation = Some(4);
    let status = case.status();
    assert_eq!(said(&status, Ready), "True/Reconciled");
    assert_eq!(said(&status, Reconciling), "True/Progressing");
}

#[test]
fn placement_valid_is_false_during_drift_and_true_again_after_it() {
    let source = up();
    let mut case = running(&source, &[]);
    case.placement = Some(Decision::Surface {
        reason: Reason::FailureDomainChanged,
        message: "drift".into(),
        waiting: false,
    });
    let during = case.status();
    assert_eq!(said(&during, PlacementValid), "False/FailureDomainChanged");
    case.vm.status = Some(during);
    case.placement = None;
    case.pass = blocked(Reason::ClassNotFound);
    let unknown = case.status();
    assert_eq!(said(&unknown, PlacementValid), "False/FailureDomainChanged");
    case.vm.status = Some(unknown);
    case.pass = Pass::Done;
    case.placement = Some(Decision::Keep { confirmed: true });
    assert_eq!(said(&case.status(), PlacementValid), "True/PlacementValid");
}

#[test]
fn a_moving_machine_is_not_ready_even_while_the_old_one_runs() {
    let source = up();
    let mut case = running(&source, &[]);
    case.migration = Some(object(json!({
        "from": { "providerName": "a", "failureDomain": "z" },
        "to": { "providerName": "b", "failureDomain": "y" },
        "phase": "Deleting",
    })));
    let status = case.status();
    for kind in [Ready, PlacementValid] {
        assert_eq!(said(&status, kind), "False/Migrating");
    }
    assert_eq!(said(&status, Migrating), "True/Migrating");
    let message = &find(&status.conditions, Migrating).unwrap().message;
    assert_eq!(message, "from a/z to b/y");
    case.migration = None;
    assert_eq!(said(&case.status(), Migrating), "-");
}

#[test]
fn what_the_machine_object_says_is_copied() {
    let addresses: Vec<MachineAddress> = object(json!([
        { "type": "InternalIP", "address": "10.0.0.9" }, { "type": "Hostname", "address": "vm" },
    ]));
    let source = vec![
        condition("GuestReady", "False", "GuestNotAnnounced", "silent"),
        condition("Ready", "True", "PoweredOn", "runs"),
        condition("ResizePending", "True", "AwaitingPowerOff", ""),
    ];
    let status = running(&source, &addresses).status();
    assert_eq!(said(&status, InfrastructureReady), "True/PoweredOn");
    assert_eq!(said(&status, GuestReady), "False/GuestNotAnnounced");
    assert_eq!(said(&status, ResizePending), "True/AwaitingPowerOff");
    assert_eq!(status.addresses, addresses);
    assert_eq!(status.observed_power_state, Some(PowerState::PoweredOn));
    assert_eq!(status.infrastructure_ref.unwrap().kind, "SimMachine");
}

#[test]
fn a_machine_that_stalls_stalls_the_whole() {
    let source = vec![
        condition("Ready", "False", "ProvisionFailed", "no"),
        condition("Stalled", "True", "InvalidSpec", "no"),
    ];
    let status = running(&source, &[]).status();
    assert_eq!(said(&status, Stalled), "True/InvalidSpec");
    assert_eq!(said(&status, Reconciling), "-");
}

#[test]
fn pausing_shows_and_changes_nothing_else() {
    let source = up();
    let mut case = running(&source, &[]);
    let before = case.status();
    case.vm.status = Some(before.clone());
    case.pass = Pass::Paused;
    case.placement = None;
    let mut paused = case.status();
    assert_eq!(said(&paused, Paused), "True/Paused");
    paused
        .conditions
        .retain(|condition| condition.type_ != "Paused");
    assert_eq!(paused, before);
}

#[test]
fn a_deletion_says_what_it_waits_for() {
    let mut case = Case::first_sight();
    case.pass = Pass::Deleting {
        message: "waits for SimMachine vm".into(),
    };
    let status = case.status();
    assert_eq!(said(&status, Ready), "False/Deleting");
    let message = &find(&status.conditions, Reconciling).unwrap().message;
    assert_eq!(message, "waits for SimMachine vm");
}

#[test]
fn provisioned_is_one_way_and_a_second_pass_is_quiet() {
    let source = up();
    let mut case = running(&source, &[]);
    let once = case.status();
    assert!(once.initialization.as_ref().unwrap().is_done());
    case.vm.status = Some(once.clone());
    let facts_later = Facts {
        vm: &case.vm,
        pass: Pass::Done,
        scheduled: case.scheduled.clone(),
        placement: case.placement.as_ref(),
        migration: None,
        machine: case.machine.as_ref(),
        held: Vec::new(),
    };
    assert_eq!(status(&facts_later, at(1_000_000)), once);
    case.machine = None;
    assert!(case.status().initialization.unwrap().is_done());
}
