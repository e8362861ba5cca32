//! An API server that is a function: from a request to an answer.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
// A test that fails here is told where.
#![allow(clippy::missing_panics_doc)]

use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use http::{Request, Response};
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};
use tower::{BoxError, Service};

use crate::client::{Fence, client_on};
use crate::metrics::Metrics;

/// A request as it was received.
#[derive(Clone, Debug)]
pub struct Call {
    /// Method, in capitals.
    pub method: String,
    /// Path, without the query.
    pub path: String,
    /// Query, as it was sent.
    pub query: String,
    /// Content type of the body, empty without one.
    pub content_type: String,
    /// Which representations are accepted.
    pub accept: String,
    /// The body, null if it is no JSON.
    pub body: Value,
}

impl Call {
    /// Method and path, for comparisons.
    pub fn line(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// What the server does with a request.
pub enum Answer {
    /// Answers with a status code and JSON.
    Json(u16, Value),
    /// Never answers.
    Hang,
    /// Breaks the connection.
    Break,
}

impl Answer {
    /// Success.
    pub fn ok(body: Value) -> Self {
        Self::Json(200, body)
    }

    /// A refusal, as `reason` names it.
    pub fn refusal(code: u16, reason: &str) -> Self {
        let body = json!({
            "kind": "Status", "apiVersion": "v1", "status": "Failure",
            "code": code, "reason": reason, "message": "refused",
        });
        Self::Json(code, body)
    }
}

type Handler = Arc<dyn Fn(&Call) -> Answer + Send + Sync>;

/// The server. Clones share the record of calls.
#[derive(Clone)]
pub struct Fake {
    handler: Handler,
    calls: Arc<Mutex<Vec<Call>>>,
}

impl Fake {
    /// A server that answers as `handler` says.
    pub fn new(handler: impl Fn(&Call) -> Answer + Send + Sync + 'static) -> Self {
        Self {
            handler: Arc::new(handler),
            calls: Arc::default(),
        }
    }

    /// A server that stores whatever it gets and answers with it.
    pub fn echo() -> Self {
        Self::new(|call| Answer::ok(call.body.clone()))
    }

    /// A server that refuses everything.
    pub fn refusing(code: u16, reason: &'static str) -> Self {
        Self::new(move |_| Answer::refusal(code, reason))
    }

    /// A client of the server.
    pub fn client(&self) -> Client {
        self.client_with(Metrics::new(), Fence::open())
    }

    /// A client that counts and may be fenced.
    pub fn client_with(&self, metrics: Metrics, fence: Fence) -> Client {
        client_on(self.clone(), metrics, fence, Duration::from_secs(30))
    }

    /// Every request so far, in order.
    pub fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }

    /// The only call there was.
    pub fn call(&self) -> Call {
        let calls = self.calls();
        assert_eq!(calls.len(), 1, "{calls:#?}");
        calls[0].clone()
    }
}

impl Service<Request<Body>> for Fake {
    type Response = Response<Body>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Response<Body>, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let fake = self.clone();
        async move {
            let (parts, body) = request.into_parts();
            let header = |name| parts.headers.get(name).map(|value| value.to_str().unwrap());
            let content_type = header(http::header::CONTENT_TYPE).unwrap_or_default();
            let accept = header(http::header::ACCEPT).unwrap_or_default();
            let bytes = body.collect_bytes().await?;
            let call = Call {
                method: parts.method.to_string(),
                path: parts.uri.path().to_owned(),
                query: parts.uri.query().unwrap_or_default().to_owned(),
                content_type: content_type.to_owned(),
                accept: accept.to_owned(),
                body: serde_json::from_slice(&bytes).unwrap_or(Value::Null),
            };
            fake.calls.lock().unwrap().push(call.clone());
            match (fake.handler)(&call) {
                Answer::Json(code, body) => {
                    let body = Body::from(serde_json::to_vec(&body)?);
                    Ok(Response::builder().status(code).body(body)?)
                }
                Answer::Hang => std::future::pending().await,
                Answer::Break => Err("connection reset".into()),
            }
        }
        .boxed()
    }
}

/// A ConfigMap as the API server stores it.
#[cfg(test)]
pub(crate) fn config_map(name: &str) -> k8s_openapi::api::core::v1::ConfigMap {
    serde_json::from_value(json!({
        "metadata": {
            "name": name, "namespace": "ns", "uid": format!("uid-{name}"), "resourceVersion": "7",
        },
        "data": {"a": "b"},
    }))
    .unwrap()
}
