//! A simulator in a process of its own.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use banlieue_backend::Endpoint;
use banlieue_sim::Control;
use banlieue_sim::world::call::CallKind;
use banlieue_sim::world::state::MachineState;

use super::program;
use crate::process::{Server, free_port, wait_until};

/// What clients of every world have to show.
pub const PASSWORD: &str = "open sesame";

const START_LIMIT: Duration = Duration::from_secs(60);

/// A running simulator. Each world begins with six zones in two datacenters when it is first
/// used, and ends with the process.
pub struct Simulator {
    _server: Server,
    address: String,
}

impl Simulator {
    /// Starts `banlieue sim`, whose log goes into `directory`, and waits until it answers.
    pub fn start(directory: &Path) -> Result<Self> {
        let config = directory.join("simulator.yaml");
        let password = serde_json::json!({"template": {"password": PASSWORD}});
        std::fs::write(&config, password.to_string())?;
        let address = format!("127.0.0.1:{}", free_port()?);
        let mut command = Command::new(program()?);
        command.arg("sim").arg("--address").arg(&address);
        command.arg("--config").arg(&config);
        let mut server = Server::start(command, &directory.join("simulator.log"))?;
        let url = format!("http://{address}/livez");
        wait_until("the simulator", START_LIMIT, || {
            server.ensure_running()?;
            Ok(ureq::get(&url).call().is_ok())
        })?;
        Ok(Self {
            _server: server,
            address,
        })
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
