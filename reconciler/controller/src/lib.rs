//! Reconcilers of VirtualMachines, VMImages and infrastructure clusters.
//!
//! | module | brings where it should be |
//! |---|---|
//! | [`virtual_machine`] | the machine object of a VirtualMachine, in the place that fits |
//! | [`vm_image`] | `Ready` of a VMImage, from what each Provider says |
//! | [`cluster`] | the failure domains of an infrastructure cluster |
//!
//! Each folder has the same files: `mod` is the driver and reads like the sequence, `dereference`
//! holds the reads, `validate` what stands in the way, `plan` the call to the pure decisions of
//! `banlieue-core`, `apply` the effects, `status` the whole status, `cleanup` the way out. A file
//! that would be empty is not there. [`run`](run()) puts them into a process.

pub mod cluster;
pub mod run;
pub mod virtual_machine;
pub mod vm_image;

mod sites;
#[cfg(test)]
mod testing;
mod watched;

pub use run::{Settings, run};
pub use watched::{MachineWatches, Watched};
