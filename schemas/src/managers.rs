//! Field managers: under which name each process applies what it owns.
//!
//! A server-side apply takes away what its manager applied before and no longer does. Where
//! several processes of one kind write rows of one list, each therefore has a manager of its own.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::platform::Backend;

/// Longest field manager that the API server accepts, in bytes.
pub const MAX_MANAGER_LENGTH: usize = 128;

/// Hexadecimal digits of the hash: 64 bits.
const HASH_LENGTH: usize = 16;

/// A process, or a kind of process, that writes to the API server.
///
/// `Display` gives the name to send; it has at most [`MAX_MANAGER_LENGTH`] bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Manager {
    /// The main controller: machine objects, status of VirtualMachines and clusters, `Ready` of
    /// VMImages.
    Controller,
    /// The operator: provider workloads, `status.workload` of Providers, status of
    /// ProviderClasses.
    Operator,
    /// The image builder: `status.buildArtifacts` of VMImages.
    ImageBuilder,
    /// The installer.
    Bootstrap,
    /// The provider processes of one backend: status of what exactly one of them serves.
    Provider(Backend),
    /// The provider process of one Provider: its own row in a list that several of them write.
    ProviderInstance {
        /// Backend of the Provider.
        backend: Backend,
        /// Namespace of the Provider.
        namespace: String,
        /// Name of the Provider.
        provider: String,
    },
}

impl fmt::Display for Manager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Controller => f.write_str("banlieue.io/controller"),
            Self::Operator => f.write_str("banlieue.io/operator"),
            Self::ImageBuilder => f.write_str("banlieue.io/imagebuilder"),
            Self::Bootstrap => f.write_str("banlieue.io/bootstrap"),
            Self::Provider(backend) => write!(f, "banlieue.io/provider-{backend}"),
            Self::ProviderInstance {
                backend,
                namespace,
                provider,
            } => f.write_str(&bounded(format!(
                "banlieue.io/provider-{backend}/{namespace}/{provider}"
            ))),
        }
    }
}

/// Shortens a name that is too long and appends a hash of the whole, so that two long names that
/// begin alike stay apart.
fn bounded(name: String) -> String {
    if name.len() <= MAX_MANAGER_LENGTH {
        return name;
    }
    let hash = Sha256::digest(name.as_bytes())
        .iter()
        .take(HASH_LENGTH / 2)
        .fold(0_u64, |hash, byte| (hash << 8) | u64::from(*byte));
    let keep = MAX_MANAGER_LENGTH - HASH_LENGTH - 1;
    let start: String = name
        .char_indices()
        .take_while(|(at, c)| at + c.len_utf8() <= keep)
        .map(|(_, c)| c)
        .collect();
    format!("{start}-{hash:016x}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    fn instance(namespace: &str, provider: &str) -> String {
        Manager::ProviderInstance {
            backend: Backend::Vsphere,
            namespace: namespace.into(),
            provider: provider.into(),
        }
        .to_string()
    }

    #[test]
    fn a_backend_names_its_processes() {
        assert_eq!(
            Manager::Provider(Backend::Libvirt).to_string(),
            "banlieue.io/provider-libvirt"
        );
    }

    #[test]
    fn a_short_instance_is_readable() {
        assert_eq!(
            instance("site-a", "vc-1"),
            "banlieue.io/provider-vsphere/site-a/vc-1"
        );
    }

    #[test]
    fn long_names_that_differ_at_the_end_stay_apart() {
        let namespace = "n".repeat(63);
        let one = instance(&namespace, &format!("{}1", "p".repeat(252)));
        let other = instance(&namespace, &format!("{}2", "p".repeat(252)));
        assert_ne!(one, other);
        assert_eq!(one.len(), MAX_MANAGER_LENGTH);
        assert_eq!(other.len(), MAX_MANAGER_LENGTH);
    }

    #[test]
    fn a_name_that_just_fits_is_kept_whole() {
        let room = MAX_MANAGER_LENGTH - instance("ns", "").len();
        let fits = instance("ns", &"p".repeat(room));
        assert_eq!(fits.len(), MAX_MANAGER_LENGTH);
        assert!(fits.ends_with('p'));
        assert_eq!(
            instance("ns", &"p".repeat(room + 1)).len(),
            MAX_MANAGER_LENGTH
        );
    }
}
