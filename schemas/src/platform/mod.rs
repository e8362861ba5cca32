//! Group `banlieue.io`: what users and platform engineers write.
//!
//! | kind | scope | says |
//! |---|---|---|
//! | [`ProviderClass`] | cluster | which backend a set of Providers talks to, and how their processes run |
//! | [`Provider`] | namespace | how to reach one backend instance, and what it offers |
//! | [`VmClass`] | cluster | the shape of a machine |
//! | [`VmImage`] | cluster | an operating system, and where each backend gets it |
//! | [`VirtualMachine`] | namespace | a machine: a shape, an image, and where it may run |
//!
//! What the API server can check is in the CRDs. What needs another object or the requester is
//! not: a rule in a CRD sees only the object's own spec, status and name.

// The derive for custom resources repeats a keyword for every printer column.
#![allow(clippy::duplicated_attributes)]

mod provider;
mod provider_class;
#[cfg(test)]
mod tests;
mod virtual_machine;
mod vm_class;
mod vm_image;

pub use provider::*;
pub use provider_class::*;
pub use virtual_machine::*;
pub use vm_class::*;
pub use vm_image::*;
