//! One file per command: its arguments, and what it does with them.

pub mod bootstrap;
pub mod completion;
pub mod controller;
pub mod operator;
#[cfg(feature = "sim")]
pub mod provider;
#[cfg(feature = "sim")]
pub mod sim;
mod version;

use std::io::{self, Write};
use std::process::ExitCode;

use banlieue_kit::client::ConnectError;
use banlieue_kit::errors::{ApiError, chain};
use banlieue_kit::process::ProcessError;
use banlieue_kit::runner::CutOff;
use banlieue_kit::telemetry::TelemetryError;

use crate::cli::{Cli, Command};

/// Exit code for a command line that is wrong; that of `clap`.
const USAGE: u8 = 2;

/// Why a command could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// Logs or traces cannot be set up.
    #[error("cannot log")]
    Telemetry(#[from] TelemetryError),
    /// A process failed.
    #[error("the process failed")]
    Process(#[source] Box<ProcessError<CutOff>>),
    /// There is no client.
    #[error("cannot reach the API server")]
    Connect(#[from] ConnectError),
    /// The API server refused something.
    #[error("the installation is incomplete; running the command again completes it")]
    Install(#[from] ApiError),
    /// A kind was applied and is not served.
    #[error(
        "the API server does not serve {0} yet; running the command again completes the installation"
    )]
    NotServed(String),
    /// Objects that have no JSON form; none of ours.
    #[error("cannot render the platform")]
    Render(#[from] serde_json::Error),
    /// Standard output cannot be written.
    #[error("cannot write to standard output")]
    Output(#[source] io::Error),
    /// The simulator cannot start.
    #[cfg(feature = "sim")]
    #[error(transparent)]
    Sim(#[from] sim::SimError),
    /// There is no runtime, or no signals.
    #[error("cannot start")]
    Start(#[source] io::Error),
}

impl CommandError {
    fn code(&self) -> u8 {
        match self {
            Self::Telemetry(TelemetryError::Filter { .. }) => USAGE,
            #[cfg(feature = "sim")]
            Self::Sim(error) if error.is_usage() => USAGE,
            _ => 1,
        }
    }

    /// Whether the reader of our output went away, which is its right.
    fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// Runs a command and tells how it went.
pub fn run(cli: Cli) -> ExitCode {
    let result = match cli.command {
        Command::Controller(args) => asynchronously(controller::run(args)),
        Command::Operator(args) => asynchronously(operator::run(args)),
        #[cfg(feature = "sim")]
        Command::Provider(command) => asynchronously(provider::run(command)),
        #[cfg(feature = "sim")]
        Command::Sim(args) => asynchronously(sim::run(args)),
        Command::Bootstrap(command) => bootstrap::run(&command),
        Command::Completion(args) => completion::run(&args),
        Command::Version => version::run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is_closed_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            // A process has logged its end.
            if !matches!(error, CommandError::Process(_)) {
                // Whoever closed standard error does not want to know.
                let _ = writeln!(io::stderr(), "error: {}", chain(&error));
            }
            ExitCode::from(error.code())
        }
    }
}

/// Runs a command on a runtime with a thread for each core.
fn asynchronously(
    work: impl Future<Output = Result<(), CommandError>>,
) -> Result<(), CommandError> {
    let runtime = tokio::runtime::Runtime::new().map_err(CommandError::Start)?;
    runtime.block_on(work)
}
