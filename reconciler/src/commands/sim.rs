//! `banlieue sim`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::{fs, io};

use banlieue_kit::process::shutdown_on_signals;
use banlieue_sim::{Worlds, WorldsSpec, server, worlds::SpecError};
use clap::ValueHint;
use tokio::net::TcpListener;

use super::CommandError;
use crate::cli::Logging;
use crate::process;

/// What the simulator is like.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Address that endpoints name, as in sim://host:port/world.
    #[arg(
        long,
        env = "BANLIEUE_SIM_ADDRESS",
        default_value = "0.0.0.0:8090",
        value_name = "ADDRESS"
    )]
    pub address: SocketAddr,
    /// YAML file that says what the worlds are like. Default: zones that differ
    /// in what they can do.
    #[arg(
        long,
        env = "BANLIEUE_SIM_CONFIG",
        value_name = "FILE",
        value_hint = ValueHint::FilePath
    )]
    pub config: Option<PathBuf>,
    /// Seed of every world, in place of those in the file. Equal seeds give equal latencies and
    /// faults.
    #[arg(long, env = "BANLIEUE_SIM_SEED", value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// What is logged.
    #[command(flatten)]
    pub logging: Logging,
}

/// Why there is no simulator.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The file says something else.
    #[error("cannot use {}", path.display())]
    Spec {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: Box<SpecError>,
    },
    /// The address is taken, or is not ours.
    #[error("cannot serve at {address}")]
    Serve {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

impl SimError {
    /// Whether the command line names a file that cannot be used.
    pub(super) fn is_usage(&self) -> bool {
        matches!(self, Self::Read { .. } | Self::Spec { .. })
    }
}

pub(super) async fn run(args: Args) -> Result<(), CommandError> {
    let spec = spec(&args)?;
    let telemetry = process::log(&args.logging, "sim")?;
    let shutdown = shutdown_on_signals().map_err(CommandError::Start)?;
    let address = args.address;
    let failed = |source| SimError::Serve { address, source };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    tracing::info!(%address, "simulating");
    let worlds = Arc::new(Worlds::new(spec));
    let served = server::serve(listener, worlds, shutdown.cancelled()).await;
    telemetry.shutdown().await;
    Ok(served.map_err(failed)?)
}

fn spec(args: &Args) -> Result<WorldsSpec, SimError> {
    let spec = match &args.config {
        None => WorldsSpec::default(),
        Some(path) => {
            let path = || path.clone();
            let text = fs::read_to_string(path());
            let text = text.map_err(|source| SimError::Read {
                path: path(),
                source,
            })?;
            WorldsSpec::from_yaml(&text).map_err(|source| SimError::Spec {
                path: path(),
                source: Box::new(source),
            })?
        }
    };
    Ok(match args.seed {
        Some(seed) => spec.with_seed(seed),
        None => spec,
    })
}
