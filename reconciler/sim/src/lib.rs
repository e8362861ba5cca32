//! A simulated hypervisor: everything that a real one does to its clients, in memory and on demand.
//!
//! | module | what |
//! |---|---|
//! | [`world`] | the hypervisor as data: machines, work, faults, a log of calls; time is an argument |
//! | [`clock`] | where time comes from |
//! | [`simulator`] | a world with a clock, shared by its clients |
//! | [`in_process`] | the backend for tests in one process |

pub mod clock;
pub mod in_process;
pub mod simulator;
mod words;
pub mod world;

pub use clock::{Clock, ManualClock, RunningClock};
pub use in_process::{SimBackend, SimConnect};
pub use simulator::Simulator;
pub use world::World;
pub use world::spec::WorldSpec;
