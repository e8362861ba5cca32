//! The effects on the backend: look, do a step, look again.

use std::time::Duration;

use banlieue_backend::{BackendError, Connect, Progress};
use banlieue_core::machine::{Observed, Step};
use banlieue_kit::runner::Next;

use super::apply::identity;
use super::dereference::References;
use super::plan::{self, Move};
use super::status::{Outcome, present};
use super::validate::desired;
use super::{Machine, MachineReconciler};
use crate::errors::Error;
use crate::problem::Problem;
use crate::session::{CallError, Look};

/// A pass over a machine, and what it came to.
#[derive(Debug)]
pub(super) struct Pass {
    pub(super) outcome: Outcome,
    /// The machine as it was seen last.
    pub(super) observed: Option<Observed>,
    /// Failure domain that it is or will be in.
    pub(super) zone: Option<String>,
    /// When to look again, if nothing is heard before.
    pub(super) again: Option<Duration>,
    /// What the backend said, where it failed.
    pub(super) error: Option<(Problem, BackendError)>,
}

impl From<Outcome> for Pass {
    fn from(outcome: Outcome) -> Self {
        Self {
            outcome,
            observed: None,
            zone: None,
            again: None,
            error: None,
        }
    }
}

impl Pass {
    /// What the runner is told.
    pub(super) fn next(self) -> Result<Next, Error> {
        match (self.error, self.again) {
            (Some((problem, source)), _) => Err(Error::backend(problem, source)),
            (None, Some(again)) => Ok(Next::After(again)),
            (None, None) => Ok(Next::Wait),
        }
    }
}

impl<M: Machine, C: Connect, L: Look> MachineReconciler<M, C, L> {
    /// Brings the machine to where it should be, as far as that goes now.
    pub(super) async fn bring(&self, machine: &M, references: &References) -> Pass {
        let mut pass = Pass::from(Outcome::Settled(Vec::new()));
        pass.zone = machine.status_view().failure_domain.map(str::to_owned);
        let problem = match self.advance(machine, references, &mut pass).await {
            Ok(()) => return pass,
            Err(CallError::NoAccess(problem)) => problem,
            Err(CallError::Backend(error)) => {
                let problem = Problem::of(&self.config.provider, &error);
                pass.error = Some((problem.clone(), error));
                problem
            }
        };
        pass.outcome = Outcome::Failed(problem);
        pass
    }

    /// One step after the other while they are done at once. What was seen stays in `pass`, also
    /// if a later call fails.
    async fn advance(
        &self,
        machine: &M,
        references: &References,
        pass: &mut Pass,
    ) -> Result<(), CallError> {
        let identity = identity(machine.meta());
        let made = machine.provider_id().is_some() || machine.status_view().provisioned;
        pass.observed = self.session.observe(&identity).await?;
        let can = self.session.capabilities().await?;
        let exists = made || present(pass.observed.as_ref()).is_some();
        let desired = match desired(machine, &identity, references, exists, &can) {
            Ok(desired) => desired,
            Err(problem) => {
                pass.outcome = Outcome::Held(problem);
                return Ok(());
            }
        };
        pass.zone = Some(desired.zone.clone());
        let mut last: Option<Step> = None;
        loop {
            let observed = pass.observed.as_ref();
            let step = match plan::next(&desired, observed, made, &can, last.as_ref()) {
                Move::Do(step) => step,
                Move::End(outcome) => {
                    let works = matches!(outcome, Outcome::Working(_));
                    pass.again = works.then_some(self.config.look_again);
                    pass.outcome = outcome;
                    return Ok(());
                }
            };
            match self.session.execute(&identity, &step).await? {
                Progress::InFlight { handle, look_again } => {
                    tracing::debug!(step = %step.kind(), handle, "the backend works");
                    pass.outcome = Outcome::Working(step.kind());
                    pass.again = Some(look_again);
                    return Ok(());
                }
                Progress::Done => {
                    pass.observed = self.session.observe(&identity).await?;
                    last = Some(step);
                }
            }
        }
    }
}
