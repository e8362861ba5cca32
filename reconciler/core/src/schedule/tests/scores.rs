use std::collections::BTreeMap;

use serde_json::json;

use super::{labelled, placed};
use crate::fixtures::{World, domain, object, vm};
use crate::schedule::schedule;

/// Three failure domains: `a1` and `a2` on Provider `a`, `b1` on Provider `b`.
fn three() -> World {
    let mut world = World::new();
    let zones = |names: &[&str], dc: &str| {
        let labels = json!({ "dc": dc });
        names
            .iter()
            .map(|name| domain(name, labels.clone()))
            .collect()
    };
    world.providers[0].status.as_mut().unwrap().failure_domains = zones(&["a1", "a2"], "1");
    world.providers[1].status.as_mut().unwrap().failure_domains = zones(&["b1"], "2");
    world
}

fn chosen(world: &World) -> String {
    world.with(schedule).unwrap().failure_domain
}

fn free(world: &mut World, provider: usize, domain: usize, free: serde_json::Value) {
    let status = world.providers[provider].status.as_mut().unwrap();
    status.failure_domains[domain].attributes.free_capacity = Some(object(free));
}

#[test]
fn a_set_is_spread_by_its_own_members() {
    let mut world = three();
    world.vm = labelled(world.vm, "banlieue.io/set", "web");
    world.machines = vec![
        labelled(placed("web-1", "a", "a1"), "banlieue.io/set", "web"),
        labelled(placed("web-2", "b", "b1"), "banlieue.io/set", "web"),
        labelled(placed("db-1", "a", "a2"), "banlieue.io/set", "db"),
        labelled(placed("db-2", "a", "a2"), "banlieue.io/set", "db"),
    ];
    assert_eq!(chosen(&world), "a2");
}

#[test]
fn the_group_is_by_anti_affinity_then_set_then_controller_then_class() {
    let owned = |mut machine: banlieue_schemas::platform::VirtualMachine| {
        machine.metadata.owner_references = Some(object(json!([{
            "apiVersion": "v1", "kind": "X", "name": "x", "uid": "x", "controller": true,
        }])));
        machine
    };
    let mut by_class = three();
    by_class.machines = vec![placed("1", "a", "a1"), placed("2", "b", "b1")];
    assert_eq!(chosen(&by_class), "a2");

    let mut by_owner = three();
    by_owner.vm = owned(vm("vm"));
    by_owner.machines = vec![
        owned(placed("1", "a", "a1")),
        owned(placed("2", "a", "a2")),
        placed("3", "b", "b1"),
    ];
    assert_eq!(chosen(&by_owner), "b1");

    let mut by_rule = three().placed(json!({ "antiAffinity": [{
        "topologyKey": "name", "mode": "preferred",
        "labelSelector": { "matchLabels": { "app": "db" } },
    }] }));
    by_rule.vm = labelled(by_rule.vm, "banlieue.io/set", "web");
    by_rule.machines = vec![
        labelled(placed("1", "a", "a1"), "app", "db"),
        labelled(placed("2", "b", "b1"), "app", "db"),
        labelled(placed("3", "a", "a2"), "banlieue.io/set", "web"),
    ];
    assert_eq!(chosen(&by_rule), "a2");
}

#[test]
fn the_second_machine_of_a_group_goes_to_another_provider() {
    let mut world = three();
    world.machines = vec![placed("1", "a", "a1")];
    assert_eq!(chosen(&world), "b1");
}

#[test]
fn a_preferred_distance_counts_before_the_spread_and_refuses_nothing() {
    let mut world = three().placed(json!({ "antiAffinity": [{
        "topologyKey": "dc", "mode": "preferred",
        "labelSelector": { "matchLabels": { "app": "noisy" } },
    }] }));
    world.machines = vec![
        labelled(placed("1", "b", "b1"), "app", "noisy"),
        labelled(placed("2", "b", "b1"), "app", "noisy"),
        labelled(placed("3", "a", "a1"), "app", "noisy"),
    ];
    assert_eq!(chosen(&world), "a2");
}

#[test]
fn a_full_failure_domain_comes_last_and_a_roomy_one_first() {
    let mut world = three();
    free(&mut world, 1, 0, json!({ "cpus": 1, "memoryMiB": 65536 }));
    world.machines = vec![placed("1", "a", "a1"), placed("2", "a", "a2")];
    assert_ne!(chosen(&world), "b1");

    let mut world = three();
    free(&mut world, 0, 0, json!({ "memoryMiB": 4096 }));
    free(
        &mut world,
        0,
        1,
        json!({ "memoryMiB": 65536, "storage": [{ "storageClass": "fast", "sizeGiB": 4000 }] }),
    );
    free(
        &mut world,
        1,
        0,
        json!({ "memoryMiB": 65536, "storage": [{ "storageClass": "fast", "sizeGiB": 40 }] }),
    );
    assert_eq!(chosen(&world), "a2");
}

#[test]
fn a_failure_domain_that_tells_nothing_is_neither_preferred_nor_avoided() {
    let mut world = three();
    free(&mut world, 0, 0, json!({ "cpus": 2 }));
    free(&mut world, 0, 1, json!({ "cpus": 64 }));
    free(&mut world, 1, 0, json!({}));
    let picks = spread_of_unrelated(&world, 60);
    assert_eq!(picks.get("a1"), None);
    assert!(picks["a2"] > 10 && picks["b1"] > 10, "{picks:?}");
}

#[test]
fn unrelated_machines_do_not_pile_on_the_first_name() {
    let picks = spread_of_unrelated(&three(), 60);
    assert!(
        picks.len() == 3 && picks.values().all(|count| *count > 10),
        "{picks:?}"
    );
}

/// Where machines would go of which none knows of the others.
fn spread_of_unrelated(world: &World, count: usize) -> BTreeMap<String, usize> {
    let mut picks = BTreeMap::new();
    for index in 0..count {
        let lone = World {
            vm: vm(&format!("vm-{index}")),
            machines: Vec::new(),
            ..world.clone()
        };
        *picks.entry(chosen(&lone)).or_default() += 1;
    }
    picks
}
