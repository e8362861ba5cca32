//! What a world is made of, as a person writes it down.

use banlieue_core::machine::Capabilities;
use banlieue_schemas::common::StringMap;
use serde::{Deserialize, Serialize};

/// A world before anything happened in it. Every field has a default.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct WorldSpec {
    /// Decides every latency. Equal seeds and equal calls give equal worlds.
    pub seed: u64,
    /// Whether work ends when it is told to, instead of when its time is over.
    pub single_step: bool,
    /// Password that clients have to show, as the key `password` of their Secret. None means that
    /// everybody may come in.
    pub password: Option<String>,
    /// What this hypervisor can do.
    pub abilities: Abilities,
    /// How long work takes.
    pub latency: Latency,
    /// The parts that fail on their own.
    pub zones: Vec<ZoneSpec>,
}

/// What a simulated hypervisor can do: [`Capabilities`] in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[allow(clippy::struct_excessive_bools)] // as in what it stands for
pub struct Abilities {
    /// Machines can be suspended.
    pub suspend: bool,
    /// UEFI with Secure Boot, in zones with the feature `efiSecureBoot`.
    pub secure_boot: bool,
    /// Virtual TPMs, in zones with the feature `vtpm`.
    pub tpm: bool,
    /// CPUs can be added while the machine runs.
    pub hot_add_cpus: bool,
    /// Memory can be added while the machine runs.
    pub hot_add_memory: bool,
    /// Disks can be added and grown while the machine runs.
    pub hot_disks: bool,
    /// Interfaces can be changed while the machine runs.
    pub hot_nics: bool,
    /// Most bytes of user data.
    pub max_user_data: usize,
}

/// How long work takes: least and most, in milliseconds. Zero and zero means at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Latency {
    /// Making a machine.
    pub create: [u64; 2],
    /// Changing CPUs, memory or interfaces.
    pub configure: [u64; 2],
    /// Adding and growing disks.
    pub disks: [u64; 2],
    /// Writing a seed.
    pub seed: [u64; 2],
    /// Switching on, suspending, pulling the plug.
    pub power: [u64; 2],
    /// Shutting a guest down.
    pub shutdown: [u64; 2],
    /// Detaching what was not made for a machine.
    pub detach: [u64; 2],
    /// Removing a machine.
    pub delete: [u64; 2],
    /// From switched on to a guest with addresses.
    pub boot: [u64; 2],
}

/// A part of a world that fails on its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ZoneSpec {
    /// Datacenter. Names of machines are unique in it.
    pub datacenter: String,
    /// Compute cluster.
    pub cluster: String,
    /// How many hosts it has.
    pub hosts: u32,
    /// CPUs of all hosts. They may be oversubscribed.
    pub cpus: u32,
    /// Memory of all hosts in MiB. It may be oversubscribed.
    #[serde(rename = "memoryMiB")]
    pub memory_mib: u64,
    /// Pools of storage. The first holds the images.
    pub storage: Vec<PoolSpec>,
    /// Networks. The first is what images are attached to.
    pub networks: Vec<String>,
    /// Features that machines here can have.
    pub features: Vec<String>,
    /// Images.
    pub images: Vec<ImageSpec>,
}

/// A pool of storage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PoolSpec {
    /// Name, what `pool` of a storage class's target says.
    pub pool: String,
    /// Size in GiB. It is never oversubscribed.
    #[serde(rename = "sizeGiB")]
    pub size_gib: u64,
}

/// An image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImageSpec {
    /// Name, what `ref` of a source says.
    pub name: String,
    /// Size of its disk in GiB.
    #[serde(rename = "sizeGiB")]
    pub size_gib: u32,
}

impl Latency {
    /// All work is done at once.
    pub const NONE: Self = Self {
        create: [0; 2],
        configure: [0; 2],
        disks: [0; 2],
        seed: [0; 2],
        power: [0; 2],
        shutdown: [0; 2],
        detach: [0; 2],
        delete: [0; 2],
        boot: [0; 2],
    };
}

impl Default for Latency {
    fn default() -> Self {
        Self {
            create: [300, 900],
            configure: [50, 150],
            disks: [50, 150],
            seed: [0, 0],
            power: [50, 150],
            shutdown: [200, 600],
            detach: [0, 0],
            delete: [100, 300],
            boot: [200, 800],
        }
    }
}

impl Abilities {
    /// Nothing beyond making, running and removing machines.
    pub const LEAST: Self = Self {
        suspend: false,
        secure_boot: false,
        tpm: false,
        hot_add_cpus: false,
        hot_add_memory: false,
        hot_disks: false,
        hot_nics: false,
        max_user_data: 1024,
    };
}

impl Default for Abilities {
    fn default() -> Self {
        Self {
            suspend: true,
            secure_boot: true,
            tpm: true,
            hot_add_cpus: true,
            hot_add_memory: true,
            hot_disks: true,
            hot_nics: true,
            max_user_data: 64 * 1024,
        }
    }
}

impl From<Abilities> for Capabilities {
    fn from(it: Abilities) -> Self {
        Self {
            suspend: it.suspend,
            secure_boot: it.secure_boot,
            tpm: it.tpm,
            hot_add_cpus: it.hot_add_cpus,
            hot_add_memory: it.hot_add_memory,
            hot_disks: it.hot_disks,
            hot_nics: it.hot_nics,
            max_user_data: it.max_user_data,
        }
    }
}

impl ZoneSpec {
    /// A large zone with the image `debian-13`, the pools `default` and `ssd`, the networks `lan`
    /// and `dmz`.
    pub fn new(datacenter: &str, cluster: &str, features: &[&str]) -> Self {
        let pool = |pool: &str, size_gib| PoolSpec {
            pool: pool.to_owned(),
            size_gib,
        };
        Self {
            datacenter: datacenter.to_owned(),
            cluster: cluster.to_owned(),
            hosts: 4,
            cpus: 1024,
            memory_mib: 8 * 1024 * 1024,
            storage: vec![pool("default", 65_536), pool("ssd", 16_384)],
            networks: vec!["lan".to_owned(), "dmz".to_owned()],
            features: features.iter().map(|&name| name.to_owned()).collect(),
            images: vec![ImageSpec {
                name: "debian-13".to_owned(),
                size_gib: 2,
            }],
        }
    }

    /// Where the zone is, in its own terms: `attributes.raw` of the failure domain.
    pub fn place(&self) -> StringMap {
        StringMap::from([
            ("datacenter".to_owned(), self.datacenter.clone()),
            ("cluster".to_owned(), self.cluster.clone()),
        ])
    }

    /// What this hypervisor calls an image of the zone. Another zone calls its own differently, so
    /// that nobody gets by with the name in the source.
    pub fn reference(&self, image: &str) -> String {
        format!("{}/{}/{image}", self.datacenter, self.cluster)
    }
}

impl Default for ZoneSpec {
    fn default() -> Self {
        Self::new("dc1", "a", &["efiSecureBoot", "vtpm"])
    }
}

/// Two datacenters with three clusters each. They differ in what machines can have there, so that
/// there is something to choose by.
impl Default for WorldSpec {
    fn default() -> Self {
        let all = [
            "efiSecureBoot",
            "hotAddCPU",
            "hotAddMemory",
            "nestedVirtualization",
            "vtpm",
        ];
        Self {
            seed: 0,
            single_step: false,
            password: None,
            abilities: Abilities::default(),
            latency: Latency::default(),
            zones: vec![
                ZoneSpec::new("dc1", "a", &all),
                ZoneSpec::new("dc1", "b", &["efiSecureBoot", "hotAddCPU"]),
                ZoneSpec::new("dc1", "c", &["vtpm", "hotAddMemory"]),
                ZoneSpec::new("dc2", "a", &all),
                ZoneSpec::new("dc2", "b", &["efiSecureBoot", "vtpm"]),
                ZoneSpec::new("dc2", "c", &[]),
            ],
        }
    }
}
