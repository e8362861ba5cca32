//! What the processes of a case hear from the API server: a watch is silent, or a list comes empty.

use std::future::{Future, ready};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use axum::body::{Body, Bytes, to_bytes};
use futures::{Stream, StreamExt as _, stream};
use http::Response;
use http::header::CONTENT_LENGTH;
use http_body_util::BodyExt as _;
use kube::client::DynBody;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::timeout;
use tower::BoxError;

use super::gate::{Call, Kind, Point};
use crate::wait::LIMIT;

type Answer = Response<Box<DynBody>>;

/// What goes wrong with what a process hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Its watches tell nothing.
    Silence,
    /// Its watch of this resource breaks, and the list that follows has nothing in it.
    EmptyList(&'static str),
    /// Its watch of this resource breaks, and it lists what it knows.
    Relist(&'static str),
}

/// What the processes of a case hear. One trouble at a time.
#[derive(Debug)]
pub struct Hearing(watch::Sender<State>);

#[derive(Clone, Debug, Default)]
struct State {
    process: String,
    trouble: Option<Trouble>,
    /// What of its calls counts, the writes of machines unless given.
    kind: Option<Kind>,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Over,
    /// It begins with so many more of these calls by the process.
    Armed(usize),
    /// The watch breaks, the empty list is still to come.
    Begun,
    /// The process hears what it must not rely on.
    Felt,
    /// The watch breaks once more, the whole list is still to come.
    Ending,
}

impl State {
    fn is_silent(&self, process: &str) -> bool {
        self.process == process
            && self.trouble == Some(Trouble::Silence)
            && self.stage == Stage::Felt
    }

    /// Whether the process has to list the resource again.
    fn breaks(&self, process: &str, resource: &str) -> bool {
        self.process == process
            && self.trouble.is_some_and(|it| it.is_about(resource))
            && matches!(self.stage, Stage::Begun | Stage::Ending)
    }

    fn counts(&self, call: &Call) -> bool {
        match &self.kind {
            Some(kind) => call.kind() == *kind,
            None => call.process == self.process && call.is_write_of_machine(),
        }
    }

    fn begin(&mut self) {
        self.stage = match self.trouble {
            Some(Trouble::Silence) => Stage::Felt,
            Some(Trouble::EmptyList(_)) => Stage::Begun,
            Some(Trouble::Relist(_)) => Stage::Ending,
            None => Stage::Over,
        };
    }
}

impl Trouble {
    fn is_about(self, resource: &str) -> bool {
        match self {
            Self::Silence => true,
            Self::EmptyList(own) | Self::Relist(own) => own == resource,
        }
    }
}

impl Hearing {
    /// All is heard.
    pub fn new() -> Arc<Self> {
        Arc::new(Self(watch::Sender::default()))
    }

    /// The trouble begins right before this one of the calls from now on, and the answer to that
    /// call waits until it is felt.
    pub fn arm_at(&self, point: Point, trouble: Trouble) {
        self.0.send_replace(State {
            process: point.kind.process.clone(),
            trouble: Some(trouble),
            kind: Some(point.kind),
            stage: Stage::Armed(point.nth),
        });
    }

    /// The same, right before the next write of a machine by the process.
    pub fn arm(&self, process: &str, trouble: Trouble) {
        self.0.send_replace(State {
            process: process.to_owned(),
            trouble: Some(trouble),
            kind: None,
            stage: Stage::Armed(1),
        });
    }

    /// The trouble begins now.
    pub fn begin(&self, process: &str, trouble: Trouble) {
        self.arm(process, trouble);
        self.0.send_modify(State::begin);
    }

    /// Waits until the process heard nothing, or an empty list.
    pub async fn felt(&self) -> Result<()> {
        self.reached("not felt", |stage| stage == Stage::Felt).await
    }

    /// Ends the trouble, and waits until the process was told everything.
    pub async fn end(&self) -> Result<()> {
        self.0.send_modify(|state| {
            state.stage = match state.trouble {
                Some(Trouble::EmptyList(_) | Trouble::Relist(_)) => Stage::Ending,
                Some(Trouble::Silence) | None => Stage::Over,
            };
        });
        self.whole().await
    }

    /// Makes the process list a resource again that it watches, and waits until it did.
    pub async fn relist(&self, process: &str, resource: &'static str) -> Result<()> {
        self.begin(process, Trouble::Relist(resource));
        self.whole()
            .await
            .with_context(|| format!("{process}: {resource}"))
    }

    async fn whole(&self) -> Result<()> {
        self.reached("not listed again", |stage| stage == Stage::Over)
            .await
    }

    async fn reached(&self, failure: &str, is_there: impl Fn(Stage) -> bool) -> Result<()> {
        let mut states = self.0.subscribe();
        let reached = states.wait_for(|state| is_there(state.stage));
        let reached = timeout(LIMIT, reached).await;
        reached.with_context(|| failure.to_owned())??;
        Ok(())
    }

    /// Takes in that a call is made, and answers whether the trouble begins with it.
    pub(super) fn notice(&self, call: &Call) -> bool {
        let mut begins = false;
        self.0.send_if_modified(|state| {
            let Stage::Armed(left) = state.stage else {
                return false;
            };
            if !state.counts(call) {
                return false;
            }
            state.stage = Stage::Armed(left.saturating_sub(1));
            begins = left <= 1;
            if begins {
                state.begin();
            }
            true
        });
        begins
    }

    /// The answer to a list, as the process gets it.
    pub(super) async fn listed(
        &self,
        process: &str,
        resource: &str,
        answer: Answer,
    ) -> Result<Answer, BoxError> {
        let state = self.0.borrow().clone();
        if !state.breaks(process, resource) || !answer.status().is_success() {
            return Ok(answer);
        }
        let is_last = state.stage == Stage::Ending;
        let answer = if is_last {
            answer
        } else {
            emptied(answer).await?
        };
        self.0.send_modify(|state| {
            state.stage = if is_last { Stage::Over } else { Stage::Felt };
        });
        Ok(answer)
    }

    /// The answer to a watch, as the process gets it.
    pub(super) fn watched(&self, process: &str, resource: &str, answer: Answer) -> Answer {
        let (head, body) = answer.into_parts();
        let (states, name) = (self.0.subscribe(), process.to_owned());
        let told = Body::new(body).into_data_stream().then(move |told| {
            let (mut states, name) = (states.clone(), name.clone());
            async move {
                // There is always a sender: the process holds it.
                let _ = states.wait_for(|state| !state.is_silent(&name)).await;
                Some(told.map_err(BoxError::from))
            }
        });
        let told = told.chain(stream::once(ready(None)));
        let broken = stream::once(self.broken(process, resource));
        let all = stream::select(told, broken);
        let all = all.take_while(|told| ready(told.is_some()));
        Response::from_parts(head, boxed(all.filter_map(ready)))
    }

    /// What a watch tells when the process has to list again.
    fn broken(
        &self,
        process: &str,
        resource: &str,
    ) -> impl Future<Output = Option<Result<Bytes, BoxError>>> + Send + use<> {
        let mut states = self.0.subscribe();
        let (process, resource) = (process.to_owned(), resource.to_owned());
        async move {
            let broken = states.wait_for(|state| state.breaks(&process, &resource));
            broken.await.ok()?;
            let status = json!({"code": 410, "reason": "Expired", "status": "Failure"});
            let event = json!({"type": "ERROR", "object": status});
            // What was told so far may be half a line.
            Some(Ok(Bytes::from(format!("\n{event}\n"))))
        }
    }
}

fn boxed(told: impl Stream<Item = Result<Bytes, BoxError>> + Send + 'static) -> Box<DynBody> {
    Box::new(Body::from_stream(told).map_err(BoxError::from))
}

/// The same list with nothing in it.
async fn emptied(answer: Answer) -> Result<Answer, BoxError> {
    let (mut head, body) = answer.into_parts();
    let whole = to_bytes(Body::new(body), usize::MAX).await?;
    let mut list: Value = serde_json::from_slice(&whole)?;
    list["items"] = json!([]);
    head.headers.remove(CONTENT_LENGTH);
    let empty = stream::once(ready(Ok(Bytes::from(list.to_string()))));
    Ok(Response::from_parts(head, boxed(empty)))
}
