#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use banlieue_core::machine::{Address, Desired, Disk, Hardware, Nic, Seed, Step};
use banlieue_schemas::common::{DiskProvisioning, Firmware, PowerState, StringMap};
use serde_json::json;

use super::*;

fn full() -> Desired {
    let target = StringMap::from([("pool".into(), "ssd".into())]);
    Desired {
        name: "n".into(),
        zone: "z".into(),
        place: target.clone(),
        image: "i".into(),
        hardware: Hardware {
            cpus: 1,
            memory_mib: 2,
            firmware: Firmware::EfiSecure,
            tpm: true,
        },
        disks: vec![Disk {
            name: "d".into(),
            size_gib: 3,
            target: target.clone(),
            provisioning: DiskProvisioning::Thick,
        }],
        nics: vec![Nic {
            name: "e".into(),
            target,
            mac: Some("02:00:00:00:00:01".into()),
            address: Some(Address {
                address: "192.0.2.1".into(),
                prefix: 24,
                ..Address::default()
            }),
        }],
        seed: Seed {
            hostname: "h".into(),
            user_data: Some("u".into()),
        },
        power: PowerState::Suspended,
    }
}

#[test]
fn every_step_arrives_as_it_was_sent() {
    let Desired {
        hardware,
        nics,
        disks,
        seed,
        ..
    } = full();
    let steps = [
        Step::Create(Box::new(full())),
        Step::Configure {
            hardware,
            nics: nics.clone(),
        },
        Step::Disks(disks),
        Step::Seed { seed, nics },
        Step::Power {
            to: PowerState::PoweredOff,
            hard: true,
        },
        Step::Detach,
        Step::Delete,
    ];
    for step in steps {
        let call = call::Call::Execute(Identity::of("a"), step.clone());
        let text = serde_json::to_string(&Call::sent(call).unwrap()).unwrap();
        let received: Call = serde_json::from_str(&text).unwrap();
        let call::Call::Execute(identity, received) = received.into() else {
            panic!("{text}");
        };
        assert_eq!((identity, received), (Identity::of("a"), step));
    }
}

/// Clients and servers of two releases talk to each other.
#[test]
fn the_form_of_a_call_is_frozen() {
    let call = Call::sent(call::Call::Execute(
        Identity::of("a"),
        Step::Power {
            to: PowerState::PoweredOff,
            hard: true,
        },
    ));
    let wanted = json!({
        "execute": { "uid": "a", "step": { "power": { "to": "PoweredOff", "hard": true } } }
    });
    assert_eq!(serde_json::to_value(call).unwrap(), wanted);
}

#[test]
fn an_error_arrives_with_its_kind() {
    for kind in ErrorKind::ALL {
        let sent: Ended<()> = Err(BackendError::new(kind, "why")).into();
        let text = serde_json::to_string(&sent).unwrap();
        let received: Ended<()> = serde_json::from_str(&text).unwrap();
        let error = received.received().unwrap_err();
        assert_eq!((error.kind(), error.message()), (kind, "why"));
    }
}
