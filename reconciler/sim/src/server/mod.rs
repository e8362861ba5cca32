//! The simulator as a process of its own: HTTP with JSON.
//!
//! | path | for |
//! |---|---|
//! | `/v1/worlds/{world}/...` | backends: see the module [`client`] |
//! | `/control/worlds/{world}/...` | persons and tests: see the module [`control`] |
//! | `/livez` | probes |
//!
//! Nobody is asked who he is: the simulator holds nothing of worth.
//!
//! [`client`]: crate::client

pub mod control;
mod machines;

use std::io;
use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::get;
use tokio::net::TcpListener;

use crate::worlds::Worlds;

/// Port of an endpoint that names none.
pub const DEFAULT_PORT: u16 = 8090;

/// Largest request: user data of a megabyte, escaped, and some room.
const MAX_BYTES: usize = 8 << 20;

/// Everything that the server answers.
pub fn router(worlds: Arc<Worlds>) -> Router {
    Router::new()
        .route("/livez", get(|| async { "ok" }))
        .nest("/v1/worlds", machines::router())
        .nest("/control/worlds", control::router())
        .layer(DefaultBodyLimit::max(MAX_BYTES))
        .with_state(worlds)
}

/// Serves until `shutdown` ends. Requests that are open then are not waited for, since some are meant
/// to stay without an answer: they end with the runtime.
///
/// # Errors
/// The listener fails.
pub async fn serve(
    listener: TcpListener,
    worlds: Arc<Worlds>,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    tokio::select! {
        result = axum::serve(listener, router(worlds)) => result,
        () = shutdown => Ok(()),
    }
}
