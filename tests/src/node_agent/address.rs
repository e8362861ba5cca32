//! Loopback addresses of Pods.

use std::net::{Ipv4Addr, UdpSocket};
use std::sync::atomic::{AtomicU16, Ordering};

use anyhow::{Context, Result};

/// Port of the sockets that hold subnets. Nobody sends anything there.
const PORT: u16 = 20_127;

/// The addresses 127.n.0.0/16 for one node: no two nodes on this machine, of
/// whatever test, have the same n.
#[derive(Debug)]
pub(super) struct Subnet {
    number: u8,
    next: AtomicU16,
    /// Bound as long as the subnet is taken; the kernel frees it whatever happens.
    _held: UdpSocket,
}

impl Subnet {
    /// Takes a subnet that is free.
    pub(super) fn take() -> Result<Self> {
        (1..=254)
            .find_map(|number| {
                let held = UdpSocket::bind((Ipv4Addr::new(127, number, 0, 1), PORT)).ok()?;
                Some(Self {
                    number,
                    next: AtomicU16::new(2),
                    _held: held,
                })
            })
            .context("no subnet of 127.0.0.0/8 is free")
    }

    /// An address that no other Pod of the node has had, for the first 65,000.
    pub(super) fn next(&self) -> Ipv4Addr {
        let [high, low] = self.next.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        Ipv4Addr::new(127, self.number, high, low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_nodes_share_no_address() {
        let (one, other) = (Subnet::take().unwrap(), Subnet::take().unwrap());
        assert_ne!(one.number, other.number);
        assert_ne!(one.next(), one.next());
    }
}
