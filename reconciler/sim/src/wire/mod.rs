//! What goes over the wire between [`client`] and [`server`]: JSON, under `/v1/`.
//!
//! A world's own errors are answers like others; HTTP statuses only say whether the request reached
//! it.
//!
//! [`client`]: crate::client
//! [`server`]: crate::server

pub(crate) mod cross;
mod machine;
mod survey;

#[cfg(test)]
mod tests;

use banlieue_backend::{BackendError, ErrorKind, Hint as Heard};
use banlieue_core::machine::Identity;
use serde::{Deserialize, Serialize};

use self::cross::Cross;
use crate::words;
use crate::world::call;
use crate::world::spec::Abilities;

/// `POST /v1/worlds/{world}/sessions`
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct LogIn {
    pub(crate) password: Option<Vec<u8>>,
}

/// A good answer to a [`LogIn`].
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct LoggedIn {
    pub(crate) session: u64,
    pub(crate) abilities: Abilities,
    pub(crate) hint_cursor: u64,
}

/// `POST /v1/worlds/{world}/calls`
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CallRequest {
    pub(crate) session: u64,
    pub(crate) call: Call,
}

/// A call. Machines are named by the UID of their object.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Call {
    Survey,
    FindImage(survey::ImageRequest),
    Observe { uid: String },
    Execute { uid: String, step: machine::Step },
}

/// An answer to a [`Call`].
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Answer {
    Survey(survey::Survey),
    Image(Option<String>),
    Observed(Option<Box<machine::Observed>>),
    Progress(machine::Progress),
}

/// How a request ended.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Ended<T> {
    Ok(T),
    Error(Failure),
}

/// An error.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Failure {
    #[serde(with = "words::error_kind")]
    kind: ErrorKind,
    message: String,
}

/// `POST /v1/worlds/{world}/hints`: answered when something changes, at the latest after a while.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct HintsRequest {
    pub(crate) cursor: u64,
    pub(crate) wait_ms: u64,
}

/// The answer to a [`HintsRequest`].
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Hints {
    pub(crate) hints: Vec<Hint>,
    pub(crate) cursor: u64,
}

/// Which machine may have changed.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Hint {
    Machine(String),
    Any,
}

impl From<Call> for call::Call {
    fn from(call: Call) -> Self {
        match call {
            Call::Survey => Self::Survey,
            Call::FindImage(request) => Self::FindImage(request.cross()),
            Call::Observe { uid } => Self::Observe(Identity::of(uid)),
            Call::Execute { uid, step } => Self::Execute(Identity::of(uid), step.cross()),
        }
    }
}

impl Call {
    /// A call as it is sent. None for the one that has a request of its own.
    pub(crate) fn sent(call: call::Call) -> Option<Self> {
        Some(match call {
            call::Call::Connect { .. } => return None,
            call::Call::Survey => Self::Survey,
            call::Call::FindImage(request) => Self::FindImage(request.cross()),
            call::Call::Observe(identity) => Self::Observe {
                uid: identity.uid().to_owned(),
            },
            call::Call::Execute(identity, step) => Self::Execute {
                uid: identity.uid().to_owned(),
                step: step.cross(),
            },
        })
    }
}

impl From<Answer> for call::Answer {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Survey(survey) => Self::Survey(survey.cross()),
            Answer::Image(found) => Self::Image(found),
            Answer::Observed(seen) => Self::Observed(seen.cross()),
            Answer::Progress(progress) => Self::Progress(progress.cross()),
        }
    }
}

impl Answer {
    /// An answer as it is sent. None for the one that has a response of its own.
    pub(crate) fn sent(answer: call::Answer) -> Option<Self> {
        Some(match answer {
            call::Answer::Session(_) => return None,
            call::Answer::Survey(survey) => Self::Survey(survey.cross()),
            call::Answer::Image(found) => Self::Image(found),
            call::Answer::Observed(seen) => Self::Observed(seen.cross()),
            call::Answer::Progress(progress) => Self::Progress(progress.cross()),
        })
    }
}

impl<T> Ended<T> {
    /// What the client gets.
    pub(crate) fn received(self) -> Result<T, BackendError> {
        match self {
            Self::Ok(answer) => Ok(answer),
            Self::Error(failure) => Err(BackendError::new(failure.kind, failure.message)),
        }
    }
}

impl<T> From<Result<T, BackendError>> for Ended<T> {
    fn from(result: Result<T, BackendError>) -> Self {
        match result {
            Ok(answer) => Self::Ok(answer),
            Err(error) => Self::Error(Failure {
                kind: error.kind(),
                message: error.message().to_owned(),
            }),
        }
    }
}

impl Cross<Hint> for Heard {
    fn cross(self) -> Hint {
        match self {
            Self::Machine(uid) => Hint::Machine(uid),
            Self::Any => Hint::Any,
        }
    }
}

impl Cross<Heard> for Hint {
    fn cross(self) -> Heard {
        match self {
            Self::Machine(uid) => Heard::Machine(uid),
            Self::Any => Heard::Any,
        }
    }
}
