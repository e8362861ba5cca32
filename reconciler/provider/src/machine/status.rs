//! The whole status of a machine, from what a pass came to. Pure.
//!
//! | outcome | Ready | and |
//! |---|---|---|
//! | settled | True: `PoweredOn`, `PoweredOff` | ResizePending while something waits for a power-off |
//! | working | False: `Cloning`, `Progressing`; what was ready stays so while it is only changed | Reconciling |
//! | held | False, with the reason | Reconciling, or Stalled where only a person helps |
//! | failed | False if refused; else Unknown for a machine that was made, and as it was while the backend is busy | the same |
//! | paused | as it was | Paused |
//! | leaving | False: `Deleting` | Reconciling |
//!
//! GuestReady is there where the backend can know. Addresses and power stay as they were last known
//! while the backend does not show the machine.

use banlieue_core::conditions::{Scope, Truth, Wanted, find, is_true, merge};
use banlieue_core::machine::{Identity, Observed, Pending, Stamp, StepKind};
use banlieue_kit::Timestamp;
use banlieue_schemas::common::{Condition, PowerState};
use banlieue_schemas::conditions::{ConditionType, Reason, Writer};
use banlieue_schemas::infrastructure::{MachineReport, MachineSeen, ServedMachine};
use kube::ResourceExt;

use super::plan::doing;
use crate::problem::Problem;

/// What a pass over a machine came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It is as wanted, but for what waits until it is switched off.
    Settled(Vec<Pending>),
    /// The backend works on it.
    Working(StepKind),
    /// It cannot be as wanted.
    Held(Problem),
    /// The backend did not do what it was asked.
    Failed(Problem),
    /// Nothing may be done.
    Paused(String),
    /// It is being deleted; the message says what that waits for.
    Leaving(String),
}

/// What a status is made from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts<'a> {
    pub(super) outcome: &'a Outcome,
    pub(super) observed: Option<&'a Observed>,
    pub(super) identity: &'a Identity,
    pub(super) provider: &'a str,
    /// Failure domain that the pass worked in.
    pub(super) zone: Option<&'a str>,
}

/// The status.
pub(super) fn status<M: ServedMachine + ResourceExt>(
    machine: &M,
    facts: &Facts<'_>,
    now: Timestamp,
) -> M::Status {
    let view = machine.status_view();
    let scope = Scope {
        kind: M::KIND,
        writer: Writer::Provider,
    };
    let made = view.provisioned || machine.provider_id().is_some();
    let wanted = wanted(facts, view.conditions, made);
    let generation = machine.meta().generation;
    machine.reported(MachineReport {
        seen: seen(facts),
        provisioned: matches!(facts.outcome, Outcome::Settled(_)),
        conditions: merge(scope, view.conditions, &wanted, generation, now),
        observed_generation: generation,
    })
}

/// The machine, if the backend shows it complete and it is ours.
pub(super) fn present(observed: Option<&Observed>) -> Option<&Observed> {
    observed.filter(|observed| observed.defined && observed.stamp == Stamp::Ours)
}

fn seen<'a>(facts: &Facts<'a>) -> Option<MachineSeen<'a>> {
    let observed = present(facts.observed)?;
    Some(MachineSeen {
        uuid: facts.identity.uuid().to_string(),
        provider: facts.provider,
        failure_domain: facts.zone?,
        host: observed.host.as_deref(),
        place: &observed.place,
        power: observed.power,
        addresses: &observed.addresses,
        tpm: observed.hardware.tpm,
        guest_up: observed.guest_up,
    })
}

fn wanted(facts: &Facts<'_>, old: &[Condition], made: bool) -> Vec<Wanted> {
    let mut wanted = match facts.outcome {
        Outcome::Settled(pending) => settled(facts.observed, pending),
        Outcome::Working(step) => working(*step, old),
        Outcome::Held(problem) => problem.wanted(Truth::False).to_vec(),
        Outcome::Failed(problem) => failed(problem, made, old),
        Outcome::Paused(why) => paused(why, old),
        Outcome::Leaving(message) => vec![
            Wanted::new(ConditionType::Ready, false, Reason::Deleting, message),
            Wanted::new(ConditionType::Reconciling, true, Reason::Deleting, message),
        ],
    };
    wanted.extend(guest(facts, old));
    wanted
}

fn settled(observed: Option<&Observed>, pending: &[Pending]) -> Vec<Wanted> {
    let (reason, message) = match observed.map(|observed| observed.power) {
        Some(PowerState::PoweredOff) => (Reason::PoweredOff, "the machine does not run, as asked"),
        Some(PowerState::Suspended) => (Reason::Reconciled, "the machine is suspended, as asked"),
        _ => (Reason::PoweredOn, "the machine runs"),
    };
    let mut wanted = vec![Wanted::new(ConditionType::Ready, true, reason, message)];
    if !pending.is_empty() {
        let pending: Vec<String> = pending.iter().map(told).collect();
        let kind = ConditionType::ResizePending;
        let message = pending.join("; ");
        wanted.push(Wanted::new(kind, true, Reason::AwaitingPowerOff, message));
    }
    wanted
}

fn told(pending: &Pending) -> String {
    match pending {
        Pending::Resize => "CPUs and memory change at the next power-off".to_owned(),
        Pending::Disks => "disks change at the next power-off".to_owned(),
        Pending::Nics => "interfaces change at the next power-off".to_owned(),
        Pending::DiskLarger(disk) => format!("disk {disk} is larger than asked: disks only grow"),
        Pending::FixedHardware => "firmware and TPM stay as the machine was made".to_owned(),
    }
}

fn working(step: StepKind, old: &[Condition]) -> Vec<Wanted> {
    let (reason, message) = doing(step);
    let runs_on = matches!(step, StepKind::Configure | StepKind::Disks);
    let ready = match find(old, ConditionType::Ready) {
        Some(ready) if runs_on && is_true(old, ConditionType::Ready) => {
            Wanted::mirrored(ConditionType::Ready, ready)
        }
        _ => Wanted::new(ConditionType::Ready, false, reason, message),
    };
    let kind = ConditionType::Reconciling;
    vec![ready, Wanted::new(kind, true, reason, message)]
}

/// A machine that was made may well run while its backend is away, and while something else works
/// on it.
fn failed(problem: &Problem, made: bool, old: &[Condition]) -> Vec<Wanted> {
    let refused = matches!(
        problem.reason,
        Reason::ProvisionFailed | Reason::Unsupported
    );
    let truth = if made && !refused {
        Truth::Unknown
    } else {
        Truth::False
    };
    let [ready, progress] = problem.wanted(truth);
    let busy = problem.reason == Reason::Progressing;
    let known = find(old, ConditionType::Ready).filter(|_| made && busy);
    let ready = known.map_or(ready, |known| Wanted::mirrored(ConditionType::Ready, known));
    vec![ready, progress]
}

fn paused(why: &str, old: &[Condition]) -> Vec<Wanted> {
    let ready = match find(old, ConditionType::Ready) {
        Some(ready) => Wanted::mirrored(ConditionType::Ready, ready),
        None => Wanted::new(ConditionType::Ready, Truth::Unknown, Reason::Paused, why),
    };
    let kind = ConditionType::Paused;
    vec![ready, Wanted::new(kind, true, Reason::Paused, why)]
}

fn guest(facts: &Facts<'_>, old: &[Condition]) -> Option<Wanted> {
    let kind = ConditionType::GuestReady;
    let Some(observed) = present(facts.observed) else {
        return find(old, kind).map(|known| Wanted::mirrored(kind, known));
    };
    let (reason, message) = if observed.guest_up? {
        (Reason::GuestAnnounced, "the guest said that it is up")
    } else {
        (
            Reason::GuestNotAnnounced,
            "the guest did not say yet that it is up",
        )
    };
    Some(Wanted::new(kind, observed.guest_up?, reason, message))
}
