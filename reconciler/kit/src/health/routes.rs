//! The HTTP side.

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use tokio::time::Instant;

use super::{Health, Readiness, Role};

/// `/livez` and `/readyz`; any other path is not found.
///
/// `/readyz` answers 200 with `leader` or `standby`, or 503 with `starting` or `unreachable`.
/// `/livez` answers 200, or 503 with the names of the parts that stopped.
pub fn routes(health: Health) -> Router {
    Router::new()
        .route("/livez", get(live))
        .route("/readyz", get(ready))
        .with_state(health)
}

async fn live(State(health): State<Health>) -> (StatusCode, String) {
    let stalled = health.stalled(Instant::now());
    if stalled.is_empty() {
        (StatusCode::OK, "live".to_owned())
    } else {
        let names = stalled.join(", ");
        (StatusCode::SERVICE_UNAVAILABLE, format!("stalled: {names}"))
    }
}

async fn ready(State(health): State<Health>) -> (StatusCode, &'static str) {
    match health.readiness() {
        Readiness::Ready(Role::Leader) => (StatusCode::OK, "leader"),
        Readiness::Ready(Role::Standby) => (StatusCode::OK, "standby"),
        Readiness::Starting => (StatusCode::SERVICE_UNAVAILABLE, "starting"),
        Readiness::Unreachable => (StatusCode::SERVICE_UNAVAILABLE, "unreachable"),
    }
}
