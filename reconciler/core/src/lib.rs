//! Pure decisions: schedule, placement, machine steps, conditions, user data, workloads.
//!
//! Data and time in, data out. Nothing here knows a client, a runtime, a clock or a log, so equal
//! input gives equal output, and every decision can be tested by calling it.
//!
//! | module | decides |
//! |---|---|
//! | [`schedule`] | where a machine is made, or why nowhere |
//! | [`placement`] | whether a machine stays where it is |
//! | [`machine`] | the next step of a machine on its backend |
//! | [`inventory`] | the failure domains that a Provider shows |
//! | [`migration`] | the next step of a move that is under way |
//! | [`resolve`] | the machine object of the backend |
//! | [`user_data`] | what the guest reads on its first boot |
//! | [`addresses`] | who holds a fixed address |
//! | [`vm_status`] | the status of a VirtualMachine |
//! | [`workloads`] | the objects that run a Provider's process |
//! | [`image`] | whether a VMImage is ready |
//! | [`cluster`] | the status of an infrastructure cluster |
//! | [`conditions`], [`hardware`], [`machine_object`], [`selector`] | what the others share |

pub mod addresses;
pub mod cluster;
pub mod conditions;
pub mod hardware;
pub mod image;
pub mod inventory;
pub mod machine;
pub mod machine_object;
pub mod migration;
pub mod placement;
pub mod resolve;
pub mod schedule;
pub mod selector;
pub mod user_data;
pub mod vm_status;
pub mod workloads;

#[cfg(test)]
mod fixtures;
