//! How long to wait after a failure, and how regular looks are spread.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

/// Exponential backoff with jitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// Longest wait after the first failure; each further one doubles it.
    pub first: Duration,
    /// Longest wait at all.
    pub max: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self {
            first: Duration::from_secs(1),
            max: Duration::from_secs(300),
        }
    }
}

impl Backoff {
    /// Wait after `failures` in a row: between half of the limit and the limit.
    ///
    /// The place in between is a hash of `seed`, such as the object's UID, and of the number:
    /// objects that fail together are spread, and the same input gives the same wait.
    pub fn delay(&self, failures: u32, seed: &str) -> Duration {
        let doublings = failures.saturating_sub(1);
        let factor = 1_u32.checked_shl(doublings).unwrap_or(u32::MAX);
        let limit = self.first.saturating_mul(factor).min(self.max);
        let half = limit / 2;
        half + share(half, &(seed, failures))
    }
}

/// Shortens an interval by up to a tenth, so that objects seen together are not looked at again
/// together.
pub(crate) fn spread(interval: Duration, seed: &str) -> Duration {
    interval.saturating_sub(share(interval / 10, &seed))
}

/// A part of `whole` that depends on `seed` alone.
fn share(whole: Duration, seed: &impl Hash) -> Duration {
    let mut hasher = DefaultHasher::new();
    seed.hash(&mut hasher);
    let thousandths = u32::try_from(hasher.finish() % 1001).unwrap_or(0);
    whole / 1000 * thousandths
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn waits_double_up_to_the_limit() {
        let backoff = Backoff {
            first: Duration::from_secs(1),
            max: Duration::from_secs(60),
        };
        let limits = [1, 2, 4, 8, 16, 32, 60, 60];
        for (failures, limit) in (1..).zip(limits.map(Duration::from_secs)) {
            let delay = backoff.delay(failures, "uid");
            assert!(
                limit / 2 <= delay && delay <= limit,
                "{failures}: {delay:?}"
            );
        }
    }

    #[test]
    fn objects_that_fail_together_are_spread() {
        let backoff = Backoff::default();
        let delays: std::collections::BTreeSet<_> = (0..100)
            .map(|n| backoff.delay(5, &format!("{n}")))
            .collect();
        assert!(delays.len() > 50, "{}", delays.len());
    }

    proptest! {
        #[test]
        fn no_wait_is_over_the_limit(
            first in 0_u64..u64::MAX / 4, max in 0_u64..u64::MAX / 4,
            failures in any::<u32>(), seed in ".*",
        ) {
            let backoff = Backoff { first: Duration::from_millis(first), max: Duration::from_millis(max) };
            prop_assert!(backoff.delay(failures, &seed) <= backoff.max);
        }

        #[test]
        fn a_regular_look_is_early_by_a_tenth_at_most(millis in 0_u64..1 << 40, seed in ".*") {
            let interval = Duration::from_millis(millis);
            let spread = spread(interval, &seed);
            prop_assert!(spread <= interval && spread >= interval * 9 / 10);
        }
    }
}
