//! `docs/reference/conditions.md`.

use std::fmt::Write;

use banlieue_schemas::conditions::{ConditionType, Reason, Writer, owner};
use banlieue_schemas::remedies::remedy;

use super::markdown::{self, code};

const ABOUT: &str = "\
Every condition that a kind may have, who writes it, and every reason with what to do about it. A \
condition has one writer. Its message is for people, and stays the same as long as the fault does.";

const KINDS: [&str; 11] = [
    "Provider",
    "ProviderClass",
    "VMImage",
    "VirtualMachine",
    "SimMachine",
    "VSphereMachine",
    "LibvirtMachine",
    "SimCluster",
    "VSphereCluster",
    "LibvirtCluster",
    "VMClass",
];

/// The page.
pub fn page() -> String {
    let mut page = markdown::head("Conditions", ABOUT);
    page.push_str("\n## Types\n\n| condition | means | on |\n|---|---|---|\n");
    for condition in ConditionType::ALL {
        let kinds: Vec<String> = KINDS
            .iter()
            .filter_map(|kind| owner(kind, *condition).map(|writer| (kind, writer)))
            .map(|(kind, writer)| format!("{kind} ({})", word(writer)))
            .collect();
        writeln!(
            page,
            "| {} | {} | {} |",
            code(condition.as_str()),
            condition.meaning(),
            kinds.join(", ")
        )
        .unwrap();
    }
    page.push_str("\n## Reasons\n\n| reason | means | what to do |\n|---|---|---|\n");
    for reason in Reason::ALL {
        writeln!(
            page,
            "| {} | {} | {} |",
            code(reason.as_str()),
            reason.meaning(),
            remedy(*reason).unwrap_or("Nothing.")
        )
        .unwrap();
    }
    page
}

fn word(writer: Writer) -> &'static str {
    match writer {
        Writer::Controller => "controller",
        Writer::Operator => "operator",
        Writer::Provider => "provider process",
    }
}
