//! What a guest gets from its identity: the same machine always has the same.

use uuid::Uuid;

/// MAC address of an interface, locally administered.
pub(super) fn mac(machine: Uuid, nic: &str) -> String {
    let octets = bytes(machine, "mac", nic);
    let octets = octets.iter().take(5).map(|octet| format!(":{octet:02x}"));
    format!("02{}", octets.collect::<String>())
}

/// IPv4 address that an interface gets where none is fixed. Of some thousand machines two may get
/// the same one: nothing is routed here.
pub(super) fn address(machine: Uuid, nic: &str) -> String {
    let [a, b, c, ..] = bytes(machine, "ip", nic);
    // No host part of 0 or 255: those are not given to guests.
    format!("10.{a}.{b}.{}", 1 + c % 254)
}

fn bytes(machine: Uuid, what: &str, nic: &str) -> [u8; 16] {
    Uuid::new_v5(&machine, format!("{what} {nic}").as_bytes()).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interfaces_differ_and_stay_as_they_are() {
        let machine = Uuid::from_u128(7);
        assert_eq!(mac(machine, "eth0"), mac(machine, "eth0"));
        assert_ne!(mac(machine, "eth0"), mac(machine, "eth1"));
        assert_ne!(address(machine, "eth0"), address(machine, "eth1"));
        assert!(mac(machine, "eth0").starts_with("02:"));
    }
}
