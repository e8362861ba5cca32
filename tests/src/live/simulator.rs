//! A simulator in a process of its own.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use banlieue_backend::Endpoint;
use banlieue_sim::Control;
use banlieue_sim::world::call::CallKind;
use banlieue_sim::world::spec::Latency;
use banlieue_sim::world::state::MachineState;

use super::program;
use crate::process::{Server, on_free_port, wait_until};

/// What clients of every world have to show.
pub const PASSWORD: &str = "open sesame";

const START_LIMIT: Duration = Duration::from_secs(60);

/// A running simulator. Each world begins with six zones in two datacenters when it is first
/// used, and ends with the process.
pub struct Simulator {
    server: Server,
    address: String,
}

impl Simulator {
    /// Starts `banlieue sim`, whose log goes into `directory`, and waits until it answers.
    pub fn start(directory: &Path) -> Result<Self> {
        Self::start_with(directory, Latency::default())
    }

    /// The same with worlds whose work takes that long.
    pub fn start_with(directory: &Path, latency: Latency) -> Result<Self> {
        let config = directory.join("simulator.yaml");
        let template = serde_json::json!({"password": PASSWORD, "latency": latency});
        let worlds = serde_json::json!({"template": template});
        std::fs::write(&config, worlds.to_string())?;
        on_free_port(|port| Self::serve(directory, &config, port))
    }

    fn serve(directory: &Path, config: &Path, port: u16) -> Result<Self> {
        let address = format!("127.0.0.1:{port}");
        let mut command = Command::new(program()?);
        command.arg("sim").arg("--address").arg(&address);
        command.arg("--config").arg(config);
        let mut server = Server::start(command, &directory.join("simulator.log"))?;
        let url = format!("http://{address}/livez");
        wait_until("the simulator", START_LIMIT, || {
            server.ensure_running()?;
            Ok(ureq::get(&url).call().is_ok())
        })?;
        Ok(Self { server, address })
    }

    /// ID of the process.
    pub fn process(&self) -> u32 {
        self.server.id()
    }

    /// What a Provider names to reach a world.
    pub fn endpoint(&self, world: &str) -> String {
        format!("sim://{}/{world}", self.address)
    }

    /// The hands of a person on a world.
    pub fn control(&self, world: &str) -> Result<Control> {
        let endpoint = Endpoint {
            url: self.endpoint(world),
            ..Endpoint::default()
        };
        Ok(Control::of(&endpoint)?)
    }

    /// All machines of a world.
    pub async fn machines(&self, world: &str) -> Result<Vec<MachineState>> {
        Ok(self.control(world)?.state().await?.machines)
    }

    /// The changes that a world was asked for, for the object with that UID, in order. A step that
    /// takes its time is asked for again until it is done; that counts once.
    pub async fn steps(&self, world: &str, uid: &str) -> Result<Vec<CallKind>> {
        let calls = self.control(world)?.calls().await?.calls;
        let of_machine = calls
            .into_iter()
            .filter(|call| call.machine.as_deref() == Some(uid) && call.kind != CallKind::Observe);
        let mut steps: Vec<CallKind> = of_machine.map(|call| call.kind).collect();
        steps.dedup();
        Ok(steps)
    }
}
