//! The one way to touch the API server, for every process of the platform.
//!
//! - [`client`] reaches it, [`cache`] hears what it holds, [`runner`] calls a reconciler for what
//!   changed. [`read()`], [`list`] and [`names()`] are for what is not watched.
//! - [`apply`], [`status`], [`finalizer`], [`annotation`], [`delete`] and [`prune`] are the writes that a
//!   reconciler may do. Each is safe to repeat, sends nothing where nothing would change, and
//!   takes an object to be the one with its UID, not the next one of its name. Nothing outside of
//!   this crate names a patch.
//! - [`lease`] lets one process of several act; [`process`] is the frame around all of it.
//! - [`events`], [`metrics`], [`health`] and [`telemetry`] say how it goes; [`errors`] sorts what
//!   goes wrong.

pub mod annotation;
mod api;
pub mod apply;
mod backoff;
pub mod cache;
pub mod client;
pub mod delete;
pub mod errors;
pub mod events;
pub mod finalizer;
mod guard;
pub mod health;
pub mod lease;
pub mod list;
mod managed;
pub mod metrics;
mod names;
mod patch;
pub mod process;
pub mod prune;
mod read;
pub mod runner;
pub mod server;
pub mod status;
pub mod telemetry;

pub use guard::{Guarded, Kind};
pub use names::names;
pub use read::read;

pub use k8s_openapi::jiff::Timestamp;
pub use kube::Client;
pub use kube::runtime::reflector::ObjectRef;
pub use tokio_util::sync::CancellationToken;

#[cfg(any(test, feature = "test-support"))]
pub mod fake;
