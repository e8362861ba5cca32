//! The next step towards a machine as it is wanted.

use banlieue_schemas::common::PowerState;

use super::capabilities::Capabilities;
use super::desired::{Desired, Hardware};
use super::observed::{InFlight, Observed, Stamp};
use super::step::Step;

/// What to do about a machine, and what is put off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What to do.
    pub next: Next,
    /// What the machine lacks until it is switched off, or for ever.
    pub pending: Vec<Pending>,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Tell the backend this.
    Do(Step),
    /// The backend is at work; look again later.
    Wait(InFlight),
    /// Nothing: the machine is as wanted, but for what is pending.
    Nothing,
    /// Nothing: a person has to decide.
    Stop(Trouble),
}

/// What is not as wanted, and cannot be made so now.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pending {
    /// CPUs or memory change when the machine is next switched off.
    Resize,
    /// Disks are added or grown when the machine is next switched off.
    Disks,
    /// Interfaces change when the machine is next switched off.
    Nics,
    /// Disks only grow: the one named is larger than wanted.
    DiskLarger(String),
    /// Firmware or TPM are as the machine was made, not as wanted.
    FixedHardware,
}

/// What only a person can solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The machine had been made and is gone from the backend. Making it again would hide that
    /// its data is lost.
    Missing,
    /// A machine with our identity does not carry our stamp.
    Foreign,
}

/// Decides the next step. `made_before` says whether the machine was ever complete.
///
/// Total: every input has an answer. Applied to its own outcome it soon answers
/// [`Next::Nothing`], and then keeps to it.
pub fn plan(
    desired: &Desired,
    observed: Option<&Observed>,
    made_before: bool,
    can: &Capabilities,
) -> Plan {
    let just = |next| Plan {
        next,
        pending: Vec::new(),
    };
    let Some(observed) = observed else {
        return just(if made_before {
            Next::Stop(Trouble::Missing)
        } else {
            Next::Do(Step::Create(Box::new(desired.clone())))
        });
    };
    if observed.stamp == Stamp::Foreign {
        return just(Next::Stop(Trouble::Foreign));
    }
    if let Some(work) = &observed.in_flight {
        return just(Next::Wait(work.clone()));
    }
    if !observed.defined {
        return just(if made_before {
            Next::Stop(Trouble::Missing)
        } else {
            Next::Do(Step::Create(Box::new(desired.clone())))
        });
    }
    let mut pending = Vec::new();
    let step = configure(desired, observed, can, &mut pending)
        .or_else(|| disks(desired, observed, can, &mut pending))
        .or_else(|| seed(desired, observed))
        .or_else(|| power(desired, observed));
    Plan {
        next: step.map_or(Next::Nothing, Next::Do),
        pending,
    }
}

fn configure(
    desired: &Desired,
    observed: &Observed,
    can: &Capabilities,
    pending: &mut Vec<Pending>,
) -> Option<Step> {
    let (want, have) = (desired.hardware, observed.hardware);
    let off = observed.power == PowerState::PoweredOff;
    let running = observed.power == PowerState::PoweredOn;
    if (want.firmware, want.tpm) != (have.firmware, have.tpm) {
        pending.push(Pending::FixedHardware);
    }
    let resize = (want.cpus, want.memory_mib) != (have.cpus, have.memory_mib);
    let resize_now = off || (running && can_resize_running(want, have, can));
    if resize && !resize_now {
        pending.push(Pending::Resize);
    }
    let rewire = !nics_match(desired, observed);
    let rewire_now = off || (running && can.hot_nics);
    if rewire && !rewire_now {
        pending.push(Pending::Nics);
    }
    ((resize && resize_now) || (rewire && rewire_now)).then(|| Step::Configure {
        hardware: Hardware {
            cpus: if resize_now { want.cpus } else { have.cpus },
            memory_mib: if resize_now {
                want.memory_mib
            } else {
                have.memory_mib
            },
            ..have
        },
        nics: desired.nics.clone(),
    })
}

/// Whether CPUs and memory only grow, and by what the backend adds to a running machine.
fn can_resize_running(want: Hardware, have: Hardware, can: &Capabilities) -> bool {
    let cpus = want.cpus == have.cpus || (want.cpus > have.cpus && can.hot_add_cpus);
    let memory = want.memory_mib == have.memory_mib
        || (want.memory_mib > have.memory_mib && can.hot_add_memory);
    cpus && memory
}

fn nics_match(desired: &Desired, observed: &Observed) -> bool {
    desired.nics.len() == observed.nics.len()
        && desired.nics.iter().zip(&observed.nics).all(|(want, have)| {
            let mac = want.mac.as_ref();
            want.name == have.name && mac.is_none_or(|mac| mac.eq_ignore_ascii_case(&have.mac))
        })
}

fn disks(
    desired: &Desired,
    observed: &Observed,
    can: &Capabilities,
    pending: &mut Vec<Pending>,
) -> Option<Step> {
    let mut change = false;
    for want in &desired.disks {
        match observed.disks.iter().find(|have| have.name == want.name) {
            Some(have) if have.size_gib > want.size_gib => {
                pending.push(Pending::DiskLarger(want.name.clone()));
            }
            Some(have) if have.size_gib == want.size_gib => {}
            _ => change = true,
        }
    }
    if !change {
        return None;
    }
    let off = observed.power == PowerState::PoweredOff;
    if off || (observed.power == PowerState::PoweredOn && can.hot_disks) {
        return Some(Step::Disks(desired.disks.clone()));
    }
    pending.push(Pending::Disks);
    None
}

fn seed(desired: &Desired, observed: &Observed) -> Option<Step> {
    // A machine that runs has read what there was: a seed written now would never be seen.
    let unread = observed.power == PowerState::PoweredOff;
    (!observed.seeded && unread).then(|| Step::Seed {
        seed: desired.seed.clone(),
        nics: desired.nics.clone(),
    })
}

fn power(desired: &Desired, observed: &Observed) -> Option<Step> {
    // Only what runs can be suspended or shut down: switching it on comes first.
    let to = match (desired.power, observed.power) {
        (want, have) if want == have => return None,
        (PowerState::Suspended, PowerState::PoweredOff)
        | (PowerState::PoweredOff, PowerState::Suspended) => PowerState::PoweredOn,
        (want, _) => want,
    };
    Some(Step::Power { to, hard: false })
}
