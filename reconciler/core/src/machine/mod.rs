//! The life of one virtual machine, the same on every backend.
//!
//! A backend observes and executes; what to do next is decided here, by a pure function of what is
//! wanted and what is there. Every answer is one [`Step`], so that a process that dies between two
//! of them finds its way again by looking.
//!
//! ```text
//!   nothing ── Create ──> defined, off ── Configure, Disks, Seed ──> as wanted, off
//!                                                                         │ Power(on)
//!                                                                         v
//!   nothing <── Delete ── off <── Power(off) ──────────────────────── running
//!                          │ Detach: what is not ours leaves before the machine does
//! ```
//!
//! * [`Identity`] says which machine on the backend is meant: never its display name.
//! * [`plan`](plan()) gives the next step towards a machine that exists; [`teardown`](teardown()) towards none.
//! * [`admit`](admit()) refuses what a backend cannot do before anything is touched.

mod admit;
mod capabilities;
mod desired;
mod identity;
mod observed;
mod plan;
mod step;
mod teardown;

pub use admit::{Refusal, admit};
pub use capabilities::Capabilities;
pub use desired::{Address, Desired, Disk, Hardware, Nic, Seed};
pub use identity::Identity;
pub use observed::{InFlight, Observed, ObservedDisk, ObservedNic, Stamp};
pub use plan::{Next, Pending, Plan, Trouble, plan};
pub use step::{Step, StepKind};
pub use teardown::{Leaving, Teardown, teardown};

#[cfg(test)]
mod tests;
