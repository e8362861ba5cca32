//! `plan`: where everything goes.

use std::io::Write;

use banlieue_schemas::fleet::Promise;
use comfy_table::{Attribute, Cell, CellAlignment, Color, Table, presets};

use super::{CommandError, Exit, input};
use crate::{
    cli::{self, Format},
    plan::{ClusterPlan, Plan},
    printer::Printer,
};

/// Runs the command.
///
/// # Errors
/// Faults of the fleet.
pub fn run(args: &cli::Plan, printer: Printer) -> Result<Exit, CommandError> {
    let input = input::read(&args.input, printer)?;
    match args.format {
        Format::Json => {
            let mut out = printer.raw();
            serde_json::to_writer_pretty(&mut out, &input.plan)
                .map_err(|error| CommandError::output(error.into()))?;
            writeln!(out)
                .and_then(|()| out.flush())
                .map_err(CommandError::output)?;
        }
        Format::Text => {
            let mut out = printer.data();
            write!(out, "{}", text(&input.plan))
                .and_then(|()| out.flush())
                .map_err(CommandError::output)?;
        }
    }
    Ok(Exit::Success)
}

fn text(plan: &Plan) -> String {
    let mut text = String::new();
    if !plan.clusters.is_empty() {
        text.push_str(&format!("{}\n", overview(plan)));
    }
    for cluster in &plan.clusters {
        text.push_str(&details(cluster));
    }
    for set in &plan.virtual_machines {
        text.push_str(&format!(
            "\nMachines {} (namespace {}): {}\n",
            set.key,
            set.namespace,
            set.machines.join(", ")
        ));
    }
    if text.is_empty() {
        text.push_str("The fleet has no clusters and no machines yet.\n");
    }
    text
}

fn overview(plan: &Plan) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_FULL_CONDENSED)
        .force_no_tty();
    table.enforce_styling();
    let heads = [
        "CLUSTER",
        "TIER",
        "WORKERS",
        "DOMAINS",
        "CONTROL PLANE",
        "ANY DOMAIN",
        "ANY SITE",
    ];
    table.set_header(heads.map(|head| Cell::new(head).add_attribute(Attribute::Bold)));
    for cluster in &plan.clusters {
        let control_plane = &cluster.control_plane;
        let place = if control_plane.kind.on_machines() {
            "on machines"
        } else {
            "hosted"
        };
        table.add_row([
            Cell::new(&cluster.name),
            Cell::new(&cluster.tier),
            Cell::new(cluster.workers()).set_alignment(CellAlignment::Right),
            Cell::new(cluster.domains.len()).set_alignment(CellAlignment::Right),
            Cell::new(format!("{} {place}", control_plane.replicas)),
            survives(cluster, Promise::FailureDomain),
            survives(cluster, Promise::Site),
        ]);
    }
    table
}

fn survives(cluster: &ClusterPlan, loss: Promise) -> Cell {
    match cluster.survival.iter().find(|verdict| verdict.loss == loss) {
        Some(verdict) if verdict.survives && verdict.promised => {
            Cell::new("survives, promised").fg(Color::Green)
        }
        Some(verdict) if verdict.survives => Cell::new("survives").fg(Color::Green),
        _ => Cell::new("lost").fg(Color::Yellow),
    }
}

fn details(cluster: &ClusterPlan) -> String {
    let mut text = format!(
        "\nCluster {} (tier {}, namespace {})\n",
        cluster.name, cluster.tier, cluster.namespace
    );
    let mut table = Table::new();
    table.load_style(presets::NOTHING).force_no_tty();
    for domain in &cluster.domains {
        let role = if cluster.control_plane.domains.contains(&domain.name) {
            "control plane"
        } else {
            ""
        };
        let workers = match domain.workers {
            0 => "spare".to_owned(),
            1 => "1 worker".to_owned(),
            more => format!("{more} workers"),
        };
        let deployment = if domain.workers == 0 {
            ""
        } else {
            &domain.deployment
        };
        table.add_row([&format!("  {}", domain.name), &workers, role, deployment]);
    }
    text.push_str(&format!("{table}\n"));
    if let Some(note) = &cluster.control_plane.note {
        text.push_str(&format!("  control plane: {note}\n"));
    }
    for verdict in &cluster.survival {
        let answer = if verdict.survives {
            "survives"
        } else {
            "does not survive"
        };
        let loss = match verdict.loss {
            Promise::FailureDomain => "failure domain",
            Promise::Site => "site",
        };
        text.push_str(&format!(
            "  {answer} the loss of any {loss}; {}\n",
            verdict.why
        ));
    }
    text
}
