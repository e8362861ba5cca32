//! How a provider process runs.

use std::time::Duration;

use banlieue_kit::runner;

/// How a provider process runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Namespace of the Provider and of its machines.
    pub namespace: String,
    /// Name of the Provider.
    pub provider: String,
    /// Limits of each runner. Its `resync` is the slow look at a machine that is as wanted.
    pub runner: runner::Config,
    /// Limits of what is asked of the backend.
    pub backend: Limits,
    /// How often the inventory, and images that are missing, are looked at.
    pub survey_every: Duration,
    /// When to look at work on the backend again, where the backend does not say.
    pub look_again: Duration,
    /// How long the guest of a machine that is being deleted may take to shut down.
    pub shutdown_grace: Duration,
}

/// Limits of what is asked of the backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest time that a call may take, connecting included.
    pub deadline: Duration,
    /// Calls that run at once, at least 1.
    pub concurrency: u16,
    /// Least time between two attempts to connect with the same credentials.
    pub reconnect: Duration,
}

impl Config {
    /// The usual limits for the Provider of that name.
    pub fn new(namespace: impl Into<String>, provider: impl Into<String>) -> Self {
        Self {
            namespace: namespace.into(),
            provider: provider.into(),
            runner: runner::Config::default(),
            backend: Limits::default(),
            survey_every: Duration::from_secs(300),
            look_again: Duration::from_secs(10),
            shutdown_grace: Duration::from_secs(120),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            deadline: Duration::from_secs(30),
            concurrency: 8,
            reconnect: Duration::from_secs(10),
        }
    }
}
