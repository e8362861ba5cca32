//! What to do next about a machine, and when a pass over it ends. Pure.

use banlieue_core::machine::{
    Capabilities, Desired, Next, Observed, Step, StepKind, Trouble, plan,
};
use banlieue_schemas::conditions::Reason;

use super::status::Outcome;
use crate::problem::Problem;

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// Tell the backend this.
    Do(Step),
    /// Nothing more in this pass.
    End(Outcome),
}

/// Decides. `last` is what was done just now.
pub(super) fn next(
    desired: &Desired,
    observed: Option<&Observed>,
    made_before: bool,
    can: &Capabilities,
    last: Option<&Step>,
) -> Move {
    let plan = plan(desired, observed, made_before, can);
    match plan.next {
        // It was done and does not show yet: doing it at once again would go on for ever.
        Next::Do(step) if Some(&step) == last => Move::End(Outcome::Working(step.kind())),
        Next::Do(step) => Move::Do(step),
        Next::Wait(work) => Move::End(Outcome::Working(work.step)),
        Next::Nothing => Move::End(Outcome::Settled(plan.pending)),
        Next::Stop(trouble) => Move::End(Outcome::Held(problem(trouble))),
    }
}

fn problem(trouble: Trouble) -> Problem {
    match trouble {
        Trouble::Missing => Problem::stalled(
            Reason::BackendMissing,
            "the machine is gone from its backend, and its data with it; it is not made again: \
             delete this object",
        ),
        Trouble::Foreign => Problem::stalled(
            Reason::BackendForeign,
            "a machine that was not made for this object has its identity on the backend; it is \
             left alone",
        ),
    }
}

/// How a condition speaks of work of that kind.
pub(super) const fn doing(step: StepKind) -> (Reason, &'static str) {
    let message = match step {
        StepKind::Create => return (Reason::Cloning, "the machine is being made from its image"),
        StepKind::Configure => "CPUs, memory or interfaces are being changed",
        StepKind::Disks => "disks are being added or grown",
        StepKind::Seed => "the data of the first boot is being written",
        StepKind::Power => "the power state is being changed",
        StepKind::Detach => "what was not made for the machine is being detached",
        StepKind::Delete => "the machine is being removed from its backend",
    };
    (Reason::Progressing, message)
}
