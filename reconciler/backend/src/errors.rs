//! Why a call to a backend failed.

use std::error::Error;
use std::fmt;

/// What kind of failure it is. It decides what happens next, and nothing else does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// It may work next time: a timeout, a lost connection, an overloaded server.
    Retry,
    /// Something else works on the same machine or image; look again soon.
    Busy,
    /// The backend understood and says no: out of space, a name taken, a bad value.
    Refused,
    /// The session or the credentials are not accepted, or lack a privilege.
    Auth,
    /// The backend cannot do this at all.
    Unsupported,
    /// Something that the call names does not exist: an image, a network, a zone. Never the machine
    /// itself: its absence is an answer.
    NotFound,
}

impl ErrorKind {
    /// Every kind.
    pub const ALL: [Self; 6] = [
        Self::Retry,
        Self::Busy,
        Self::Refused,
        Self::Auth,
        Self::Unsupported,
        Self::NotFound,
    ];

    /// A word for metrics and logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Busy => "busy",
            Self::Refused => "refused",
            Self::Auth => "auth",
            Self::Unsupported => "unsupported",
            Self::NotFound => "not_found",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A failed call to a backend.
///
/// The message becomes part of a condition: it stays the same while the fault does, and holds no
/// credential. Details that change go into the source, which is only logged.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct BackendError {
    kind: ErrorKind,
    message: String,
    #[source]
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl BackendError {
    /// An error without a cause.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            source: None,
        }
    }

    /// The same error with what caused it.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What kind of failure it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What failed, for people.
    pub fn message(&self) -> &str {
        &self.message
    }
}
