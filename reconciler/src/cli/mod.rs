//! The command line as it is typed. Nothing is resolved here.
//!
//! What several commands share is in here; the rest of a command's arguments is beside its code.

mod process;

use clap::{Parser, Subcommand};

pub use process::{ApiServer, Election, LogFormat, Logging, Pod, ProcessArgs, Serving};

use crate::commands::{bootstrap, completion, controller, operator};
#[cfg(feature = "sim")]
use crate::commands::{provider, sim};

/// Virtual machines as Kubernetes objects, on any hypervisor.
///
/// One program for every process of the platform. Start with `banlieue bootstrap operator`, which
/// installs the rest.
#[derive(Debug, Parser)]
#[command(name = "banlieue", version, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 as wanted; 1 something failed, or the Lease was lost; \
                        2 the command line is wrong."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Bring VirtualMachines, VMImages and infrastructure clusters to where they should be.
    Controller(controller::Args),
    /// Run a provider process for each Provider.
    ///
    /// The processes log at the level of the operator, unless their class says otherwise.
    Operator(operator::Args),
    /// Serve one Provider.
    #[cfg(feature = "sim")]
    #[command(subcommand)]
    Provider(provider::Command),
    /// Be the hypervisor that `sim://` endpoints name.
    ///
    /// It holds its machines in memory: they end with it.
    #[cfg(feature = "sim")]
    Sim(sim::Args),
    /// Install the platform.
    #[command(subcommand)]
    Bootstrap(bootstrap::Command),
    /// Print a completion script for a shell.
    Completion(completion::Args),
    /// Print the version, and what the program was built with.
    Version,
}
