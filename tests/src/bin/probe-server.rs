//! A small program for the tests of the node: it serves HTTP, or does one thing
//! and ends.

use std::path::PathBuf;

use anyhow::Result;
use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use clap::{Parser, Subcommand};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Api, Client};

type Answer = Result<String, (StatusCode, String)>;

#[derive(Debug, Parser)]
#[command(name = "probe-server")]
struct Arguments {
    #[command(subcommand)]
    command: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Serves `/livez`, `/readyz`, `/config-maps`, `/file`, `/environment` and
    /// `/identity` until it gets SIGTERM.
    Serve {
        #[arg(long, env = "BANLIEUE_HEALTH_ADDRESS", default_value = "0.0.0.0:8081")]
        health_address: String,
        /// File whose content `/file` answers with.
        #[arg(long, default_value = "/etc/probe/value")]
        file: PathBuf,
        /// Ready only once this file exists.
        #[arg(long)]
        ready_file: Option<PathBuf>,
    },
    /// Writes a line into a file.
    Write { file: PathBuf, line: String },
    /// Ends with an exit code.
    Exit { code: i32 },
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    match Arguments::parse().command {
        Action::Serve {
            health_address,
            file,
            ready_file,
        } => serve(&health_address, file, ready_file).await,
        Action::Write { file, line } => Ok(std::fs::write(file, format!("{line}\n"))?),
        Action::Exit { code } => std::process::exit(code),
    }
}

async fn serve(address: &str, file: PathBuf, ready_file: Option<PathBuf>) -> Result<()> {
    let ready = move || {
        let ready = ready_file.as_ref().is_none_or(|file| file.exists());
        let status = if ready {
            StatusCode::OK
        } else {
            StatusCode::SERVICE_UNAVAILABLE
        };
        std::future::ready(status)
    };
    let read = move || std::future::ready(std::fs::read_to_string(&file).map_err(failure));
    let routes = Router::new()
        .route("/livez", get(|| async {}))
        .route("/readyz", get(ready))
        .route("/file", get(read))
        .route("/config-maps", get(config_maps))
        .route("/environment", get(environment))
        .route("/identity", get(identity));
    let listener = tokio::net::TcpListener::bind(address).await?;
    println!("serves {address}");
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    axum::serve(listener, routes)
        .with_graceful_shutdown(async move {
            terminate.recv().await;
        })
        .await?;
    println!("ends");
    Ok(())
}

/// Names of the ConfigMaps that the Pod's identity may list in its namespace.
async fn config_maps() -> Answer {
    let list = async {
        let maps: Api<ConfigMap> = Api::default_namespaced(Client::try_default().await?);
        let names = maps.list(&kube::api::ListParams::default()).await?;
        let names = names.into_iter().filter_map(|map| map.metadata.name);
        anyhow::Ok(names.collect::<Vec<_>>().join("\n"))
    };
    list.await.map_err(|error| failure(format!("{error:#}")))
}

fn failure(error: impl std::fmt::Display) -> (StatusCode, String) {
    (StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}

/// The variables, one a line.
async fn environment() -> String {
    let variables = std::env::vars().map(|(name, value)| format!("{name}={value}"));
    variables.collect::<Vec<_>>().join("\n")
}

/// User and group, and whether a folder of the root that anybody may write to takes a file.
async fn identity() -> String {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    let writes = std::fs::write("/tmp/probe-server-was-here", "").is_ok();
    format!("{}:{} {writes}", user.as_raw(), group.as_raw())
}
