//! The watches of the process, one a kind, shared by its reconcilers.

use banlieue_kit::cache::{Watch, WatchOptions, Watches};
use banlieue_schemas::infrastructure::{LibvirtMachine, SimMachine, VSphereMachine};
use banlieue_schemas::platform::{Provider, ProviderClass, VirtualMachine, VmClass, VmImage};

/// What several reconcilers read.
#[derive(Clone, Debug)]
pub struct Watched {
    /// Every VirtualMachine.
    pub virtual_machines: Watch<VirtualMachine>,
    /// Every VMClass.
    pub classes: Watch<VmClass>,
    /// Every VMImage.
    pub images: Watch<VmImage>,
    /// Every Provider.
    pub providers: Watch<Provider>,
    /// Every ProviderClass.
    pub provider_classes: Watch<ProviderClass>,
    /// Machine objects of every backend.
    pub machines: MachineWatches,
}

/// Machine objects of every backend.
#[derive(Clone, Debug)]
pub struct MachineWatches {
    /// On vCenters.
    pub vsphere: Watch<VSphereMachine>,
    /// On libvirt hosts.
    pub libvirt: Watch<LibvirtMachine>,
    /// On simulators.
    pub sim: Watch<SimMachine>,
}

impl Watched {
    /// Watches one namespace, or with `None` all. They start with the other watches of the process.
    pub fn new(watches: &mut Watches, namespace: Option<&str>) -> Self {
        let namespaced = WatchOptions {
            namespace: namespace.map(str::to_owned),
            ..WatchOptions::default()
        };
        // Machine objects are applied, and an apply that would change nothing is not sent.
        let applied = WatchOptions {
            managed_fields: true,
            ..namespaced.clone()
        };
        Self {
            virtual_machines: watches.add(namespaced.clone()),
            classes: watches.add(WatchOptions::default()),
            images: watches.add(WatchOptions::default()),
            providers: watches.add(namespaced),
            provider_classes: watches.add(WatchOptions::default()),
            machines: MachineWatches {
                vsphere: watches.add(applied.clone()),
                libvirt: watches.add(applied.clone()),
                sim: watches.add(applied),
            },
        }
    }
}
