//! The platform as it runs, without a node: every process is started here, as an administrator.

use std::time::Duration;

use anyhow::Result;
use banlieue_schemas::platform::{Provider, ProviderClass, VmImage};
use banlieue_sim::world::spec::Latency;
use banlieue_tests::apiserver::ApiServer;
use banlieue_tests::identity;
use banlieue_tests::live::{self, IMAGE, Simulator, is_ready, ready};
use banlieue_tests::tools::checkout;
use banlieue_tests::wait::until;
use banlieue_tests::workload::create;
use kube::api::PostParams;
use kube::{Api, Client};
use serde_json::{from_value, json};

use crate::process::{Process, Requests, cpu_seconds, peak_memory};

/// Namespace of everything.
pub const NAMESPACE: &str = "bench";
const CLASS: &str = "sim";
/// Without a request for this long, nothing goes on.
const QUIET: Duration = Duration::from_secs(2);

/// Processes of the platform and what they talk to.
pub struct Fleet {
    // Ended in this order.
    processes: Vec<Process>,
    simulator: Simulator,
    api: ApiServer,
    client: Client,
}

/// What a process has used so far.
#[derive(Clone, Debug)]
pub struct Usage {
    /// The process.
    pub name: String,
    /// Largest resident set, in KiB.
    pub peak_kib: u64,
    /// CPU time, in seconds.
    pub cpu: f64,
    /// What it asked the API server for.
    pub requests: Requests,
}

/// An API server that knows our kinds, and a client of an administrator.
pub async fn api_server() -> Result<(ApiServer, Client)> {
    let api = tokio::task::spawn_blocking(|| {
        let api = ApiServer::start()?;
        api.apply_files(&checkout().join("schemas/crds"))?;
        anyhow::Ok(api)
    })
    .await??;
    let client = identity::administrator(&api).await?;
    Ok((api, client))
}

impl Fleet {
    /// Starts everything and waits until the Providers offer the image.
    pub async fn start(providers: usize) -> Result<Self> {
        let names: Vec<String> = (1..=providers).map(|it| format!("site-{it:02}")).collect();
        let (api, client) = api_server().await?;
        let directory = api.directory().to_owned();
        let simulator = move || Simulator::start_with(&directory, Latency::NONE);
        let simulator = tokio::task::spawn_blocking(simulator).await??;

        let named: Vec<&str> = names.iter().map(String::as_str).collect();
        live::prepare(&client, NAMESPACE, &named).await?;
        let class = json!({
            "metadata": {"name": CLASS},
            "spec": {"backend": "sim", "deployment": "External"},
        });
        let classes: Api<ProviderClass> = Api::all(client.clone());
        classes
            .create(&PostParams::default(), &from_value(class)?)
            .await?;
        live::offer(&client, &[CLASS]).await?;
        for name in &names {
            let object = live::provider(name, &simulator.endpoint(name));
            create::<Provider>(&client, NAMESPACE, object).await?;
        }

        let controller = Process::start(&api, "controller", NAMESPACE, &["controller"])?;
        let mut processes = vec![controller];
        for name in &names {
            let arguments = ["provider", "sim", "--namespace", NAMESPACE];
            let arguments = [&arguments[..], &["--provider-name", name]].concat();
            processes.push(Process::start(&api, name, NAMESPACE, &arguments)?);
        }
        let mut fleet = Self {
            processes,
            simulator,
            api,
            client,
        };
        fleet.offers(&names).await?;
        Ok(fleet)
    }

    async fn offers(&mut self, names: &[String]) -> Result<()> {
        let providers: Api<Provider> = Api::namespaced(self.client(), NAMESPACE);
        for name in names {
            self.ensure_running()?;
            ready(&providers, name).await?;
        }
        let images: Api<VmImage> = Api::all(self.client());
        until(&images, IMAGE, "to be ready everywhere", |image| {
            let rows = image.status.iter().flat_map(|status| &status.per_provider);
            rows.filter(|row| row.ready).count() == names.len() && is_ready(image)
        })
        .await?;
        Ok(())
    }

    /// Client of an administrator.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// Fails if a process has ended.
    pub fn ensure_running(&mut self) -> Result<()> {
        let mut processes = self.processes.iter_mut();
        processes.try_for_each(Process::ensure_running)
    }

    /// What every process has used, once none of them asks the API server for anything: the
    /// controller, the providers, then those around them.
    pub async fn usage(&self) -> Result<Vec<Usage>> {
        let mut requests = self.requests()?;
        loop {
            tokio::time::sleep(QUIET).await;
            let before = std::mem::replace(&mut requests, self.requests()?);
            if before == requests {
                break;
            }
        }
        let [apiserver, etcd] = self.api.processes();
        let around = [
            ("simulator", self.simulator.process()),
            ("kube-apiserver", apiserver),
            ("etcd", etcd),
        ];
        let around = around.map(|(name, id)| (name, id, Requests::new()));
        let ours = self.processes.iter().zip(requests);
        ours.map(|(process, requests)| (process.name.as_str(), process.id(), requests))
            .chain(around)
            .map(|(name, id, requests)| {
                Ok(Usage {
                    name: name.to_owned(),
                    peak_kib: peak_memory(id)?,
                    cpu: cpu_seconds(id)?,
                    requests,
                })
            })
            .collect()
    }

    fn requests(&self) -> Result<Vec<Requests>> {
        self.processes.iter().map(Process::requests).collect()
    }
}
