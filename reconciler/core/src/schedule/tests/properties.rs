use std::collections::BTreeMap;

use banlieue_schemas::labels;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::placed;
use crate::conditions::MAX_MESSAGE;
use crate::fixtures::{World, domain, image, object, provider, vm};
use crate::placement::{Decision, decide, digest};
use crate::schedule::schedule;

const KEYS: [&str; 3] = ["dc", "rack", "name"];
const IMAGE_IS_ON: [&str; 6] = ["p0", "p1", "p2", "p3", "p5", "p6"];

fn any_selector() -> impl Strategy<Value = Value> {
    let values = proptest::collection::vec("[12]", 0..3);
    let operator = proptest::sample::select(vec!["In", "NotIn", "Exists", "DoesNotExist", "Odd"]);
    (proptest::sample::select(KEYS.to_vec()), operator, values, any::<bool>()).prop_map(
        |(key, operator, values, empty)| {
            if empty {
                json!({})
            } else {
                json!({ "matchExpressions": [{ "key": key, "operator": operator, "values": values }] })
            }
        },
    )
}

fn any_placement() -> impl Strategy<Value = Value> {
    let mode = proptest::sample::select(vec!["required", "preferred"]);
    let key = proptest::sample::select(KEYS.to_vec());
    (any_selector(), any_selector(), any_selector(), key, mode).prop_map(
        |(providers, domains, others, key, mode)| {
            json!({
                "providerSelector": providers,
                "failureDomainSelector": domains,
                "antiAffinity": [{ "topologyKey": key, "labelSelector": others, "mode": mode }],
            })
        },
    )
}

prop_compose! {
    fn any_world()(
        placement in any_placement(),
        zones in proptest::collection::vec(("[12]", "[12]", any::<[bool; 4]>(), 0..9_u32), 0..8),
        others in proptest::collection::vec((0..8_usize, "[12]"), 0..6),
        tpm in any::<bool>(),
    ) -> World {
        let mut world = World::new().placed(placement);
        world.class.spec.tpm_enabled = Some(tpm);
        world.providers.clear();
        for (index, (dc, rack, [ready, paused, storage, secure], free)) in zones.into_iter().enumerate() {
            let mut zone = domain(&format!("z{index}"), json!({ "dc": dc, "rack": rack }));
            if !storage { zone.attributes.available_storage_classes.clear(); }
            if !secure { zone.attributes.features.clear(); }
            zone.attributes.free_capacity = Some(object(json!({ "cpus": free })));
            let mut found = provider(&format!("p{index}"), vec![zone]);
            found.metadata.labels = Some([("dc".to_owned(), dc)].into());
            found.spec.paused = Some(paused && index % 3 == 0);
            if !ready && index % 2 == 0 { found.status.as_mut().unwrap().conditions.clear(); }
            world.providers.push(found);
        }
        world.image = image(&IMAGE_IS_ON);
        world.machines = others.into_iter().enumerate().map(|(index, (at, dc))| {
            super::labelled(placed(&format!("m{index}"), &format!("p{at}"), &format!("z{at}")), "dc", &dc)
        }).collect();
        world
    }
}

proptest! {
    #[test]
    fn every_machine_gets_a_place_or_a_reason(world in any_world()) {
        match world.with(schedule) {
            Ok(placement) => {
                prop_assert!(world.providers.iter().any(|p| p.metadata.name.as_ref() == Some(&placement.provider)));
                prop_assert_eq!(world.with(schedule), Ok(placement));
            }
            Err(refused) => {
                prop_assert!(!refused.message.is_empty() && refused.message.len() <= MAX_MESSAGE);
                // Whatever refused them, no Provider goes unmentioned without being counted.
                if world.providers.len() <= 4 && refused.reason.as_str() != "InvalidSpec"
                    && refused.reason.as_str() != "ImageClassMismatch" {
                    for provider in &world.providers {
                        let name = provider.metadata.name.as_ref().unwrap();
                        prop_assert!(refused.message.contains(name.as_str()), "{}", refused.message);
                    }
                }
            }
        }
    }

    #[test]
    fn a_machine_stays_where_it_was_just_placed(world in any_world()) {
        if let Ok(placement) = world.with(schedule) {
            let current = placement.scheduled(digest(world.vm.spec.placement.as_ref()));
            prop_assert_eq!(
                world.with(|request| decide(request, &current)),
                Decision::Keep { confirmed: true }
            );
        }
    }

    #[test]
    fn a_provider_that_merely_sorts_first_never_moves_a_machine(
        mut world in any_world(),
        newcomers in proptest::collection::vec(("[12]", "[12]", 0..1000_u32), 1..4),
        policy in proptest::sample::select(vec!["onSpecChange", "automatic", "manual", "never"]),
        asked in any::<bool>(),
    ) {
        let Ok(placement) = world.with(schedule) else { return Ok(()) };
        let current = placement.scheduled(digest(world.vm.spec.placement.as_ref()));
        let mut names = IMAGE_IS_ON.to_vec();
        for ((dc, rack, free), name) in newcomers.into_iter().zip(["0", "1", "2"]) {
            let mut zone = domain(&format!("{name}-z"), json!({ "dc": dc, "rack": rack }));
            zone.attributes.free_capacity = Some(object(json!({ "cpus": free })));
            let mut newcomer = provider(name, vec![zone]);
            newcomer.metadata.labels = Some([("dc".to_owned(), dc)].into());
            world.providers.insert(0, newcomer);
            names.push(name);
        }
        world.image = image(&names);
        world.vm.spec.migration_policy = Some(object(json!(policy)));
        if asked {
            let annotation = (labels::MIGRATE.to_owned(), "true".to_owned());
            world.vm.metadata.annotations = Some([annotation].into());
        }
        prop_assert_eq!(
            world.with(|request| decide(request, &current)),
            Decision::Keep { confirmed: true }
        );
    }

    #[test]
    fn a_group_is_balanced_within_one(
        zones in proptest::collection::vec(1..4_usize, 1..4), machines in 1..20_usize
    ) {
        let mut world = World::new();
        let names: Vec<String> = (0..zones.len()).map(|index| format!("p{index}")).collect();
        world.providers = zones.iter().zip(&names).map(|(count, name)| {
            provider(name, (0..*count).map(|z| domain(&format!("{name}-z{z}"), json!({}))).collect())
        }).collect();
        world.image = image(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let mut counts: BTreeMap<String, usize> = world.providers.iter()
            .flat_map(|p| &p.status.as_ref().unwrap().failure_domains)
            .map(|zone| (zone.name.clone(), 0)).collect();
        for index in 0..machines {
            let name = format!("vm-{index}");
            world.vm = vm(&name);
            let placement = world.with(schedule).unwrap();
            *counts.get_mut(&placement.failure_domain).unwrap() += 1;
            world.machines.push(placed(&name, &placement.provider, &placement.failure_domain));
            let (most, least) = (counts.values().max().unwrap(), counts.values().min().unwrap());
            prop_assert!(most - least <= 1, "{counts:?}");
        }
    }
}
