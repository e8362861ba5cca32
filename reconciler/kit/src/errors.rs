//! What went wrong, as data: a kind that decides what happens next, and a chain that is printed
//! once.
//!
//! An error's `Display` says what its own layer could not do and never repeats its source; whoever
//! reports it prints [`chain`]. Kinds come from HTTP statuses and `Status.reason`, never from the
//! text of a message.

use std::error::Error;
use std::fmt;

use banlieue_schemas::conditions::Reason;
use kube::core::Status;

/// What an error means for whoever reconciles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ErrorKind {
    /// The API server was not reached, was overloaded or answered nonsense. Passes by itself.
    Transient,
    /// The object changed since it was read. Passes with the next look.
    Conflict,
    /// The API server withholds the right. A person has to grant it.
    Forbidden,
    /// What a request named does not exist.
    NotFound,
    /// The namespace is being deleted: nothing can be made in it any more.
    Terminating,
    /// What was sent, or what is stored, breaks the rules of its kind.
    Invalid,
    /// The hypervisor failed or refused.
    Backend,
    /// The work took longer than it may.
    Timeout,
    /// A defect of this program.
    Internal,
}

impl ErrorKind {
    /// Every kind.
    pub const ALL: [Self; 9] = [
        Self::Transient,
        Self::Conflict,
        Self::Forbidden,
        Self::NotFound,
        Self::Terminating,
        Self::Invalid,
        Self::Backend,
        Self::Timeout,
        Self::Internal,
    ];

    /// Value of the label `kind` of metrics and log lines.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Transient => "transient",
            Self::Conflict => "conflict",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not_found",
            Self::Terminating => "terminating",
            Self::Invalid => "invalid",
            Self::Backend => "backend",
            Self::Timeout => "timeout",
            Self::Internal => "internal",
        }
    }

    /// Whether people are told by an Event. What passes by itself is logged and counted only.
    pub const fn concerns_people(self) -> bool {
        !matches!(self, Self::Transient | Self::Conflict | Self::Terminating)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<&kube::Error> for ErrorKind {
    fn from(error: &kube::Error) -> Self {
        match error {
            kube::Error::Api(status) => status_kind(status),
            kube::Error::BuildRequest(_) | kube::Error::HttpError(_) => Self::Internal,
            _ => Self::Transient,
        }
    }
}

fn status_kind(status: &Status) -> ErrorKind {
    if status.is_not_found() {
        ErrorKind::NotFound
    } else if status.is_conflict() || status.is_already_exists() {
        ErrorKind::Conflict
    } else if is_terminating(status) {
        ErrorKind::Terminating
    } else if status.is_forbidden() {
        ErrorKind::Forbidden
    } else if status.is_invalid() {
        ErrorKind::Invalid
    } else {
        match status.code {
            401 | 403 => ErrorKind::Forbidden,
            404 => ErrorKind::NotFound,
            409 => ErrorKind::Conflict,
            400 | 413 | 415 | 422 => ErrorKind::Invalid,
            _ => ErrorKind::Transient,
        }
    }
}

/// The API server forbids to make things in a namespace that is being deleted, and says so in a
/// cause.
fn is_terminating(status: &Status) -> bool {
    let details = status.details.iter();
    let mut causes = details.flat_map(|details| &details.causes);
    causes.any(|cause| cause.reason == "NamespaceTerminating")
}

/// An error of a [`Reconciler`](crate::runner::Reconciler).
pub trait ReconcileError: Error + Send + Sync + 'static {
    /// Decides metrics, Events and what happens next.
    fn kind(&self) -> ErrorKind;

    /// Reason of the Event; [`Reason::ReconcileFailed`] unless something says more.
    fn reason(&self) -> Reason {
        Reason::ReconcileFailed
    }
}

/// A request to the API server that failed.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {object}")]
pub struct ApiError {
    action: &'static str,
    object: String,
    kind: ErrorKind,
    #[source]
    source: Box<dyn Error + Send + Sync>,
}

impl ApiError {
    /// Says which request failed. `action` is a verb such as `apply`, `object` a kind and a name.
    pub fn new(action: &'static str, object: impl fmt::Display, error: kube::Error) -> Self {
        let kind = ErrorKind::from(&error);
        // The client's own messages repeat their sources.
        let source: Box<dyn Error + Send + Sync> = match error {
            kube::Error::Api(status) => status,
            kube::Error::Service(source) => source,
            kube::Error::HyperError(source) => Box::new(source),
            kube::Error::SerdeError(source) => Box::new(source),
            other => Box::new(other),
        };
        Self::other(action, object, kind, source)
    }

    pub(crate) fn other(
        action: &'static str,
        object: impl fmt::Display,
        kind: ErrorKind,
        source: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        Self {
            action,
            object: object.to_string(),
            kind,
            source: source.into(),
        }
    }

    /// The same, where the caller knows better what it means.
    pub(crate) fn with_kind(self, kind: ErrorKind) -> Self {
        Self { kind, ..self }
    }

    /// What the failure means.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl ReconcileError for ApiError {
    fn kind(&self) -> ErrorKind {
        self.kind
    }
}

/// An error and its sources, each once, as `outer: inner: innermost`.
///
/// A source that the layer above has already printed, as some libraries do, is left out.
pub fn chain<'a>(error: &'a (dyn Error + 'static)) -> Chain<'a> {
    Chain(error)
}

/// What [`chain`] gives.
#[derive(Clone, Copy, Debug)]
pub struct Chain<'a>(&'a (dyn Error + 'static));

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut above = self.0.to_string();
        f.write_str(&above)?;
        for cause in std::iter::successors(self.0.source(), |&cause| cause.source()) {
            let text = cause.to_string();
            if above.ends_with(&text) {
                continue;
            }
            write!(f, ": {text}")?;
            above = text;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    fn answer(code: u16, reason: &str) -> kube::Error {
        kube::Error::Api(Status::failure("text", reason).with_code(code).boxed())
    }

    #[test]
    fn a_kind_comes_from_code_and_reason() {
        let table = [
            (404, "NotFound", ErrorKind::NotFound),
            (409, "Conflict", ErrorKind::Conflict),
            (409, "AlreadyExists", ErrorKind::Conflict),
            (403, "Forbidden", ErrorKind::Forbidden),
            (401, "Unauthorized", ErrorKind::Forbidden),
            (422, "Invalid", ErrorKind::Invalid),
            (422, "", ErrorKind::Invalid),
            (400, "BadRequest", ErrorKind::Invalid),
            (413, "RequestEntityTooLarge", ErrorKind::Invalid),
            (429, "TooManyRequests", ErrorKind::Transient),
            (500, "InternalError", ErrorKind::Transient),
            (503, "ServiceUnavailable", ErrorKind::Transient),
            (504, "Timeout", ErrorKind::Transient),
        ];
        for (code, reason, kind) in table {
            assert_eq!(
                ErrorKind::from(&answer(code, reason)),
                kind,
                "{code} {reason}"
            );
        }
    }

    #[test]
    fn a_namespace_that_is_going_is_not_a_missing_right() {
        let status: Status = serde_json::from_value(serde_json::json!({
            "status": "Failure", "code": 403, "reason": "Forbidden", "message": "text",
            "details": { "causes": [{ "reason": "NamespaceTerminating", "message": "text" }] },
        }))
        .unwrap();
        let kind = ErrorKind::from(&kube::Error::Api(status.boxed()));
        assert_eq!(kind, ErrorKind::Terminating);
        assert!(!kind.concerns_people());
    }

    #[test]
    fn the_text_of_a_message_decides_nothing() {
        let status = Status::failure("not found, conflict, forbidden", "").with_code(500);
        let error = kube::Error::Api(status.boxed());
        assert_eq!(ErrorKind::from(&error), ErrorKind::Transient);
    }

    #[test]
    fn a_chain_prints_every_layer_once() {
        let error = ApiError::new("apply", "SimMachine a/b", answer(403, "Forbidden"));
        assert_eq!(error.to_string(), "cannot apply SimMachine a/b");
        assert_eq!(
            chain(&error).to_string(),
            "cannot apply SimMachine a/b: text: Forbidden"
        );
    }

    #[test]
    fn a_source_that_was_printed_is_left_out() {
        #[derive(Debug, thiserror::Error)]
        #[error("outer: {0}")]
        struct Repeats(#[source] std::num::ParseIntError);
        let source = "x".parse::<u8>().unwrap_err();
        let text = source.to_string();
        assert_eq!(
            chain(&Repeats(source)).to_string(),
            format!("outer: {text}")
        );
    }
}
