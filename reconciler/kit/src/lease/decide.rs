//! What a candidate does about the Lease that it reads. Pure.

use std::time::Duration;

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta};
use k8s_openapi::jiff::Timestamp;

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// The Lease is ours: prolong it.
    Renew,
    /// It is free, or its holder has shown no sign of life for its duration: take it.
    Take,
    /// Somebody else has it.
    Stand,
}

/// `unchanged` is for how long this process has seen the Lease as it is, `duration` how long a
/// Lease lasts that does not say so itself.
pub(super) fn decide(
    lease: &Lease,
    identity: &str,
    unchanged: Duration,
    duration: Duration,
) -> Move {
    let spec = lease.spec.as_ref();
    let holder = spec.and_then(|spec| spec.holder_identity.as_deref());
    let lasts = spec.and_then(|spec| spec.lease_duration_seconds);
    let lasts = lasts.and_then(|seconds| u64::try_from(seconds).ok());
    let lasts = lasts.map_or(duration, Duration::from_secs);
    match holder.unwrap_or_default() {
        "" => Move::Take,
        holder if holder == identity => Move::Renew,
        _ if unchanged >= lasts => Move::Take,
        _ => Move::Stand,
    }
}

/// The first Lease of this name.
pub(super) fn created(
    namespace: &str,
    name: &str,
    identity: &str,
    duration: Duration,
    now: Timestamp,
) -> Lease {
    let lease = Lease {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            namespace: Some(namespace.to_owned()),
            ..ObjectMeta::default()
        },
        spec: None,
    };
    taken(&lease, identity, duration, now)
}

/// The Lease with us as its new holder.
pub(super) fn taken(lease: &Lease, identity: &str, duration: Duration, now: Timestamp) -> Lease {
    let mut lease = renewed(lease, identity, duration, now);
    let spec = lease.spec.get_or_insert_default();
    spec.acquire_time = Some(MicroTime(now));
    spec.lease_transitions = Some(spec.lease_transitions.map_or(0, |n| n.saturating_add(1)));
    lease
}

/// The Lease prolonged. Everything else in it, `resourceVersion` included, stays.
pub(super) fn renewed(lease: &Lease, identity: &str, duration: Duration, now: Timestamp) -> Lease {
    let spec = lease.spec.clone().unwrap_or_default();
    Lease {
        metadata: lease.metadata.clone(),
        spec: Some(LeaseSpec {
            holder_identity: Some(identity.to_owned()),
            lease_duration_seconds: i32::try_from(duration.as_secs()).ok(),
            renew_time: Some(MicroTime(now)),
            ..spec
        }),
    }
}

/// The Lease free for anybody.
pub(super) fn released(lease: &Lease, now: Timestamp) -> Lease {
    renewed(lease, "", Duration::from_secs(1), now)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    const DURATION: Duration = Duration::from_secs(15);

    fn lease(holder: &str) -> Lease {
        created("n", "l", holder, DURATION, Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn a_lease_is_taken_only_when_free_or_silent_for_its_duration() {
        let table = [
            ("me", 0, Move::Renew),
            ("me", 100, Move::Renew),
            ("", 0, Move::Take),
            ("other", 0, Move::Stand),
            ("other", 14, Move::Stand),
            ("other", 15, Move::Take),
        ];
        for (holder, unchanged, expected) in table {
            let unchanged = Duration::from_secs(unchanged);
            let mut lease = lease(holder);
            assert_eq!(
                decide(&lease, "me", unchanged, DURATION * 2),
                expected,
                "{holder}"
            );
            // Without a duration of its own, ours holds.
            let spec = lease.spec.get_or_insert_default();
            spec.lease_duration_seconds = None;
            assert_eq!(
                decide(&lease, "me", unchanged, DURATION),
                expected,
                "{holder}"
            );
        }
        let empty = Lease::default();
        assert_eq!(decide(&empty, "me", Duration::ZERO, DURATION), Move::Take);
    }

    #[test]
    fn a_change_of_holder_is_counted_and_a_renewal_is_not() {
        let first = lease("a");
        let second = taken(&first, "b", DURATION, Timestamp::UNIX_EPOCH);
        let renewed = renewed(&second, "b", DURATION, Timestamp::UNIX_EPOCH);
        let transitions = |lease: &Lease| lease.spec.as_ref().unwrap().lease_transitions;
        assert_eq!(transitions(&first), Some(0));
        assert_eq!(transitions(&second), Some(1));
        assert_eq!(transitions(&renewed), Some(1));
    }
}
