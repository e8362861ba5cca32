//! `banlieue provider <backend>`.

use banlieue_provider::Config;
use banlieue_schemas::access::Workload;
use banlieue_schemas::infrastructure::SimMachine;
use banlieue_schemas::names;
use banlieue_sim::SimClientConnect;

use super::CommandError;
use crate::cli::ProcessArgs;
use crate::process::{self, Identity};

/// Serve one Provider.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Serve a Provider of the simulator.
    #[cfg(feature = "sim")]
    Sim(Args),
}

/// Which Provider is served.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Name of the Provider.
    #[arg(long, env = "BANLIEUE_PROVIDER_NAME", value_name = "NAME")]
    pub provider_name: String,
    /// Namespace of the Provider and of its machines.
    #[arg(long, env = "BANLIEUE_NAMESPACE", value_name = "NAMESPACE")]
    pub namespace: String,
    /// Arguments of every process.
    #[command(flatten)]
    pub process: ProcessArgs,
}

impl Args {
    fn config(&self) -> Config {
        Config::new(&self.namespace, &self.provider_name)
    }

    fn identity(&self, workload: Workload, backend: &str) -> Identity {
        Identity {
            role: workload.component(),
            lease: names::workload(backend, &self.provider_name),
            namespace: self.namespace.clone(),
        }
    }
}

pub(super) async fn run(command: Command) -> Result<(), CommandError> {
    match command {
        #[cfg(feature = "sim")]
        Command::Sim(args) => {
            let (config, identity) = (args.config(), args.identity(Workload::ProviderSim, "sim"));
            process::run(&args.process, identity, async |context| {
                let connect = SimClientConnect::default();
                let (client, reporting) = (context.client, context.reporting);
                let shutdown = context.shutdown;
                banlieue_provider::run::<SimMachine, _>(
                    client, connect, config, reporting, shutdown,
                )
                .await
            })
            .await
        }
    }
}
