//! The contract of a hypervisor, and the suite that every backend passes.
//!
//! A backend observes and executes; it never decides. What to do next comes from
//! [`banlieue_core::machine`], the same for all. The contract:
//!
//! * **Nothing waits.** A call takes as long as a call takes, never as long as a hypervisor works:
//!   [`Progress::InFlight`] says when to look again. Every call ends within a deadline.
//! * **Every step may be repeated**, after it was done, half done or done with a lost answer.
//! * **Machines are found by identity**, by the UUID and the stamp, never by a display name.
//! * **Nothing without our stamp is changed or destroyed.**
//! * **An error is not an absence.** [`Machines::observe`] answers `None` only when a healthy,
//!   authenticated session says that nothing is there; whatever else goes wrong is an error.
//! * **Errors have a kind**, which alone decides what happens next; messages are for people, and stay
//!   the same as long as the fault does: no task ids, times or counters in them.
//!
//! | module | what |
//! |---|---|
//! | [`inventory`], [`machines`], [`images`] | the three traits |
//! | [`connect`] | from an endpoint and credentials to a [`Backend`] |
//! | [`errors`], [`progress`] | how calls end |

#[cfg(feature = "conformance")]
pub mod conformance;
pub mod connect;
pub mod errors;
pub mod images;
pub mod inventory;
pub mod machines;
pub mod progress;

pub use connect::{Backend, Connect, Credentials, Endpoint};
pub use errors::{BackendError, ErrorKind};
pub use images::{ImageRequest, Images};
pub use inventory::Inventory;
pub use machines::{Hint, Machines};
pub use progress::Progress;
