//! All reconcilers of the process, on one set of watches.

use banlieue_kit::cache::{WatchOptions, Watches};
use banlieue_kit::runner::{Config, CutOff, Reporting};
use banlieue_kit::{CancellationToken, Client};
use banlieue_schemas::infrastructure::{LibvirtCluster, SimCluster, VSphereCluster};

use crate::watched::Watched;
use crate::{cluster, virtual_machine, vm_image};

/// What a process looks after, and how hard it works.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The one namespace that it looks after, or all. Kinds without a namespace are always read
    /// whole.
    pub namespace: Option<String>,
    /// Limits of each reconciler.
    pub limits: Config,
}

/// Reconciles until `shutdown`. Dropping the future stops at once, which is for a lost leadership.
pub async fn run(
    client: Client,
    settings: Settings,
    reporting: Reporting,
    shutdown: CancellationToken,
) -> Result<(), CutOff> {
    let Settings { namespace, limits } = settings;
    let mut drivers = Watches::new(client.clone(), reporting.health.clone());
    let watched = Watched::new(&mut drivers, namespace.as_deref());
    let namespaced = WatchOptions {
        namespace,
        ..WatchOptions::default()
    };
    // Cluster API need not be there.
    let owners = drivers.add::<cluster::Owner>(WatchOptions {
        optional: true,
        ..namespaced.clone()
    });
    let around = cluster::Around {
        watched: watched.clone(),
        owners,
    };

    let machines =
        virtual_machine::runner(client.clone(), watched.clone(), limits, reporting.clone());
    let images = vm_image::runner(client.clone(), watched, limits, reporting.clone());
    let vsphere = drivers.add::<VSphereCluster>(namespaced.clone());
    let vsphere = cluster::runner(client.clone(), &vsphere, &around, limits, reporting.clone());
    let libvirt = drivers.add::<LibvirtCluster>(namespaced.clone());
    let libvirt = cluster::runner(client.clone(), &libvirt, &around, limits, reporting.clone());
    let sim = drivers.add::<SimCluster>(namespaced);
    let sim = cluster::runner(client, &sim, &around, limits, reporting);

    let all = async {
        tokio::try_join!(
            machines.run(shutdown.clone()),
            images.run(shutdown.clone()),
            vsphere.run(shutdown.clone()),
            libvirt.run(shutdown.clone()),
            sim.run(shutdown),
        )
    };
    tokio::select! {
        () = drivers.run() => Ok(()),
        ended = all => ended.map(drop),
    }
}

#[cfg(test)]
mod tests;
