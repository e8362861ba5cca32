//! Work that a world is doing.

use std::time::Duration;

use banlieue_core::machine::{InFlight, Step};
use uuid::Uuid;

/// Which work it is. A machine has at most one of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Purpose {
    /// A step that somebody asked for.
    Step,
    /// The guest boots.
    Boot,
}

/// Machine and purpose: what a task is found by.
pub(super) type TaskKey = (Uuid, Purpose);

/// A piece of work.
#[derive(Clone, Debug)]
pub(super) struct Task {
    /// Number, counted from 1 in the whole world.
    pub(super) id: u64,
    /// The step, unless the guest boots.
    pub(super) step: Option<Step>,
    /// When it ends by itself. None means never.
    pub(super) ends: Option<Duration>,
    /// Whether only a half of it gets done.
    pub(super) half: bool,
    /// Space that is not on a disk yet, by pool, in GiB.
    pub(super) reserved: Vec<(String, u64)>,
}

impl Task {
    /// What the hypervisor calls it.
    pub(super) fn handle(&self) -> String {
        format!("task-{}", self.id)
    }

    /// As one who observes the machine sees it.
    pub(super) fn in_flight(&self) -> Option<InFlight> {
        Some(InFlight {
            step: self.step.as_ref()?.kind(),
            handle: self.handle(),
        })
    }
}
