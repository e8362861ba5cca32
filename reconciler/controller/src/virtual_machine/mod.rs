//! VirtualMachines: create, move and delete, as the sequences of the architecture.
//!
//! ```text
//! create  finalizer -> status: place -> machine object -> status: what its provider says
//! move    status: from, to -> delete the old object -> gone? -> status: creating -> new object -> status
//! delete  delete the objects of every kind -> gone? -> finalizer
//! ```
//!
//! Every pass looks at everything again, and goes on from what is recorded. After a crash in front
//! of or behind any of these writes the next pass does the rest, for these reasons:
//!
//! - **The finalizer is the first write**, so nothing is ever made for an object that can vanish.
//! - **The place is recorded before the object is made there**, under the resource version that the
//!   decision read. Of two processes that decide at once one gets a conflict. Whoever makes the
//!   object makes it in the recorded place and under the one name that follows from the
//!   VirtualMachine, so that making it twice is one object.
//! - **A move is recorded before the old object is deleted.** The new one is made only once the API
//!   server said that the old one is gone: never two.
//! - **Objects are changed and deleted under their UID.** Old news about an object that was
//!   replaced gives a conflict, and nothing is applied onto an object that is being deleted.
//! - **An object that is recorded and not in the cache is asked for**, so that a cache that lost
//!   its content is not taken for proof.
//!
//! Own writes are put into the cache at once, so that a pass that follows a write finds nothing to
//! do.

mod apply;
mod build;
mod cleanup;
mod dereference;
mod desk;
mod machine;
mod plan;
mod status;
mod triggers;
mod user_data;
mod validate;

use std::sync::Arc;
use std::time::Duration;

use banlieue_kit::errors::ApiError;
use banlieue_kit::runner::{Config, Next, Reconciler, Reporting, Runner};
use banlieue_kit::{Client, Timestamp};
use banlieue_schemas::platform::VirtualMachine;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::watched::Watched;
use desk::Desk;
use user_data::{Lookout, UserData, Woken};

/// Finalizer of a VirtualMachine: its machine objects go first.
pub const FINALIZER: &str = "banlieue.io/virtualmachine";

/// Where no watch tells that something goes on.
const LOOK_AGAIN: Next = Next::After(Duration::from_secs(10));

/// Reconciles VirtualMachines.
pub struct VirtualMachines {
    client: Client,
    watched: Watched,
    desk: Arc<Desk>,
    lookout: Lookout,
}

/// The reconciler, ready to run.
pub fn runner(
    client: Client,
    watched: Watched,
    config: Config,
    reporting: Reporting,
) -> Runner<VirtualMachines> {
    let (reconciler, woken) = VirtualMachines::new(client, watched);
    triggers::runner(reconciler, woken, config, reporting)
}

impl Reconciler for VirtualMachines {
    type Object = VirtualMachine;
    type Error = ApiError;
    const NAME: &'static str = "virtual_machine";

    async fn reconcile(&self, vm: Arc<VirtualMachine>, now: Timestamp) -> Result<Next, ApiError> {
        if vm.metadata.deletion_timestamp.is_some() {
            return cleanup::cleanup(self, &vm, now).await;
        }
        let vm = apply::hold(self, vm).await?;
        let read = dereference::read(self, &vm).await?;
        let (plan, _booking) = self.desk.decide(&vm, |booked| {
            let found = dereference::find(&self.watched, &vm, &read, booked);
            plan::plan(&found, &validate::validate(&found))
        });
        self.lookout.attend(&vm, &read.user_data, plan.is_blocked());
        let vm = status::remember(self, &vm, &plan, now).await?;
        match apply::apply(self, Arc::clone(&vm), &plan).await {
            Ok(applied) => status::publish(self, &plan, &applied, now).await?,
            Err(error) => {
                status::publish_refusal(self, &vm, &plan, &error, now).await?;
                return Err(error);
            }
        }
        match read.user_data {
            UserData::Forbidden(error) => Err(error),
            _ if read.unheard => Ok(LOOK_AGAIN),
            _ => Ok(Next::Wait),
        }
    }

    async fn invalid(&self, meta: &ObjectMeta, _: &str, _: Timestamp) -> Result<Next, ApiError> {
        cleanup::cleanup_invalid(self, meta).await
    }
}

impl VirtualMachines {
    /// The reconciler, and the machines that it wants to look at again.
    fn new(client: Client, watched: Watched) -> (Self, Woken) {
        let (lookout, woken) = Lookout::new(client.clone());
        let reconciler = Self {
            client,
            watched,
            desk: Arc::default(),
            lookout,
        };
        (reconciler, woken)
    }
}

#[cfg(test)]
mod tests;
