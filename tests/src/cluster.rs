//! A whole cluster of its own for one test: etcd, API server, controller manager
//! and a node that runs Pods as local processes.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use kube::Client;

use crate::apiserver::ApiServer;
use crate::controller_manager::ControllerManager;
use crate::identity;
use crate::node_agent::{self, NodeAgent};
use crate::tools::checkout;

/// What a cluster is made of. The default is everything.
#[derive(Debug, Clone)]
pub struct Options {
    /// Files and folders that are applied before the controller manager starts,
    /// so that it collects the objects of CRDs among them from the first moment.
    pub manifests: Vec<PathBuf>,
    /// Whether a controller manager runs. Without it there are no ServiceAccounts
    /// but those that the test creates.
    pub controller_manager: bool,
    /// Whether the requests of ServiceAccounts are recorded, see [`ApiServer::requests`].
    pub recording: bool,
    /// The node; `None` leaves Pods pending.
    pub node: Option<node_agent::Options>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            manifests: Vec::new(),
            controller_manager: true,
            recording: false,
            node: Some(node_agent::Options::default()),
        }
    }
}

/// A running cluster. Dropping it ends every process of it, Pods included. When
/// the test panicked it first prints the end of each container's log and copies
/// all logs to `target/test-logs/<test>`.
pub struct Cluster {
    // Ended in this order.
    node: Option<NodeAgent>,
    _controller_manager: Option<ControllerManager>,
    api: ApiServer,
    client: Client,
}

impl Cluster {
    /// Starts the parts and waits until each works: about 8 s.
    pub async fn start(options: Options) -> Result<Self> {
        let (api, controller_manager) = tokio::task::spawn_blocking(move || {
            let api = if options.recording {
                ApiServer::start_recording()?
            } else {
                ApiServer::start()?
            };
            for path in &options.manifests {
                api.apply_files(path)?;
            }
            let manager = options
                .controller_manager
                .then(|| ControllerManager::start(&api))
                .transpose()?;
            anyhow::Ok((api, manager))
        })
        .await??;
        let client = identity::administrator(&api).await?;
        let node = match options.node {
            Some(options) => Some(NodeAgent::start(&api, options).await?),
            None => None,
        };
        Ok(Self {
            node,
            _controller_manager: controller_manager,
            api,
            client,
        })
    }

    /// The API server, for kubectl and its kubeconfig.
    pub fn api(&self) -> &ApiServer {
        &self.api
    }

    /// Client of an administrator.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// Client with a fresh token of a ServiceAccount.
    pub async fn client_as(&self, namespace: &str, service_account: &str) -> Result<Client> {
        identity::service_account(&self.api, namespace, service_account).await
    }

    /// The node. An error if the cluster was started without one.
    pub fn node(&self) -> Result<&NodeAgent> {
        self.node.as_ref().context("the cluster has no node")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        let thread = std::thread::current();
        let test = thread.name().unwrap_or("unnamed").replace("::", ".");
        let logs = checkout().join("target/test-logs").join(test);
        match keep_logs(self.api.directory(), &logs) {
            Ok(()) => eprintln!("logs: {}", logs.display()),
            Err(error) => eprintln!("logs were not kept: {error:#}"),
        }
        if let Some(node) = &self.node {
            eprintln!("{}", node.log_tails());
        }
    }
}

/// Copies what was logged below `from` to `to`, replacing an earlier run's.
fn keep_logs(from: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        std::fs::remove_dir_all(to)?;
    }
    std::fs::create_dir_all(to)?;
    let mut command = Command::new("cp");
    command.arg("--recursive");
    for entry in std::fs::read_dir(from)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "log") || path.ends_with("logs") {
            command.arg(path);
        }
    }
    crate::process::run(command.arg(to), "")?;
    Ok(())
}
