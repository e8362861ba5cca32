//! Log lines, as text for people or JSON for machines, and traces to a collector.
//!
//! Traces are off until `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`
//! names a collector, which then gets them as OTLP over HTTP. The other variables of that family
//! hold too. A build without the feature `otlp` only logs.

#[cfg(feature = "otlp")]
mod otlp;

use std::error::Error;
use std::io::IsTerminal;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};
use tracing_subscriber::{Layer, Registry};

const LIBRARY: &str = "kube_runtime::controller";

/// Shape of log lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// One line each, with colours on a terminal.
    #[default]
    Text,
    /// One JSON object each.
    Json,
}

/// What is logged and traced, and as whom.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Shape of log lines.
    pub format: Format,
    /// A level, or directives such as `info,kube=debug`.
    pub filter: String,
    /// Name of the program in traces, such as `banlieue-controller`.
    pub service: String,
    /// Its version in traces.
    pub version: String,
}

/// Why the process is silent.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The filter is not one.
    #[error("{filter:?} is not a log level, such as info, nor a list such as info,kube=debug")]
    Filter {
        /// What was given.
        filter: String,
        /// What is wrong with it.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// The collector named by the environment cannot be used.
    #[error("cannot set up traces to the collector that the environment names")]
    Collector(#[source] Box<dyn Error + Send + Sync>),
    /// It was started before.
    #[error("the process logs already")]
    Started(#[source] TryInitError),
}

/// What has to be flushed at the end.
#[derive(Debug)]
#[must_use = "traces of the last seconds are lost without shutdown"]
pub struct Telemetry {
    #[cfg(feature = "otlp")]
    traces: Option<otlp::Traces>,
}

/// Starts logging to standard error, and tracing if the environment asks for it. Needs a running
/// `tokio` runtime for the latter.
pub fn start(settings: &Settings) -> Result<Telemetry, TelemetryError> {
    let filter = parse(&settings.filter).map_err(|source| TelemetryError::Filter {
        filter: settings.filter.clone(),
        source,
    })?;
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let lines = match settings.format {
        Format::Text => lines.with_ansi(std::io::stderr().is_terminal()).boxed(),
        Format::Json => lines.json().flatten_event(true).boxed(),
    };
    let registry = Registry::default().with(lines.with_filter(filter.clone()));

    #[cfg(feature = "otlp")]
    {
        let traces = otlp::Traces::from_environment(settings)?;
        let spans = traces
            .as_ref()
            .map(|traces| traces.layer().with_filter(filter));
        let registry = registry.with(spans);
        registry.try_init().map_err(TelemetryError::Started)?;
        Ok(Telemetry { traces })
    }
    #[cfg(not(feature = "otlp"))]
    {
        registry.try_init().map_err(TelemetryError::Started)?;
        Ok(Telemetry {})
    }
}

/// A word alone has to be a level: as the name of a module, which it could be too, a mistyped
/// level would silence everything.
fn parse(filter: &str) -> Result<Targets, Box<dyn Error + Send + Sync>> {
    for word in filter.split(',').filter(|word| !word.contains('=')) {
        word.trim().parse::<LevelFilter>()?;
    }
    let targets: Targets = filter.parse()?;
    // The library has a span of its own around each reconcile, which says less than ours.
    Ok(if filter.contains(LIBRARY) {
        targets
    } else {
        targets.with_target(LIBRARY, LevelFilter::WARN)
    })
}

impl Telemetry {
    /// Sends what is left, for a few seconds at most.
    #[cfg_attr(
        not(feature = "otlp"),
        expect(clippy::unused_async, reason = "the same signature in every build")
    )]
    pub async fn shutdown(self) {
        #[cfg(feature = "otlp")]
        if let Some(traces) = self.traces {
            traces.shutdown().await;
        }
    }
}

#[cfg(test)]
mod tests;
