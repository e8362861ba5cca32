//! The processes that the node started, for those who kill or freeze them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result, ensure};
use rustix::process::{Pid, Signal, kill_process_group};

/// Process groups by their leader's id.
#[derive(Debug, Clone, Default)]
pub(super) struct Processes(Arc<Mutex<HashMap<Pid, Owner>>>);

#[derive(Debug)]
struct Owner {
    namespace: String,
    pod: String,
}

impl Processes {
    pub(super) fn insert(&self, group: Pid, namespace: &str, pod: &str) {
        let owner = Owner {
            namespace: namespace.to_owned(),
            pod: pod.to_owned(),
        };
        self.lock().insert(group, owner);
    }

    pub(super) fn remove(&self, group: Pid) {
        self.lock().remove(&group);
    }

    /// Sends `signal` to every process of a Pod. An error if there is none.
    pub(super) fn signal(&self, namespace: &str, pod: &str, signal: Signal) -> Result<()> {
        let groups = self.lock();
        let mut sent = 0;
        for (group, owner) in groups.iter() {
            if owner.namespace == namespace && owner.pod == pod {
                kill_process_group(*group, signal).context("signal a Pod")?;
                sent += 1;
            }
        }
        ensure!(sent > 0, "no process of {namespace}/{pod} runs");
        Ok(())
    }

    pub(super) fn ids(&self) -> Vec<u32> {
        let groups = self.lock();
        let ids = groups.keys().map(|id| id.as_raw_nonzero().get());
        ids.filter_map(|id| u32::try_from(id).ok()).collect()
    }

    /// The map is whole even after a panic elsewhere.
    fn lock(&self) -> MutexGuard<'_, HashMap<Pid, Owner>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
