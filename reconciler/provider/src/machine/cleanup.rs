//! The end of a machine. It needs the object's UID and a session, and nothing else: neither a valid
//! spec nor a class, an image or a failure domain.
//!
//! | found | done |
//! |---|---|
//! | nothing with our stamp, as a healthy session says | the finalizer goes |
//! | the backend works, or the guest shuts down | look again; a guest has a limited time |
//! | the backend is away, the Provider or its Secret is gone, or paused | the condition says so |
//! | any of these, and `banlieue.io/abandon: "<uid>"` | the finalizer goes, an Event records it |

use std::time::Duration;

use banlieue_backend::{Connect, Progress};
use banlieue_core::machine::{Leaving, Step, StepKind, Teardown, teardown};
use banlieue_kit::Timestamp;
use banlieue_kit::errors::ApiError;
use banlieue_kit::events::{Saying, Severity};
use banlieue_kit::finalizer;
use banlieue_schemas::conditions::Reason;
use banlieue_schemas::labels::ABANDON;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::apply::{identity, manager};
use super::backend::Pass;
use super::plan::doing;
use super::status::Outcome;
use super::{Machine, MachineReconciler};
use crate::problem::Problem;
use crate::session::{CallError, Look};

/// How far a teardown is.
#[derive(Debug)]
enum Left {
    Nothing,
    Work(StepKind, Duration),
}

/// What a person says about giving a machine up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Abandon {
    Unasked,
    Asked,
    /// The UID is that of another object.
    WrongUid,
}

impl<M: Machine, C: Connect, L: Look> MachineReconciler<M, C, L> {
    /// Removes what the backend has of the machine, then our finalizer. `None` once that is gone,
    /// else what it waits for.
    pub(super) async fn remove(
        &self,
        meta: &ObjectMeta,
        now: Timestamp,
    ) -> Result<Option<Pass>, ApiError> {
        if !finalizer::has(meta, M::FINALIZER) || self.machines.was_let_go(meta) {
            return Ok(None);
        }
        let left = match self.provider().paused(meta) {
            Some(why) => Err(CallError::NoAccess(Problem::waiting(Reason::Paused, why))),
            None => self.tear_down(meta, now).await,
        };
        if !matches!(left, Ok(Left::Nothing)) {
            let abandon = abandon(meta);
            if abandon != Abandon::Asked {
                return Ok(Some(self.waiting(left, abandon)));
            }
            let saying = Saying {
                severity: Severity::Warning,
                reason: Reason::Abandoned,
                action: "Abandon",
                note: format!("given up by {ABANDON}: the backend may still have the machine"),
            };
            self.events.say::<M>(meta, &saying, now).await;
        }
        finalizer::remove::<M>(&self.client, &manager::<M>(), meta, M::FINALIZER).await?;
        self.machines.let_go(meta);
        Ok(None)
    }

    async fn tear_down(&self, meta: &ObjectMeta, now: Timestamp) -> Result<Left, CallError> {
        let identity = identity(meta);
        let patience = patience(meta, self.config.shutdown_grace, now);
        let leaving = match patience {
            Some(_) => Leaving::Graceful,
            None => Leaving::Overdue,
        };
        // A guest that shuts down is looked at again when its time is over, at the latest.
        let again = |time: Duration| patience.map_or(time, |left| time.min(left));
        let mut last: Option<Step> = None;
        loop {
            let observed = self.session.observe(&identity).await?;
            let step = match teardown(observed.as_ref(), leaving) {
                Teardown::Gone => return Ok(Left::Nothing),
                Teardown::Wait(work) => {
                    return Ok(Left::Work(work.step, again(self.config.look_again)));
                }
                Teardown::Do(step) if last.as_ref() == Some(&step) => {
                    return Ok(Left::Work(step.kind(), again(self.config.look_again)));
                }
                Teardown::Do(step) => step,
            };
            match self.session.execute(&identity, &step).await? {
                Progress::Done => last = Some(step),
                Progress::InFlight { handle, look_again } => {
                    tracing::debug!(step = %step.kind(), handle, "the backend works");
                    return Ok(Left::Work(step.kind(), again(look_again)));
                }
            }
        }
    }

    fn waiting(&self, left: Result<Left, CallError>, abandon: Abandon) -> Pass {
        let (message, again, error) = match left {
            Ok(Left::Nothing) => (String::new(), None, None),
            Ok(Left::Work(step, again)) => (doing(step).1.to_owned(), Some(again), None),
            Err(CallError::NoAccess(problem)) => (stuck(&problem), None, None),
            Err(CallError::Backend(error)) => {
                let problem = Problem::of(&self.config.provider, &error);
                (stuck(&problem), None, Some((problem, error)))
            }
        };
        let message = match abandon {
            Abandon::WrongUid => {
                format!(
                    "{message}; {ABANDON} names another UID than this object's and does nothing"
                )
            }
            Abandon::Unasked | Abandon::Asked => message,
        };
        Pass {
            again,
            error,
            ..Pass::from(Outcome::Leaving(message))
        }
    }
}

fn stuck(problem: &Problem) -> String {
    let Problem { message, .. } = problem;
    format!(
        "the machine cannot be removed from its backend: {message}; the annotation {ABANDON} with \
         this object's UID gives it up"
    )
}

fn abandon(meta: &ObjectMeta) -> Abandon {
    let asked = meta.annotations.as_ref().and_then(|all| all.get(ABANDON));
    match asked {
        None => Abandon::Unasked,
        Some(uid) if meta.uid.as_ref() == Some(uid) => Abandon::Asked,
        Some(_) => Abandon::WrongUid,
    }
}

/// How long the guest may still take to shut down, `None` once its time is over.
fn patience(meta: &ObjectMeta, grace: Duration, now: Timestamp) -> Option<Duration> {
    let since = meta.deletion_timestamp.as_ref()?;
    let waited = now.duration_since(since.0);
    let waited = Duration::try_from(waited).unwrap_or_default();
    grace.checked_sub(waited).filter(|left| !left.is_zero())
}
