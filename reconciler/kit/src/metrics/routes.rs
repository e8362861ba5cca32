//! The HTTP side.

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderName, StatusCode, header};
use axum::routing::get;

use super::Metrics;

const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// `/metrics`; any other path is not found.
pub fn routes(metrics: Metrics) -> Router {
    Router::new()
        .route("/metrics", get(encode))
        .with_state(metrics)
}

type Answer = Result<([(HeaderName, &'static str); 1], String), StatusCode>;

async fn encode(State(metrics): State<Metrics>) -> Answer {
    match metrics.encode() {
        Ok(text) => Ok(([(header::CONTENT_TYPE, CONTENT_TYPE)], text)),
        Err(_) => Err(StatusCode::INTERNAL_SERVER_ERROR),
    }
}
