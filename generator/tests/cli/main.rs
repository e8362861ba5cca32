//! The built binary against real directories: what a user types, sees and gets.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod argocd;
mod arguments;
mod changes;
mod commands;
mod demo;
mod determinism;
mod edits;
mod hygiene;
mod layers;
mod memory;
mod messages;
mod moves;
mod names;
mod platform;
mod removals;
mod selections;
mod stream;
mod support;
mod targets;
mod templates;
mod values;
