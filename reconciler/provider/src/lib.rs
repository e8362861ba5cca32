//! One provider process for any backend.
//!
//! A backend brings [`Connect`](banlieue_backend::Connect), a machine kind brings
//! [`ServedMachine`](banlieue_schemas::infrastructure::ServedMachine), and [`run()`] does the rest.
//! Nothing in here knows a hypervisor.
//!
//! | module | what |
//! |---|---|
//! | `run` | the process: watches, session, reconcilers |
//! | `endpoint` | the Provider itself: failure domains and health |
//! | `machine` | machines of one kind |
//! | `image` | where images are, as this Provider's rows |
//! | `session` | the one connection to the backend, and what it takes to connect |
//! | `problem` | what went wrong, as conditions say it |

mod config;
mod endpoint;
mod errors;
mod image;
mod machine;
mod problem;
mod run;
mod session;
#[cfg(test)]
mod testing;
mod triggers;

pub use config::{Config, Limits};
pub use machine::Machine;
pub use run::run;
