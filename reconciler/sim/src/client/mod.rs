//! A backend that talks to a simulator in another process, at `sim://host[:port]/[world]`.
//!
//! Every call ends within a deadline. The state is the server's: a client that is killed and begins
//! anew finds its machines as they are.

mod address;
mod control;
mod http;

use std::collections::VecDeque;
use std::time::Duration;

use axum::http::Method;
use banlieue_backend::{
    Backend, BackendError, Connect, Credentials, Endpoint, ErrorKind, Hint, ImageRequest, Images,
    Inventory, Machines, Progress,
};
use banlieue_core::inventory::Survey;
use banlieue_core::machine::{Capabilities, Identity, Observed, Step};
use futures::StreamExt;
use futures::stream::{self, BoxStream};

pub use self::control::Control;
pub use self::http::HttpError;

use self::address::Address;
use self::http::Http;
use crate::wire::cross::Cross;
use crate::wire::{self, CallRequest, Ended, Hints, HintsRequest, LogIn, LoggedIn};
use crate::world::call::{Answer, Call};

/// How long a call may take.
const DEADLINE: Duration = Duration::from_secs(10);
/// How long a request for hints stays open when nothing happens.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long to wait before hints are asked for again after a failure.
const PAUSE: Duration = Duration::from_secs(1);

/// Makes connections to simulators.
#[derive(Clone, Debug)]
pub struct SimClientConnect {
    deadline: Duration,
}

impl SimClientConnect {
    /// Connections whose calls take no longer than this.
    pub fn with_deadline(deadline: Duration) -> Self {
        Self { deadline }
    }
}

impl Default for SimClientConnect {
    fn default() -> Self {
        Self::with_deadline(DEADLINE)
    }
}

impl Connect for SimClientConnect {
    type Backend = SimClient;

    async fn connect(
        &self,
        endpoint: &Endpoint,
        credentials: &Credentials,
    ) -> Result<SimClient, BackendError> {
        let address = Address::parse(&endpoint.url)?;
        let http = Http::new(&address.authority, self.deadline);
        let base = format!("/v1/worlds/{}", address.world);
        let request = LogIn {
            password: credentials.get("password").map(<[u8]>::to_vec),
        };
        let path = format!("{base}/sessions");
        let ended: Ended<LoggedIn> = http.send(Method::POST, &path, &request).await?;
        Ok(SimClient {
            logged_in: ended.received()?,
            http,
            base,
        })
    }
}

/// A session with a simulator in another process.
pub struct SimClient {
    http: Http,
    base: String,
    logged_in: LoggedIn,
}

impl SimClient {
    async fn call(&self, call: Call) -> Result<Answer, BackendError> {
        let request = CallRequest {
            session: self.logged_in.session,
            call: wire::Call::sent(call).ok_or_else(misplaced)?,
        };
        let path = format!("{}/calls", self.base);
        let ended: Ended<wire::Answer> = self.http.send(Method::POST, &path, &request).await?;
        ended.received().map(Answer::from)
    }
}

impl Backend for SimClient {
    async fn close(&self) {
        let path = format!("{}/sessions/{}", self.base, self.logged_in.session);
        if let Err(error) = self.http.send::<()>(Method::DELETE, &path, &()).await {
            // The server forgets a session that is not used; there is nothing to save here.
            tracing::debug!(%error, "the session was not closed");
        }
    }
}

impl Inventory for SimClient {
    async fn survey(&self) -> Result<Survey, BackendError> {
        match self.call(Call::Survey).await? {
            Answer::Survey(survey) => Ok(survey),
            _ => Err(misplaced()),
        }
    }
}

impl Images for SimClient {
    async fn find(&self, request: &ImageRequest) -> Result<Option<String>, BackendError> {
        match self.call(Call::FindImage(request.clone())).await? {
            Answer::Image(found) => Ok(found),
            _ => Err(misplaced()),
        }
    }
}

impl Machines for SimClient {
    fn capabilities(&self) -> Capabilities {
        self.logged_in.abilities.into()
    }

    async fn observe(&self, identity: &Identity) -> Result<Option<Observed>, BackendError> {
        match self.call(Call::Observe(identity.clone())).await? {
            Answer::Observed(seen) => Ok(seen.map(|seen| *seen)),
            _ => Err(misplaced()),
        }
    }

    async fn execute(&self, identity: &Identity, step: &Step) -> Result<Progress, BackendError> {
        let call = Call::Execute(identity.clone(), step.clone());
        match self.call(call).await? {
            Answer::Progress(progress) => Ok(progress),
            _ => Err(misplaced()),
        }
    }

    fn changes(&self) -> BoxStream<'static, Hint> {
        let listener = Listener {
            http: self.http.clone(),
            path: format!("{}/hints", self.base),
            cursor: self.logged_in.hint_cursor,
            heard: VecDeque::new(),
        };
        stream::unfold(listener, |mut listener| async move {
            let hint = listener.next().await;
            Some((hint, listener))
        })
        .boxed()
    }
}

/// Asks for hints again and again.
struct Listener {
    http: Http,
    path: String,
    cursor: u64,
    heard: VecDeque<Hint>,
}

impl Listener {
    async fn next(&mut self) -> Hint {
        let mut lost_track = false;
        loop {
            if let Some(hint) = self.heard.pop_front() {
                return hint;
            }
            let request = HintsRequest {
                cursor: self.cursor,
                wait_ms: u64::try_from(PATIENCE.as_millis()).unwrap_or(u64::MAX),
            };
            let answer = self
                .http
                .send_patiently::<Hints>(PATIENCE, Method::POST, &self.path, &request)
                .await;
            match answer {
                Ok(Hints { hints, cursor }) => {
                    self.cursor = cursor;
                    let hints: Vec<Hint> = hints.cross();
                    self.heard.extend(hints);
                    if lost_track {
                        return Hint::Any;
                    }
                }
                Err(error) => {
                    tracing::debug!(%error, "no hints");
                    lost_track = true;
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }
}

/// Whatever keeps a request from being answered, it may work next time.
impl From<HttpError> for BackendError {
    fn from(error: HttpError) -> Self {
        Self::new(ErrorKind::Retry, "the simulator does not answer").because(error)
    }
}

fn misplaced() -> BackendError {
    BackendError::new(ErrorKind::Retry, "the simulator answered another question")
}
