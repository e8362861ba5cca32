//! A whole platform of real processes: a cluster, what `banlieue bootstrap` puts into it, the
//! provider processes that the operator starts, and a simulator beside them.
//!
//! Nothing here does the platform's work: objects come from the program itself, Pods run under
//! their own identities, and RBAC decides.

mod conditions;
mod namespace;
mod objects;
mod platform;
mod program;
mod simulator;

pub use conditions::{is_ready, ready};
pub use namespace::{CREDENTIALS, offer, prepare};
pub use objects::{CLASS, IMAGE, image, provider, virtual_machine, vm_class};
pub use platform::{Platform, SYSTEM};
pub use program::program;
pub use simulator::{PASSWORD, Simulator};
