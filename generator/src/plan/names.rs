//! The names of everything that is rendered, short enough for what others append to them.

use banlieue_schemas::{fleet::Fleet, names};

use super::{codes, problem::Problem};

/// Longest name of a cluster. k0smotron makes a StatefulSet `kmc-<name>-etcd`, and the StatefulSet
/// controller appends a revision of 11 characters, all within a label of 63.
pub const CLUSTER_MAX: usize = 43;
/// Longest name of an object that Cluster API makes machines from: it appends two times a dash
/// and five characters, and the machine's name becomes a host name of at most 63.
pub const MACHINE_OWNER_MAX: usize = 51;
/// Longest name of anything whose name becomes a label value.
pub const LABEL_MAX: usize = 63;
/// Characters of a content hash in a template's name.
pub const HASH_LENGTH: usize = 8;

/// Name of the `Cluster` and of its infrastructure cluster.
pub fn cluster(key: &str) -> String {
    names::shorten(&[key], CLUSTER_MAX)
}

/// Name under which a Provider publishes a zone.
pub fn failure_domain(site: &str, zone: &str) -> String {
    names::join_unambiguously(&[site, zone], LABEL_MAX)
}

/// Name of the Provider of a site.
pub fn provider(site: &str) -> String {
    names::shorten(&[site], LABEL_MAX)
}

/// Name of the Provider of one host, at a site whose hosts are Providers of their own.
pub fn host_provider(site: &str, zone: &str) -> String {
    names::join_unambiguously(&[site, zone], LABEL_MAX)
}

/// Name of the control-plane object of a cluster.
pub fn control_plane(cluster: &str) -> String {
    names::shorten(&[cluster, "cp"], MACHINE_OWNER_MAX)
}

/// Name of the MachineDeployment of a cluster in a failure domain.
pub fn deployment(cluster: &str, domain: &str) -> String {
    names::join_unambiguously(&[cluster, domain], MACHINE_OWNER_MAX)
}

/// Name of a template, from the cluster, its role in it and the hash of its content.
pub fn template(cluster: &str, role: &str, hash: &str) -> String {
    names::shorten(&[cluster, role, hash], LABEL_MAX)
}

/// Name of the MachineHealthCheck of a cluster.
pub fn health_check(cluster: &str) -> String {
    names::shorten(&[cluster, "workers"], LABEL_MAX)
}

/// A key of the fleet as the value of a label.
pub fn label(key: &str) -> String {
    names::shorten(&[key], LABEL_MAX)
}

/// Name of the ConfigMap with the user data of a set.
pub fn user_data(set: &str) -> String {
    names::shorten(&[set, "user-data"], LABEL_MAX)
}

/// Name of one machine of a set.
pub fn machine(set: &str, index: u32) -> String {
    let index = index.to_string();
    names::shorten(&[set, &index], LABEL_MAX)
}

/// Checks every key of the fleet that becomes part of a name.
pub fn check(fleet: &Fleet) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut section = |section: &str, keys: &mut dyn Iterator<Item = &String>| {
        for key in keys {
            if let Some(reason) = reason(key) {
                problems.push(
                    Problem::new(&codes::NAME, &[section, key], format!("`{key}` cannot be a name: {reason}"))
                        .hint("use lower-case letters, digits and `-`, starting and ending with a letter or digit"),
                );
            }
        }
    };
    section("sites", &mut fleet.sites.keys());
    section("tiers", &mut fleet.tiers.keys());
    section("classes", &mut fleet.classes.keys());
    section("images", &mut fleet.images.keys());
    section("providerClasses", &mut fleet.provider_classes.keys());
    section("clusters", &mut fleet.clusters.keys());
    section("virtualMachines", &mut fleet.virtual_machines.keys());
    for (site, spec) in &fleet.sites {
        for zone in spec.zones.keys() {
            if let Some(reason) = reason(zone) {
                problems.push(
                    Problem::new(&codes::NAME, &["sites", site, "zones", zone], format!("`{zone}` cannot be a name: {reason}"))
                        .hint("use lower-case letters, digits and `-`, starting and ending with a letter or digit"),
                );
            }
        }
    }
    problems
}

/// Why a key cannot be part of a name.
fn reason(key: &str) -> Option<&'static str> {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if key.is_empty() {
        Some("it is empty")
    } else if key.len() > 253 {
        Some("it is longer than 253 characters")
    } else if !key.bytes().all(inner) {
        Some("it has a character other than lower-case letters, digits and `-`")
    } else if key.starts_with('-') || key.ends_with('-') {
        Some("it starts or ends with `-`")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{LABEL_MAX, cluster, deployment, failure_domain, template};

    /// Cluster `web` at site `eu-paris`, and cluster `web-eu` at site `paris`.
    #[test]
    fn dashes_do_not_make_two_pairs_one_name() {
        assert_ne!(
            deployment("web", "eu-paris-a"),
            deployment("web-eu", "paris-a")
        );
        assert_ne!(failure_domain("a-b", "c"), failure_domain("a", "b-c"));
        assert_eq!(deployment("web", "paris-a"), "web-paris-a");
    }

    proptest! {
        #[test]
        fn two_long_siblings_never_collide_and_fit_what_is_appended(
            stem in "[a-z0-9]{199}", one in "[a-z]", other in "[a-z]",
        ) {
            prop_assume!(one != other);
            let (first, second) = (cluster(&format!("{stem}{one}")), cluster(&format!("{stem}{other}")));
            prop_assert_ne!(&first, &second);
            let pod_label = format!("kmc-{first}-etcd-7c9f8d6b5f");
            prop_assert!(pod_label.len() <= LABEL_MAX);
            let (a, b) = (deployment(&first, &stem), deployment(&second, &stem));
            prop_assert_ne!(&a, &b);
            let machine = format!("{a}-x7k2p-9fj3d");
            prop_assert!(machine.len() <= LABEL_MAX);
            let (a, b) = (template(&first, "workers", "0123abcd"), template(&second, "workers", "0123abcd"));
            prop_assert_ne!(a, b);
        }
    }
}
