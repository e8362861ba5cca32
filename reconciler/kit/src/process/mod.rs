//! The frame of a process: servers, client, election, work, and the end of all that in order.
//!
//! ```text
//! bind health and metrics -> connect -> lead -> work -> release the Lease -> stop the servers
//!                                        |        |
//!                               shutdown: end   lost: the work is dropped, the process fails
//! ```
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use banlieue_kit::cache::{WatchOptions, Watches};
//! use banlieue_kit::errors::ApiError;
//! use banlieue_kit::process::{self, ProcessError, Settings};
//! use banlieue_kit::runner::{Config, CutOff, Next, Reconciler, Runner, Trigger};
//! use banlieue_kit::{Client, Timestamp};
//! use banlieue_schemas::infrastructure::SimMachine;
//!
//! struct Machines {
//!     client: Client,
//! }
//!
//! impl Reconciler for Machines {
//!     type Object = SimMachine;
//!     type Error = ApiError;
//!     const NAME: &'static str = "machine";
//!
//!     async fn reconcile(&self, _: Arc<SimMachine>, _: Timestamp) -> Result<Next, ApiError> {
//!         Ok(Next::Wait)
//!     }
//! }
//!
//! async fn provider(settings: Settings) -> Result<(), ProcessError<CutOff>> {
//!     process::run(settings, async |context| {
//!         let health = context.reporting.health.clone();
//!         let mut watches = Watches::new(context.client.clone(), health);
//!         let machines = watches.add::<SimMachine>(WatchOptions::default());
//!         let reconciler = Machines { client: context.client };
//!         let config = Config::default();
//!         let runner =
//!             Runner::new(reconciler, &machines, Trigger::Intent, config, context.reporting);
//!         tokio::select! {
//!             () = watches.run() => Ok(()),
//!             ended = runner.run(context.shutdown) => ended,
//!         }
//!     })
//!     .await
//! }
//! ```

use std::net::SocketAddr;

use kube::Client;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::client::{self, ConnectError, Fence};
use crate::events::Events;
use crate::health::{self, Health, Role};
use crate::lease::{Election, Timing};
use crate::metrics::{self, Metrics};
use crate::runner::Reporting;
use crate::server::{Server, ServerError};

/// How a process runs.
#[derive(Clone)]
pub struct Settings {
    /// How it reaches the API server. Its `role` is also that of metrics.
    pub client: client::Settings,
    /// Name of this process among its siblings: that of its Pod.
    pub identity: String,
    /// Where `/livez` and `/readyz` are.
    pub health: SocketAddr,
    /// Where `/metrics` is.
    pub metrics: SocketAddr,
    /// The Lease that it needs in order to act; `None` lets every process act.
    pub lease: Option<Lease>,
}

/// A Lease by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Times of the election.
    pub timing: Timing,
}

/// What the work of a process gets.
#[derive(Clone)]
pub struct Context {
    /// Reaches the API server; writes only while the process leads.
    pub client: Client,
    /// Events, metrics and health.
    pub reporting: Reporting,
    /// Asks the work to end.
    pub shutdown: CancellationToken,
}

/// Why a process failed. Each ends it with an error, and what runs it starts another.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError<E: std::error::Error + 'static> {
    /// It cannot be probed.
    #[error("cannot serve health and metrics")]
    Server(#[from] ServerError),
    /// It cannot reach the API server.
    #[error("cannot reach the API server")]
    Connect(#[from] ConnectError),
    /// It cannot be asked to end.
    #[error("cannot listen for signals")]
    Signals(#[source] std::io::Error),
    /// Another process may lead.
    #[error("the Lease is lost")]
    Lost,
    /// What it is for failed.
    #[error("the work failed")]
    Work(#[source] E),
}

/// Runs a process until it is asked to end by SIGTERM or SIGINT, its work ends, or it loses its
/// Lease. The work starts once it leads, and has to end soon after [`Context::shutdown`].
pub async fn run<W, F, E>(settings: Settings, work: W) -> Result<(), ProcessError<E>>
where
    W: FnOnce(Context) -> F,
    F: Future<Output = Result<(), E>>,
    E: std::error::Error + 'static,
{
    let shutdown = shutdown_on_signals().map_err(ProcessError::Signals)?;
    let (metrics, health) = (Metrics::new(), Health::new());
    let fence = match settings.lease {
        Some(_) => Fence::closed(),
        None => Fence::open(),
    };
    let probes = Server::bind(settings.health).await?;
    let scrapes = Server::bind(settings.metrics).await?;
    let client = client::connect(&settings.client, metrics.clone(), fence.clone()).await?;
    let program = format!("banlieue-{}", settings.client.role);
    let context = Context {
        reporting: Reporting {
            events: Events::new(client.clone(), &program, &settings.identity),
            metrics: metrics.clone(),
            health: health.clone(),
        },
        client,
        shutdown,
    };

    // The servers answer until the work has ended.
    let serving = CancellationToken::new();
    let _stop = serving.clone().drop_guard();
    let probes = probes.run(health::routes(health), serving.clone());
    let scrapes = scrapes.run(metrics::routes(metrics), serving);
    tokio::select! {
        ended = act(settings, fence, context, work) => ended,
        Err(error) = async { tokio::try_join!(probes, scrapes) } => Err(error.into()),
    }
}

/// Leads if need be, works, and lets the Lease go.
async fn act<W, F, E>(
    settings: Settings,
    fence: Fence,
    context: Context,
    work: W,
) -> Result<(), ProcessError<E>>
where
    W: FnOnce(Context) -> F,
    F: Future<Output = Result<(), E>>,
    E: std::error::Error + 'static,
{
    let Some(lease) = settings.lease else {
        context.reporting.health.set_role(Role::Leader);
        return work(context).await.map_err(ProcessError::Work);
    };
    let election = Election {
        client: context.client.clone(),
        namespace: lease.namespace,
        name: lease.name,
        identity: settings.identity,
        role: settings.client.role,
        timing: lease.timing,
        fence,
        health: context.reporting.health.clone(),
        metrics: context.reporting.metrics.clone(),
    };
    let Some(leadership) = election.win(&context.shutdown).await else {
        return Ok(());
    };
    let ended = tokio::select! {
        biased;
        () = leadership.lost().cancelled_owned() => return Err(ProcessError::Lost),
        ended = work(context) => ended,
    };
    leadership.release().await;
    ended.map_err(ProcessError::Work)
}

/// Cancelled as soon as the process gets SIGTERM or SIGINT.
pub fn shutdown_on_signals() -> Result<CancellationToken, std::io::Error> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let shutdown = CancellationToken::new();
    let asked = shutdown.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("asked to end");
        asked.cancel();
    });
    Ok(shutdown)
}

#[cfg(test)]
mod tests;
