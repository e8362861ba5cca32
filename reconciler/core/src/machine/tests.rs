#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use banlieue_schemas::common::{Firmware, PowerState, StringMap};
use banlieue_schemas::conditions::Reason;
use proptest::prelude::*;

use super::*;

const EVERYTHING: Capabilities = Capabilities {
    suspend: true,
    secure_boot: true,
    tpm: true,
    hot_add_cpus: true,
    hot_add_memory: true,
    hot_disks: true,
    hot_nics: true,
    max_user_data: 1 << 16,
};
const NOTHING: Capabilities = Capabilities {
    suspend: false,
    secure_boot: false,
    tpm: false,
    hot_add_cpus: false,
    hot_add_memory: false,
    hot_disks: false,
    hot_nics: false,
    max_user_data: 16,
};

fn desired() -> Desired {
    Desired {
        name: "web-1".into(),
        zone: "z1".into(),
        place: StringMap::new(),
        image: "debian".into(),
        hardware: Hardware {
            cpus: 2,
            memory_mib: 2048,
            firmware: Firmware::Efi,
            tpm: false,
        },
        disks: vec![Disk {
            name: "root".into(),
            size_gib: 10,
            ..Disk::default()
        }],
        nics: vec![Nic {
            name: "eth0".into(),
            ..Nic::default()
        }],
        seed: Seed {
            hostname: "web-1".into(),
            user_data: None,
        },
        power: PowerState::PoweredOn,
    }
}

/// What a backend shows once it did `step`: the meaning of the steps, in the test's own words.
fn after(step: &Step, before: Option<Observed>) -> Option<Observed> {
    match (step, before) {
        (Step::Create(desired), _) => Some(Observed {
            stamp: Stamp::Ours,
            defined: true,
            place: desired.place.clone(),
            host: None,
            in_flight: None,
            power: PowerState::PoweredOff,
            hardware: Hardware {
                cpus: 1,
                memory_mib: 512,
                ..desired.hardware
            },
            disks: vec![ObservedDisk {
                name: desired
                    .disks
                    .first()
                    .map(|d| d.name.clone())
                    .unwrap_or_default(),
                size_gib: 1,
            }],
            nics: Vec::new(),
            seeded: false,
            strangers_attached: false,
            addresses: Vec::new(),
            guest_up: None,
        }),
        (Step::Delete, _) => None,
        (_, None) => panic!("{step:?} on nothing"),
        (step, Some(mut seen)) => {
            let changes = matches!(step, Step::Configure { .. } | Step::Disks(_));
            let asleep = seen.power == PowerState::Suspended;
            assert!(!(changes && asleep), "nothing changes while a guest sleeps");
            match step {
                Step::Configure { hardware, nics } => {
                    seen.hardware = *hardware;
                    seen.nics = nics
                        .iter()
                        .map(|nic| ObservedNic {
                            name: nic.name.clone(),
                            mac: nic
                                .mac
                                .clone()
                                .unwrap_or_else(|| "02:00:00:00:00:01".into()),
                        })
                        .collect();
                }
                Step::Disks(disks) => {
                    for disk in disks {
                        match seen.disks.iter_mut().find(|d| d.name == disk.name) {
                            Some(have) => have.size_gib = have.size_gib.max(disk.size_gib),
                            None => seen.disks.push(ObservedDisk {
                                name: disk.name.clone(),
                                size_gib: disk.size_gib,
                            }),
                        }
                    }
                }
                Step::Seed { .. } => seen.seeded = true,
                Step::Power { to, hard } => {
                    let shutdown = *to == PowerState::PoweredOff && !hard;
                    assert!(!(asleep && shutdown), "a suspended guest cannot answer");
                    seen.power = *to;
                }
                Step::Detach => seen.strangers_attached = false,
                Step::Create(_) | Step::Delete => unreachable!(),
            }
            Some(seen)
        }
    }
}

fn kinds_until_rest(
    desired: &Desired,
    mut seen: Option<Observed>,
    can: &Capabilities,
) -> (Vec<StepKind>, Option<Observed>) {
    let mut kinds = Vec::new();
    for _ in 0..12 {
        match plan(desired, seen.as_ref(), false, can).next {
            Next::Do(step) => {
                kinds.push(step.kind());
                seen = after(&step, seen);
            }
            Next::Nothing => return (kinds, seen),
            other => panic!("{other:?}"),
        }
    }
    panic!("no rest after {kinds:?}");
}

#[test]
fn a_new_machine_is_complete_before_it_is_switched_on() {
    let (kinds, seen) = kinds_until_rest(&desired(), None, &NOTHING);
    let names: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
    assert_eq!(names, ["create", "configure", "disks", "seed", "power"]);
    let seen = seen.unwrap();
    assert_eq!(seen.hardware.cpus, 2);
    assert_eq!(seen.disks[0].size_gib, 10);
    assert_eq!(seen.power, PowerState::PoweredOn);
}

#[test]
fn a_machine_that_was_made_and_is_gone_is_never_made_again() {
    let next = plan(&desired(), None, true, &EVERYTHING).next;
    assert_eq!(next, Next::Stop(Trouble::Missing));
}

#[test]
fn a_machine_with_our_uuid_and_another_stamp_is_not_touched() {
    let mut seen = kinds_until_rest(&desired(), None, &NOTHING).1.unwrap();
    seen.stamp = Stamp::Foreign;
    seen.hardware.cpus = 64;
    let next = plan(&desired(), Some(&seen), false, &EVERYTHING).next;
    assert_eq!(next, Next::Stop(Trouble::Foreign));
    assert_eq!(teardown(Some(&seen), Leaving::Overdue), Teardown::Gone);
}

#[test]
fn a_running_machine_is_resized_only_where_the_backend_adds_to_a_running_one() {
    let seen = kinds_until_rest(&desired(), None, &NOTHING).1.unwrap();
    let mut more = desired();
    more.hardware.cpus = 4;
    let late = plan(&more, Some(&seen), true, &NOTHING);
    assert_eq!(
        (late.next, late.pending),
        (Next::Nothing, vec![Pending::Resize])
    );
    let now = plan(&more, Some(&seen), true, &EVERYTHING);
    assert!(matches!(now.next, Next::Do(Step::Configure { .. })));

    let mut less = desired();
    less.hardware.cpus = 1;
    let late = plan(&less, Some(&seen), true, &EVERYTHING);
    assert_eq!(
        late.pending,
        [Pending::Resize],
        "nothing is taken from a running guest"
    );
}

#[test]
fn a_suspended_machine_is_woken_before_it_is_changed() {
    let mut seen = kinds_until_rest(&desired(), None, &NOTHING).1.unwrap();
    seen.power = PowerState::Suspended;
    let mut more = desired();
    more.hardware.cpus = 4;
    let plan = plan(&more, Some(&seen), true, &EVERYTHING);
    assert!(matches!(plan.next, Next::Do(Step::Power { .. })));
    assert_eq!(plan.pending, [Pending::Resize]);
}

#[test]
fn a_disk_never_shrinks() {
    let mut seen = kinds_until_rest(&desired(), None, &NOTHING).1.unwrap();
    seen.disks[0].size_gib = 20;
    let plan = plan(&desired(), Some(&seen), true, &EVERYTHING);
    assert_eq!(plan.next, Next::Nothing);
    assert_eq!(plan.pending, [Pending::DiskLarger("root".into())]);
}

#[test]
fn a_seed_is_not_written_once_the_guest_had_its_first_boot() {
    let mut seen = kinds_until_rest(&desired(), None, &NOTHING).1.unwrap();
    seen.seeded = false;
    assert_eq!(
        plan(&desired(), Some(&seen), true, &EVERYTHING).next,
        Next::Nothing
    );
}

#[test]
fn a_machine_is_suspended_by_way_of_running() {
    let mut asleep = desired();
    asleep.power = PowerState::Suspended;
    let (kinds, seen) = kinds_until_rest(&asleep, None, &EVERYTHING);
    assert_eq!(kinds[kinds.len() - 2..], [StepKind::Power, StepKind::Power]);
    assert_eq!(seen.unwrap().power, PowerState::Suspended);
}

#[test]
fn a_suspended_machine_is_woken_before_its_guest_is_asked_to_shut_down() {
    let mut asleep = desired();
    asleep.power = PowerState::Suspended;
    let (_, seen) = kinds_until_rest(&asleep, None, &EVERYTHING);
    let mut off = desired();
    off.power = PowerState::PoweredOff;
    let wake = Step::Power {
        to: PowerState::PoweredOn,
        hard: false,
    };
    let next = plan(&off, seen.as_ref(), true, &EVERYTHING).next;
    assert_eq!(next, Next::Do(wake));
    let (_, seen) = kinds_until_rest(&off, seen, &EVERYTHING);
    assert_eq!(seen.unwrap().power, PowerState::PoweredOff);
}

#[test]
fn teardown_asks_the_guest_first_and_detaches_what_is_not_ours() {
    let mut seen = kinds_until_rest(&desired(), None, &NOTHING).1;
    seen.as_mut().unwrap().strangers_attached = true;
    let mut steps = Vec::new();
    while let Teardown::Do(step) = teardown(seen.as_ref(), Leaving::Graceful) {
        seen = after(&step, seen);
        steps.push(step);
    }
    let soft = Step::Power {
        to: PowerState::PoweredOff,
        hard: false,
    };
    assert_eq!(steps, [soft, Step::Detach, Step::Delete]);
    assert_eq!(seen, None);
}

#[test]
fn a_guest_that_does_not_shut_down_is_switched_off() {
    let mut seen = kinds_until_rest(&desired(), None, &NOTHING).1.unwrap();
    seen.in_flight = Some(InFlight {
        step: StepKind::Power,
        handle: "task-1".into(),
    });
    assert!(matches!(
        teardown(Some(&seen), Leaving::Graceful),
        Teardown::Wait(_)
    ));
    let hard = Step::Power {
        to: PowerState::PoweredOff,
        hard: true,
    };
    assert_eq!(teardown(Some(&seen), Leaving::Overdue), Teardown::Do(hard));
}

#[test]
fn what_is_left_of_a_machine_is_deleted_too() {
    let mut seen = kinds_until_rest(&desired(), None, &NOTHING).1.unwrap();
    seen.defined = false;
    assert_eq!(
        teardown(Some(&seen), Leaving::Graceful),
        Teardown::Do(Step::Delete)
    );
    assert_eq!(teardown(None, Leaving::Graceful), Teardown::Gone);
}

#[test]
fn what_a_backend_cannot_do_is_refused_with_a_way_out() {
    let reason = |change: fn(&mut Desired)| {
        let mut wanted = desired();
        change(&mut wanted);
        admit(&wanted, &NOTHING).unwrap_err().reason
    };
    assert_eq!(admit(&desired(), &NOTHING), Ok(()));
    assert_eq!(
        reason(|d| d.power = PowerState::Suspended),
        Reason::Unsupported
    );
    assert_eq!(
        reason(|d| d.hardware.firmware = Firmware::EfiSecure),
        Reason::Unsupported
    );
    assert_eq!(reason(|d| d.hardware.tpm = true), Reason::Unsupported);
    assert_eq!(reason(|d| d.disks.clear()), Reason::InvalidSpec);
    let large = |d: &mut Desired| d.seed.user_data = Some("x".repeat(17));
    assert_eq!(reason(large), Reason::UserDataTooLarge);
}

#[test]
fn user_data_is_not_printed() {
    let seed = Seed {
        hostname: "a".into(),
        user_data: Some("password".into()),
    };
    assert!(!format!("{seed:?}").contains("password"));
}

fn any_power() -> impl Strategy<Value = PowerState> {
    prop_oneof![
        Just(PowerState::PoweredOn),
        Just(PowerState::PoweredOff),
        Just(PowerState::Suspended)
    ]
}

prop_compose! {
    fn any_desired()(
        cpus in 1..4_u32,
        memory in 1..4_u32,
        disks in prop::collection::vec(1..5_u32, 1..4),
        nics in 0..3_usize,
        power in any_power(),
    ) -> Desired {
        Desired {
            hardware: Hardware { cpus, memory_mib: memory * 512, ..desired().hardware },
            disks: disks.iter().enumerate().map(|(index, size)| Disk {
                name: format!("d{index}"),
                size_gib: *size,
                ..Disk::default()
            }).collect(),
            nics: (0..nics).map(|index| Nic { name: format!("n{index}"), ..Nic::default() }).collect(),
            power,
            ..desired()
        }
    }
}

prop_compose! {
    fn any_capabilities()(bits in prop::array::uniform5(any::<bool>())) -> Capabilities {
        Capabilities {
            suspend: bits[0],
            hot_add_cpus: bits[1],
            hot_add_memory: bits[2],
            hot_disks: bits[3],
            hot_nics: bits[4],
            ..EVERYTHING
        }
    }
}

proptest! {
    /// From any machine, made for any other wish, the steps end, and then nothing is planned.
    #[test]
    fn a_plan_that_is_carried_out_leaves_nothing_to_do(
        first in any_desired(),
        second in any_desired(),
        can in any_capabilities(),
    ) {
        let (_, seen) = kinds_until_rest(&first, None, &can);
        let (_, seen) = kinds_until_rest(&second, seen, &can);
        let seen = seen.unwrap();
        prop_assert_eq!(plan(&second, Some(&seen), true, &can).next, Next::Nothing);
        prop_assert_eq!(seen.power, second.power);
        for want in &second.disks {
            let have = seen.disks.iter().find(|d| d.name == want.name);
            let pending = plan(&second, Some(&seen), true, &can).pending;
            prop_assert!(
                have.is_some_and(|have| have.size_gib >= want.size_gib)
                    || pending.contains(&Pending::Disks)
            );
        }
    }

    /// Any machine, running or half made, is gone after a few steps, and nothing is done to none.
    #[test]
    fn a_teardown_ends(wish in any_desired(), defined: bool, strangers: bool, overdue: bool) {
        let (_, mut seen) = kinds_until_rest(&wish, None, &EVERYTHING);
        if let Some(seen) = &mut seen {
            seen.defined = defined;
            seen.strangers_attached = strangers;
        }
        let leaving = if overdue { Leaving::Overdue } else { Leaving::Graceful };
        for _ in 0..4 {
            match teardown(seen.as_ref(), leaving) {
                Teardown::Do(step) => seen = after(&step, seen),
                Teardown::Gone => break,
                Teardown::Wait(_) => panic!("nothing is in flight"),
            }
        }
        prop_assert_eq!(seen, None);
    }

    #[test]
    fn another_object_has_another_machine(one in "[a-f0-9-]{1,36}", other in "[a-f0-9-]{1,36}") {
        prop_assume!(one != other);
        prop_assert_ne!(Identity::of(one).uuid(), Identity::of(other).uuid());
    }
}
