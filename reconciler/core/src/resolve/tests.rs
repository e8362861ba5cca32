#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use banlieue_schemas::common::SubnetDefaults;
use banlieue_schemas::platform::ResolvedClass;
use serde_json::{Value, json};

use super::*;
use crate::fixtures::{class, object, vm};
use crate::schedule::ResolvedNetwork;

fn placement(backend: Backend) -> Placement {
    Placement {
        provider: "p1".into(),
        provider_class: "canary".into(),
        backend,
        failure_domain: "z1".into(),
        storage: Vec::new(),
        networks: vec![ResolvedNetwork {
            class: ResolvedClass {
                class_name: "lan".into(),
                backend_id: "pg".into(),
            },
            subnet: SubnetDefaults {
                prefix: Some(24),
                gateway: Some("10.0.0.1".into()),
                nameservers: vec!["10.0.0.2".into()],
                domain: Some("zone.example".into()),
            },
        }],
        image: None,
    }
}

fn resolved(
    vm: &VirtualMachine,
    class: &VmClass,
    backend: Backend,
) -> Result<Machine, ResolveError> {
    machine(&Input {
        vm,
        class,
        placement: &placement(backend),
        user_data: Some("#cloud-config"),
        existing_disks: &BTreeMap::new(),
    })
}

fn with_overrides(overrides: Value) -> VirtualMachine {
    let mut vm = vm("web");
    vm.spec.network_overrides = object(overrides);
    vm
}

fn interface(vm: &VirtualMachine, class: &VmClass) -> Result<Value, ResolveError> {
    let nics = nics(
        &class.spec,
        &vm.spec.network_overrides,
        &placement(Backend::Sim),
    )?;
    Ok(serde_json::to_value(&nics[0].ipam).unwrap())
}

fn with_ipam(ipam: Value) -> VmClass {
    let mut class = class();
    class.spec.network.interfaces[0].ipam = Some(object(ipam));
    class
}

#[test]
fn a_machine_says_who_owns_it_and_who_serves_it() {
    let mut vm = vm("web");
    vm.metadata.labels = Some(object(
        json!({ "app": "web", "banlieue.io/provider": "forged" }),
    ));
    let Machine::Sim(machine) = resolved(&vm, &class(), Backend::Sim).unwrap() else {
        panic!("not the kind of the backend");
    };
    assert_eq!(
        serde_json::to_value(&machine).unwrap(),
        json!({
            "apiVersion": "infrastructure.banlieue.io/v1alpha1", "kind": "SimMachine",
            "metadata": {
                "name": "web", "namespace": "prod",
                "finalizers": ["banlieue.io/simmachine"],
                "labels": {
                    "app": "web", "banlieue.io/owned-by": "web", "banlieue.io/provider": "p1",
                },
                "ownerReferences": [{
                    "apiVersion": "banlieue.io/v1alpha1", "kind": "VirtualMachine",
                    "name": "web", "uid": "uid-web",
                    "controller": true, "blockOwnerDeletion": true,
                }],
            },
            "spec": {
                "failureDomain": "z1", "providerRef": { "name": "p1" },
                "imageRef": { "name": "linux" },
                "numCpus": 2, "memoryMiB": 2048, "firmware": "efi", "tpmEnabled": false,
                "disks": [{ "name": "os", "sizeGiB": 20, "storageClass": "fast" }],
                "network": [{ "name": "eth0", "networkClass": "lan", "ipam": {} }],
                "userData": "#cloud-config", "desiredPowerState": "PoweredOn",
            },
        })
    );
}

#[test]
fn the_kind_follows_the_backend_and_not_the_name_of_the_class() {
    let mut vm = vm("web");
    vm.spec.folder = Some("/dc/vm/web".into());
    vm.metadata.annotations = Some(object(json!({ "banlieue.io/created-by": "ann" })));
    let Machine::VSphere(machine) = resolved(&vm, &class(), Backend::Vsphere).unwrap() else {
        panic!("not the kind of the backend");
    };
    assert_eq!(machine.spec.folder.as_deref(), Some("/dc/vm/web"));
    assert_eq!(machine.spec.created_by.as_deref(), Some("ann"));
    let Machine::Libvirt(machine) = resolved(&vm, &class(), Backend::Libvirt).unwrap() else {
        panic!("not the kind of the backend");
    };
    assert_eq!(machine.spec.vcpus, 2);
}

#[test]
fn the_machine_wins_over_the_class_and_the_class_over_the_zone() {
    let class =
        with_ipam(json!({ "static": { "domain": "class.example", "gateway": "10.0.0.8" } }));
    let vm = with_overrides(json!([{ "name": "eth0", "static": {
        "address": "10.0.0.7", "prefix": 24, "gateway": "10.0.0.9",
    } }]));
    assert_eq!(
        interface(&vm, &class).unwrap(),
        json!({ "static": {
            "address": "10.0.0.7", "prefix": 24, "gateway": "10.0.0.9",
            "nameservers": ["10.0.0.2"], "domain": "class.example",
        } })
    );
}

#[test]
fn a_pool_and_dhcp_need_nothing_of_the_machine() {
    let pool = |name: &str| json!({ "pool": { "poolRef": { "apiGroup": "g", "kind": "P", "name": name } } });
    assert_eq!(interface(&vm("web"), &class()).unwrap(), json!({}));
    assert_eq!(
        interface(&vm("web"), &with_ipam(pool("c"))).unwrap(),
        pool("c")
    );
    let mut overridden = pool("own");
    overridden["name"] = "eth0".into();
    let vm = with_overrides(json!([overridden]));
    assert_eq!(interface(&vm, &with_ipam(pool("c"))).unwrap(), pool("own"));
    assert_eq!(
        interface(&vm, &with_ipam(json!({ "static": {} }))).unwrap(),
        pool("own")
    );
}

#[test]
fn addresses_get_their_shortest_form() {
    let vm = with_overrides(json!([{ "name": "eth0", "static": {
        "address": "FD00:0:0::1", "prefix": 64, "gateway": "fd00::0:ff", "nameservers": ["::1"],
    } }]));
    let ipam = interface(&vm, &class()).unwrap();
    assert_eq!(ipam["static"]["address"], "fd00::1");
    assert_eq!(ipam["static"]["gateway"], "fd00::ff");
}

#[test]
fn what_cannot_be_realised_says_which_part_and_why() {
    let fixed = |fixed: Value| json!([{ "name": "eth0", "static": fixed }]);
    let cases = [
        (
            json!([{ "name": "eth9", "static": { "address": "10.0.0.7", "prefix": 24 } }]),
            class(),
            "networkOverrides names interface eth9, which the class does not have",
        ),
        (
            json!([]),
            with_ipam(json!({ "static": {} })),
            "the class gives interface eth0 a fixed address: set it in networkOverrides",
        ),
        (
            fixed(json!({ "address": "10.0.0.300", "prefix": 24 })),
            class(),
            "interface eth0 cannot have address 10.0.0.300",
        ),
        (
            fixed(json!({ "address": "10.0.0.7", "prefix": 33 })),
            class(),
            "interface eth0 cannot have prefix 33",
        ),
        (
            // The zone's gateway is IPv4.
            fixed(json!({ "address": "fd00::1", "prefix": 64 })),
            class(),
            "interface eth0 cannot have gateway 10.0.0.1",
        ),
    ];
    for (overrides, class, message) in cases {
        let error = interface(&with_overrides(overrides), &class).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert_eq!(error.reason(), Reason::InvalidSpec);
    }
}

#[test]
fn a_machine_does_not_have_one_address_twice() {
    let mut class = class();
    let mut second = class.spec.network.interfaces[0].clone();
    second.name = "eth1".into();
    class.spec.network.interfaces.push(second);
    let fixed = json!({ "address": "10.0.0.7", "prefix": 24 });
    let vm = with_overrides(json!([
        { "name": "eth0", "static": fixed }, { "name": "eth1", "static": fixed },
    ]));
    assert_eq!(
        interface(&vm, &class).unwrap_err(),
        ResolveError::AddressTwice {
            address: "10.0.0.7".into()
        }
    );
}
