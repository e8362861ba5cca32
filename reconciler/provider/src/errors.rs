//! Why a reconcile failed.

use banlieue_backend::{BackendError, ErrorKind as BackendKind};
use banlieue_kit::errors::{ApiError, ErrorKind, ReconcileError};
use banlieue_schemas::conditions::Reason;

use crate::problem::Problem;

/// Why a reconcile failed. What a condition says of it was written before.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The API server.
    #[error(transparent)]
    Api(#[from] ApiError),
    /// The backend.
    #[error("{}", problem.message)]
    Backend {
        /// What the condition says.
        problem: Problem,
        /// What the backend said.
        #[source]
        source: BackendError,
    },
}

impl Error {
    /// A failed call, and what the condition says of it.
    pub(crate) fn backend(problem: Problem, source: BackendError) -> Self {
        Self::Backend { problem, source }
    }
}

impl ReconcileError for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Api(error) => error.kind(),
            Self::Backend { source, .. } => match source.kind() {
                // The whole backend is away, and its Provider says so: no Event for each machine.
                BackendKind::Retry | BackendKind::Busy | BackendKind::Auth => ErrorKind::Transient,
                BackendKind::Refused | BackendKind::Unsupported | BackendKind::NotFound => {
                    ErrorKind::Backend
                }
            },
        }
    }

    fn reason(&self) -> Reason {
        match self {
            Self::Api(error) => error.reason(),
            Self::Backend { problem, .. } => problem.reason,
        }
    }
}
