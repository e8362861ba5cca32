#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;

use super::*;

/// Every set of rules that ends up in one Role or ClusterRole.
fn all_roles() -> Vec<(String, Vec<Rule>)> {
    let mut roles = vec![
        ("bootstrap".into(), bootstrap_data_rules()),
        ("user data".into(), user_data_rules()),
        (
            "instance".into(),
            provider_instance_rules("l", &["s"], &["c"]),
        ),
    ];
    for workload in Workload::ALL {
        roles.push((format!("{workload:?} cluster"), cluster_rules(workload)));
        roles.push((format!("{workload:?} own"), namespaced_rules(workload)));
        roles.push((
            format!("{workload:?} build"),
            build_namespace_rules(workload),
        ));
    }
    roles
}

/// (group, resource, verb, name), with an empty name for all objects.
type Grant = (String, String, String, String);

fn grants(rules: &[Rule]) -> Vec<Grant> {
    let mut grants = Vec::new();
    for rule in rules {
        let any = [String::new()];
        let names: &[String] = if rule.resource_names.is_empty() {
            &any
        } else {
            &rule.resource_names
        };
        for (resource, verb) in rule
            .resources
            .iter()
            .flat_map(|r| rule.verbs.iter().map(move |v| (r, v)))
        {
            for name in names {
                grants.push((
                    rule.api_group.to_owned(),
                    (*resource).to_owned(),
                    (*verb).to_owned(),
                    name.clone(),
                ));
            }
        }
    }
    grants
}

#[test]
fn nothing_is_granted_by_wildcard_or_by_a_verb_that_escapes_rbac() {
    const ALLOWED: [&str; 7] = [
        "get", "list", "watch", "create", "patch", "update", "delete",
    ];
    for (role, rules) in all_roles() {
        for rule in rules {
            assert!(
                rule.verbs.iter().all(|verb| ALLOWED.contains(verb)),
                "{role}: {rule:?}"
            );
            assert!(
                !rule.resources.is_empty() && !rule.verbs.is_empty(),
                "{role}: {rule:?}"
            );
            assert!(!rule.api_group.contains('*'), "{role}: {rule:?}");
            assert!(
                !rule.resources.iter().any(|r| r.contains('*')),
                "{role}: {rule:?}"
            );
        }
    }
}

#[test]
fn no_cluster_role_reaches_secrets_or_config_maps() {
    for workload in Workload::ALL {
        for (_, resource, _, _) in grants(&cluster_rules(workload)) {
            assert!(
                !["secrets", "configmaps", "pods"].contains(&resource.as_str()),
                "{workload:?}"
            );
        }
    }
}

#[test]
fn every_rule_says_why_and_nothing_is_granted_twice() {
    for (role, rules) in all_roles() {
        for rule in &rules {
            assert!(rule.reason.len() >= 30, "{role}: {rule:?}");
        }
        let mut seen = BTreeSet::new();
        for grant in grants(&rules) {
            assert!(seen.insert(grant.clone()), "{role} grants {grant:?} twice");
        }
    }
}

#[test]
fn status_is_granted_apart_from_the_object() {
    for (role, rules) in all_roles() {
        for rule in rules {
            let subresources = rule.resources.iter().filter(|r| r.contains('/')).count();
            assert!(
                [0, rule.resources.len()].contains(&subresources),
                "{role}: {rule:?}"
            );
        }
    }
}

#[test]
fn the_operator_holds_all_that_it_grants() {
    let mut held = cluster_rules(Workload::Operator);
    held.extend(credential_rules(&["s"], &["c"]));
    let held: BTreeSet<Grant> = grants(&held).into_iter().collect();
    let granted = Workload::PROVIDERS
        .into_iter()
        .flat_map(cluster_rules)
        .chain(provider_instance_rules("l", &["s"], &["c"]))
        .collect::<Vec<_>>();
    for grant in grants(&granted) {
        let (group, resource, verb, _) = grant.clone();
        let for_all_names = (group, resource, verb, String::new());
        assert!(
            held.contains(&grant) || held.contains(&for_all_names),
            "{grant:?}"
        );
    }
    assert_eq!(
        grants(&build_namespace_rules(Workload::Operator)),
        grants(&build_namespace_rules(Workload::ProviderVsphere))
    );
}

#[test]
fn no_credentials_means_no_rule_instead_of_every_name() {
    assert!(credential_rules::<&str>(&[], &[]).is_empty());
}

#[test]
fn a_lease_is_only_taken_under_its_own_name() {
    for workload in [Workload::Controller, Workload::ImageBuilder] {
        for (_, _, verb, name) in grants(&namespaced_rules(workload)) {
            assert_eq!(
                name,
                if verb == "create" {
                    ""
                } else {
                    workload.name()
                }
            );
        }
    }
}
