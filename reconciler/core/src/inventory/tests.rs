#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use banlieue_schemas::common::StringMap;
use banlieue_schemas::platform::{
    Capabilities, FailureDomainNameOverride, NetworkClass, ProviderSpec, StorageClass, ZoneTarget,
};
use proptest::prelude::*;

use super::*;

fn terms(key: &str, value: &str) -> StringMap {
    StringMap::from([(key.to_owned(), value.to_owned())])
}

fn zone(cluster: &str) -> Zone {
    Zone {
        datacenter: "paris".into(),
        cluster: cluster.into(),
        storage: vec![terms("datastore", "ds1")],
        networks: vec![terms("portGroup", "vms")],
        features: vec!["vtpm".into(), "efiSecureBoot".into()],
        free: Some(Capacity {
            cpus: Some(61),
            memory_mib: Some(100_000),
            storage_gib: [("ds1".to_owned(), 1000)].into(),
        }),
        raw: terms("cluster", cluster),
    }
}

fn spec() -> ProviderSpec {
    ProviderSpec {
        capabilities: Some(Capabilities {
            storage_classes: vec![StorageClass {
                name: "fast".into(),
                target: Some(terms("datastore", "ds1")),
                per_zone: Vec::new(),
            }],
            network_classes: vec![NetworkClass {
                name: "prod".into(),
                target: Some(terms("portGroup", "vms")),
                ..NetworkClass::default()
            }],
            features: vec!["vtpm".into(), "gpuPassthrough".into()],
        }),
        ..ProviderSpec::default()
    }
}

fn domains(spec: &ProviderSpec, zones: Vec<Zone>) -> Domains {
    let survey = Survey {
        version: "1".into(),
        zones,
    };
    failure_domains("vc1", &terms("site", "paris"), spec, &survey)
}

#[test]
fn a_zone_shows_what_is_declared_and_there() {
    let found = domains(&spec(), vec![zone("c1")]);
    let domain = &found.shown[0];
    assert_eq!(domain.name, "vc1-paris-c1");
    let labels: Vec<&str> = domain.labels.keys().map(String::as_str).collect();
    assert_eq!(labels, ["cluster", "datacenter", "name", "site"]);
    assert_eq!(domain.attributes.available_storage_classes, ["fast"]);
    assert_eq!(domain.attributes.available_network_classes, ["prod"]);
    assert_eq!(domain.attributes.features, ["vtpm"]);
    let free = domain.attributes.free_capacity.as_ref().unwrap();
    assert_eq!((free.cpus, free.memory_mib), (Some(56), Some(98_304)));
    assert_eq!(free.storage[0].size_gib, 896);
}

#[test]
fn a_class_that_stands_for_nothing_anywhere_is_told() {
    let mut spec = spec();
    let capabilities = spec.capabilities.as_mut().unwrap();
    capabilities.storage_classes[0].target = Some(terms("datastore", "gone"));
    let found = domains(&spec, vec![zone("c1")]);
    assert_eq!(found.unavailable, ["storage class fast"]);
    assert!(
        found.shown[0]
            .attributes
            .available_storage_classes
            .is_empty()
    );
}

#[test]
fn the_entry_of_a_zone_wins_over_the_default() {
    let mut spec = spec();
    let capabilities = spec.capabilities.as_mut().unwrap();
    capabilities.storage_classes[0].per_zone = vec![ZoneTarget {
        datacenter: "paris".into(),
        cluster: "c2".into(),
        target: terms("datastore", "elsewhere"),
    }];
    let found = domains(&spec, vec![zone("c1"), zone("c2")]);
    let has = |index: usize| {
        !found.shown[index]
            .attributes
            .available_storage_classes
            .is_empty()
    };
    assert_eq!((has(0), has(1)), (true, false));
}

#[test]
fn a_chosen_name_replaces_the_computed_one() {
    let mut spec = spec();
    spec.failure_domain_name_overrides = vec![FailureDomainNameOverride {
        datacenter: "paris".into(),
        cluster: "c1".into(),
        name: "north".into(),
    }];
    let found = domains(&spec, vec![zone("c1")]);
    assert_eq!(found.shown[0].name, "north");
    assert_eq!(found.shown[0].labels["name"], "north");
}

#[test]
fn two_zones_of_one_name_are_told_and_neither_is_shown() {
    let found = domains(&spec(), vec![zone("C 1"), zone("c-1"), zone("c2")]);
    assert_eq!(found.ambiguous, ["vc1-paris-c-1"]);
    assert_eq!(found.shown.len(), 1);
}

#[test]
fn a_provider_label_cannot_hide_what_a_zone_is() {
    let labels = terms("cluster", "mine");
    let survey = Survey {
        version: String::new(),
        zones: vec![zone("c1")],
    };
    let found = failure_domains("vc1", &labels, &spec(), &survey);
    assert_eq!(found.shown[0].labels["cluster"], "c1");
}

proptest! {
    /// A backend lists its zones and what they hold in any order; a status that followed it would
    /// change on every look.
    #[test]
    fn the_order_of_a_survey_changes_nothing(
        order in Just((0..5_usize).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let zones: Vec<Zone> = (0..5).map(|index| zone(&format!("c{index}"))).collect();
        let mut shuffled: Vec<Zone> = order.iter().map(|index| zones[*index].clone()).collect();
        for zone in &mut shuffled {
            zone.features.reverse();
        }
        prop_assert_eq!(domains(&spec(), shuffled), domains(&spec(), zones));
    }
}
