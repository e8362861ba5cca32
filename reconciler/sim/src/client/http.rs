//! Requests that end within a deadline.

use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, StatusCode, header};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Largest answer that is read: the log of a world is some megabytes.
const MAX_BYTES: usize = 64 << 20;

/// Why a request got no answer.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The deadline passed.
    #[error("no answer in time")]
    Timeout,
    /// No connection, or it was lost.
    #[error("no connection")]
    Unreachable(#[source] hyper_util::client::legacy::Error),
    /// The server has another answer than the one that was asked for.
    #[error("the server answered {0}")]
    Status(StatusCode),
    /// What was sent or received is not what it should be.
    #[error("the message is not valid")]
    Message(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// A server. Connections are kept and shared.
#[derive(Clone)]
pub(super) struct Http {
    client: Client<HttpConnector, Body>,
    base: String,
    deadline: Duration,
}

impl Http {
    /// A server at `host:port`, with a deadline for each request.
    pub(super) fn new(authority: &str, deadline: Duration) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(deadline));
        Self {
            client: Client::builder(TokioExecutor::new()).build(connector),
            base: format!("http://{authority}"),
            deadline,
        }
    }

    /// Sends a request and reads the answer.
    pub(super) async fn send<A: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: &impl Serialize,
    ) -> Result<A, HttpError> {
        self.send_within(self.deadline, method, path, body).await
    }

    /// The same for an answer that may take `patience` longer than others.
    pub(super) async fn send_patiently<A: DeserializeOwned>(
        &self,
        patience: Duration,
        method: Method,
        path: &str,
        body: &impl Serialize,
    ) -> Result<A, HttpError> {
        let deadline = self.deadline + patience;
        self.send_within(deadline, method, path, body).await
    }

    async fn send_within<A: DeserializeOwned>(
        &self,
        deadline: Duration,
        method: Method,
        path: &str,
        body: &impl Serialize,
    ) -> Result<A, HttpError> {
        let body = serde_json::to_vec(body).map_err(message)?;
        let request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base))
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(body))
            .map_err(message)?;
        let exchange = self.exchange(request);
        let bytes = tokio::time::timeout(deadline, exchange)
            .await
            .map_err(|_| HttpError::Timeout)??;
        // Whoever has nothing to say sends nothing.
        let text: &[u8] = if bytes.is_empty() { b"null" } else { &bytes };
        serde_json::from_slice(text).map_err(message)
    }

    async fn exchange(&self, request: Request<Body>) -> Result<Vec<u8>, HttpError> {
        let response = self
            .client
            .request(request)
            .await
            .map_err(HttpError::Unreachable)?;
        let status = response.status();
        let bytes = to_bytes(Body::new(response.into_body()), MAX_BYTES)
            .await
            .map_err(message)?;
        if status.is_success() {
            Ok(bytes.to_vec())
        } else {
            Err(HttpError::Status(status))
        }
    }
}

fn message(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> HttpError {
    HttpError::Message(error.into())
}
