//! The simulator as the suite wants it, in process or behind a server.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use banlieue_backend::conformance::{Act, Fixture, Unable};
use banlieue_backend::{BackendError, Connect, Credentials, Endpoint, ImageRequest};
use banlieue_core::machine::{Desired, Disk, Hardware, Identity, Nic, Seed, StepKind};
use banlieue_schemas::common::{PowerState, StringMap};
use banlieue_schemas::platform::ImageSourceKind;
use banlieue_sim::Simulator;
use banlieue_sim::world::call::CallKind;
use banlieue_sim::world::fault::{Fault, Rule};
use banlieue_sim::world::spec::ZoneSpec;

/// A simulator, and a way to connect to it.
pub struct SimFixture<C> {
    pub connect: C,
    pub endpoint: Endpoint,
    pub simulator: Arc<Simulator>,
    pub used: AtomicU32,
}

impl<C> SimFixture<C> {
    fn strike(&self, fault: Fault, call: Option<CallKind>) {
        let mut rule = Rule::new(fault);
        rule.call = call;
        self.simulator.with(|world| world.script().add(rule));
    }
}

fn target(key: &str, value: &str) -> StringMap {
    StringMap::from([(key.to_owned(), value.to_owned())])
}

impl<C: Connect> Fixture for SimFixture<C> {
    type Backend = C::Backend;

    async fn connect(&self) -> Result<C::Backend, BackendError> {
        let nothing = Credentials::default();
        self.connect.connect(&self.endpoint, &nothing).await
    }

    fn identity(&self, case: &str) -> Identity {
        let number = self.used.fetch_add(1, Ordering::SeqCst);
        Identity::of(format!("{case}-{number}"))
    }

    fn desired(&self, name: &str) -> Desired {
        let zone = ZoneSpec::default();
        Desired {
            name: name.to_owned(),
            zone: "sim-dc1-a".to_owned(),
            place: zone.place(),
            image: zone.reference("debian-13"),
            hardware: Hardware {
                cpus: 2,
                memory_mib: 1024,
                ..Hardware::default()
            },
            disks: vec![Disk {
                name: "os".to_owned(),
                size_gib: 10,
                target: target("pool", "default"),
                ..Disk::default()
            }],
            nics: vec![
                Nic {
                    name: "eth0".to_owned(),
                    target: target("network", "lan"),
                    ..Nic::default()
                },
                Nic {
                    name: "eth1".to_owned(),
                    target: target("network", "dmz"),
                    ..Nic::default()
                },
            ],
            seed: Seed {
                hostname: name.to_owned(),
                user_data: Some("#cloud-config\n".to_owned()),
            },
            power: PowerState::PoweredOn,
        }
    }

    fn image(&self) -> ImageRequest {
        ImageRequest {
            kind: ImageSourceKind::Template,
            reference: "debian-13".to_owned(),
            place: ZoneSpec::default().place(),
        }
    }

    async fn pass(&self, time: Duration) {
        self.simulator.skip(time);
        // Whoever listens gets its turn.
        tokio::task::yield_now().await;
    }

    async fn act(&self, act: Act) -> Result<(), Unable> {
        let with = &self.simulator;
        let done = match act {
            Act::PlaceStranger(name) => with.with(|world| world.place_stranger(&name, 0, None)),
            Act::PlaceTwin(name, identity) => {
                with.with(|world| world.place_stranger(&name, 0, Some(identity.uuid())))
            }
            Act::Remove(identity) => with.with(|world| world.remove_by_hand(&identity, false)),
            Act::RemoveButDisks(identity) => {
                with.with(|world| world.remove_by_hand(&identity, true))
            }
            Act::AttachDisk(identity) => with.with(|world| world.attach_by_hand(&identity, "usb")),
            Act::LoseAnswer(step) => {
                self.strike(Fault::LostAnswer, Some(step.into()));
                true
            }
            Act::BreakOff(step) => {
                self.strike(Fault::HalfDone, Some(step.into()));
                true
            }
            Act::HangShutdown => {
                self.strike(Fault::Hanging, Some(StepKind::Power.into()));
                true
            }
            Act::ExpireSession => {
                self.strike(Fault::SessionExpired, None);
                true
            }
        };
        done.then_some(()).ok_or(Unable("find what to act on"))
    }

    async fn count(&self, identity: &Identity) -> Result<usize, Unable> {
        Ok(self
            .simulator
            .with(|world| world.state().of(identity).count()))
    }

    async fn stranger_is_well(&self, name: &str) -> Result<bool, Unable> {
        let state = self.simulator.with(|world| world.state());
        Ok(state.machines.iter().any(|machine| {
            machine.uid.is_none() && machine.name == name && machine.power == PowerState::PoweredOn
        }))
    }
}
