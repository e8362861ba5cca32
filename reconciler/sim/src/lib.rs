//! A simulated hypervisor: everything that a real one does to its clients, in memory and on demand.
//!
//! | module | what |
//! |---|---|
//! | [`world`] | the hypervisor as data: machines, work, faults, a log of calls; time is an argument |
//! | [`clock`] | where time comes from |
//! | [`simulator`] | a world with a clock, shared by its clients |
//! | [`in_process`] | the backend for tests in one process |
//! | [`worlds`] | many simulators by name, from a configuration file |
//! | [`server`] | a process that holds them |
//! | [`client`] | the backend that talks to it |

pub mod client;
pub mod clock;
pub mod in_process;
pub mod server;
pub mod simulator;
mod wire;
mod words;
pub mod world;
pub mod worlds;

pub use client::{Control, SimClient, SimClientConnect};
pub use clock::{Clock, ManualClock, RunningClock};
pub use in_process::{SimBackend, SimConnect};
pub use simulator::Simulator;
pub use world::World;
pub use world::spec::WorldSpec;
pub use worlds::{Worlds, WorldsSpec};
