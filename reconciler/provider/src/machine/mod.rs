//! Machines of one kind, on one Provider.
//!
//! ```text
//! dereference -> finalizer, if it lacks -> observe -> validate -> plan -> execute, observe, … -> providerID -> status
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
mod owner;
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
pub(crate) use owner::{Owner, owner_name};
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
    pub(crate) owners: Cache<Owner>,
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
        if machine.meta().deletion_timestamp.is_some() {
            return match self.remove(machine.meta(), now).await? {
                Some(pass) => self.conclude(&machine, pass, now).await,
                None => Ok(Next::Wait),
            };
        }
        let references = self.dereference(&machine).await?;
        if let Some(why) = references.paused(machine.meta()) {
            let pass = Pass::from(Outcome::Paused(why));
            return self.conclude(&machine, pass, now).await;
        }
        let Some(machine) = self.hold(machine).await? else {
            return Ok(Next::Wait);
        };
        let pass = self.bring(&machine, &references).await;
        let machine = self.identify(machine, &pass).await?;
        self.conclude(&machine, pass, now).await
    }

    async fn invalid(&self, meta: &ObjectMeta, _: &str, now: Timestamp) -> Result<Next, Error> {
        if meta.deletion_timestamp.is_none() {
            return Ok(Next::Wait);
        }
        match self.remove(meta, now).await? {
            Some(pass) => pass.next(),
            None => Ok(Next::Wait),
        }
    }
}
