//! One file per command: from resolved input to output and an exit code.

mod check;
mod completion;
mod diff;
pub mod explain;
pub mod init;
mod input;
mod plan;
mod progress;
mod removals;
pub mod render;
pub mod schema;

use std::io;

use crate::{
    check::kinds::KindError,
    cli::{Cli, Command},
    diagnostic::Diagnostic,
    printer::Printer,
    render::RenderError,
    tree::TreeError,
};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// As wanted.
    Success,
    /// Not as wanted: findings, differences, or something failed.
    Failure,
    /// The command line asks for something that there is none of.
    Usage,
}

impl Exit {
    /// The process's exit code.
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failure => 1,
            Self::Usage => 2,
        }
    }
}

/// Why a command could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The fleet has faults; each is shown with its place.
    #[error("{} problems", .0.len())]
    Diagnostics(Vec<Diagnostic>),
    /// The arguments ask for something that the fleet does not have.
    #[error("{} problems with the arguments", .0.len())]
    Arguments(Vec<Diagnostic>),
    /// The arguments make no sense, whatever the fleet is.
    #[error("{0}")]
    Usage(String),
    /// Rendering failed.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The CRDs that objects are checked against cannot be used.
    #[error(transparent)]
    Kinds(#[from] KindError),
    /// The tree cannot be read or written.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// Standard output or a file could not be written.
    #[error("cannot write {what}")]
    Write {
        /// What was being written.
        what: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// A file is in the way.
    #[error("{0}")]
    InTheWay(String),
    /// Data that has no JSON form.
    #[error("cannot encode {what}")]
    Encode {
        /// What was being encoded.
        what: &'static str,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// Threads cannot be started.
    #[error("cannot start threads")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

impl CommandError {
    /// An error of writing data to standard output.
    fn output(source: io::Error) -> Self {
        Self::Write {
            what: "standard output".to_owned(),
            source,
        }
    }

    /// Whether the reader of our output went away, which is its right.
    fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Write { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// Runs a command and tells the user how it went.
pub fn run(cli: Cli) -> Exit {
    let printer = Printer::new(&cli.global);
    let result = match cli.command {
        Command::Render(args) => render::run(&args, printer),
        Command::Plan(args) => plan::run(&args, printer),
        Command::Check(args) => check::run(&args, printer),
        Command::Diff(args) => diff::run(&args, printer),
        Command::Init(args) => init::run(&args, printer),
        Command::Schema(args) => schema::run(&args, printer),
        Command::Explain(args) => explain::run(&args, printer),
        Command::Completion(args) => completion::run(&args, printer),
    };
    match result {
        Ok(exit) => exit,
        Err(error) if error.is_closed_pipe() => Exit::Success,
        Err(CommandError::Diagnostics(found)) => {
            printer.diagnostics(&found);
            Exit::Failure
        }
        Err(CommandError::Arguments(found)) => {
            printer.diagnostics(&found);
            Exit::Usage
        }
        Err(CommandError::Usage(message)) => {
            printer.fail(&message);
            Exit::Usage
        }
        Err(error) => {
            printer.fail(&chain(&error));
            Exit::Failure
        }
    }
}

/// The message of an error and of everything that caused it.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let message = cause.to_string();
        if !text.contains(&message) {
            text.push_str(": ");
            text.push_str(&message);
        }
        source = cause.source();
    }
    text
}
