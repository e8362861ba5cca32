//! Where containers write down their states, for the Pod's status.

use std::sync::Arc;

use tokio::sync::watch;

use super::status::{Snapshot, Snapshots};

/// The place of one container.
#[derive(Debug, Clone)]
pub(super) struct Report {
    snapshots: Arc<watch::Sender<Snapshots>>,
    init: bool,
    index: usize,
}

impl Report {
    pub(super) fn new(snapshots: Arc<watch::Sender<Snapshots>>, init: bool, index: usize) -> Self {
        Self {
            snapshots,
            init,
            index,
        }
    }

    /// Changes the container's state; the Pod's status follows.
    pub(super) fn update(&self, change: impl FnOnce(&mut Snapshot)) {
        self.snapshots.send_if_modified(|all| {
            let list = if self.init {
                &mut all.init
            } else {
                &mut all.main
            };
            let Some(snapshot) = list.get_mut(self.index) else {
                return false;
            };
            let before = snapshot.clone();
            change(snapshot);
            *snapshot != before
        });
    }
}
