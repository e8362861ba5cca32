//! Which conditions a VirtualMachine has.

use banlieue_schemas::common::Condition;
use banlieue_schemas::conditions::{ConditionType, Reason};
use banlieue_schemas::platform::Scheduled;

use super::{Facts, Pass};
use crate::conditions::{Truth, Wanted, find, is_true};
use crate::placement::Decision;

const NO_MACHINE: &str = "the machine object is not there yet";
const NO_STATUS: &str = "the machine object has no status yet";

pub(super) fn wanted(facts: &Facts<'_>, old: &[Condition]) -> Vec<Wanted> {
    let mut wanted = vec![ready(facts)];
    wanted.extend(progress(facts));
    wanted.extend(scheduled(facts));
    wanted.extend(placement_valid(facts, old));
    wanted.extend(migrating(facts));
    wanted.extend(mirrored(facts));
    if facts.pass == Pass::Paused {
        let message = "spec.paused is set";
        wanted.push(Wanted::new(
            ConditionType::Paused,
            true,
            Reason::Paused,
            message,
        ));
    }
    wanted
}

/// The `Ready` of the machine object.
fn infrastructure<'a>(facts: &Facts<'a>) -> Option<&'a Condition> {
    facts
        .machine
        .and_then(|machine| find(machine.status.conditions, ConditionType::Ready))
}

fn ready(facts: &Facts<'_>) -> Wanted {
    let say =
        |truth, reason, message: &str| Wanted::new(ConditionType::Ready, truth, reason, message);
    if let Pass::Deleting { message } = &facts.pass {
        return say(Truth::False, Reason::Deleting, message);
    }
    if facts.migration.is_some() {
        return say(
            Truth::False,
            Reason::Migrating,
            "the machine is being made again elsewhere",
        );
    }
    let Some(source) = infrastructure(facts) else {
        return match &facts.pass {
            Pass::Blocked { reason, message } => say(Truth::False, *reason, message),
            _ if facts.machine.is_some() => say(Truth::Unknown, Reason::Pending, NO_STATUS),
            _ => say(Truth::Unknown, Reason::Pending, NO_MACHINE),
        };
    };
    match Wanted::mirrored(ConditionType::Ready, source).truth {
        Truth::True => say(Truth::True, Reason::Reconciled, ""),
        truth => say(truth, Reason::InfrastructureNotReady, &source.message),
    }
}

/// `Stalled` where only a person helps, else `Reconciling` while something is under way.
fn progress(facts: &Facts<'_>) -> Option<Wanted> {
    let reconciling = |reason, message: &str| {
        Some(Wanted::new(
            ConditionType::Reconciling,
            true,
            reason,
            message,
        ))
    };
    match &facts.pass {
        Pass::Paused => return None,
        Pass::Deleting { message } => return reconciling(Reason::Deleting, message),
        Pass::Blocked { reason, message } if needs_a_person(*reason) => {
            return Some(Wanted::new(ConditionType::Stalled, true, *reason, message));
        }
        Pass::Blocked { reason, message } => return reconciling(*reason, message),
        Pass::Done => {}
    }
    if facts.migration.is_some() {
        return reconciling(
            Reason::Migrating,
            "the machine is being made again elsewhere",
        );
    }
    if let Some(Decision::Surface {
        reason,
        message,
        waiting: true,
    }) = facts.placement
    {
        return reconciling(*reason, message);
    }
    let Some(machine) = facts.machine else {
        return reconciling(Reason::Progressing, NO_MACHINE);
    };
    if let Some(stalled) = find(machine.status.conditions, ConditionType::Stalled)
        && is_true(machine.status.conditions, ConditionType::Stalled)
    {
        return Some(Wanted::mirrored(ConditionType::Stalled, stalled));
    }
    match infrastructure(facts) {
        None => reconciling(Reason::Progressing, NO_STATUS),
        Some(source) if source.status != Truth::True.as_str() => {
            reconciling(Reason::InfrastructureNotReady, &source.message)
        }
        Some(_) if machine.status.observed_generation != machine.generation => {
            reconciling(Reason::Progressing, "the machine is being changed")
        }
        Some(_) => None,
    }
}

/// What does not get better by the arrival of another object.
fn needs_a_person(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::InvalidSpec
            | Reason::Unsupported
            | Reason::UserDataTooLarge
            | Reason::ImageClassMismatch
            | Reason::InfraBuildFailed
    )
}

fn scheduled(facts: &Facts<'_>) -> Option<Wanted> {
    let say = |truth, reason, message: &str| {
        Some(Wanted::new(
            ConditionType::Scheduled,
            truth,
            reason,
            message,
        ))
    };
    match (&facts.scheduled, &facts.pass) {
        (Some(scheduled), _) => say(Truth::True, Reason::Scheduled, &place(scheduled)),
        (None, Pass::Blocked { reason, message }) => say(Truth::False, *reason, message),
        (None, Pass::Done) => say(Truth::Unknown, Reason::Scheduling, "a place is looked for"),
        (None, Pass::Paused | Pass::Deleting { .. }) => None,
    }
}

fn place(scheduled: &Scheduled) -> String {
    format!("{}/{}", scheduled.provider_name, scheduled.failure_domain)
}

fn placement_valid(facts: &Facts<'_>, old: &[Condition]) -> Option<Wanted> {
    facts.scheduled.as_ref()?;
    let say = |truth, reason, message: &str| {
        Some(Wanted::new(
            ConditionType::PlacementValid,
            truth,
            reason,
            message,
        ))
    };
    if facts.migration.is_some() {
        return say(
            Truth::False,
            Reason::Migrating,
            "the machine is being made again elsewhere",
        );
    }
    match facts.placement {
        Some(Decision::Keep { .. }) => say(Truth::True, Reason::PlacementValid, ""),
        Some(
            Decision::Surface {
                reason, message, ..
            }
            | Decision::Move {
                reason, message, ..
            },
        ) => say(Truth::False, *reason, message),
        None => find(old, ConditionType::PlacementValid)
            .map(|known| Wanted::mirrored(ConditionType::PlacementValid, known)),
    }
}

fn migrating(facts: &Facts<'_>) -> Option<Wanted> {
    let migration = facts.migration?;
    let message = format!(
        "from {}/{} to {}/{}",
        migration.from.provider_name,
        migration.from.failure_domain,
        migration.to.provider_name,
        migration.to.failure_domain
    );
    Some(Wanted::new(
        ConditionType::Migrating,
        true,
        Reason::Migrating,
        message,
    ))
}

/// What the machine object says, under the same type or, for its `Ready`, as
/// `InfrastructureReady`. A machine that never had an object has none of these.
fn mirrored(facts: &Facts<'_>) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    let kind = ConditionType::InfrastructureReady;
    match (infrastructure(facts), facts.machine, &facts.scheduled) {
        (Some(source), _, _) => wanted.push(Wanted::mirrored(kind, source)),
        (None, Some(_), _) => {
            wanted.push(Wanted::new(
                kind,
                Truth::Unknown,
                Reason::Pending,
                NO_STATUS,
            ));
        }
        (None, None, Some(_)) => {
            wanted.push(Wanted::new(
                kind,
                Truth::Unknown,
                Reason::Pending,
                NO_MACHINE,
            ));
        }
        (None, None, None) => {}
    }
    let source = facts
        .machine
        .map_or(&[][..], |machine| machine.status.conditions);
    for kind in [ConditionType::GuestReady, ConditionType::ResizePending] {
        wanted.extend(find(source, kind).map(|condition| Wanted::mirrored(kind, condition)));
    }
    wanted
}
