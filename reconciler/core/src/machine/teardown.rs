//! The next step towards no machine at all.

use banlieue_schemas::common::PowerState;

use super::observed::{InFlight, Observed, Stamp};
use super::step::Step;

/// What to do about a machine that must go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Teardown {
    /// Tell the backend this.
    Do(Step),
    /// The backend is at work; look again later.
    Wait(InFlight),
    /// Nothing of it is left, as a healthy session says: the finalizer may go.
    Gone,
}

/// How patient the shutdown still is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// The guest is asked to shut down.
    Graceful,
    /// It had its time.
    Overdue,
}

/// Decides the next step. A machine without our stamp counts as none: it is not ours to destroy.
pub fn teardown(observed: Option<&Observed>, leaving: Leaving) -> Teardown {
    let Some(observed) = observed.filter(|observed| observed.stamp == Stamp::Ours) else {
        return Teardown::Gone;
    };
    let overdue = leaving == Leaving::Overdue;
    match &observed.in_flight {
        // A shutdown that hangs is what the hard one is for.
        Some(work) if !(overdue && work.step == super::StepKind::Power) => {
            return Teardown::Wait(work.clone());
        }
        _ => {}
    }
    let off = observed.power == PowerState::PoweredOff;
    Teardown::Do(if observed.defined && !off {
        Step::Power {
            to: PowerState::PoweredOff,
            // A suspended guest cannot answer.
            hard: overdue || observed.power == PowerState::Suspended,
        }
    } else if observed.strangers_attached {
        Step::Detach
    } else {
        Step::Delete
    })
}
