//! A node without a container engine: every container of a Pod is a local process
//! under the Pod's own identity. So Deployments become available, Jobs end, RBAC
//! decides on the real ServiceAccount, and a killed Pod is a crash test.
//!
//! What a container gets is what kubelet would give it: command, arguments and
//! environment; volumes, the ServiceAccount's token among them, mounted in a mount
//! namespace of its own and kept in sync; user, group and a read-only root; probes,
//! restarts with back-off, SIGTERM and then SIGKILL. Three things differ:
//!
//! - An image is a name for a local program ([`Options::image`]); its files are
//!   this machine's.
//! - All Pods share this machine's network. Each has a loopback address of its own
//!   as `podIP`, and for each named port the variable `BANLIEUE_<NAME>_ADDRESS`
//!   (`BANLIEUE_HEALTH_ADDRESS=127.2.0.3:8081`) that says where to listen. A program
//!   that listens on 0.0.0.0 clashes with the next. Services lead nowhere.
//! - A Pod that needs what is not here (exec probes, sidecars, CSI volumes, ...)
//!   fails with reason `Unsupported` and says what it is.

mod address;
mod agent;
mod atomic_directory;
mod configs;
mod container;
mod context;
mod downward;
mod environment;
mod expand;
mod files;
mod health;
mod launch;
mod pod;
mod probe;
mod processes;
mod register;
mod report;
mod sandbox;
mod status;
mod unsupported;
mod volumes;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Result, ensure};
use rustix::process::Signal;
use tokio::sync::{oneshot, watch};

use crate::apiserver::ApiServer;
use processes::Processes;

/// Name of the Node object.
pub const NODE: &str = "node";

/// How the node runs Pods.
#[derive(Debug, Clone)]
pub struct Options {
    /// Programs by the image's name without registry, tag and digest.
    pub images: BTreeMap<String, PathBuf>,
    /// Longest delay and period of readiness and startup probes; a Pod's own where
    /// shorter.
    pub readiness_period: Duration,
    /// The same of liveness probes. `None` leaves the Pod's own, so that a busy
    /// machine restarts nothing.
    pub liveness_period: Option<Duration>,
    /// Wait before the second restart of a container; it doubles with each one. The
    /// first restart is immediate.
    pub first_back_off: Duration,
    /// Longest wait before a restart.
    pub longest_back_off: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            images: BTreeMap::new(),
            readiness_period: Duration::from_millis(200),
            liveness_period: None,
            first_back_off: Duration::from_millis(200),
            longest_back_off: Duration::from_secs(5),
        }
    }
}

impl Options {
    /// Makes containers whose image is called `name`, and that have no command, run
    /// `program`. It is `/usr/local/bin/<name>` in the container.
    #[must_use]
    pub fn image(mut self, name: &str, program: impl Into<PathBuf>) -> Self {
        self.images.insert(name.to_owned(), program.into());
        self
    }
}

/// A running node. Dropping it kills every process that it started.
#[derive(Debug)]
pub struct NodeAgent {
    processes: Processes,
    logs: PathBuf,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl NodeAgent {
    /// Registers the node and begins to run Pods. Needs root, for mounts.
    ///
    /// It works on a thread of its own: nothing that the test does delays it, and a
    /// container ends with that thread even if the test is killed.
    pub async fn start(api: &ApiServer, options: Options) -> Result<Self> {
        ensure!(
            rustix::process::geteuid().is_root(),
            "the test node needs root: it mounts each container's volumes in a namespace of its own"
        );
        let processes = Processes::default();
        let logs = api.directory().join("logs");
        let (stop, stopped) = watch::channel(false);
        let settings = agent::Settings {
            kubeconfig: api.kubeconfig(),
            api_port: api.port(),
            directory: api.directory().join(NODE),
            logs: logs.clone(),
            options,
            processes: processes.clone(),
            stopped,
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let (ready, started) = oneshot::channel();
        let thread = std::thread::Builder::new()
            .name("node-agent".to_owned())
            .spawn(move || runtime.block_on(agent::run(settings, ready)))?;
        let agent = Self {
            processes,
            logs,
            stop,
            thread: Some(thread),
        };
        started.await??;
        Ok(agent)
    }

    /// Kills the processes of a Pod at once, as a crash of its containers.
    ///
    /// An error if none runs.
    pub fn kill(&self, namespace: &str, pod: &str) -> Result<()> {
        self.processes.signal(namespace, pod, Signal::KILL)
    }

    /// Stops the processes of a Pod where they are, as a machine that hangs.
    ///
    /// An error if none runs.
    pub fn freeze(&self, namespace: &str, pod: &str) -> Result<()> {
        self.processes.signal(namespace, pod, Signal::STOP)
    }

    /// Lets the processes of a frozen Pod go on.
    ///
    /// An error if none is there.
    pub fn thaw(&self, namespace: &str, pod: &str) -> Result<()> {
        self.processes.signal(namespace, pod, Signal::CONT)
    }

    /// Ids of the containers' processes that run now, each the leader of a group.
    pub fn processes(&self) -> Vec<u32> {
        self.processes.ids()
    }

    /// File with the output of a container, all its restarts in one.
    pub fn log(&self, namespace: &str, pod: &str, container: &str) -> PathBuf {
        container_log(&self.logs, namespace, pod, container)
    }

    /// The last lines of every container's log, for the output of a failed test.
    pub fn log_tails(&self) -> String {
        let mut text = String::new();
        for folder in sorted(&self.logs) {
            for log in sorted(&folder) {
                let tail = crate::process::tail(&log);
                let name = log.strip_prefix(&self.logs).unwrap_or(&log);
                // Writing to a string cannot fail.
                let _ = writeln!(text, "--- {}\n{tail}", name.display());
            }
        }
        text
    }
}

impl Drop for NodeAgent {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        if let Some(thread) = self.thread.take() {
            // A panic over there was printed there.
            let _ = thread.join();
        }
    }
}

fn container_log(logs: &Path, namespace: &str, pod: &str, container: &str) -> PathBuf {
    logs.join(format!("{namespace}_{pod}"))
        .join(format!("{container}.log"))
}

/// Entries of a folder; none if it cannot be read.
fn sorted(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
