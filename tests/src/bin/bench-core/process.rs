//! A process of the platform, and what it used.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use banlieue_tests::apiserver::ApiServer;
use banlieue_tests::live::program;
use banlieue_tests::process::{Server, on_free_port, wait_until};

const START_LIMIT: Duration = Duration::from_secs(60);

/// Requests to the API server and how many there were, as `patch virtualmachines/status`.
pub type Requests = BTreeMap<String, u64>;

/// A running process that serves metrics.
pub struct Process {
    /// What it is called in tables.
    pub name: String,
    server: Server,
    metrics: SocketAddr,
}

impl Process {
    /// Starts `banlieue` with these arguments, its log beside those of the API server, and waits
    /// until it serves its metrics.
    pub fn start(api: &ApiServer, name: &str, namespace: &str, arguments: &[&str]) -> Result<Self> {
        on_free_port(|port| {
            let metrics = SocketAddr::from(([127, 0, 0, 1], port));
            Self::serve(api, name, namespace, arguments, metrics)
        })
    }

    fn serve(
        api: &ApiServer,
        name: &str,
        namespace: &str,
        arguments: &[&str],
        metrics: SocketAddr,
    ) -> Result<Self> {
        let mut command = Command::new(program()?);
        command.args(arguments);
        command.arg("--kubeconfig").arg(api.kubeconfig());
        command.args(["--health-address", "127.0.0.1:0", "--log-format", "json"]);
        command.args(["--leader-election-namespace", namespace]);
        command.arg("--metrics-address").arg(metrics.to_string());
        let log = api.directory().join(format!("{name}.log"));
        let mut process = Self {
            name: name.to_owned(),
            server: Server::start(command, &log)?,
            metrics,
        };
        wait_until("its metrics", START_LIMIT, || {
            process.server.ensure_running()?;
            Ok(process.requests().is_ok())
        })?;
        Ok(process)
    }

    /// Fails with the end of its log if it has ended.
    pub fn ensure_running(&mut self) -> Result<()> {
        self.server.ensure_running()
    }

    /// ID of the process.
    pub fn id(&self) -> u32 {
        self.server.id()
    }

    /// What it asked the API server for so far. Watches are left out, since they last. So is what
    /// costs the same whatever there is to do: its Lease, and lists of kinds that are not served.
    pub fn requests(&self) -> Result<Requests> {
        let url = format!("http://{}/metrics", self.metrics);
        let text = ureq::get(&url).call()?.body_mut().read_to_string()?;
        let mut requests = Requests::new();
        for (request, count) in text.lines().filter_map(request) {
            *requests.entry(request).or_default() += count;
        }
        Ok(requests)
    }
}

/// Reads `banlieue_api_requests_total{verb="patch",resource="things",code="200"} 7`.
fn request(line: &str) -> Option<(String, u64)> {
    let counter = line.strip_prefix("banlieue_api_requests_total{")?;
    let (labels, count) = counter.split_once("} ")?;
    let label = |name: &str| {
        let (_, rest) = labels.split_once(&format!("{name}=\""))?;
        rest.split('"').next()
    };
    let (verb, resource, code) = (label("verb")?, label("resource")?, label("code")?);
    let lasts = verb == "watch" || resource == "leases" || (verb, code) == ("list", "404");
    (!lasts).then_some((format!("{verb} {resource}"), count.parse().ok()?))
}

/// Largest resident set that a process ever had, in KiB.
pub fn peak_memory(process: u32) -> Result<u64> {
    let path = format!("/proc/{process}/status");
    let text = std::fs::read_to_string(&path)?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let size = line.and_then(|line| line.trim().strip_suffix(" kB"));
    Ok(size
        .with_context(|| format!("no VmHWM in {path}"))?
        .parse()?)
}

/// CPU time of all threads of a process so far, user and system, in seconds.
pub fn cpu_seconds(process: u32) -> Result<f64> {
    let path = Path::new("/proc").join(process.to_string()).join("stat");
    let text = std::fs::read_to_string(&path)?;
    // The name in front may hold anything; it ends with the last bracket.
    let (_, fields) = text.rsplit_once(')').context("no name")?;
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks = ticks.map(str::parse::<f64>).sum::<Result<f64, _>>()?;
    Ok(ticks / rustix::param::clock_ticks_per_second() as f64)
}
