//! How many replicas each failure domain gets.

/// Spreads replicas over failure domains so that counts differ by at most one.
///
/// The extra replicas go to the domains that rank first by zone name, then by site, a rank that
/// does not depend on which other domains there are. So adding or removing one domain changes
/// only its own count and, by at most one each, those that give to it or take from it: nothing
/// moves between two domains that stay.
///
/// Answers one count per domain, in the order of `domains`.
pub fn balance<'a>(replicas: u32, domains: &[(&'a str, &'a str)]) -> Vec<u32> {
    let Ok(count) = u32::try_from(domains.len()) else {
        return Vec::new();
    };
    if count == 0 {
        return Vec::new();
    }
    let (share, extra) = (replicas / count, replicas % count);
    let mut ranked: Vec<usize> = (0..domains.len()).collect();
    ranked.sort_by_key(|&index| {
        let (site, zone) = domains[index];
        (zone, site)
    });
    let mut counts = vec![share; domains.len()];
    for &index in ranked.iter().take(extra as usize) {
        counts[index] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::balance;

    fn counts(
        replicas: u32,
        domains: &BTreeSet<(String, String)>,
    ) -> BTreeMap<(String, String), u32> {
        let list: Vec<_> = domains
            .iter()
            .map(|(s, z)| (s.as_str(), z.as_str()))
            .collect();
        let counts = balance(replicas, &list);
        domains.iter().cloned().zip(counts).collect()
    }

    fn domain() -> impl Strategy<Value = (String, String)> {
        ("[a-d]{1,2}", "[a-f0-9]{1,2}")
    }

    proptest! {
        #[test]
        fn counts_differ_by_at_most_one_and_sum_up(
            replicas in 0u32..200,
            domains in prop::collection::btree_set(domain(), 1..20),
        ) {
            let counts = counts(replicas, &domains);
            prop_assert_eq!(counts.values().sum::<u32>(), replicas);
            let (low, high) = (counts.values().min().unwrap(), counts.values().max().unwrap());
            prop_assert!(high - low <= 1);
        }

        #[test]
        fn a_new_domain_takes_machines_only_for_itself(
            replicas in 0u32..200,
            domains in prop::collection::btree_set(domain(), 2..20),
            chosen in any::<prop::sample::Index>(),
        ) {
            let newcomer = chosen.get(&domains.iter().cloned().collect::<Vec<_>>()).clone();
            let after = counts(replicas, &domains);
            let mut fewer = domains.clone();
            fewer.remove(&newcomer);
            let before = counts(replicas, &fewer);
            let moved: u32 = before.iter().map(|(d, n)| n.saturating_sub(after[d])).sum();
            prop_assert_eq!(moved, after[&newcomer]);
            prop_assert!(before.iter().all(|(d, n)| after[d] <= *n));
            prop_assert!(moved <= replicas.div_ceil(u32::try_from(domains.len()).unwrap()));
        }
    }

    #[test]
    fn tiers_of_the_flows() {
        let six = [
            ("lyon", "a"),
            ("lyon", "b"),
            ("lyon", "c"),
            ("paris", "a"),
            ("paris", "b"),
            ("paris", "c"),
        ];
        assert_eq!(balance(6, &six), [1, 1, 1, 1, 1, 1]);
        assert_eq!(balance(5, &six), [1, 1, 1, 1, 1, 0]);
        assert_eq!(balance(4, &six), [1, 1, 0, 1, 1, 0]);
    }
}
