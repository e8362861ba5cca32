//! VirtualMachines as a table.

use std::collections::BTreeMap;
use std::net::IpAddr;

use banlieue_schemas::platform::VirtualMachine;
use banlieue_tests::live::is_ready;
use kube::ResourceExt as _;

const HEAD: [&str; 6] = ["NAME", "PROVIDER", "ZONE", "POWER", "READY", "ADDRESSES"];

/// How many machines are in each zone.
pub fn zones(vms: &[VirtualMachine]) -> BTreeMap<String, usize> {
    let mut zones = BTreeMap::new();
    for vm in vms {
        let [_, _, zone, ..] = row(vm);
        *zones.entry(zone).or_default() += 1;
    }
    zones
}

/// Prints a line for each machine.
pub fn print(vms: &[VirtualMachine]) {
    let mut rows = vec![HEAD.map(str::to_owned)];
    rows.extend(vms.iter().map(row));
    let widths: Vec<usize> = (0..HEAD.len())
        .map(|column| {
            rows.iter()
                .map(|row| row[column].len())
                .max()
                .unwrap_or_default()
        })
        .collect();
    for row in rows {
        let cells = row.iter().zip(&widths);
        let cells: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        println!("{}", cells.join("  ").trim_end());
    }
}

fn row(vm: &VirtualMachine) -> [String; 6] {
    let status = vm.status.clone().unwrap_or_default();
    let place = status.scheduled.unwrap_or_default();
    let power = status
        .observed_power_state
        .map(|power| format!("{power:?}"));
    // Host names are among them.
    let addresses = status.addresses.into_iter().map(|it| it.address);
    let addresses: Vec<String> = addresses
        .filter(|address| address.parse::<IpAddr>().is_ok())
        .collect();
    [
        vm.name_any(),
        place.provider_name,
        place.failure_domain,
        power.unwrap_or_default(),
        if is_ready(vm) { "True" } else { "False" }.to_owned(),
        addresses.join(","),
    ]
}
