#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use banlieue_schemas::infrastructure::MachineStatusView;
use banlieue_schemas::platform::Backend;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::fixtures::{World, object};

const FROM: (&str, &str) = ("a", "a-z1");
const TO: (&str, &str) = ("b", "b-z1");

fn machine(
    backend: Backend,
    uid: &'static str,
    at: (&'static str, &'static str),
) -> MachineObject<'static> {
    MachineObject {
        backend,
        name: "vm",
        uid,
        generation: Some(1),
        terminating: false,
        provider: Some(at.0),
        failure_domain: Some(at.1),
        status: MachineStatusView::default(),
    }
}

fn terminating(machine: MachineObject<'static>) -> MachineObject<'static> {
    MachineObject {
        terminating: true,
        ..machine
    }
}

fn destination() -> Placement {
    Placement {
        provider: TO.0.into(),
        provider_class: "sim".into(),
        backend: Backend::Sim,
        failure_domain: TO.1.into(),
        storage: Vec::new(),
        networks: Vec::new(),
        image: None,
    }
}

fn moving(old: Option<&MachineObject<'_>>) -> Migration {
    begin(FROM, old, "vm", &destination())
}

#[test]
fn the_old_machine_goes_before_the_new_one_comes() {
    let old = machine(Backend::Vsphere, "old", FROM);
    let new = machine(Backend::Sim, "new", TO);
    let migration = moving(Some(&old));
    let delete = Step::DeleteOld {
        kind: "VSphereMachine",
        name: "vm".into(),
        uid: "old".into(),
    };
    assert_eq!(step(&migration, &[old]), delete);
    assert_eq!(step(&migration, &[terminating(old)]), Step::WaitOldGone);
    assert_eq!(step(&migration, &[]), Step::CreateNew);
    assert_eq!(step(&migration, &[new]), Step::Finished);
    assert_eq!(advance(&migration, &Step::Finished, "vm", None), None);
    let creating = advance(&migration, &Step::CreateNew, "vm", None).unwrap();
    assert_eq!(creating.phase, MigrationPhase::Creating);
}

#[test]
fn a_machine_that_the_memory_does_not_know_still_goes_first() {
    let new = machine(Backend::Sim, "new", TO);
    let stray = machine(Backend::Libvirt, "stray", TO);
    let migration = moving(None);
    assert!(
        matches!(step(&migration, &[new, stray]), Step::DeleteOld { uid, .. } if uid == "stray")
    );
    assert_eq!(
        step(&migration, &[new, terminating(stray)]),
        Step::WaitOldGone
    );
}

#[test]
fn nothing_is_applied_onto_the_new_machine_while_it_is_deleted() {
    let new = machine(Backend::Sim, "new", TO);
    assert_eq!(step(&moving(None), &[terminating(new)]), Step::WaitOldGone);
}

#[test]
fn a_machine_that_is_made_again_in_its_own_place_is_told_apart_by_its_uid() {
    let old = machine(Backend::Sim, "old", TO);
    let migration = begin(TO, Some(&old), "vm", &destination());
    assert!(matches!(step(&migration, &[old]), Step::DeleteOld { .. }));
    assert_eq!(
        step(&migration, &[machine(Backend::Sim, "new", TO)]),
        Step::Finished
    );
}

#[test]
fn a_destination_that_vanished_meanwhile_is_replaced() {
    let mut world = World::new();
    let migration = moving(None);
    let target_of = |world: &World| world.with(|request| target(request, &migration));
    assert_eq!(target_of(&world).unwrap().provider, "b");
    world.providers[1].spec.paused = Some(true);
    let other = target_of(&world).unwrap();
    assert_eq!(other.provider, "a");
    let memory = advance(&migration, &Step::CreateNew, "vm", Some(&other)).unwrap();
    assert_eq!(memory.to.provider_name, "a");
    world.vm.spec.placement = Some(object(json!({
        "providerSelector": { "matchLabels": { "dc": "3" } }
    })));
    assert!(target_of(&world).is_err());
}

/// A backend and an API server that do what a step says, or fail to.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// The step is done, and its result is seen.
    Done,
    /// The process dies before the step is done.
    CrashBefore,
    /// A provider finishes a deletion.
    Torn,
    /// Somebody deletes whatever is there.
    Deleted,
}

proptest! {
    #[test]
    fn a_move_ends_and_there_are_never_two(
        events in proptest::collection::vec(
            proptest::sample::select(vec![Event::Done, Event::CrashBefore, Event::Torn, Event::Deleted]),
            0..40,
        ),
        old_backend in proptest::sample::select(Backend::ALL.to_vec()),
        known in any::<bool>(),
    ) {
        let old = machine(old_backend, "old", FROM);
        let migration = moving(known.then_some(&old));
        let mut machines = vec![old];
        // After any beginning, a run without trouble ends.
        let quiet = std::iter::repeat_n([Event::Done, Event::Torn], 8).flatten();
        for event in events.into_iter().chain(quiet) {
            match event {
                Event::CrashBefore => {}
                Event::Torn => machines.retain(|machine| !machine.terminating),
                Event::Deleted => machines.iter_mut().for_each(|machine| machine.terminating = true),
                Event::Done => match step(&migration, &machines) {
                    Step::DeleteOld { uid, .. } => {
                        for machine in machines.iter_mut().filter(|machine| machine.uid == uid) {
                            machine.terminating = true;
                        }
                    }
                    Step::CreateNew => machines.push(machine(Backend::Sim, "new", TO)),
                    Step::WaitOldGone | Step::Finished => {}
                },
            }
            prop_assert!(machines.len() <= 1, "{machines:?}");
        }
        prop_assert_eq!(step(&migration, &machines), Step::Finished);
        prop_assert_eq!(machines, vec![machine(Backend::Sim, "new", TO)]);
    }
}
