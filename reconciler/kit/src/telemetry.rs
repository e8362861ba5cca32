//! Log lines, as text for people or JSON for machines.

use std::io::IsTerminal;

use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};
use tracing_subscriber::{Layer, Registry};

/// Shape of log lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// One line each, with colours on a terminal.
    #[default]
    Text,
    /// One JSON object each.
    Json,
}

/// Starts logging to standard error. `level` is a level, or directives such as
/// `info,kube=debug`.
///
/// Fails if the process logs already.
pub fn start(format: Format, filter: Targets) -> Result<(), TryInitError> {
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let lines = match format {
        Format::Text => lines.with_ansi(std::io::stderr().is_terminal()).boxed(),
        Format::Json => lines.json().flatten_event(true).boxed(),
    };
    Registry::default()
        .with(lines.with_filter(filter))
        .try_init()
}
