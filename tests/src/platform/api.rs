//! The client of one process: its requests pass the gate, and it sees the objects of its case only.

use std::sync::Arc;
use std::task::{Context, Poll};

use anyhow::Result;
use banlieue_kit::Client;
use banlieue_kit::client::{ApiLayer, ApiService, Fence, Settings, connect};
use banlieue_kit::metrics::{Metrics, Request};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use http::Uri;
use kube::client::{Body, DynBody};
use tower::util::BoxService;
use tower::{BoxError, Service};

use super::gate::{Call, Fault, Gate, Life};
use super::hearing::Hearing;
use crate::apiserver::ApiServer;

/// Label of the objects of a case that have no namespace.
pub const CASE: &str = "tests.banlieue.io/case";

/// Kinds of the platform without a namespace.
const SHARED: [&str; 3] = ["vmimages", "vmclasses", "providerclasses"];

/// Kinds of Cluster API, which these servers do not know: asked for again and again, and no part of
/// any flow.
const OPTIONAL: [&str; 2] = ["clusters", "machines"];

/// A client whose calls pass `gate` as those of `life`, which hears what `hearing` lets through.
pub async fn client(
    api: &ApiServer,
    case: &str,
    gate: Arc<Gate>,
    hearing: Arc<Hearing>,
    life: Arc<Life>,
    metrics: Metrics,
) -> Result<Client> {
    let case = case.to_owned();
    let role = life.process.clone();
    let layer: ApiLayer = Arc::new(move |inner: ApiService| {
        BoxService::new(Gated {
            inner,
            case: case.clone(),
            gate: Arc::clone(&gate),
            hearing: Arc::clone(&hearing),
            life: Arc::clone(&life),
        })
    });
    let settings = Settings {
        kubeconfig: Some(api.kubeconfig()),
        layer: Some(layer),
        ..Settings::new(&role, "test")
    };
    Ok(connect(&settings, metrics, Fence::open()).await?)
}

struct Gated {
    inner: ApiService,
    case: String,
    gate: Arc<Gate>,
    hearing: Arc<Hearing>,
    life: Arc<Life>,
}

type Answer = Result<http::Response<Box<DynBody>>, BoxError>;

impl Service<http::Request<Body>> for Gated {
    type Response = http::Response<Box<DynBody>>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Answer>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: http::Request<Body>) -> Self::Future {
        if self.life.is_over() {
            return futures::future::pending().boxed();
        }
        let asked = Request::of(request.method(), request.uri());
        if SHARED.contains(&asked.resource.as_str()) && !asked.writes() && asked.verb != "get" {
            *request.uri_mut() = narrowed(request.uri(), &self.case);
        }
        let life = Arc::clone(&self.life);
        let hearing = Arc::clone(&self.hearing);
        if asked.streams() || OPTIONAL.contains(&asked.resource.as_str()) {
            let answer = self.inner.call(request);
            return async move {
                let answer = alive(&life, answer.await).await?;
                Ok(hearing.watched(&life.process, &asked.resource, answer))
            }
            .boxed();
        }
        let call = Call {
            process: self.life.process.clone(),
            verb: asked.verb,
            object: object(&asked, request.uri()),
            what: asked.resource.clone(),
        };
        let troubles = hearing.notice(&call);
        let pass = self.gate.enter(call);
        let fault = pass.fault;
        if fault == Some(Fault::FailsBefore) {
            return futures::future::ready(Err("refused by the test".into())).boxed();
        }
        let answer = self.inner.call(request);
        async move {
            let answer = answer.await;
            drop(pass);
            if troubles {
                hearing.felt().await?;
            }
            match fault {
                Some(Fault::AnswerLost) => Err("the test lost the answer".into()),
                Some(Fault::CallerDies) => {
                    life.end();
                    futures::future::pending().await
                }
                _ if asked.verb == "list" => {
                    let answer = alive(&life, answer).await?;
                    hearing.listed(&life.process, &asked.resource, answer).await
                }
                _ => alive(&life, answer).await,
            }
        }
        .boxed()
    }
}

/// Name of the object that a request is about, empty for many.
fn object(asked: &Request, uri: &Uri) -> String {
    if matches!(asked.verb, "list" | "create") {
        return String::new();
    }
    let subresource = asked.resource.split('/').skip(1).count();
    let mut path = uri.path().rsplit('/').skip(subresource);
    path.next().unwrap_or_default().to_owned()
}

/// No answer reaches the dead.
async fn alive(life: &Life, answer: Answer) -> Answer {
    if life.is_over() {
        return futures::future::pending().await;
    }
    answer
}

/// The same collection, without the objects of other cases.
fn narrowed(uri: &Uri, case: &str) -> Uri {
    let joint = if uri.query().is_some() { "&" } else { "?" };
    let text = format!("{uri}{joint}labelSelector={CASE}%3D{case}");
    text.parse().unwrap_or_else(|_| uri.clone())
}
