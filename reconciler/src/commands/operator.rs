//! `banlieue operator`.

use banlieue_kit::runner;
use banlieue_operator::Config;
use banlieue_schemas::access::Workload;
use banlieue_schemas::manifests::Settings;

use super::CommandError;
use crate::cli::ProcessArgs;
use crate::process::{self, Identity};

/// What an operator needs to know.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Namespace of the platform. Default: that of the Pod, else banlieue-system.
    #[arg(long, env = "BANLIEUE_NAMESPACE", value_name = "NAMESPACE")]
    pub namespace: Option<String>,
    /// Namespace in which images are built and imported.
    #[arg(
        long,
        env = "BANLIEUE_BUILD_NAMESPACE",
        default_value = "banlieue-imagebuild",
        value_name = "NAMESPACE"
    )]
    pub build_namespace: String,
    /// Arguments of every process.
    #[command(flatten)]
    pub process: ProcessArgs,
}

impl Args {
    fn settings(&self) -> Settings {
        let default = Settings::default();
        let pod = &self.process.pod;
        let namespace = self.namespace.as_ref().or(pod.pod_namespace.as_ref());
        Settings {
            namespace: namespace.cloned().unwrap_or(default.namespace),
            image_builder_namespace: self.build_namespace.clone(),
            log_level: self.process.logging.log_level.clone(),
            ..default
        }
    }
}

pub(super) async fn run(args: Args) -> Result<(), CommandError> {
    let settings = args.settings();
    let identity = Identity {
        role: Workload::Operator.component(),
        lease: Workload::Operator.name().to_owned(),
        namespace: settings.namespace.clone(),
    };
    let config = Config {
        settings,
        limits: runner::Config::default(),
    };
    process::run(&args.process, identity, async |context| {
        let (client, reporting) = (context.client, context.reporting);
        banlieue_operator::run(client, config, reporting, context.shutdown).await
    })
    .await
}
