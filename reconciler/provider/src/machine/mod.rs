//! Machines of one kind, on one Provider.
//!
//! ```text
//! dereference -> finalizer -> observe -> validate -> plan -> execute, observe, … -> providerID -> status
//! being deleted: observe -> execute, observe, … -> finalizer, or a status that says what it waits for
//! ```
//!
//! Dying after any call is harmless:
//!
//! | last call that took effect | what the next pass finds |
//! |---|---|
//! | finalizer added | no machine: it is made, or, being deleted, observed as gone |
//! | `Create` begun or done | the machine under the object's own identity, at work or complete; never a second one |
//! | any other step | a machine that is as wanted or not: steps may be repeated |
//! | `spec.providerID` written | the same ID; from now on a machine that is missing is not made again |
//! | status written | nothing to write |
//! | `Delete` begun or done | what is left of it; the finalizer goes only once a healthy session shows nothing |
//! | finalizer removed | no object |

mod apply;
mod backend;
mod classes;
mod cleanup;
mod dereference;
mod plan;
mod provider_id;
mod status;
#[cfg(test)]
mod tests;
mod validate;

use std::sync::Arc;

use banlieue_backend::Connect;
use banlieue_kit::cache::Cache;
use banlieue_kit::events::Events;
use banlieue_kit::runner::{Next, Reconciler};
use banlieue_kit::{Client, Kind, Timestamp};
use banlieue_schemas::infrastructure::ServedMachine;
use banlieue_schemas::platform::{Provider, VmImage};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Serialize;

use crate::config::Config;
use crate::errors::Error;
use crate::session::{Look, Session};
use backend::Pass;
use cleanup::Removal;
use status::Outcome;

/// A machine kind that this process can serve.
pub trait Machine: Kind + ServedMachine<Status: Serialize + Send + Sync> {}

impl<M: Kind + ServedMachine<Status: Serialize + Send + Sync>> Machine for M {}

/// Reconciles the machines of one Provider.
pub(crate) struct MachineReconciler<M: Machine, C: Connect, L> {
    pub(crate) client: Client,
    pub(crate) session: Arc<Session<C, L>>,
    pub(crate) machines: Cache<M>,
    pub(crate) providers: Cache<Provider>,
    pub(crate) images: Cache<VmImage>,
    pub(crate) events: Events,
    pub(crate) config: Arc<Config>,
}

impl<M: Machine, C: Connect, L: Look> Reconciler for MachineReconciler<M, C, L> {
    type Object = M;
    type Error = Error;
    const NAME: &'static str = "machine";

    async fn reconcile(&self, machine: Arc<M>, now: Timestamp) -> Result<Next, Error> {
        if !self.serves(&machine) {
            return Ok(Next::Wait);
        }
        let (machine, pass) = if machine.meta().deletion_timestamp.is_some() {
            match self.remove(machine.meta(), now).await? {
                Removal::Gone => return Ok(Next::Wait),
                Removal::Waiting(pass) => (machine, pass),
            }
        } else {
            let references = self.dereference(&machine);
            if let Some(why) = references.paused(machine.meta()) {
                (machine, Pass::from(Outcome::Paused(why)))
            } else {
                let Some(machine) = self.hold(machine).await? else {
                    return Ok(Next::Wait);
                };
                let pass = self.bring(&machine, &references).await;
                (self.identify(machine, &pass).await?, pass)
            }
        };
        self.report(&machine, &pass, now).await?;
        pass.next()
    }

    async fn invalid(&self, meta: &ObjectMeta, _: &str, now: Timestamp) -> Result<Next, Error> {
        if meta.deletion_timestamp.is_none() {
            return Ok(Next::Wait);
        }
        match self.remove(meta, now).await? {
            Removal::Gone => Ok(Next::Wait),
            Removal::Waiting(pass) => pass.next(),
        }
    }
}
