//! The one way to touch the API server, for every process of the platform.
//!
//! - [`client`] reaches it, [`cache`] hears what it holds, [`runner`] calls a reconciler for what
//!   changed.
//! - [`apply`], [`status`], [`finalizer`], [`delete`] and [`prune`] are the writes that a
//!   reconciler may do. Each is safe to repeat, sends nothing where nothing would change, and
//!   takes an object to be the one with its UID, not the next one of its name. Nothing outside of
//!   this crate names a patch.
//! - [`lease`] lets one process of several act; [`process`] is the frame around all of it.
//! - [`events`], [`metrics`], [`health`] and [`telemetry`] say how it goes; [`errors`] sorts what
//!   goes wrong.

mod api;
pub mod apply;
pub mod cache;
pub mod client;
pub mod delete;
pub mod errors;
pub mod events;
pub mod finalizer;
mod guard;
pub mod health;
pub mod lease;
pub mod metrics;
pub mod process;
pub mod prune;
pub mod runner;
pub mod server;
pub mod status;
pub mod telemetry;

pub use guard::{Guarded, Kind};

pub use k8s_openapi::jiff::Timestamp;
pub use kube::Client;
pub use kube::runtime::reflector::ObjectRef;
pub use tokio_util::sync::CancellationToken;

#[cfg(test)]
mod fake;
