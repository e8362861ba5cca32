//! `banlieue controller`.

use banlieue_controller::Settings;
use banlieue_schemas::access::Workload;
use banlieue_schemas::manifests;

use super::CommandError;
use crate::cli::ProcessArgs;
use crate::process::{self, Identity};

/// What a controller looks after.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The one namespace whose objects are looked after. Default: all.
    #[arg(long, env = "BANLIEUE_NAMESPACE", value_name = "NAMESPACE")]
    pub namespace: Option<String>,
    /// Arguments of every process.
    #[command(flatten)]
    pub process: ProcessArgs,
}

pub(super) async fn run(args: Args) -> Result<(), CommandError> {
    let settings = Settings {
        namespace: args.namespace,
        ..Settings::default()
    };
    let identity = Identity {
        role: Workload::Controller.component(),
        lease: Workload::Controller.name().to_owned(),
        namespace: manifests::Settings::default().namespace,
    };
    process::run(&args.process, identity, async |context| {
        let (client, reporting) = (context.client, context.reporting);
        banlieue_controller::run(client, settings, reporting, context.shutdown).await
    })
    .await
}
