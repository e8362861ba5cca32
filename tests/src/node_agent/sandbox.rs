//! A container as a process in a mount namespace of its own (`sandbox.sh`).

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::process::{Child, Command};

use super::volumes::Mount;

const SCRIPT: &str = include_str!("sandbox.sh");

/// What runs where.
#[derive(Debug)]
pub(super) struct Sandbox {
    /// Empty directory that the container's root is mounted on.
    pub(super) root: PathBuf,
    pub(super) read_only_root: bool,
    pub(super) user: i64,
    pub(super) group: i64,
    pub(super) directory: String,
    pub(super) mounts: Vec<Mount>,
    pub(super) variables: BTreeMap<String, String>,
    pub(super) command: Vec<String>,
}

/// A running container: one process, and whatever it starts. Dropping it kills all
/// of them.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    group: Pid,
}

impl Sandbox {
    /// Starts the command with its output appended to `log`.
    pub(super) fn start(&self, log: &Path) -> Result<Process> {
        std::fs::create_dir_all(&self.root)?;
        if let Some(folder) = log.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let output = OpenOptions::new().create(true).append(true).open(log)?;
        let access = |read_only| if read_only { "ro" } else { "rw" };
        let mut command = Command::new("unshare");
        command
            .args([
                "--mount",
                "--propagation=private",
                "sh",
                "-c",
                SCRIPT,
                "sandbox",
            ])
            .arg(&self.root)
            .arg(access(self.read_only_root))
            .args([self.user.to_string(), self.group.to_string()])
            .arg(&self.directory);
        for mount in &self.mounts {
            command
                .args([&mount.source, &mount.target])
                .arg(access(mount.read_only));
        }
        let child = command
            .arg("--")
            .args(&self.command)
            .env_clear()
            .envs(&self.variables)
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output)
            .spawn()
            .context("start unshare")?;
        let id = child.id().context("the process ended at once")?;
        let group = Pid::from_raw(i32::try_from(id)?).context("no process id")?;
        Ok(Process { child, group })
    }
}

impl Process {
    /// The process group's id, which is the process's.
    pub(super) fn group(&self) -> Pid {
        self.group
    }

    /// Waits for the process to end, then kills what it left behind.
    pub(super) async fn wait(&mut self) -> Result<ExitStatus> {
        let status = self.child.wait().await?;
        self.kill();
        Ok(status)
    }

    /// Asks the process to end, and kills it after `grace`.
    pub(super) async fn terminate(&mut self, grace: Duration) -> Result<ExitStatus> {
        if !grace.is_zero() {
            // It fails only when the process is gone already.
            let _ = kill_process(self.group, Signal::TERM);
            if let Ok(status) = tokio::time::timeout(grace, self.wait()).await {
                return status;
            }
        }
        self.kill();
        self.wait().await
    }

    fn kill(&self) {
        // It fails only when every process is gone already.
        let _ = kill_process_group(self.group, Signal::KILL);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Once it was waited for, its id may be another's.
        if self.child.id().is_some() {
            self.kill();
        }
    }
}
