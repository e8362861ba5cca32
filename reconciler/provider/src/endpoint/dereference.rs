//! What the backend has, or why nobody can tell.

use banlieue_backend::{BackendError, Connect, ErrorKind};
use banlieue_core::inventory::Survey;
use banlieue_schemas::conditions::Reason;
use banlieue_schemas::platform::Provider;
use kube::ResourceExt;

use super::EndpointReconciler;
use crate::problem::Problem;
use crate::session::{CallError, Look};

/// What was found out about the backend.
#[derive(Debug)]
pub(super) enum Found {
    /// What it has.
    Survey(Survey),
    /// It is not to be touched.
    Paused,
    /// It does not answer, or not us.
    Away(Problem, Option<BackendError>),
    /// It answers, but does not tell what it has.
    Unread(BackendError),
}

impl<C: Connect, L: Look> EndpointReconciler<C, L> {
    /// Surveys the backend, connecting if need be.
    pub(super) async fn dereference(&self, provider: &Provider) -> Found {
        if provider.spec.paused == Some(true) {
            return Found::Paused;
        }
        // The survey may be served by an older connection while a Secret is missing, which the
        // Provider has to say all the same.
        if let Err(problem) = self.session.access().await {
            return Found::Away(problem, None);
        }
        match self.session.survey().await {
            Ok(survey) => Found::Survey(survey),
            Err(CallError::NoAccess(problem)) => Found::Away(problem, None),
            Err(CallError::Backend(error)) => match error.kind() {
                ErrorKind::Retry | ErrorKind::Auth => {
                    Found::Away(away(provider, &error), Some(error))
                }
                ErrorKind::Busy
                | ErrorKind::Refused
                | ErrorKind::Unsupported
                | ErrorKind::NotFound => Found::Unread(error),
            },
        }
    }
}

/// The place where people look for why a backend is away: here the message says it.
fn away(provider: &Provider, error: &BackendError) -> Problem {
    let message = format!("{}: {}", provider.spec.connection.endpoint, error.message());
    match error.kind() {
        ErrorKind::Auth => Problem::stalled(Reason::Unauthorized, message),
        _ => Problem {
            message,
            ..Problem::of(&provider.name_any(), error)
        },
    }
}
