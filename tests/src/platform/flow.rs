//! What is done to a machine, and what must hold after it.

use std::fmt;
use std::sync::Arc;

use anyhow::Result;
use banlieue_schemas::platform::VirtualMachine;
use serde_json::json;

use super::{Case, Options, Platform, objects};

/// What is done to the machine of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flow {
    /// It is made on the first Provider.
    Create,
    /// It moves to a second one.
    Swap,
    /// It is deleted.
    Delete,
}

impl fmt::Display for Flow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Create => "create",
            Self::Swap => "swap",
            Self::Delete => "delete",
        })
    }
}

impl Flow {
    /// A case right before the flow.
    pub async fn prepare(self, platform: &Arc<Platform>, options: Options) -> Result<Case> {
        let providers = match self {
            Self::Swap => vec!["a", "b"],
            Self::Create | Self::Delete => vec!["a"],
        };
        let options = Options {
            providers,
            ..options
        };
        let case = Case::start(platform, options).await?;
        if !matches!(self, Self::Create) {
            case.create_machine("vm", "a").await?;
            case.machine_ready("vm", "a").await?;
            case.settled().await?;
        }
        Ok(case)
    }

    /// From after the flow to right before it. What comes of a case costs less than another case.
    pub async fn again(self, case: &Case) -> Result<()> {
        case.gate.forget();
        match self {
            Self::Create => {
                case.delete_machine("vm").await?;
                Self::Delete.end(case).await
            }
            Self::Swap => {
                place(case, "a").await?;
                ready(case, "a").await
            }
            Self::Delete => {
                case.create_machine("vm", "a").await?;
                ready(case, "a").await
            }
        }
    }

    /// The flow, until nothing happens any more, and what must hold then.
    pub async fn run(self, case: &Case) -> Result<()> {
        self.begin(case).await?;
        self.end(case).await
    }

    /// What a user does.
    pub async fn begin(self, case: &Case) -> Result<()> {
        match self {
            Self::Create => case.create_machine("vm", "a").await,
            Self::Swap => place(case, "b").await,
            Self::Delete => case.delete_machine("vm").await,
        }
    }

    /// What comes of it.
    pub async fn end(self, case: &Case) -> Result<()> {
        match self {
            Self::Create => ready(case, "a").await,
            Self::Swap => ready(case, "b").await,
            Self::Delete => {
                case.machine_gone("vm").await?;
                case.settled().await?;
                case.no_machine().await
            }
        }
    }
}

async fn place(case: &Case, side: &str) -> Result<()> {
    let patch = json!({"spec": {"placement": objects::placement(side)}});
    case.patch::<VirtualMachine>("vm", patch).await
}

async fn ready(case: &Case, side: &str) -> Result<()> {
    case.machine_ready("vm", side).await?;
    case.settled().await?;
    case.one_machine("vm", side).await
}
