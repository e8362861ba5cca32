//! What keeps an object from being as its spec asks, as a condition says it.

use banlieue_backend::{BackendError, ErrorKind};
use banlieue_core::conditions::{Truth, Wanted};
use banlieue_schemas::conditions::{ConditionType, Reason};

/// What is wrong. Its message stays the same for as long as the trouble does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Reason of the condition.
    pub reason: Reason,
    /// The same for people.
    pub message: String,
    /// Who can help.
    pub help: Help,
}

/// Who can help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Help {
    /// Time, or something that is watched.
    Time,
    /// Only a person.
    Person,
}

impl Problem {
    /// Something that passes, or ends with what is watched.
    pub fn waiting(reason: Reason, message: impl Into<String>) -> Self {
        Self {
            reason,
            message: message.into(),
            help: Help::Time,
        }
    }

    /// Something that only a person can end.
    pub fn stalled(reason: Reason, message: impl Into<String>) -> Self {
        Self {
            help: Help::Person,
            ..Self::waiting(reason, message)
        }
    }

    /// What a failed call means for the object that it was made for.
    ///
    /// While a backend is away its answers differ from call to call: the message says only that it
    /// is, and the Provider's own condition says more.
    pub fn of(provider: &str, error: &BackendError) -> Self {
        match error.kind() {
            ErrorKind::Retry => Self::waiting(
                Reason::ConnectFailed,
                format!("the backend of Provider {provider} does not answer as it should"),
            ),
            ErrorKind::Busy => Self::waiting(
                Reason::Progressing,
                "the backend is busy with the same object",
            ),
            ErrorKind::Auth => Self::stalled(
                Reason::Unauthorized,
                format!("the backend of Provider {provider} refuses the credentials"),
            ),
            ErrorKind::Unsupported => Self::stalled(Reason::Unsupported, error.message()),
            ErrorKind::Refused | ErrorKind::NotFound => {
                Self::stalled(Reason::ProvisionFailed, error.message())
            }
        }
    }

    /// `Ready` with this truth, and `Reconciling` or `Stalled`.
    pub fn wanted(&self, ready: Truth) -> [Wanted; 2] {
        let progress = match self.help {
            Help::Time => ConditionType::Reconciling,
            Help::Person => ConditionType::Stalled,
        };
        let say = |kind, truth| Wanted::new(kind, truth, self.reason, &self.message);
        [say(ConditionType::Ready, ready), say(progress, Truth::True)]
    }
}
