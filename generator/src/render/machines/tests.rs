#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use banlieue_schemas::platform::{Backend, VmClassSpec};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{MachineTemplate, Owner, template};

const OWNER: Owner<'_> = Owner {
    cluster: "web",
    namespace: "fleet",
    role: "workers",
};

/// A class, an image and labels; each number picks one of three values of a field. The first of
/// them leaves the field out, or is its default.
fn choice(picks: &[usize]) -> (VmClassSpec, &'static str, Value) {
    let pick = |field: usize, values: [Value; 3]| values[picks[field]].clone();
    let pool = json!({ "pool": { "poolRef": { "apiGroup": "ipam.example.com", "kind": "Pool", "name": "p" } } });
    let disk = |name: &str| {
        json!({
            "name": name,
            "sizeGiB": pick(2, [10.into(), 20.into(), 30.into()]),
            "storageClass": pick(3, ["fast".into(), "slow".into(), "huge".into()]),
            "provisioning": pick(4, [Value::Null, "thin".into(), "thick".into()]),
        })
    };
    let class = json!({
        "hardware": {
            "cpus": pick(0, [1.into(), 2.into(), 4.into()]),
            "memoryMiB": pick(1, [1024.into(), 2048.into(), 4096.into()]),
            "disks": pick(5, [
                json!([disk("os")]),
                json!([disk("os"), disk("data")]),
                json!([disk("data"), disk("os")]),
            ]),
        },
        "network": { "interfaces": [{
            "name": "eth0",
            "networkClass": "prod",
            "ipam": pick(6, [Value::Null, json!({}), pool]),
        }] },
        "firmware": pick(7, [Value::Null, "efi".into(), "bios".into()]),
        "tpmEnabled": pick(8, [Value::Null, false.into(), true.into()]),
    });
    let labels = pick(9, [json!({}), json!({ "a": "" }), json!({ "a": "b" })]);
    (
        serde_json::from_value(class).unwrap(),
        ["kairos", "talos", "k0s"][picks[10]],
        labels,
    )
}

fn made(backend: Backend, picks: &[usize]) -> MachineTemplate {
    let (class, image, labels) = choice(picks);
    template(backend, &class, image, OWNER, &labels).unwrap()
}

proptest! {
    /// A template cannot be changed in place, and one that is renamed rolls its machines.
    #[test]
    fn one_name_means_one_spec(
        picks in proptest::collection::vec(0..3_usize, 11), field in 0..11_usize, value in 0..3_usize,
    ) {
        let mut others = picks.clone();
        others[field] = value;
        for backend in Backend::ALL {
            let (one, other) = (made(backend, &picks), made(backend, &others));
            prop_assert_eq!(
                one.name == other.name,
                one.value["spec"] == other.value["spec"],
                "{} and {}", one.value, other.value
            );
        }
    }
}

/// Another name for the same class replaces every machine of it.
#[test]
fn templates_of_every_backend_are_frozen() {
    let made = Backend::ALL.map(|backend| made(backend, &[1, 2, 1, 0, 2, 1, 2, 2, 0, 2, 0]).value);
    insta::assert_snapshot!(serde_json::to_string_pretty(&made).unwrap());
}

/// What holds when every field has its default, which is no part of the name.
#[test]
fn names_of_default_templates_are_frozen() {
    let names = Backend::ALL.map(|backend| made(backend, &[0; 11]).name);
    assert_eq!(
        names,
        [
            "web-workers-97b97805",
            "web-workers-6362f65a",
            "web-workers-3caaa203"
        ]
    );
}
