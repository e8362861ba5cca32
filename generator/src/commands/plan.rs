//! `plan`: where everything goes.

use std::io::{self, Write};

use banlieue_schemas::fleet::Promise;
use comfy_table::{Attribute, Cell, CellAlignment, Color, Table, presets};

use super::{CommandError, Exit, input};
use crate::{
    cli::{self, Format},
    plan::{ClusterPlan, Plan, Selection},
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
            write_text(&mut out, &input.plan, &input.selection)
                .and_then(|()| out.flush())
                .map_err(CommandError::output)?;
        }
    }
    Ok(Exit::Success)
}

fn write_text(out: &mut impl Write, plan: &Plan, selection: &Selection) -> io::Result<()> {
    if plan.clusters.is_empty() && plan.virtual_machines.is_empty() {
        return if selection.is_all() {
            writeln!(out, "The fleet has no clusters and no machines yet.")
        } else {
            writeln!(out, "No cluster and no machine set is of {selection}.")
        };
    }
    if !plan.clusters.is_empty() {
        writeln!(out, "{}", overview(plan))?;
    }
    for cluster in &plan.clusters {
        write_cluster(out, cluster)?;
    }
    for set in &plan.virtual_machines {
        let machines = set.machines.join(", ");
        writeln!(
            out,
            "\nMachines {} (namespace {}): {machines}",
            set.key, set.namespace
        )?;
    }
    Ok(())
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

fn write_cluster(out: &mut impl Write, cluster: &ClusterPlan) -> io::Result<()> {
    let ClusterPlan {
        name,
        tier,
        namespace,
        ..
    } = cluster;
    writeln!(out, "\nCluster {name} (tier {tier}, namespace {namespace})")?;
    let mut table = Table::new();
    table.load_style(presets::NOTHING).force_no_tty();
    for domain in &cluster.domains {
        let holds_member = cluster.control_plane.domains.contains(&domain.name);
        let workers = match domain.workers {
            0 => "spare".to_owned(),
            1 => "1 worker".to_owned(),
            more => format!("{more} workers"),
        };
        let role = if holds_member { "control plane" } else { "" };
        table.add_row([&domain.name, &workers, role, &domain.deployment]);
    }
    for line in table.lines() {
        writeln!(out, "  {}", line.trim_end())?;
    }
    if let Some(note) = &cluster.control_plane.note {
        writeln!(out, "   control plane: {note}")?;
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
        writeln!(out, "   {answer} the loss of any {loss}; {}", verdict.why)?;
    }
    Ok(())
}
