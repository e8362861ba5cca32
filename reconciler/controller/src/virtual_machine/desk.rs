//! Decisions that must not be taken side by side, and who waits for another one to change.
//!
//! Machines are reconciled in parallel. Two that look for a place at once would not see each other,
//! pile up on one failure domain, or both take one address. So a decision is taken with the desk
//! locked, on what the caches hold then, and is booked until the status that records it is in the
//! cache too. Nothing here is needed after a restart: what counts is in the objects.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use banlieue_kit::ObjectRef;
use banlieue_schemas::platform::{VirtualMachine, VirtualMachineStatus};

use super::plan::{Plan, WaitsFor};

/// Machines as they will be, by UID.
pub(super) type Booked = HashMap<String, Arc<VirtualMachine>>;

/// The desk of a process.
#[derive(Default)]
pub(super) struct Desk(Mutex<State>);

#[derive(Default)]
struct State {
    booked: Booked,
    waiting: HashMap<ObjectRef<VirtualMachine>, WaitsFor>,
}

/// Keeps what was decided in mind while it is written.
pub(super) struct Booking<'a> {
    desk: &'a Desk,
    uid: String,
}

impl Drop for Booking<'_> {
    fn drop(&mut self) {
        self.desk.lock().booked.remove(&self.uid);
    }
}

impl Desk {
    /// Decides about a machine while nobody else decides.
    ///
    /// `decide` must read the caches itself: whatever changes after that finds the machine among
    /// those that wait, if it does.
    pub(super) fn decide(
        &self,
        vm: &VirtualMachine,
        decide: impl FnOnce(&Booked) -> Plan,
    ) -> (Plan, Booking<'_>) {
        let uid = vm.metadata.uid.clone().unwrap_or_default();
        let mut state = self.lock();
        let plan = decide(&state.booked);
        let reference = ObjectRef::from_obj(vm);
        match plan.waits {
            Some(what) => state.waiting.insert(reference, what),
            None => state.waiting.remove(&reference),
        };
        state
            .booked
            .insert(uid.clone(), Arc::new(as_planned(vm, &plan)));
        drop(state);
        (plan, Booking { desk: self, uid })
    }

    /// The machines that wait and satisfy `wanted`.
    pub(super) fn waiting(
        &self,
        wanted: impl Fn(&ObjectRef<VirtualMachine>, WaitsFor) -> bool,
    ) -> Vec<ObjectRef<VirtualMachine>> {
        let state = self.lock();
        let waiting = state.waiting.iter();
        waiting
            .filter(|(machine, what)| wanted(machine, **what))
            .map(|(machine, _)| machine.clone())
            .collect()
    }

    /// Forgets a machine that is gone.
    pub(super) fn forget(&self, vm: &ObjectRef<VirtualMachine>) {
        self.lock().waiting.remove(vm);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The machine with the place and the addresses that the plan gives it.
fn as_planned(vm: &VirtualMachine, plan: &Plan) -> VirtualMachine {
    let status = VirtualMachineStatus {
        scheduled: plan.scheduled.clone(),
        migration: plan.migration.clone(),
        held_addresses: plan.held.clone(),
        ..VirtualMachineStatus::default()
    };
    VirtualMachine {
        metadata: vm.metadata.clone(),
        spec: vm.spec.clone(),
        status: Some(status),
    }
}
