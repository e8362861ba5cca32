//! What was measured, as JSON and as tables for `docs/performance.md`.

use std::collections::BTreeSet;

use anyhow::Result;
use serde::Serialize;

use crate::run::{Cost, Run, is_write};

/// Most KiB of memory for each machine.
const MEMORY: f64 = 20.0;
/// Least part of what the API server alone can take.
const PART: f64 = 0.5;
/// Most writes for each machine.
const WRITES: f64 = 6.0;

/// Everything that was measured.
#[derive(Default, Serialize)]
pub struct Report {
    /// A run for each size.
    pub runs: Vec<Run>,
}

impl Report {
    /// All figures.
    pub fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// All tables.
    pub fn to_markdown(&self) -> String {
        let tables = self.tables();
        let tables: Vec<&str> = tables.iter().map(|(_, text)| text.as_str()).collect();
        tables.join("\n")
    }

    /// The page with its tables between `<!-- NAME -->` and `<!-- /NAME -->` replaced.
    pub fn fill(&self, page: &str) -> String {
        let mut page = page.to_owned();
        for (name, text) in self.tables() {
            let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
            if let Some((before, rest)) = page.split_once(&begin)
                && let Some((_, after)) = rest.split_once(&end)
            {
                page = format!("{before}{begin}{text}{end}{after}");
            }
        }
        page
    }

    fn tables(&self) -> [(&'static str, String); 4] {
        [
            ("core-goals", table(&self.goals())),
            ("core-rate", table(&self.rates())),
            ("core-memory", table(&self.costs())),
            ("core-requests", table(&self.requests())),
        ]
    }

    fn goals(&self) -> Vec<Vec<String>> {
        let mut rows = vec![row(&["Goal", "Wanted", "Found", "Met"])];
        for run in &self.runs {
            let of = format!("{} machines on {} Providers", run.machines, run.providers);
            let part = run.rate / run.ceiling;
            rows.push(vec![
                format!("{of}: machines a minute, against the API server alone"),
                format!("at least {:.0} %", PART * 100.0),
                format!("{:.0} %", part * 100.0),
                met(part >= PART),
            ]);
            let writes = run.requests_that(true);
            rows.push(vec![
                format!("{of}: writes for each machine"),
                format!("at most {WRITES}"),
                format!("{writes:.2}"),
                met(writes <= WRITES),
            ]);
            for (who, cost) in memory(run) {
                rows.push(vec![
                    format!("{of}: memory of {who} for each of its machines"),
                    format!("at most {MEMORY} KiB"),
                    format!("{cost:.1} KiB"),
                    met(cost <= MEMORY),
                ]);
            }
        }
        rows
    }

    fn rates(&self) -> Vec<Vec<String>> {
        let head = ["Machines", "a minute", "API server alone", "part"];
        let mut rows = vec![row(&head)];
        rows.extend(self.runs.iter().map(|run| {
            vec![
                run.machines.to_string(),
                format!("{:.0}", run.rate),
                format!("{:.0}", run.ceiling),
                format!("{:.0} %", run.rate / run.ceiling * 100.0),
            ]
        }));
        rows
    }

    fn costs(&self) -> Vec<Vec<String>> {
        let head = [
            "Machines",
            "Process",
            "its machines",
            "MiB without",
            "MiB with all",
        ];
        let mut rows = vec![row(&[&head[..], &["KiB a machine", "CPU, s"]].concat())];
        for run in &self.runs {
            let (providers, others) = parted(run);
            let shown = others.first().copied().map(|it| (it.name.clone(), it));
            let middle = middle(&providers).map(|it| ("provider, middle".to_owned(), it));
            let largest = largest(&providers).map(|it| ("provider, largest".to_owned(), it));
            let rest = others.iter().skip(1).map(|it| (it.name.clone(), *it));
            let all = shown.into_iter().chain(middle).chain(largest).chain(rest);
            rows.extend(all.map(|(name, cost)| {
                vec![
                    run.machines.to_string(),
                    name,
                    cost.machines.to_string(),
                    format!("{:.1}", cost.baseline_kib as f64 / 1024.0),
                    format!("{:.1}", cost.peak_kib as f64 / 1024.0),
                    format!("{:.1}", cost.kib_a_machine()),
                    format!("{:.1}", cost.cpu),
                ]
            }));
            let cpu: f64 = providers.iter().map(|cost| cost.cpu).sum();
            let mut sum = row(&["", "all providers", "", "", "", "", ""]);
            sum[0] = run.machines.to_string();
            sum[6] = format!("{cpu:.1}");
            rows.push(sum);
        }
        rows
    }

    fn requests(&self) -> Vec<Vec<String>> {
        let sizes = self.runs.iter().map(|run| run.machines.to_string());
        let mut rows = vec![["Request".to_owned()].into_iter().chain(sizes).collect()];
        let names: BTreeSet<&String> = self.runs.iter().flat_map(|it| it.requests.keys()).collect();
        let (writes, reads): (Vec<&String>, Vec<&String>) =
            names.into_iter().partition(|name| is_write(name));
        let mut line = |name: &str, count: &dyn Fn(&Run) -> f64| {
            let counts = self.runs.iter().map(|run| format!("{:.3}", count(run)));
            rows.push([name.to_owned()].into_iter().chain(counts).collect());
        };
        for (title, names, write) in [("all writes", writes, true), ("all reads", reads, false)] {
            for name in names {
                line(name, &|run| run.requests.get(name).copied().unwrap_or(0.0));
            }
            line(title, &|run| run.requests_that(write));
        }
        rows
    }
}

/// Memory for each machine, of whoever has a goal.
fn memory(run: &Run) -> Vec<(&'static str, f64)> {
    let (providers, others) = parted(run);
    let controller = others.iter().find(|cost| cost.name == "controller");
    let controller = controller.map(|it| ("the controller", it.kib_a_machine()));
    let largest = largest(&providers).map(|it| ("the largest provider", it.kib_a_machine()));
    let middle = middle(&providers).map(|it| ("the middle provider", it.kib_a_machine()));
    controller
        .into_iter()
        .chain(middle)
        .chain(largest)
        .collect()
}

/// The providers, and the others with the controller in front.
fn parted(run: &Run) -> (Vec<&Cost>, Vec<&Cost>) {
    let mut processes: Vec<&Cost> = run.processes.iter().collect();
    let mut others = vec![processes.remove(0)];
    others.extend(processes.split_off(run.providers));
    (processes, others)
}

/// The provider that needs most for each machine.
fn largest<'a>(providers: &[&'a Cost]) -> Option<&'a Cost> {
    by_memory(providers).last().copied()
}

/// The provider in the middle, by what it needs for each machine.
fn middle<'a>(providers: &[&'a Cost]) -> Option<&'a Cost> {
    by_memory(providers).get(providers.len() / 2).copied()
}

fn by_memory<'a>(providers: &[&'a Cost]) -> Vec<&'a Cost> {
    let mut sorted = providers.to_vec();
    sorted.sort_by(|one, other| one.kib_a_machine().total_cmp(&other.kib_a_machine()));
    sorted
}

fn met(met: bool) -> String {
    if met { "yes" } else { "**no**" }.to_owned()
}

fn row(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|&cell| cell.to_owned()).collect()
}

fn table(rows: &[Vec<String>]) -> String {
    let mut lines: Vec<String> = rows
        .iter()
        .map(|row| format!("| {} |\n", row.join(" | ")))
        .collect();
    let columns = rows.first().map_or(0, Vec::len);
    lines.insert(1, format!("|{}\n", "---|".repeat(columns)));
    lines.concat()
}
