//! What may happen, in any order.

use banlieue_backend::ErrorKind;
use banlieue_core::machine::{Desired, Disk, Hardware, Identity, Nic, Seed, Step};
use banlieue_schemas::common::PowerState;
use banlieue_sim::world::fault::{Fault, Rule};
use banlieue_sim::world::spec::ZoneSpec;
use proptest::prelude::*;

/// How many machines are wanted.
pub const MACHINES: usize = 3;

/// Something that happens.
#[derive(Clone, Debug)]
pub enum Event {
    Ask(usize, Step),
    Look(usize),
    Strike(Rule),
    Pass(u64),
    FinishTasks,
    Remove(usize, bool),
    Attach(usize),
    Switch(usize, PowerState),
}

pub fn identity(index: usize) -> Identity {
    Identity::of(format!("uid-{index}"))
}

pub fn desired(index: usize) -> Desired {
    let zone = ZoneSpec::default();
    let named = |name: &str| Disk {
        name: name.into(),
        size_gib: 5,
        ..Disk::default()
    };
    Desired {
        name: format!("web-{index}"),
        zone: "z".into(),
        place: zone.place(),
        image: zone.reference("debian-13"),
        hardware: Hardware {
            cpus: 2,
            memory_mib: 1024,
            ..Hardware::default()
        },
        disks: vec![named("os"), named("data")],
        nics: vec![Nic {
            name: "eth0".into(),
            ..Nic::default()
        }],
        seed: Seed {
            hostname: format!("web-{index}"),
            user_data: None,
        },
        power: PowerState::PoweredOn,
    }
}

pub fn any_power() -> impl Strategy<Value = PowerState> {
    prop_oneof![
        Just(PowerState::PoweredOn),
        Just(PowerState::PoweredOff),
        Just(PowerState::Suspended)
    ]
}

pub fn any_step(index: usize) -> impl Strategy<Value = Step> {
    let Desired {
        hardware,
        nics,
        disks,
        seed,
        ..
    } = desired(index);
    prop_oneof![
        3 => Just(Step::Create(Box::new(desired(index)))),
        1 => Just(Step::Configure { hardware, nics: nics.clone() }),
        1 => Just(Step::Disks(disks)),
        1 => Just(Step::Seed { seed, nics }),
        2 => (any_power(), any::<bool>()).prop_map(|(to, hard)| Step::Power { to, hard }),
        1 => Just(Step::Detach),
        1 => Just(Step::Delete),
    ]
}

pub fn any_fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        prop::sample::select(ErrorKind::ALL.to_vec()).prop_map(Fault::Error),
        Just(Fault::LostAnswer),
        Just(Fault::StaleRead),
        Just(Fault::DuplicateName),
        Just(Fault::SessionExpired),
        Just(Fault::OutOfSpace),
        Just(Fault::RemovedByHand),
        Just(Fault::StrangerByName),
        Just(Fault::StrangerByUuid),
        Just(Fault::BlackHole),
        Just(Fault::HalfDone),
        Just(Fault::Hanging),
    ]
}

pub fn any_event() -> impl Strategy<Value = Event> {
    let machine = 0..MACHINES;
    prop_oneof![
        8 => machine.clone().prop_flat_map(|index| {
            any_step(index).prop_map(move |step| Event::Ask(index, step))
        }),
        2 => machine.clone().prop_map(Event::Look),
        3 => (any_fault(), 1..3_u64).prop_map(|(fault, nth)| {
            Event::Strike(Rule::new(fault).nth(nth))
        }),
        3 => (0..1500_u64).prop_map(Event::Pass),
        1 => Just(Event::FinishTasks),
        1 => (machine.clone(), any::<bool>()).prop_map(|(index, leave)| Event::Remove(index, leave)),
        1 => machine.clone().prop_map(Event::Attach),
        1 => (machine, any_power()).prop_map(|(index, to)| Event::Switch(index, to)),
    ]
}
