//! Cluster, platform and simulator, started together.

use std::process::Command;

use anyhow::Result;
use k8s_openapi::api::core::v1::Pod;
use kube::{Api, Client, ResourceExt};

use super::{Simulator, program};
use crate::cluster::{Cluster, Options};
use crate::node_agent;
use crate::process;
use crate::workload::available;

/// Namespace of controller and operator.
pub const SYSTEM: &str = "banlieue-system";

/// Everything that an installation is. Dropping it ends every process.
pub struct Platform {
    // Ended in this order: Pods before what they talk to.
    cluster: Cluster,
    simulator: Simulator,
}

impl Platform {
    /// A cluster and a simulator, with nothing installed.
    pub async fn bare() -> Result<Self> {
        Self::on(Options::default()).await
    }

    /// The same on a cluster with other options, except for its node.
    pub async fn on(options: Options) -> Result<Self> {
        let node = node_agent::Options::default().image("banlieue", program()?);
        let cluster = Cluster::start(Options {
            node: Some(node),
            ..options
        })
        .await?;
        let directory = cluster.api().directory().to_owned();
        let simulator = tokio::task::spawn_blocking(move || Simulator::start(&directory)).await??;
        Ok(Self { cluster, simulator })
    }

    /// The same with the platform installed and its processes available: about 20 s.
    pub async fn start() -> Result<Self> {
        let platform = Self::bare().await?;
        platform.install(&[]).await?;
        Ok(platform)
    }

    /// Runs `banlieue bootstrap operator`, waits until controller and operator are available, and
    /// returns what the program said.
    pub async fn install(&self, arguments: &[&str]) -> Result<String> {
        let mut command = Command::new(program()?);
        command
            .args(["bootstrap", "operator", "--kubeconfig"])
            .arg(self.cluster.api().kubeconfig())
            .args(arguments);
        let told = tokio::task::spawn_blocking(move || process::run(&mut command, "")).await??;
        for name in ["banlieue-operator", "banlieue-controller"] {
            available(&self.client(), SYSTEM, name).await?;
        }
        Ok(told)
    }

    /// The cluster.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Client of an administrator.
    pub fn client(&self) -> Client {
        self.cluster.client()
    }

    /// The hypervisors.
    pub fn simulator(&self) -> &Simulator {
        &self.simulator
    }

    /// Names of the Pods that serve a Provider.
    pub async fn pods(&self, namespace: &str, provider: &str) -> Result<Vec<String>> {
        let pods: Api<Pod> = Api::namespaced(self.client(), namespace);
        let selector = format!("{}={provider}", banlieue_schemas::labels::PROVIDER);
        let parameters = kube::api::ListParams::default().labels(&selector);
        let pods = pods.list(&parameters).await?.items;
        Ok(pods.iter().map(ResourceExt::name_any).collect())
    }
}
