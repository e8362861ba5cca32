//! Properties of whole plans, for arbitrary sites and tiers.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};

use banlieue_schemas::fleet::{ControlPlaneKind, Fleet, Promise};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{ClusterPlan, Plan, Selection, plan};

/// A fleet of one cluster over sites with so many zones each.
fn fleet(
    zones: &[u8],
    replicas: u32,
    domains: u32,
    members: u32,
    kind: &str,
    needed: u32,
) -> Fleet {
    let sites: BTreeMap<String, Value> = zones
        .iter()
        .enumerate()
        .map(|(index, zones)| {
            let zones: BTreeMap<String, Value> = (0..*zones)
                .map(|zone| (format!("z{zone}"), json!({})))
                .collect();
            let site = json!({ "backend": "sim", "endpoint": "sim://lab", "zones": zones });
            (format!("s{index}"), site)
        })
        .collect();
    let names: Vec<&String> = sites.keys().collect();
    let value = json!({
        "apiVersion": "gen.banlieue.io/v1alpha1",
        "kind": "Fleet",
        "metadata": { "name": "f" },
        "sites": sites,
        "classes": { "m": {
            "hardware": { "cpus": 1, "memoryMiB": 512, "disks": [
                { "name": "os", "sizeGiB": 1, "storageClass": "fast" }] },
            "network": { "interfaces": [{ "name": "eth0", "networkClass": "prod" }] } } },
        "images": { "i": {
            "osFamily": "linux", "osDistribution": "d", "osVersion": "1", "architecture": "amd64",
            "sources": [{ "providerClass": "sim", "kind": "Template", "ref": "t" }] } },
        "tiers": { "t": {
            "replicas": replicas, "failureDomains": domains, "minAvailable": needed,
            "controlPlane": { "replicas": members }, "class": "m" } },
        "clusters": { "c": {
            "tier": "t", "version": "v1.34.2", "image": "i", "sites": names,
            "controlPlane": { "kind": kind, "endpoint": { "host": "h" } } } },
    });
    serde_json::from_value(value).unwrap()
}

fn planned(fleet: &Fleet) -> ClusterPlan {
    let Plan { mut clusters, .. } = plan(fleet, &Selection::default()).unwrap();
    clusters.remove(0)
}

prop_compose! {
    fn cases()(
        zones in prop::collection::vec(1u8..5, 1..5),
        replicas in 1u32..30,
        members in 1u32..10,
        on_machines in any::<bool>(),
        needed in 1u32..10,
        share in 0.0f64..1.0,
    ) -> (Fleet, Vec<u8>) {
        let all: u32 = zones.iter().map(|z| u32::from(*z)).sum();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let domains = 1 + (f64::from(all - 1) * share) as u32;
        let kind = if on_machines { "kubeadm" } else { "k0smotron" };
        (fleet(&zones, replicas, domains, members, kind, needed), zones)
    }
}

/// Every balanced placement of the members that Cluster API may choose.
fn placements(plan: &ClusterPlan) -> Vec<BTreeMap<String, u32>> {
    let domains = &plan.control_plane.domains;
    if domains.is_empty() {
        return vec![BTreeMap::new()];
    }
    let count = u32::try_from(domains.len()).unwrap();
    let (share, extra) = (
        plan.control_plane.replicas / count,
        plan.control_plane.replicas % count,
    );
    (0u32..1 << count)
        .filter(|chosen| chosen.count_ones() == extra)
        .map(|chosen| {
            let member =
                |(index, name): (usize, &String)| (name.clone(), share + (chosen >> index & 1));
            domains.iter().enumerate().map(member).collect()
        })
        .collect()
}

/// Whether the cluster lives after the loss of these domains, whatever the placement was.
fn lives(plan: &ClusterPlan, needed: u32, lost: &BTreeSet<&str>) -> bool {
    let workers: u32 = plan
        .domains
        .iter()
        .filter(|d| !lost.contains(d.name.as_str()))
        .map(|d| d.workers)
        .sum();
    let quorate = placements(plan).iter().all(|members| {
        let total: u32 = members.values().sum();
        let left: u32 = members
            .iter()
            .filter(|(name, _)| !lost.contains(name.as_str()))
            .map(|(_, n)| n)
            .sum();
        total == 0 || left > total / 2
    });
    workers >= needed && quorate
}

proptest! {
    #[test]
    fn verdicts_are_true_under_brute_force_loss((fleet, _) in cases()) {
        let plan = planned(&fleet);
        let needed = fleet.tiers["t"].workers_needed();
        let domains = plan.domains.iter().map(|d| BTreeSet::from([d.name.as_str()]));
        let every_domain = domains.into_iter().all(|lost| lives(&plan, needed, &lost));
        let sites: BTreeSet<&str> = plan.domains.iter().map(|d| d.site.as_str()).collect();
        let every_site = sites.into_iter().all(|site| {
            let of = plan.domains.iter().filter(|d| d.site == site).map(|d| d.name.as_str());
            lives(&plan, needed, &of.collect())
        });
        for verdict in &plan.survival {
            let truth = match verdict.loss {
                Promise::FailureDomain => every_domain,
                Promise::Site => every_site,
            };
            prop_assert_eq!(verdict.survives, truth, "{:?}", verdict);
        }
        prop_assert_eq!(plan.survival.len(), 2);
    }

    #[test]
    fn control_planes_on_machines_are_odd_and_alone_in_their_domain((fleet, _) in cases()) {
        let plan = planned(&fleet);
        let asked = fleet.tiers["t"].control_plane.replicas;
        let members = plan.control_plane.replicas;
        if plan.control_plane.kind == ControlPlaneKind::K0smotron {
            prop_assert_eq!(members, asked);
            prop_assert!(plan.control_plane.domains.is_empty());
        } else {
            prop_assert!(members % 2 == 1 && members <= asked && members + 1 >= asked);
            let eligible = plan.domains.len().min(members as usize);
            prop_assert_eq!(plan.control_plane.domains.len(), eligible);
        }
    }

    #[test]
    fn workers_are_all_placed_and_differ_by_at_most_one((fleet, _) in cases()) {
        let plan = planned(&fleet);
        prop_assert_eq!(plan.workers(), fleet.tiers["t"].replicas);
        let counts = || plan.domains.iter().map(|d| d.workers);
        prop_assert!(counts().max().unwrap() - counts().min().unwrap() <= 1);
        prop_assert_eq!(plan.domains.len(), fleet.tiers["t"].failure_domains as usize);
    }

    #[test]
    fn sites_share_as_evenly_as_their_zones_allow((fleet, zones) in cases()) {
        let plan = planned(&fleet);
        let used = |site: usize| plan.domains.iter().filter(|d| d.site == format!("s{site}")).count();
        for (site, zones) in zones.iter().enumerate() {
            let more = (0..fleet.sites.len()).any(|other| used(other) > used(site) + 1);
            prop_assert!(!more || used(site) == usize::from(*zones));
        }
    }

    #[test]
    fn one_new_zone_moves_no_more_machines_than_its_share((fleet, zones) in cases(), site in any::<prop::sample::Index>()) {
        let before = planned(&fleet);
        let mut grown = fleet.clone();
        let name = format!("s{}", site.index(zones.len()));
        grown.sites.get_mut(&name).unwrap().zones.insert("new".to_owned(), banlieue_schemas::fleet::Zone::default());
        let after = planned(&grown);
        let workers = |plan: &ClusterPlan| -> BTreeMap<String, u32> {
            plan.domains.iter().map(|d| (d.name.clone(), d.workers)).collect()
        };
        let (old, new) = (workers(&before), workers(&after));
        let moved: u32 = old.iter().map(|(d, n)| n.saturating_sub(*new.get(d).unwrap_or(&0))).sum();
        let share = before.workers().div_ceil(u32::try_from(before.domains.len()).unwrap());
        prop_assert!(moved <= share, "{moved} moved, the share of a domain is {share}");
    }
}

#[test]
fn a_promise_that_two_sites_cannot_keep_is_refused_with_the_reason() {
    let mut fleet = fleet(&[3, 3], 6, 6, 3, "kubeadm", 3);
    fleet.tiers.get_mut("t").unwrap().survives = vec![Promise::Site];
    let problems = plan(&fleet, &Selection::default()).unwrap_err();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].code.id, "BL2014");
    assert!(
        problems[0].message.contains("quorum of 2 lost"),
        "{}",
        problems[0].message
    );
}
