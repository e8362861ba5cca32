//! The effects on the API server: the finalizer, the provider ID, the status.

use std::sync::Arc;

use banlieue_backend::Connect;
use banlieue_core::machine::Identity;
use banlieue_kit::errors::ApiError;
use banlieue_kit::finalizer::{self, Added};
use banlieue_kit::runner::Next;
use banlieue_kit::status::{self as stored, Written};
use banlieue_kit::{Timestamp, apply};
use banlieue_schemas::managers::Manager;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::backend::Pass;
use super::provider_id::Identified;
use super::status::{Facts, present, status};
use super::{Machine, MachineReconciler};
use crate::errors::Error;
use crate::session::Look;

impl<M: Machine, C: Connect, L: Look> MachineReconciler<M, C, L> {
    /// The machine with our finalizer. The controller makes machines with it; to those of Cluster API
    /// it is added, the first write of all. `None` for one that must not get it any more.
    pub(super) async fn hold(&self, machine: Arc<M>) -> Result<Option<Arc<M>>, ApiError> {
        let (manager, meta) = (manager::<M>(), machine.meta());
        let added = finalizer::add::<M>(&self.client, &manager, meta, M::FINALIZER).await?;
        Ok(match added {
            Added::Present => Some(machine),
            Added::Added(machine) => {
                self.machines.wrote(&machine);
                Some(machine)
            }
            Added::Terminating => None,
        })
    }

    /// The machine with its provider ID, which it gets once and as soon as the VM exists.
    pub(super) async fn identify(
        &self,
        mut machine: Arc<M>,
        pass: &Pass,
    ) -> Result<Arc<M>, ApiError> {
        if machine.provider_id().is_some() || present(pass.observed.as_ref()).is_none() {
            return Ok(machine);
        }
        let meta = machine.meta();
        let id = identity(meta).provider_id(M::BACKEND, &self.config.provider);
        let named = ObjectMeta {
            name: meta.name.clone(),
            namespace: meta.namespace.clone(),
            ..ObjectMeta::default()
        };
        let intent = Identified::<M>::new(named, Some(id.clone()));
        let live = Arc::new(Identified::new(meta.clone(), None));
        let manager = manager::<M>();
        let applied = apply::apply(&self.client, &manager, &intent, Some(&live)).await?;
        let changed = Arc::make_mut(&mut machine);
        changed.set_provider_id(id);
        changed
            .meta_mut()
            .clone_from(kube::Resource::meta(&**applied.object()));
        self.machines.wrote(&machine);
        Ok(machine)
    }

    /// Writes the status, if it differs, and says when to look again.
    pub(super) async fn conclude(
        &self,
        machine: &M,
        pass: Pass,
        now: Timestamp,
    ) -> Result<Next, Error> {
        let identity = identity(machine.meta());
        let facts = Facts {
            outcome: &pass.outcome,
            observed: pass.observed.as_ref(),
            identity: &identity,
            provider: &self.config.provider,
            zone: pass.zone.as_deref(),
        };
        let wanted = status(machine, &facts, now);
        let written = stored::write(&self.client, &manager::<M>(), machine, &wanted).await?;
        if let Written::Written(machine) = written {
            self.machines.wrote(&machine);
        }
        pass.next()
    }
}

/// The identity of the machine on its backend. An object that the API server stores has a UID.
pub(super) fn identity(meta: &ObjectMeta) -> Identity {
    Identity::of(meta.uid.clone().unwrap_or_default())
}

/// As whom machines of the kind are written.
pub(super) fn manager<M: Machine>() -> Manager {
    Manager::Provider(M::BACKEND)
}
