use banlieue_schemas::conditions::Reason;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use serde_json::json;

use super::{labelled, placed};
use crate::fixtures::{World, object};
use crate::schedule::{Unschedulable, at, schedule};

fn refused(world: &World) -> Unschedulable {
    world.with(schedule).unwrap_err()
}

fn chosen(world: &World) -> String {
    world.with(schedule).unwrap().provider
}

#[test]
fn selectors_choose_by_labels_of_the_provider_and_of_the_failure_domain() {
    let by_provider = json!({ "providerSelector": { "matchLabels": { "dc": "2" } } });
    assert_eq!(chosen(&World::new().placed(by_provider)), "b");
    let expression = json!({ "key": "name", "operator": "NotIn", "values": ["b-z1"] });
    let by_domain = json!({ "failureDomainSelector": { "matchExpressions": [expression] } });
    assert_eq!(chosen(&World::new().placed(by_domain)), "a");
}

type Change = fn(&mut World);

fn each_is_refused(cases: &[(Reason, &str, Change)]) {
    for (reason, message, change) in cases {
        let mut world = World::new();
        change(&mut world);
        let refused = refused(&world);
        assert_eq!(refused.reason, *reason, "{message}");
        assert!(refused.message.contains(message), "{}", refused.message);
    }
}

#[test]
fn a_provider_that_cannot_take_machines_says_why() {
    each_is_refused(&[
        (
            Reason::NoProviderMatched,
            "does not match providerSelector (a, b)",
            |world| {
                world.vm.spec.placement = Some(object(json!({
                    "providerSelector": { "matchLabels": { "dc": "3" } }
                })));
            },
        ),
        (Reason::NoProviderMatched, "is paused (a, b)", |world| {
            world
                .providers
                .iter_mut()
                .for_each(|p| p.spec.paused = Some(true));
        }),
        (
            Reason::NoProviderMatched,
            "is being deleted (a, b)",
            |world| {
                for provider in &mut world.providers {
                    provider.metadata.deletion_timestamp = Some(Time(Timestamp::UNIX_EPOCH));
                }
            },
        ),
        (
            Reason::NoProviderMatched,
            "is not ready: ConnectFailed (a, b)",
            |world| {
                for provider in &mut world.providers {
                    let ready = &mut provider.status.as_mut().unwrap().conditions[0];
                    ready.status = "False".into();
                    ready.reason = "ConnectFailed".into();
                }
            },
        ),
        (
            Reason::NoProviderMatched,
            "is not ready yet (a, b)",
            |world| {
                world.providers.iter_mut().for_each(|p| p.status = None);
            },
        ),
        (
            Reason::NoFailureDomainMatched,
            "shows no failure domain (a, b)",
            |world| {
                for provider in &mut world.providers {
                    provider.status.as_mut().unwrap().failure_domains.clear();
                }
            },
        ),
        (
            Reason::NoFailureDomainMatched,
            "does not match failureDomainSelector (a/a-z1, b/b-z1)",
            |world| {
                world.vm.spec.placement = Some(object(json!({
                    "failureDomainSelector": { "matchLabels": { "rack": "9" } }
                })));
            },
        ),
    ]);
}

#[test]
fn a_failure_domain_that_lacks_something_says_what() {
    each_is_refused(&[
        (
            Reason::ImageNotReady,
            "image linux was not looked for yet (a/a-z1, b/b-z1)",
            |world| {
                world.image.status = None;
            },
        ),
        (
            Reason::StorageClassUnavailable,
            "has no storage class slow (a/a-z1, b/b-z1)",
            |world| {
                world.class.spec.hardware.disks[0].storage_class = "slow".into();
            },
        ),
        (
            Reason::NetworkClassUnavailable,
            "has no network class dmz (a/a-z1, b/b-z1)",
            |world| {
                world.class.spec.network.interfaces[0].network_class = "dmz".into();
            },
        ),
        (
            Reason::FeatureUnsupported,
            "lacks feature gpuPassthrough (a/a-z1, b/b-z1)",
            |world| {
                world.class.spec.features = vec!["vtpm".into(), "gpuPassthrough".into()];
            },
        ),
        (
            Reason::FirmwareUnsupported,
            "firmware efi-secure needs feature efiSecureBoot (a/a-z1, b/b-z1)",
            |world| {
                world.class = object(json!({
                    "metadata": { "name": "small" }, "apiVersion": "", "kind": "",
                    "spec": { "firmware": "efi-secure", "hardware": world.class.spec.hardware, "network": world.class.spec.network },
                }));
                without_features(world);
            },
        ),
        (
            Reason::TpmUnsupported,
            "a TPM needs feature vtpm (a/a-z1, b/b-z1)",
            |world| {
                world.class.spec.tpm_enabled = Some(true);
                world.image.spec.template = Some(object(json!({ "installMode": "deferred" })));
                without_features(world);
            },
        ),
        (
            Reason::ImageClassMismatch,
            "image linux is not installed on first boot",
            |world| {
                world.class.spec.tpm_enabled = Some(true);
            },
        ),
    ]);
}

fn without_features(world: &mut World) {
    for provider in &mut world.providers {
        let status = provider.status.as_mut().unwrap();
        status.failure_domains[0].attributes.features.clear();
    }
}

#[test]
fn a_provider_whose_class_is_missing_is_not_used() {
    let refused = World::new().with(|request| {
        let sites: Vec<_> = request
            .sites
            .iter()
            .map(|site| crate::schedule::Site {
                class: None,
                ..*site
            })
            .collect();
        schedule(&crate::schedule::Request {
            sites: &sites,
            ..*request
        })
        .unwrap_err()
    });
    assert_eq!(refused.reason, Reason::ProviderClassNotFound);
    assert_eq!(
        refused.message,
        "no place for the machine: its ProviderClass sim does not exist (a, b)"
    );
}

#[test]
fn a_namespace_without_providers_says_so() {
    let mut world = World::new();
    world.providers.clear();
    let refused = refused(&world);
    assert_eq!(refused.reason, Reason::NoProviderMatched);
    assert_eq!(refused.message, "no Provider is in this namespace");
}

#[test]
fn a_selector_that_cannot_be_read_is_the_users_error() {
    let expression = json!({ "key": "a", "operator": "Like" });
    let selector = json!({ "providerSelector": { "matchExpressions": [expression] } });
    let refused = refused(&World::new().placed(selector));
    assert_eq!(refused.reason, Reason::InvalidSpec);
    assert!(
        refused
            .message
            .starts_with("spec.placement.providerSelector")
    );
}

#[test]
fn the_image_must_be_ready_on_that_provider_in_that_zone() {
    let mut world = World::new();
    let rows = &mut world.image.status.as_mut().unwrap().per_provider;
    // The same name in another namespace is another Provider.
    rows[0].provider_namespace = "test".into();
    assert_eq!(chosen(&world), "b");

    let mut world = World::new();
    let rows = &mut world.image.status.as_mut().unwrap().per_provider;
    rows[0].zones = object(json!([{ "name": "other", "ready": true }]));
    rows[1].ready = false;
    rows[1].zones = object(json!([
        { "name": "b-z1", "ready": true, "resolvedRef": "[ds] linux" },
        { "name": "b-z2", "ready": false },
    ]));
    let placement = world.with(schedule).unwrap();
    assert_eq!(placement.failure_domain, "b-z1");
    assert_eq!(placement.image.as_deref(), Some("[ds] linux"));
}

#[test]
fn the_reason_is_that_of_the_candidate_that_came_closest() {
    let mut world = World::new();
    world.providers[0].spec.paused = Some(true);
    world.class.spec.features = vec!["gpuPassthrough".into()];
    let refused = refused(&world);
    assert_eq!(refused.reason, Reason::FeatureUnsupported);
    assert_eq!(
        refused.message,
        "no place for the machine: lacks feature gpuPassthrough (b/b-z1); is paused (a)"
    );
}

#[test]
fn a_long_list_of_candidates_is_cut() {
    let mut world = World::new();
    let status = world.providers[0].status.as_mut().unwrap();
    status.failure_domains = (0..9)
        .map(|index| crate::fixtures::domain(&format!("z{index}"), json!({})))
        .collect();
    world.image.status = None;
    assert_eq!(
        refused(&world).message,
        "no place for the machine: image linux was not looked for yet \
         (a/z0, a/z1, a/z2, a/z3 and 6 more)"
    );
}

#[test]
fn required_anti_affinity_holds_for_any_label_of_the_failure_domain() {
    let apart = |key: &str| {
        json!({ "antiAffinity": [{
            "topologyKey": key, "labelSelector": { "matchLabels": { "app": "db" } },
        }] })
    };
    for key in ["dc", "name"] {
        let mut world = World::new().placed(apart(key));
        world.machines = vec![labelled(placed("other", "a", "a-z1"), "app", "db")];
        assert_eq!(chosen(&world), "b", "{key}");
        world
            .machines
            .push(labelled(placed("third", "b", "b-z1"), "app", "db"));
        let refused = refused(&world);
        assert_eq!(refused.reason, Reason::AntiAffinityUnsatisfied);
        assert!(
            refused
                .message
                .contains(&format!("too close by {key} to other (a/a-z1)"))
        );
    }
}

#[test]
fn a_machine_never_stands_in_its_own_way() {
    let mut world = World::new().placed(json!({ "antiAffinity": [{
        "topologyKey": "name", "labelSelector": {},
    }] }));
    world.vm.status = placed("vm", "a", "a-z1").status;
    world.machines = vec![world.vm.clone()];
    assert!(world.with(|request| at(request, "a", "a-z1")).is_ok());
}

#[test]
fn a_failure_domain_without_the_topology_label_is_refused() {
    let mut world = World::new().placed(json!({ "antiAffinity": [{
        "topologyKey": "rack", "labelSelector": {},
    }] }));
    let refused = refused(&world);
    assert_eq!(refused.reason, Reason::AntiAffinityUnsatisfied);
    assert!(
        refused
            .message
            .contains("has no label rack, which antiAffinity needs")
    );
    let labels = &mut world.providers[1].status.as_mut().unwrap().failure_domains[0].labels;
    labels.insert("rack".into(), "r1".into());
    world.machines = vec![placed("other", "a", "a-z1")];
    assert_eq!(chosen(&world), "b");
}

#[test]
fn a_moving_machine_is_near_both_of_its_places() {
    let mut world = World::new().placed(json!({ "antiAffinity": [{
        "topologyKey": "dc", "labelSelector": {},
    }] }));
    let mut moving = placed("other", "a", "a-z1");
    moving.status.as_mut().unwrap().migration = Some(object(json!({
        "from": { "providerName": "a", "failureDomain": "a-z1" },
        "to": { "providerName": "b", "failureDomain": "b-z1" },
        "phase": "Deleting",
    })));
    world.machines = vec![moving];
    assert_eq!(refused(&world).reason, Reason::AntiAffinityUnsatisfied);
}

#[test]
fn what_a_class_is_comes_from_the_zone_first() {
    let mut world = World::new().placed(json!({
        "providerSelector": { "matchLabels": { "dc": "1" } }
    }));
    let domain = &mut world.providers[0].status.as_mut().unwrap().failure_domains[0];
    domain.labels.extend([
        ("datacenter".to_owned(), "D".to_owned()),
        ("cluster".to_owned(), "C".to_owned()),
    ]);
    let zone = json!({ "datacenter": "D", "cluster": "C" });
    let in_zone = |key: &str, value: serde_json::Value| {
        let mut entry = zone.clone();
        entry[key] = value;
        json!([entry])
    };
    world.providers[0].spec.capabilities = Some(object(json!({
        "storageClasses": [{
            "name": "fast", "target": { "datastore": "everywhere" },
            "perZone": in_zone("target", json!({ "tagCategory": "tier", "tag": "gold" })),
        }],
        "networkClasses": [{
            "name": "lan", "target": { "portGroup": "pg-1" },
            "subnet": { "gateway": "10.0.0.1" },
            "perZoneSubnet": in_zone("subnet", json!({ "gateway": "10.9.0.1" })),
        }],
    })));
    let placement = world.with(schedule).unwrap();
    assert_eq!(placement.storage[0].backend_id, "tag=gold,tagCategory=tier");
    assert_eq!(placement.networks[0].class.backend_id, "pg-1");
    assert_eq!(
        placement.networks[0].subnet.gateway.as_deref(),
        Some("10.9.0.1")
    );

    let capabilities = world.providers[0].spec.capabilities.as_mut().unwrap();
    capabilities.storage_classes[0].target = None;
    capabilities.storage_classes[0].per_zone.clear();
    assert_eq!(refused(&world).reason, Reason::StorageClassUnavailable);
    world.providers[0].spec.capabilities = None;
    assert_eq!(world.with(schedule).unwrap().storage[0].backend_id, "fast");
}
