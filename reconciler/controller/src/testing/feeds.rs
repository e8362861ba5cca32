//! The watches of a test, which hear from its server when the test says so.

use std::collections::BTreeMap;

use banlieue_kit::Kind;
use banlieue_kit::cache::feed::Feed;
use banlieue_schemas::infrastructure::{LibvirtMachine, SimMachine, VSphereMachine};
use banlieue_schemas::platform::{Provider, ProviderClass, VirtualMachine, VmClass, VmImage};
use serde_json::Value;

use super::Server;
use crate::watched::{MachineWatches, Watched};

/// A watch, and what it told so far.
struct Told<K: Kind> {
    feed: Feed<K>,
    objects: BTreeMap<String, Value>,
}

impl<K: Kind> Told<K> {
    fn new() -> Self {
        let (feed, objects) = (Feed::listed(&[]), BTreeMap::new());
        Self { feed, objects }
    }

    fn sync(&mut self, server: &Server) {
        let now = server.all(&K::plural(&()));
        for (path, gone) in &self.objects {
            if !now.contains_key(path) {
                self.feed.delete(gone);
            }
        }
        for (path, object) in &now {
            let before = self.objects.get(path);
            // Another object of the same name: the end of the first is told too.
            if let Some(before) =
                before.filter(|it| it["metadata"]["uid"] != object["metadata"]["uid"])
            {
                self.feed.delete(before);
            }
            if before != Some(object) {
                self.feed.apply(object);
            }
        }
        self.objects = now;
    }
}

pub(crate) struct Feeds {
    virtual_machines: Told<VirtualMachine>,
    classes: Told<VmClass>,
    images: Told<VmImage>,
    providers: Told<Provider>,
    provider_classes: Told<ProviderClass>,
    vsphere: Told<VSphereMachine>,
    libvirt: Told<LibvirtMachine>,
    sim: Told<SimMachine>,
}

impl Feeds {
    pub(crate) fn new() -> Self {
        Self {
            virtual_machines: Told::new(),
            classes: Told::new(),
            images: Told::new(),
            providers: Told::new(),
            provider_classes: Told::new(),
            vsphere: Told::new(),
            libvirt: Told::new(),
            sim: Told::new(),
        }
    }

    pub(crate) fn watched(&self) -> Watched {
        Watched {
            virtual_machines: self.virtual_machines.feed.watch().clone(),
            classes: self.classes.feed.watch().clone(),
            images: self.images.feed.watch().clone(),
            providers: self.providers.feed.watch().clone(),
            provider_classes: self.provider_classes.feed.watch().clone(),
            machines: MachineWatches {
                vsphere: self.vsphere.feed.watch().clone(),
                libvirt: self.libvirt.feed.watch().clone(),
                sim: self.sim.feed.watch().clone(),
            },
        }
    }

    /// The watches get up to date.
    pub(crate) fn sync(&mut self, server: &Server) {
        self.virtual_machines.sync(server);
        self.classes.sync(server);
        self.images.sync(server);
        self.providers.sync(server);
        self.provider_classes.sync(server);
        self.vsphere.sync(server);
        self.libvirt.sync(server);
        self.sim.sync(server);
    }

    /// The watches of machine objects break down, and list nothing.
    pub(crate) fn lose_machines(&mut self) {
        self.vsphere.feed.list(&[]);
        self.libvirt.feed.list(&[]);
        self.sim.feed.list(&[]);
        self.vsphere.objects.clear();
        self.libvirt.objects.clear();
        self.sim.objects.clear();
    }
}
