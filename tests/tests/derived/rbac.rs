//! `docs/reference/rbac.md`.

use std::fmt::Write;

use banlieue_schemas::access::{self, Rule, Workload};

use super::markdown::{self, code};

const ABOUT: &str = "\
What each workload may do on the API server, where, and why it cannot do without it. Nobody has a \
wildcard, `escalate`, `bind` or `impersonate`, and nobody reads Secrets across the cluster.";

/// The page.
pub fn page() -> String {
    let mut page = markdown::head("Access rights", ABOUT);
    for workload in Workload::ALL {
        let kinds = [
            ("In the whole cluster", access::cluster_rules(workload)),
            ("In its own namespace", access::namespaced_rules(workload)),
            (
                "In the namespace of image builds",
                access::build_namespace_rules(workload),
            ),
        ];
        write!(page, "\n## {}\n", workload.name()).unwrap();
        for (place, rules) in kinds {
            table(place, &rules, &mut page);
        }
    }
    page.push_str("\n## Roles of a namespace\n\nMade where they are needed, for the objects named in angle brackets.\n");
    let secrets = ["<secret>"];
    let config_maps = ["<configmap>"];
    let instance = access::provider_instance_rules("<provider>", &secrets, &config_maps);
    let credentials = access::credential_rules(&secrets, &config_maps);
    table("One Provider's process", &instance, &mut page);
    table(
        "The operator, in each namespace with Providers",
        &credentials,
        &mut page,
    );
    table(
        "Provider processes, in each namespace with clusters",
        &access::bootstrap_data_rules(),
        &mut page,
    );
    table(
        "The controller, in each namespace with user data",
        &access::user_data_rules(),
        &mut page,
    );
    page
}

fn table(title: &str, rules: &[Rule], page: &mut String) {
    if rules.is_empty() {
        return;
    }
    write!(
        page,
        "\n### {title}\n\n| group | resources | names | verbs | why |\n|---|---|---|---|---|\n"
    )
    .unwrap();
    for rule in rules {
        let group = if rule.api_group.is_empty() {
            "core".to_owned()
        } else {
            code(rule.api_group)
        };
        let names = if rule.resource_names.is_empty() {
            "all".to_owned()
        } else {
            list(rule.resource_names.iter().map(String::as_str))
        };
        writeln!(
            page,
            "| {group} | {} | {names} | {} | {} |",
            list(rule.resources.iter().copied()),
            rule.verbs.join(", "),
            markdown::cell(&markdown::prose(rule.reason)),
        )
        .unwrap();
    }
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(code).collect::<Vec<_>>().join(", ")
}
