//! Where nothing changes, nothing is written.

use anyhow::{Result, ensure};
use banlieue_schemas::infrastructure::SimMachine;
use kube::api::ListParams;

use super::Case;
use crate::wait::eventually;

/// Passes over each object in which nothing may be written.
const PASSES: u64 = 10;

/// Every reconciler that has something to look at in any case.
const RECONCILERS: [&str; 4] = ["virtual_machine", "vm_image", "endpoint", "image"];

impl Case {
    /// Looks at everything again and again, ends the processes of these names, which start again
    /// with nothing that they knew, and does the same once more. Fails if anything was written;
    /// returns the number of looks.
    pub async fn stays_quiet(&self, processes: &[&str]) -> Result<usize> {
        self.settled().await?;
        let before = self.versions().await?;
        self.gate.forget();
        self.looked_at().await?;
        for process in processes {
            self.kill(process);
        }
        self.settled().await?;
        self.looked_at().await?;

        let calls = self.gate.calls();
        let writes: Vec<_> = calls.iter().filter(|call| !call.is_look()).collect();
        ensure!(writes.is_empty(), "written: {writes:?}");
        let after = self.versions().await?;
        ensure!(before == after, "changed: {before:?} {after:?}");
        Ok(calls.len())
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
        eventually("passes", enough).await
    }
}
