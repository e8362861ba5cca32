#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use banlieue_core::vm_status::Pass;
use banlieue_schemas::conditions::Reason;
use serde_json::{Value, json};

use super::super::plan::Plan;
use super::*;
use crate::testing::fixtures::{cluster_path, image, path, provider, vm};
use crate::testing::{Feeds, Server};

/// Machines `placed`, on Provider `a`, and `waiting`, which waits for a place.
struct World {
    server: Server,
    feeds: Feeds,
    desk: Arc<Desk>,
}

impl World {
    fn new(what: WaitsFor) -> Self {
        let (server, mut feeds) = (Server::new(), Feeds::new());
        let mut placed = vm("placed");
        placed["status"] = json!({ "scheduled": {
            "providerName": "a", "providerClass": "sim", "failureDomain": "a1",
        } });
        server.put(&path("virtualmachines/placed"), &placed);
        server.put(&path("virtualmachines/waiting"), &vm("waiting"));
        server.put(&cluster_path("vmimages/linux"), &image(&[]));
        feeds.sync(&server);
        let desk = Arc::new(Desk::default());
        let waiting = feeds
            .watched()
            .virtual_machines
            .cache()
            .get(Some("prod"), "waiting");
        let waiting = waiting.unwrap();
        drop(desk.decide(&waiting, |_| Plan {
            pass: Pass::Blocked {
                reason: Reason::AntiAffinityUnsatisfied,
                message: String::new(),
            },
            waits: Some(what),
            ..Plan::unchanged(&waiting, None)
        }));
        Self {
            server,
            feeds,
            desk,
        }
    }

    fn vms(&self) -> Cache<VirtualMachine> {
        self.feeds.watched().virtual_machines.cache().clone()
    }

    fn edit(&mut self, change: impl FnOnce(&mut Value)) {
        self.server.edit(&path("virtualmachines/placed"), change);
        self.feeds.sync(&self.server);
    }
}

fn meta(namespace: Option<&str>, name: &str) -> ObjectMeta {
    ObjectMeta {
        name: Some(name.to_owned()),
        namespace: namespace.map(str::to_owned),
        ..ObjectMeta::default()
    }
}

fn names(machines: &[Machine]) -> Vec<&str> {
    let mut names: Vec<&str> = machines.iter().map(|machine| &*machine.name).collect();
    names.sort_unstable();
    names
}

#[test]
fn a_provider_calls_for_its_own_machines_and_for_those_that_wait() {
    let world = World::new(WaitsFor::Objects);
    let own = on_provider(&world.vms());
    assert_eq!(names(&own(&meta(Some("prod"), "a"))), ["placed"]);
    assert!(own(&meta(Some("prod"), "b")).is_empty());
    assert!(
        own(&meta(Some("test"), "a")).is_empty(),
        "of another namespace"
    );
    let wait = in_namespace(&world.desk);
    assert_eq!(names(&wait(&meta(Some("prod"), "b"))), ["waiting"]);
    assert!(wait(&meta(Some("test"), "b")).is_empty());
}

#[test]
fn free_capacity_is_no_news_for_machines_that_have_a_place() {
    let before = provider("a", "sim", "1", &["a1"]);
    let mut full = before.clone();
    full["status"]["failureDomains"][0]["attributes"]["freeCapacity"] = json!({ "cpus": 4 });
    let mut gone = before.clone();
    gone["status"]["conditions"][0]["status"] = json!("False");
    let parsed = |provider: &Value| serde_json::from_value::<Provider>(provider.clone()).unwrap();
    let (before, full, gone) = (parsed(&before), parsed(&full), parsed(&gone));
    assert_eq!(offer(&before), offer(&full));
    assert_ne!(offer(&before), offer(&gone));
    assert_ne!(everything(&before), everything(&full));
}

#[test]
fn a_class_calls_for_its_machines() {
    let world = World::new(WaitsFor::Objects);
    let class = of_class(&world.vms());
    assert_eq!(names(&class(&meta(None, "small"))), ["placed", "waiting"]);
    assert!(class(&meta(None, "large")).is_empty());
}

#[test]
fn an_image_calls_for_those_that_wait_and_its_end_for_all() {
    let mut world = World::new(WaitsFor::Objects);
    let linux = of_image(&world.feeds.watched(), &world.desk);
    assert_eq!(names(&linux(&meta(None, "linux"))), ["waiting"]);
    world.server.delete(&cluster_path("vmimages/linux"));
    world.feeds.sync(&world.server);
    assert_eq!(names(&linux(&meta(None, "linux"))), ["placed", "waiting"]);
}

#[test]
fn a_machine_that_gives_something_up_calls_for_those_that_wait_for_machines() {
    type Change = fn(&mut World);
    let changes: [Change; 3] = [
        |world| world.edit(|vm| vm["status"]["scheduled"]["failureDomain"] = json!("b1")),
        |world| world.edit(|vm| vm["metadata"]["labels"] = json!({ "app": "other" })),
        |world| {
            world.server.delete(&path("virtualmachines/placed"));
            world.feeds.sync(&world.server);
        },
    ];
    for change in changes {
        let mut world = World::new(WaitsFor::Machines);
        let told = released(&world.vms(), &world.desk);
        let placed = meta(Some("prod"), "placed");
        assert!(told(&placed).is_empty(), "first sight frees nothing");
        assert!(told(&placed).is_empty(), "nothing changed");
        change(&mut world);
        assert_eq!(names(&told(&placed)), ["waiting"]);
    }
}

#[test]
fn a_machine_that_gets_its_first_place_calls_for_nobody() {
    let mut world = World::new(WaitsFor::Machines);
    let told = released(&world.vms(), &world.desk);
    let waiting = meta(Some("prod"), "waiting");
    assert!(told(&waiting).is_empty());
    world.server.edit(&path("virtualmachines/waiting"), |vm| {
        vm["status"] = json!({ "scheduled": {
            "providerName": "a", "providerClass": "sim", "failureDomain": "a1",
        } });
    });
    world.feeds.sync(&world.server);
    assert!(told(&waiting).is_empty());
}
