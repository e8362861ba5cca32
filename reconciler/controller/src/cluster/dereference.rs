//! What the status of a cluster is made from.

use super::owner::is_paused;
use super::{Around, ClusterKind};
use crate::sites::Sites;

/// Providers of the cluster's namespace, and whether anything pauses it.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) sites: Sites,
    pub(super) paused: bool,
}

pub(super) fn find<K: ClusterKind>(around: &Around, cluster: &K) -> Found {
    let meta = cluster.meta();
    Found {
        sites: Sites::of(&around.watched, meta.namespace.as_deref()),
        paused: cluster.spec().paused || is_paused(around.owners.cache(), meta),
    }
}
