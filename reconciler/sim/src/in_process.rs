//! A simulator in the process of its client, for tests.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use banlieue_backend::{
    Backend, BackendError, Connect, Credentials, Endpoint, ErrorKind, Hint, ImageRequest, Images,
    Inventory, Machines, Progress,
};
use banlieue_core::inventory::Survey;
use banlieue_core::machine::{Capabilities, Identity, Observed, Step};
use futures::StreamExt;
use futures::stream::{self, BoxStream};

use crate::simulator::Simulator;
use crate::world::call::{Answer, Call};

/// How long a call may take, by the simulator's clock.
const DEADLINE: Duration = Duration::from_secs(30);

/// Connects to one simulator, whatever the endpoint says.
#[derive(Clone)]
pub struct SimConnect(Arc<Simulator>);

impl SimConnect {
    /// Connections to this simulator.
    pub fn to(simulator: Arc<Simulator>) -> Self {
        Self(simulator)
    }
}

impl Connect for SimConnect {
    type Backend = SimBackend;

    async fn connect(
        &self,
        _: &Endpoint,
        credentials: &Credentials,
    ) -> Result<SimBackend, BackendError> {
        let call = Call::Connect {
            password: credentials.get("password").map(<[u8]>::to_vec),
        };
        match before_deadline(&self.0, None, &call).await? {
            Answer::Session(session) => Ok(SimBackend {
                simulator: Arc::clone(&self.0),
                session,
            }),
            other => Err(misplaced(&other)),
        }
    }
}

/// A session with a [`Simulator`].
pub struct SimBackend {
    simulator: Arc<Simulator>,
    session: u64,
}

impl SimBackend {
    /// The simulator, to look behind the scenes.
    pub fn simulator(&self) -> &Arc<Simulator> {
        &self.simulator
    }

    async fn call(&self, call: Call) -> Result<Answer, BackendError> {
        before_deadline(&self.simulator, Some(self.session), &call).await
    }
}

impl Backend for SimBackend {
    async fn close(&self) {
        self.simulator.with(|world| world.close(self.session));
    }
}

impl Inventory for SimBackend {
    async fn survey(&self) -> Result<Survey, BackendError> {
        match self.call(Call::Survey).await? {
            Answer::Survey(survey) => Ok(survey),
            other => Err(misplaced(&other)),
        }
    }
}

impl Images for SimBackend {
    async fn find(&self, request: &ImageRequest) -> Result<Option<String>, BackendError> {
        match self.call(Call::FindImage(request.clone())).await? {
            Answer::Image(found) => Ok(found),
            other => Err(misplaced(&other)),
        }
    }
}

impl Machines for SimBackend {
    fn capabilities(&self) -> Capabilities {
        self.simulator.with(|world| world.capabilities())
    }

    async fn observe(&self, identity: &Identity) -> Result<Option<Observed>, BackendError> {
        match self.call(Call::Observe(identity.clone())).await? {
            Answer::Observed(seen) => Ok(seen.map(|seen| *seen)),
            other => Err(misplaced(&other)),
        }
    }

    async fn execute(&self, identity: &Identity, step: &Step) -> Result<Progress, BackendError> {
        let call = Call::Execute(identity.clone(), step.clone());
        match self.call(call).await? {
            Answer::Progress(progress) => Ok(progress),
            other => Err(misplaced(&other)),
        }
    }

    fn changes(&self) -> BoxStream<'static, Hint> {
        let simulator = Arc::clone(&self.simulator);
        let cursor = simulator.hint_cursor();
        let start = (simulator, cursor, VecDeque::new());
        stream::unfold(start, |(simulator, mut cursor, mut heard)| async move {
            if heard.is_empty() {
                let (hints, next) = simulator.hints_after(cursor).await;
                heard.extend(hints);
                cursor = next;
            }
            let hint = heard.pop_front()?;
            Some((hint, (simulator, cursor, heard)))
        })
        .boxed()
    }
}

async fn before_deadline(
    simulator: &Simulator,
    session: Option<u64>,
    call: &Call,
) -> Result<Answer, BackendError> {
    let deadline = simulator.wait(DEADLINE);
    tokio::select! {
        biased;
        result = simulator.call(session, call) => result,
        () = deadline => Err(BackendError::new(
            ErrorKind::Retry,
            "the hypervisor did not answer in time",
        )),
    }
}

fn misplaced(answer: &Answer) -> BackendError {
    BackendError::new(ErrorKind::Retry, "the hypervisor answered another question")
        .because(format!("{answer:?}"))
}
