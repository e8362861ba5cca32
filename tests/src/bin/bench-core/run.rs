//! One size of fleet: what its machines cost, and how fast they came up.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Serialize;

use crate::ceiling::{self, Writes};
use crate::fleet::{Fleet, Usage};
use crate::machines;

/// What was measured at one size.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// VirtualMachines.
    pub machines: usize,
    /// Providers.
    pub providers: usize,
    /// Requests to the API server for each machine, by who made them and what they were.
    pub requests: BTreeMap<String, f64>,
    /// Memory and CPU of each process.
    pub processes: Vec<Cost>,
    /// Machines a minute, from the first request to the last machine ready.
    pub rate: f64,
    /// The same for a plain client that writes the same objects.
    pub ceiling: f64,
}

/// What the machines cost one process.
#[derive(Clone, Debug, Serialize)]
pub struct Cost {
    /// The process.
    pub name: String,
    /// Machines that it looks after.
    pub machines: u64,
    /// Peak memory without machines, in KiB.
    pub baseline_kib: u64,
    /// Peak memory with all machines, in KiB.
    pub peak_kib: u64,
    /// CPU time that the machines took, in seconds.
    pub cpu: f64,
}

impl Cost {
    /// Peak memory above the baseline for each machine, in KiB.
    pub fn kib_a_machine(&self) -> f64 {
        let above = self.peak_kib.saturating_sub(self.baseline_kib);
        above as f64 / self.machines.max(1) as f64
    }
}

impl Run {
    /// Measures a fleet, then the ceiling.
    pub async fn measure(machines: usize, providers: usize) -> Result<Self> {
        let mut fleet = Fleet::start(providers).await?;
        let before = fleet.usage().await?;
        let took = machines::come_up(&mut fleet, machines).await?;
        let after = fleet.usage().await?;
        let sample = machines::sample(&fleet).await?;
        let hosted = machines::on_providers(&fleet).await?;
        drop(fleet);

        let a_minute = |seconds: f64| machines as f64 * 60.0 / seconds;
        let requests = requests(&before, &after, machines);
        let took_alone = ceiling::measure(&sample, writes(&requests), machines).await?;
        let costs = before.iter().zip(&after).map(|(before, after)| Cost {
            name: after.name.clone(),
            machines: hosted.get(&after.name).copied().unwrap_or(machines as u64),
            baseline_kib: before.peak_kib,
            peak_kib: after.peak_kib,
            cpu: after.cpu - before.cpu,
        });
        Ok(Self {
            machines,
            providers,
            processes: costs.collect(),
            requests,
            rate: a_minute(took.as_secs_f64()),
            ceiling: a_minute(took_alone.as_secs_f64()),
        })
    }

    /// Writes, or reads, for each machine.
    pub fn requests_that(&self, write: bool) -> f64 {
        let requests = self.requests.iter();
        requests
            .filter(|(request, _)| is_write(request) == write)
            // A sum of no number would be minus zero.
            .fold(0.0, |sum, (_, count)| sum + count)
    }
}

/// Whether a request as in [`Run::requests`] changes anything.
pub fn is_write(request: &str) -> bool {
    // As in "controller: patch virtualmachines".
    let verb = request.split(' ').nth(1).unwrap_or_default();
    !matches!(verb, "get" | "list")
}

/// Requests for each machine; those of all providers together.
fn requests(before: &[Usage], after: &[Usage], machines: usize) -> BTreeMap<String, f64> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for (before, after) in before.iter().zip(after) {
        let who = match after.name.as_str() {
            "controller" => "controller",
            _ => "providers",
        };
        for (request, count) in &after.requests {
            let count = count - before.requests.get(request).copied().unwrap_or(0);
            *counts.entry(format!("{who}: {request}")).or_default() += count;
        }
    }
    let counts = counts.into_iter().filter(|(_, count)| *count > 0);
    counts
        .map(|(request, count)| (request, count as f64 / machines as f64))
        .collect()
}

/// The writes of one machine, without the few that went wrong and were made again.
fn writes(requests: &BTreeMap<String, f64>) -> Writes {
    let to = |resource: &str| {
        let writes = requests.iter().filter(|(request, _)| is_write(request));
        let of = writes.filter(|(request, _)| request.ends_with(resource));
        of.map(|(_, count)| count.round() as u64).sum()
    };
    Writes {
        vm: to(" virtualmachines"),
        vm_status: to(" virtualmachines/status"),
        machine: to(" simmachines"),
        machine_status: to(" simmachines/status"),
    }
}
