//! Every banlieue API type, once, and everything that is derived from the types.
//!
//! No client, no async runtime, no I/O: the generator and the reconcilers both build on this
//! crate, so what one renders the other reads.
//!
//! | module | holds |
//! |---|---|
//! | [`platform`] | group `banlieue.io`: what users and platform engineers write |
//! | [`infrastructure`] | group `infrastructure.banlieue.io`: Cluster API machines, clusters, templates |
//! | [`fleet`] | group `gen.banlieue.io`: the generator's input |
//! | [`common`] | types that several kinds share |
//! | [`capi`] | the Cluster API v1beta2 kinds that we write |
//! | [`conditions`], [`managers`] | condition types, reasons and field managers, each with its owner |
//! | [`remedies`] | what a person does about a reason |
//! | [`names`] | validated names, and shortening that keeps siblings apart |
//! | [`labels`] | labels and annotations by which the parts find and ask each other |
//! | [`access`] | RBAC as data: workload to rules, each with the reason why it exists |
//! | [`schema`] | what the API server wants of a generated schema |
//! | [`json_schema`], [`kcl`] | the types in the forms that editors and KCL programs read |
//! | [`model`] | a schema as named records, from which KCL and the reference pages are written |
//! | [`manifests`] | builders of whole objects, and the YAML writer |

pub mod access;
pub mod capi;
pub mod common;
pub mod conditions;
pub mod fleet;
pub mod infrastructure;
pub mod json_schema;
pub mod kcl;
pub mod labels;
pub mod managers;
pub mod manifests;
pub mod model;
pub mod names;
pub mod platform;
pub mod remedies;
pub mod schema;

/// API group of the kinds that users and platform engineers write.
pub const PLATFORM_GROUP: &str = "banlieue.io";
/// API group of the Cluster API infrastructure kinds.
pub const INFRASTRUCTURE_GROUP: &str = "infrastructure.banlieue.io";
/// API group of the generator's input; never served by an API server.
pub const FLEET_GROUP: &str = "gen.banlieue.io";
/// The one version of every group.
pub const VERSION: &str = "v1alpha1";
