//! The backend of one Provider: the simulator, with every call through the gate.

use std::future::Future;
use std::sync::Arc;

use banlieue_backend::{
    Backend, BackendError, Connect, Credentials, Endpoint, ErrorKind, Hint, ImageRequest, Images,
    Inventory, Machines, Progress,
};
use banlieue_core::inventory::Survey;
use banlieue_core::machine::{Capabilities, Identity, Observed, Step};
use banlieue_sim::world::call::CallKind;
use banlieue_sim::{SimBackend, SimConnect};
use futures::stream::BoxStream;

use super::audit::Audit;
use super::gate::{Call, Fault, Gate, Life};

/// Connects one life of a process to its simulator.
#[derive(Clone)]
pub struct Gated<T> {
    inner: T,
    gate: Arc<Gate>,
    life: Arc<Life>,
    audit: Arc<Audit>,
}

impl Gated<SimConnect> {
    /// Connections of `life`.
    pub fn new(inner: SimConnect, gate: Arc<Gate>, life: Arc<Life>, audit: Arc<Audit>) -> Self {
        Self {
            inner,
            gate,
            life,
            audit,
        }
    }
}

impl<T> Gated<T> {
    async fn call<R>(
        &self,
        kind: CallKind,
        machine: Option<&Identity>,
        call: impl Future<Output = Result<R, BackendError>>,
    ) -> Result<R, BackendError> {
        if self.life.is_over() {
            return std::future::pending().await;
        }
        let pass = self.gate.enter(Call {
            process: self.life.process.clone(),
            verb: "backend",
            what: format!("{kind:?}").to_lowercase(),
            object: machine.map_or("", Identity::uid).to_owned(),
        });
        let fault = pass.fault;
        if fault == Some(Fault::FailsBefore) {
            return Err(away("refused by the test"));
        }
        let result = call.await;
        self.audit.look(&self.gate);
        drop(pass);
        match fault {
            Some(Fault::AnswerLost) => Err(away("the test lost the answer")),
            Some(Fault::CallerDies) => {
                self.life.end();
                std::future::pending().await
            }
            _ if self.life.is_over() => std::future::pending().await,
            _ => result,
        }
    }
}

fn away(message: &str) -> BackendError {
    BackendError::new(ErrorKind::Retry, message)
}

impl Connect for Gated<SimConnect> {
    type Backend = Gated<SimBackend>;

    async fn connect(
        &self,
        endpoint: &Endpoint,
        credentials: &Credentials,
    ) -> Result<Self::Backend, BackendError> {
        let connecting = self.inner.connect(endpoint, credentials);
        let inner = self.call(CallKind::Connect, None, connecting).await?;
        Ok(Gated {
            inner,
            gate: Arc::clone(&self.gate),
            life: Arc::clone(&self.life),
            audit: Arc::clone(&self.audit),
        })
    }
}

impl Backend for Gated<SimBackend> {
    async fn close(&self) {
        self.inner.close().await;
    }
}

impl Inventory for Gated<SimBackend> {
    async fn survey(&self) -> Result<Survey, BackendError> {
        self.call(CallKind::Survey, None, self.inner.survey()).await
    }
}

impl Images for Gated<SimBackend> {
    async fn find(&self, request: &ImageRequest) -> Result<Option<String>, BackendError> {
        self.call(CallKind::FindImage, None, self.inner.find(request))
            .await
    }
}

impl Machines for Gated<SimBackend> {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    async fn observe(&self, identity: &Identity) -> Result<Option<Observed>, BackendError> {
        let observing = self.inner.observe(identity);
        self.call(CallKind::Observe, Some(identity), observing)
            .await
    }

    async fn execute(&self, identity: &Identity, step: &Step) -> Result<Progress, BackendError> {
        let executing = self.inner.execute(identity, step);
        self.call(step.kind().into(), Some(identity), executing)
            .await
    }

    fn changes(&self) -> BoxStream<'static, Hint> {
        self.inner.changes()
    }
}
