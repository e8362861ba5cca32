//! Arguments of every command that runs until it is asked to end.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

/// Arguments of a process.
#[derive(Clone, Debug, Args)]
pub struct ProcessArgs {
    /// How the API server is reached.
    #[command(flatten)]
    pub api_server: ApiServer,
    /// What is logged.
    #[command(flatten)]
    pub logging: Logging,
    /// Where probes and metrics are served.
    #[command(flatten)]
    pub serving: Serving,
    /// Which of several processes acts.
    #[command(flatten)]
    pub election: Election,
    /// The Pod around it.
    #[command(flatten)]
    pub pod: Pod,
}

/// How the API server is reached.
#[derive(Clone, Debug, Args)]
pub struct ApiServer {
    /// File that says where the API server is and who we are. Default: the files that KUBECONFIG
    /// names, else the Pod's service account, else ~/.kube/config.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub kubeconfig: Option<PathBuf>,
}

/// What is logged, to standard error.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Logging")]
pub struct Logging {
    /// One line of text, or one JSON object, for each event.
    #[arg(
        long,
        env = "BANLIEUE_LOG_FORMAT",
        value_enum,
        default_value_t,
        value_name = "FORMAT"
    )]
    pub log_format: LogFormat,
    /// A level, or levels by module: `info` or `info,kube=debug`.
    #[arg(
        long,
        env = "BANLIEUE_LOG_LEVEL",
        default_value = "info",
        value_name = "LEVEL"
    )]
    pub log_level: String,
}

/// Form of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// One line of text for each event.
    #[default]
    Text,
    /// One JSON object for each event.
    Json,
}

/// Where probes and metrics are served.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Serving")]
pub struct Serving {
    /// Address of /livez and /readyz.
    #[arg(
        long,
        env = "BANLIEUE_HEALTH_ADDRESS",
        default_value = "0.0.0.0:8081",
        value_name = "ADDRESS"
    )]
    pub health_address: SocketAddr,
    /// Address of /metrics.
    #[arg(
        long,
        env = "BANLIEUE_METRICS_ADDRESS",
        default_value = "0.0.0.0:8080",
        value_name = "ADDRESS"
    )]
    pub metrics_address: SocketAddr,
}

/// Which of several processes acts: the one that holds a Lease.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Leader election")]
pub struct Election {
    /// Act without a Lease. Only where no other process of this kind can run.
    #[arg(long, env = "BANLIEUE_NO_LEADER_ELECT")]
    pub no_leader_elect: bool,
    /// Namespace of the Lease. Default: that of the Pod, else that of the platform or Provider.
    #[arg(
        long,
        env = "BANLIEUE_LEADER_ELECTION_NAMESPACE",
        value_name = "NAMESPACE"
    )]
    pub leader_election_namespace: Option<String>,
    /// Name of the Lease. Default: the name of the workload.
    #[arg(
        long,
        visible_alias = "lease-name",
        env = "BANLIEUE_LEADER_ELECTION_ID",
        value_name = "NAME"
    )]
    pub leader_election_id: Option<String>,
    /// Name of this process in the Lease, unlike that of every other. Default: that of the Pod,
    /// else host and process ID.
    #[arg(
        long,
        env = "BANLIEUE_LEADER_ELECTION_IDENTITY",
        value_name = "IDENTITY"
    )]
    pub leader_election_identity: Option<String>,
}

/// The Pod that a process runs in, as Deployments tell it.
#[derive(Clone, Debug, Args)]
pub struct Pod {
    /// Its name.
    #[arg(long, env = "POD_NAME", hide = true)]
    pub pod_name: Option<String>,
    /// Its namespace.
    #[arg(long, env = "POD_NAMESPACE", hide = true)]
    pub pod_namespace: Option<String>,
}
