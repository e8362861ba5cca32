//! Harness: real servers and readers, started and ended by the test that uses
//! them. `tests/setup` builds them once; a test that needs a missing one fails
//! and says so.

pub mod apiserver;
pub mod cel_cases;
pub mod client;
pub mod cluster;
pub mod cluster_api;
pub mod controller_manager;
pub mod flux;
pub mod help_page;
pub mod history;
pub mod identity;
pub mod live;
pub mod node_agent;
pub mod platform;
pub mod process;
pub mod requests;
pub mod tools;
pub mod tree;
pub mod wait;
pub mod workload;
pub mod yaml;
