#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use serde_json::{Value, json};

use super::*;
use crate::fixtures::{World, domain, object, provider};

fn in_dc(dc: &str) -> Value {
    json!({ "providerSelector": { "matchLabels": { "dc": dc } } })
}

/// A machine on Provider `a` that its user placed in dc 1, and where it was placed.
fn placed() -> (World, Scheduled) {
    let world = World::new().placed(in_dc("1"));
    let placement = world.with(schedule).unwrap();
    assert_eq!(placement.provider, "a");
    let current = placement.scheduled(digest(world.vm.spec.placement.as_ref()));
    (world, current)
}

fn decision(world: &World, current: &Scheduled) -> Decision {
    world.with(|request| decide(request, current))
}

fn relabel(world: &mut World, dc: &str) {
    let labels = world.providers[0].metadata.labels.as_mut().unwrap();
    labels.insert("dc".into(), dc.into());
}

fn surfaced(decision: Decision) -> (Reason, String, bool) {
    match decision {
        Decision::Surface {
            reason,
            message,
            waiting,
        } => (reason, message, waiting),
        other => panic!("{other:?}"),
    }
}

fn destination(decision: Decision) -> String {
    match decision {
        Decision::Move { to, .. } => to.provider,
        other => panic!("{other:?}"),
    }
}

const KEEP: Decision = Decision::Keep { confirmed: true };

#[test]
fn a_provider_that_merely_sorts_first_never_moves_a_machine() {
    let mut world = World::new();
    let current = world
        .with(schedule)
        .unwrap()
        .scheduled(digest(world.vm.spec.placement.as_ref()));
    let mut zone = domain("z", json!({}));
    zone.attributes.free_capacity = Some(object(json!({ "cpus": 1000 })));
    world.providers.insert(0, provider("0", vec![zone]));
    world.image = crate::fixtures::image(&["0", "a", "b"]);
    for policy in ["onSpecChange", "automatic", "manual", "never"] {
        world.vm.spec.migration_policy = Some(object(json!(policy)));
        assert_eq!(decision(&world, &current), KEEP, "{policy}");
    }
}

#[test]
fn a_label_edit_on_the_provider_only_surfaces_by_default_and_heals() {
    let (mut world, current) = placed();
    relabel(&mut world, "9");
    let (reason, message, waiting) = surfaced(decision(&world, &current));
    assert_eq!((reason, waiting), (Reason::ProviderChanged, false));
    assert!(
        message.starts_with("a/a-z1 does not match providerSelector; "),
        "{message}"
    );
    relabel(&mut world, "1");
    assert_eq!(decision(&world, &current), KEEP);
}

#[test]
fn an_edit_of_the_own_placement_moves_by_default() {
    let (world, current) = placed();
    let world = world.placed(in_dc("2"));
    assert_eq!(destination(decision(&world, &current)), "b");
}

#[test]
fn an_edit_that_still_matches_is_remembered_so_that_later_drift_is_not_taken_for_it() {
    let (world, current) = placed();
    let mut world = world.placed(json!({
        "providerSelector": { "matchExpressions": [{ "key": "dc", "operator": "Exists" }] }
    }));
    let keep = decision(&world, &current);
    assert_eq!(keep, KEEP);
    let current = kept(&world.vm, &current, &keep, None);
    world.providers[0].metadata.labels = None;
    assert_eq!(
        surfaced(decision(&world, &current)).0,
        Reason::ProviderChanged
    );
}

#[test]
fn a_drift_that_is_surfaced_does_not_make_an_edit_out_of_itself() {
    let (mut world, current) = placed();
    relabel(&mut world, "9");
    let surfaced_once = decision(&world, &current);
    let current = kept(&world.vm, &current, &surfaced_once, None);
    assert_eq!(decision(&world, &current), surfaced_once);
}

#[test]
fn nothing_moves_before_there_is_a_place_to_go() {
    let (world, current) = placed();
    let mut world = world.placed(in_dc("2"));
    world.providers[1].spec.paused = Some(true);
    let (reason, message, waiting) = surfaced(decision(&world, &current));
    assert_eq!((reason, waiting), (Reason::ProviderChanged, true));
    assert!(message.contains("is paused (b)"), "{message}");
    let waiting = kept(&world.vm, &current, &decision(&world, &current), None);
    world.providers[1].spec.paused = None;
    assert_eq!(destination(decision(&world, &waiting)), "b");
}

#[test]
fn each_policy_does_what_it_says() {
    let edited = |world: World| world.placed(in_dc("2"));
    let drifted = |mut world: World| {
        relabel(&mut world, "9");
        let labels = world.providers[1].metadata.labels.as_mut().unwrap();
        labels.insert("dc".into(), "1".into());
        world
    };
    for (policy, annotated, edit_moves, drift_moves) in [
        ("onSpecChange", false, true, false),
        ("onSpecChange", true, true, false),
        ("automatic", false, true, true),
        ("manual", false, false, false),
        ("manual", true, true, true),
        ("never", true, false, false),
    ] {
        let (mut world, current) = placed();
        world.vm.spec.migration_policy = Some(object(json!(policy)));
        if annotated {
            let annotation = (labels::MIGRATE.to_owned(), "true".to_owned());
            world.vm.metadata.annotations = Some([annotation].into());
        }
        let moves = |world: World| matches!(decision(&world, &current), Decision::Move { .. });
        let case = format!("{policy}, annotated {annotated}");
        assert_eq!(moves(edited(world.clone())), edit_moves, "{case}");
        assert_eq!(moves(drifted(world)), drift_moves, "{case}");
    }
}

#[test]
fn a_place_that_lost_something_is_surfaced_with_what_it_lost() {
    type Change = fn(&mut World, &mut Scheduled);
    let cases: [(Reason, Change); 7] = [
        (Reason::ProviderChanged, |world, _| {
            world.providers.remove(0);
        }),
        (Reason::FailureDomainChanged, |world, _| {
            let status = world.providers[0].status.as_mut().unwrap();
            status.failure_domains.clear();
        }),
        (Reason::StorageClassUnavailable, |world, _| {
            let status = world.providers[0].status.as_mut().unwrap();
            status.failure_domains[0]
                .attributes
                .available_storage_classes
                .clear();
        }),
        (Reason::StorageMappingChanged, |_, current| {
            current.resolved_storage[0].backend_id = "old".into();
        }),
        (Reason::NetworkMappingChanged, |_, current| {
            current.resolved_networks[0].backend_id = "old".into();
        }),
        (Reason::FeatureUnsupported, |world, _| {
            world.class.spec.features = vec!["gpuPassthrough".into()];
        }),
        (Reason::InvalidSpec, |world, _| {
            let selector = json!({ "matchExpressions": [{ "key": "a", "operator": "Odd" }] });
            world.vm.spec.placement = Some(object(json!({ "providerSelector": selector })));
            world.vm.spec.migration_policy = Some(object(json!("never")));
        }),
    ];
    for (expected, change) in cases {
        let (mut world, mut current) = placed();
        change(&mut world, &mut current);
        let (reason, message, _) = surfaced(decision(&world, &current));
        assert_eq!(reason, expected, "{message}");
    }
}

#[test]
fn a_provider_that_is_not_ready_is_no_reason_to_move() {
    let (mut world, current) = placed();
    world.vm.spec.migration_policy = Some(object(json!("automatic")));
    world.providers[0].status = None;
    let unseen = decision(&world, &current);
    assert_eq!(unseen, Decision::Keep { confirmed: false });
    // An edit that could not be checked is still an edit afterwards.
    world.vm.spec.placement = Some(object(json!({
        "failureDomainSelector": { "matchLabels": { "name": "elsewhere" } }
    })));
    let unseen = decision(&world, &current);
    assert_eq!(kept(&world.vm, &current, &unseen, None), current);
}

#[test]
fn a_class_keeps_the_target_that_it_had_when_the_machine_was_made() {
    let (mut world, current) = placed();
    let mut disk = world.class.spec.hardware.disks[0].clone();
    disk.storage_class = "bulk".into();
    world.class.spec.hardware.disks.push(disk);
    let status = world.providers[0].status.as_mut().unwrap();
    let attributes = &mut status.failure_domains[0].attributes;
    attributes.available_storage_classes.push("bulk".into());
    world.providers[0].spec.capabilities = Some(object(json!({
        "storageClasses": [{ "name": "fast", "target": { "pool": "new" } }],
    })));
    let decision = decision(&world, &current);
    let stay = world.with(|request| stay(request, &current)).unwrap();
    let kept = kept(&world.vm, &current, &decision, Some(&stay));
    let targets: Vec<_> = kept
        .resolved_storage
        .iter()
        .map(|class| class.backend_id.as_str())
        .collect();
    assert_eq!(targets, ["bulk", "fast"]);
}

#[test]
fn a_machine_whose_status_was_lost_is_taken_where_it_is() {
    let world = World::new();
    let machine = MachineObject {
        backend: banlieue_schemas::platform::Backend::Sim,
        name: "vm",
        uid: "u",
        generation: None,
        terminating: false,
        provider: Some("b"),
        failure_domain: Some("b-z1"),
        status: banlieue_schemas::infrastructure::MachineStatusView::default(),
    };
    let adopted = world
        .with(|request| current(request.vm, &[machine], request.sites))
        .unwrap();
    assert_eq!(
        (
            adopted.provider_name.as_str(),
            adopted.failure_domain.as_str()
        ),
        ("b", "b-z1")
    );
    assert_eq!(adopted.provider_class, "sim");
    assert_eq!(decision(&world, &adopted), KEEP);
    assert_eq!(
        world.with(|request| current(request.vm, &[], request.sites)),
        None
    );
}

#[test]
fn an_empty_placement_is_no_placement() {
    let empty: PlacementSpec = object(json!({ "providerSelector": {} }));
    assert_eq!(digest(Some(&empty)), digest(None));
    let some: PlacementSpec = object(in_dc("1"));
    assert_ne!(digest(Some(&some)), digest(None));
}
