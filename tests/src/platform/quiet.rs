//! Where nothing changes, nothing is written.

use anyhow::{Context as _, Result, ensure};
use banlieue_schemas::infrastructure::SimMachine;
use kube::api::ListParams;
use tokio::time::{Instant, sleep};

use super::Case;
use super::case::CALM;
use super::gate::Call;
use crate::wait::{LIMIT, eventually};

/// Passes over each object in which nothing may be written.
const PASSES: u64 = 10;

/// Every reconciler that has something to look at in any case.
const RECONCILERS: [&str; 4] = ["virtual_machine", "vm_image", "endpoint", "image"];

/// Name of the process that is none of a Provider.
const CONTROLLER: &str = "controller";

/// What a controller watches, as far as these servers know it.
const WATCHED: [&str; 6] = [
    "virtualmachines",
    "simmachines",
    "providers",
    "providerclasses",
    "vmclasses",
    "vmimages",
];

/// What the process of a Provider watches of that.
const WATCHED_BY_PROVIDERS: [&str; 3] = ["simmachines", "providers", "vmimages"];

impl Case {
    /// Looks at everything again and again, makes the processes of these names list again what they
    /// watch, ends them, which start again with nothing that they knew, and looks once more. Fails
    /// if anything was written, or done to a machine; returns the number of looks.
    pub async fn stays_quiet(&self, processes: &[&str]) -> Result<usize> {
        let calls = self.writes_nothing(processes).await?;
        let done: Vec<_> = calls.iter().filter(|call| !call.is_look()).collect();
        ensure!(done.is_empty(), "done: {done:?}");
        Ok(calls.len())
    }

    /// The same where a backend is asked again and again for what it refuses: nothing is written.
    /// A process that started again asks once more for the Event that it wrote before, which is
    /// refused, because its name says what it says. Returns the calls.
    pub async fn writes_nothing(&self, processes: &[&str]) -> Result<Vec<Call>> {
        self.wrote_all().await?;
        let before = self.versions().await?;
        self.gate.forget();
        self.looked_at().await?;
        for process in processes {
            let watched = match *process {
                CONTROLLER => WATCHED.as_slice(),
                _ => &WATCHED_BY_PROVIDERS,
            };
            for resource in watched {
                self.hearing.relist(process, resource).await?;
            }
        }
        self.looked_at().await?;
        for process in processes {
            self.kill(process);
        }
        self.wrote_all().await?;
        self.looked_at().await?;

        let calls = self.gate.calls();
        let writes = calls.iter().filter(|call| call.is_write());
        let (said, writes): (Vec<_>, Vec<_>) = writes.partition(|call| call.what == "events");
        ensure!(writes.is_empty(), "written: {writes:?}");
        ensure!(said.len() <= processes.len(), "said: {said:?}");
        let after = self.versions().await?;
        ensure!(before == after, "changed: {before:?} {after:?}");
        Ok(calls)
    }

    /// Waits until nothing is written any more. Backends may be called again and again.
    pub async fn wrote_all(&self) -> Result<()> {
        let writes = || self.gate.calls().into_iter().filter(Call::is_write);
        let end = Instant::now() + LIMIT;
        let mut seen = writes().count();
        loop {
            sleep(CALM).await;
            let now = writes().count();
            if now == seen && self.are_ready() {
                return Ok(());
            }
            seen = now;
            let last = writes().next_back();
            ensure!(Instant::now() < end, "it writes on and on: {last:?}");
        }
    }

    /// Waits until each reconciler that has something to look at did so often.
    async fn looked_at(&self) -> Result<()> {
        let mut reconcilers = RECONCILERS.to_vec();
        let machines = self.api::<SimMachine>();
        let machines = machines.list_metadata(&ListParams::default()).await?;
        if !machines.items.is_empty() {
            reconcilers.push("machine");
        }
        let count = |reconciler| (reconciler, self.passes(reconciler));
        let before: Vec<_> = reconcilers.into_iter().map(count).collect();
        let enough = || async {
            for (reconciler, before) in &before {
                let passes = self.passes(reconciler);
                ensure!(passes >= before + PASSES, "{reconciler}: {passes}");
            }
            Ok(())
        };
        eventually("passes", enough).await.context("looked at")
    }
}
