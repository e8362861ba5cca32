//! How far a step is.

use std::time::Duration;

/// Answer of a step that was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It is done.
    Done,
    /// The hypervisor works on it. The work is found again by observing the machine, also after a
    /// restart.
    InFlight {
        /// What the backend calls the work, for logs.
        handle: String,
        /// When it is worth looking again, if nothing is heard before.
        look_again: Duration,
    },
}
