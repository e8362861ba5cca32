//! Counts requests, bounds their time, and holds the fence.

use std::task::{Context, Poll};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::client::Body;
use tokio::time::{Instant, timeout};
use tower::{BoxError, Service};

use super::{Fence, Fenced};
use crate::metrics::{Metrics, Request};

const LEASES: &str = "leases";

/// The API server did not answer in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no answer within {0:?}")]
pub struct DeadlineExceeded(pub Duration);

pub(super) struct Watchman<S> {
    inner: S,
    metrics: Metrics,
    fence: Fence,
    deadline: Duration,
}

impl<S> Watchman<S> {
    pub(super) fn new(inner: S, metrics: Metrics, fence: Fence, deadline: Duration) -> Self {
        Self {
            inner,
            metrics,
            fence,
            deadline,
        }
    }
}

impl<S, B> Service<http::Request<Body>> for Watchman<S>
where
    S: Service<http::Request<Body>, Response = http::Response<B>, Error = BoxError>,
    S::Future: Send + 'static,
    B: Send + 'static,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Self::Response, BoxError>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let described = Request::of(request.method(), request.uri());
        let fenced = described.writes() && described.resource != LEASES;
        if fenced && !self.fence.is_open(Instant::now()) {
            return futures::future::ready(Err(Fenced.into())).boxed();
        }
        let answer = self.inner.call(request);
        let metrics = self.metrics.clone();
        let deadline = self.deadline;
        async move {
            let answer = if described.streams() {
                answer.await
            } else {
                let answer = timeout(deadline, answer).await;
                answer.unwrap_or_else(|_| Err(DeadlineExceeded(deadline).into()))
            };
            let code = answer.as_ref().ok().map(|answer| answer.status().as_u16());
            metrics.requested(described, code);
            answer
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests;
