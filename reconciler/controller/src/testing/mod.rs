//! What the tests of all reconcilers share.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod feeds;
pub(crate) mod fixtures;
mod server;

pub(crate) use feeds::Feeds;
pub(crate) use server::{Fault, Server};
