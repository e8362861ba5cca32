//! The program `banlieue`: every process of the platform, and its installer.
//!
//! [`cli`] is the command line as it is typed, [`commands`] has a file for each command, and
//! [`process`] is what the commands share that run until they are asked to end. A backend is a
//! feature of this crate, under its own name.

pub mod backends;
pub mod cli;
pub mod commands;
pub mod process;
