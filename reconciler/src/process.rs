//! The frame around a command that runs until it is asked to end.

use banlieue_kit::lease::Timing;
use banlieue_kit::process::{self, Context, Lease, ProcessError, Settings};
use banlieue_kit::runner::CutOff;
use banlieue_kit::{client, telemetry};

use crate::cli::{LogFormat, Logging, ProcessArgs};
use crate::commands::CommandError;

/// What a process is when its arguments say nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// What it is in metrics, traces and the user agent, such as `controller`.
    pub role: &'static str,
    /// Name of its Lease.
    pub lease: String,
    /// Namespace of its Lease outside of a Pod.
    pub namespace: String,
}

/// Runs `work` as a process: with logs, probes, metrics, a client, and its Lease. Ends when it is
/// asked to by SIGTERM or SIGINT, when the work ends, or when the Lease is lost, which is a failure.
///
/// Needs a `tokio` runtime.
pub async fn run<W, F>(args: &ProcessArgs, identity: Identity, work: W) -> Result<(), CommandError>
where
    W: FnOnce(Context) -> F,
    F: Future<Output = Result<(), CutOff>>,
{
    let telemetry = log(&args.logging, identity.role)?;
    let settings = settings(args, identity);
    tracing::info!(
        role = settings.client.role,
        identity = settings.identity,
        "starting"
    );
    let ended = process::run(settings, work).await;
    match &ended {
        Ok(()) => tracing::info!("ended as asked"),
        Err(error) => tracing::error!(error = %banlieue_kit::errors::chain(error), "ended"),
    }
    telemetry.shutdown().await;
    ended.map_err(|error: ProcessError<CutOff>| CommandError::Process(Box::new(error)))
}

/// Starts logs and traces.
pub fn log(logging: &Logging, role: &str) -> Result<telemetry::Telemetry, CommandError> {
    let settings = telemetry::Settings {
        format: match logging.log_format {
            LogFormat::Text => telemetry::Format::Text,
            LogFormat::Json => telemetry::Format::Json,
        },
        filter: logging.log_level.clone(),
        service: format!("banlieue-{role}"),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    Ok(telemetry::start(&settings)?)
}

/// How the API server is reached by whatever has this role.
pub fn client_settings(api_server: &crate::cli::ApiServer, role: &str) -> client::Settings {
    client::Settings {
        kubeconfig: api_server.kubeconfig.clone(),
        ..client::Settings::new(role, env!("CARGO_PKG_VERSION"))
    }
}

fn settings(args: &ProcessArgs, identity: Identity) -> Settings {
    let election = args.election.clone();
    let pod = args.pod.clone();
    let lease = Lease {
        namespace: election
            .leader_election_namespace
            .or(pod.pod_namespace)
            .unwrap_or(identity.namespace),
        name: election.leader_election_id.unwrap_or(identity.lease),
        timing: Timing::default(),
    };
    let name = election.leader_election_identity.or(pod.pod_name);
    Settings {
        client: client_settings(&args.api_server, identity.role),
        identity: name.unwrap_or_else(host_and_process),
        health: args.serving.health_address,
        metrics: args.serving.metrics_address,
        lease: (!election.no_leader_elect).then_some(lease),
    }
}

fn host_and_process() -> String {
    let host = rustix::system::uname();
    let host = host.nodename().to_string_lossy();
    format!("{host}-{}", std::process::id())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        process: ProcessArgs,
    }

    fn resolved(args: &[&str]) -> Settings {
        let args = std::iter::once("banlieue").chain(args.iter().copied());
        let identity = Identity {
            role: "operator",
            lease: "banlieue-operator".into(),
            namespace: "banlieue-system".into(),
        };
        settings(&Command::parse_from(args).process, identity)
    }

    #[test]
    fn the_lease_is_that_of_the_workload_in_the_namespace_of_the_pod() {
        let lease = |args: &[&str]| {
            let lease = resolved(args).lease.unwrap();
            format!("{}/{}", lease.namespace, lease.name)
        };
        assert_eq!(lease(&[]), "banlieue-system/banlieue-operator");
        assert_eq!(lease(&["--pod-namespace=p"]), "p/banlieue-operator");
        let chosen = [
            "--pod-namespace=p",
            "--leader-election-namespace=n",
            "--lease-name=l",
        ];
        assert_eq!(lease(&chosen), "n/l");
        assert!(resolved(&["--no-leader-elect"]).lease.is_none());
    }

    #[test]
    fn a_process_has_the_name_of_its_pod_and_else_one_of_its_own() {
        assert_eq!(resolved(&["--pod-name=a"]).identity, "a");
        let chosen = ["--pod-name=a", "--leader-election-identity=b"];
        assert_eq!(resolved(&chosen).identity, "b");
        let own = format!("-{}", std::process::id());
        assert!(resolved(&[]).identity.ends_with(&own));
    }

    #[test]
    fn servers_and_kubeconfig_are_where_the_arguments_say() {
        let settings = resolved(&[
            "--health-address=127.0.0.1:1",
            "--metrics-address=[::1]:2",
            "--kubeconfig=/k",
        ]);
        assert_eq!(settings.health.to_string(), "127.0.0.1:1");
        assert_eq!(settings.metrics.to_string(), "[::1]:2");
        assert_eq!(settings.client.kubeconfig.unwrap().to_str(), Some("/k"));
    }
}
