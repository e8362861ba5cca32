//! Runs one process for each Provider, as its ProviderClass says.
//!
//! ```text
//! Provider, ProviderClass, ClusterRoles --> workloads --> ServiceAccount, Roles, bindings, Deployment
//!                                               ^                                       |
//!                                               '-- status.workload of the Provider <---'
//! ProviderClass, ClusterRoles --> provider_class --> status of the ProviderClass
//! ```
//!
//! [`run`](run()) sets up the watches and both reconcilers.

pub mod cluster_roles;
pub mod provider_class;
mod run;
pub mod workloads;

pub use run::{Config, run};
