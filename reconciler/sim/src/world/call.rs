//! What can be asked of a world, and how it answers.

use std::time::Duration;

use banlieue_backend::{BackendError, ImageRequest, Progress};
use banlieue_core::inventory::Survey;
use banlieue_core::machine::{Identity, Observed, Step, StepKind};
use serde::{Deserialize, Serialize};

/// One call of a client.
pub enum Call {
    /// Log in.
    Connect {
        /// The password, where there is one.
        password: Option<Vec<u8>>,
    },
    /// `Inventory::survey`.
    Survey,
    /// `Images::find`.
    FindImage(ImageRequest),
    /// `Machines::observe`.
    Observe(Identity),
    /// `Machines::execute`.
    Execute(Identity, Step),
}

/// A good answer to a [`Call`].
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The session, to be shown with every other call.
    Session(u64),
    /// What there is.
    Survey(Survey),
    /// What the image is called.
    Image(Option<String>),
    /// How the machine looks.
    Observed(Option<Box<Observed>>),
    /// How far the step is.
    Progress(Progress),
}

/// How a call ends for the one who made it.
#[derive(Debug)]
pub enum Reply {
    /// With this, once `after` is over.
    Answer {
        /// How long the world lets its client wait.
        after: Duration,
        /// The answer.
        result: Result<Answer, BackendError>,
    },
    /// It does not: the connection stays open and nothing comes.
    Never,
}

/// What kind of call it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs)] // the names say it
pub enum CallKind {
    Connect,
    Survey,
    FindImage,
    Observe,
    Create,
    Configure,
    Disks,
    Seed,
    Power,
    Detach,
    Delete,
}

impl Call {
    /// What kind of call it is.
    pub fn kind(&self) -> CallKind {
        match self {
            Self::Connect { .. } => CallKind::Connect,
            Self::Survey => CallKind::Survey,
            Self::FindImage(_) => CallKind::FindImage,
            Self::Observe(_) => CallKind::Observe,
            Self::Execute(_, step) => step.kind().into(),
        }
    }

    /// The machine that it is about.
    pub fn machine(&self) -> Option<&Identity> {
        match self {
            Self::Observe(identity) | Self::Execute(identity, _) => Some(identity),
            Self::Connect { .. } | Self::Survey | Self::FindImage(_) => None,
        }
    }
}

impl From<StepKind> for CallKind {
    fn from(step: StepKind) -> Self {
        match step {
            StepKind::Create => Self::Create,
            StepKind::Configure => Self::Configure,
            StepKind::Disks => Self::Disks,
            StepKind::Seed => Self::Seed,
            StepKind::Power => Self::Power,
            StepKind::Detach => Self::Detach,
            StepKind::Delete => Self::Delete,
        }
    }
}
