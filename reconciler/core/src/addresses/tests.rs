#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::fixtures::{object, vm};

fn claimant(namespace: &str, name: &str, created: &str, asked: &str) -> Claimant {
    let mut vm = vm(name);
    vm.metadata.namespace = Some(namespace.into());
    vm.metadata.uid = Some(format!("{namespace}/{name}"));
    vm.metadata.creation_timestamp = Some(object(json!(created)));
    vm.spec.network_overrides = object(json!([
        { "name": "eth0", "static": { "address": asked, "prefix": 64 } },
    ]));
    Claimant::of(&vm, |interface| (interface == "eth0").then(|| "lan".into()))
}

fn holding(mut claimant: Claimant) -> Claimant {
    claimant.held = claimant.asked.clone();
    claimant
}

fn loses(own: &Claimant, other: &Claimant) -> Option<String> {
    conflict(own, &[other.clone(), own.clone()]).map(|conflict| conflict.message)
}

const EARLY: &str = "2026-01-01T00:00:00Z";
const LATE: &str = "2026-01-02T00:00:00Z";

#[test]
fn the_holder_then_the_oldest_then_the_first_by_name_gets_it() {
    let a = claimant("prod", "a", LATE, "10.0.0.1");
    let b = claimant("prod", "b", LATE, "10.0.0.1");
    let old = claimant("prod", "z", EARLY, "10.0.0.1");
    assert_eq!(
        loses(&b, &a).as_deref(),
        Some("VirtualMachine a has the address 10.0.0.1")
    );
    assert_eq!(loses(&a, &b), None);
    assert!(loses(&a, &old).is_some());
    assert_eq!(loses(&old, &a), None);
    assert!(loses(&old, &holding(b.clone())).is_some());
    assert_eq!(loses(&holding(b), &old), None);
}

#[test]
fn one_address_has_many_spellings() {
    let own = claimant("prod", "b", LATE, "fd00:0:0::1");
    let other = claimant("prod", "a", EARLY, "FD00::0001");
    assert!(loses(&own, &other).is_some());
    let own = claimant("prod", "b", LATE, "::ffff:10.0.0.1");
    let other = claimant("prod", "a", EARLY, "10.0.0.1");
    assert!(loses(&own, &other).is_some());
}

#[test]
fn another_network_is_another_address_unless_it_is_unknown() {
    let own = claimant("prod", "b", LATE, "10.0.0.1");
    let mut other = claimant("prod", "a", EARLY, "10.0.0.1");
    other.asked[0].network_class = Some("dmz".into());
    assert_eq!(loses(&own, &other), None);
    other.asked[0].network_class = None;
    assert!(loses(&own, &other).is_some());
}

#[test]
fn a_machine_of_another_namespace_is_not_named() {
    let own = claimant("prod", "b", LATE, "10.0.0.1");
    let message = loses(&own, &claimant("secret", "a", EARLY, "10.0.0.1")).unwrap();
    assert_eq!(
        message,
        "a VirtualMachine of another namespace has the address 10.0.0.1"
    );
}

#[test]
fn what_the_status_holds_counts_without_the_spec() {
    let mut released = vm("a");
    let held: Value =
        json!([{ "interface": "eth0", "networkClass": "lan", "address": "10.0.0.1" }]);
    released.status = Some(object(json!({ "heldAddresses": held })));
    let holder = Claimant::of(&released, |_| None);
    assert!(loses(&claimant("prod", "b", EARLY, "10.0.0.1"), &holder).is_some());
}

proptest! {
    #[test]
    fn one_of_all_that_ask_gets_it(
        ages in proptest::collection::vec((0..3_u32, any::<bool>()), 1..6)
    ) {
        let all: Vec<Claimant> = ages.iter().enumerate().map(|(index, (age, _))| {
            let created = format!("2026-01-0{}T00:00:00Z", age + 1);
            claimant("prod", &format!("vm-{index}"), &created, "10.0.0.1")
        }).collect();
        let winners = all.iter().filter(|own| conflict(own, &all).is_none());
        prop_assert_eq!(winners.count(), 1);
    }
}
