//! The stages of a tree: one dependency graph, from which the entries of Flux and of Argo CD are
//! both derived.

use banlieue_schemas::{fleet::Fleet, names};

use crate::plan::{ClusterPlan, Plan, SetPlan, names::LABEL_MAX};

/// One step of delivery: a folder that is applied as a whole, after others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Name of its entry; also a label value.
    pub name: String,
    /// Folder in the tree.
    pub folder: String,
    /// Names of the stages that come before.
    pub after: Vec<String>,
    /// How far down the graph it is, for engines that count instead of following references.
    pub wave: i32,
    /// Whether the next stage waits until everything in this one is healthy. Only where health
    /// depends on nothing that a later stage brings, or nothing could ever cure it.
    pub wait: bool,
    /// What it holds, for checks of health.
    pub content: Content,
}

/// What a stage holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Definitions, access, workloads and classes of the platform.
    Platform,
    /// Providers and images.
    Backends,
    /// A cluster.
    Cluster,
    /// Standalone machines.
    Machines,
}

/// Folder of the definitions.
pub const CRDS: &str = "infrastructure/00-crds";
/// Folder of access rules.
pub const RBAC: &str = "infrastructure/10-rbac";
/// Folder of the workloads.
pub const SYSTEM: &str = "infrastructure/20-system";
/// Folder of the classes.
pub const CLASSES: &str = "infrastructure/30-classes";
/// Folder of the Providers.
pub const PROVIDERS: &str = "infrastructure/40-providers";
/// Folder of the images.
pub const IMAGES: &str = "infrastructure/50-images";

/// The stages of the platform, in order.
pub fn platform(fleet: &Fleet) -> Vec<Stage> {
    let chain = [
        ("crds", CRDS, true, Content::Platform),
        ("rbac", RBAC, true, Content::Platform),
        ("system", SYSTEM, true, Content::Platform),
        ("classes", CLASSES, true, Content::Platform),
        ("providers", PROVIDERS, false, Content::Backends),
        ("images", IMAGES, false, Content::Backends),
    ];
    let mut stages: Vec<Stage> = Vec::new();
    for (wave, (name, folder, wait, content)) in (-30..).step_by(5).zip(chain) {
        let after = stages
            .last()
            .map(|stage| stage.name.clone())
            .into_iter()
            .collect();
        let name = entry(fleet, &[name]);
        stages.push(Stage {
            name,
            folder: folder.to_owned(),
            after,
            wave,
            wait,
            content,
        });
    }
    stages.retain(|stage| !(fleet.images.is_empty() && stage.folder == IMAGES));
    stages
}

/// The stage of a cluster.
pub fn cluster(fleet: &Fleet, plan: &ClusterPlan) -> Stage {
    Stage {
        name: entry(fleet, &["cluster", &plan.key]),
        folder: cluster_folder(plan),
        after: last_of_platform(fleet),
        wave: 5,
        wait: false,
        content: Content::Cluster,
    }
}

/// The stage of a set of standalone machines.
pub fn set(fleet: &Fleet, plan: &SetPlan) -> Stage {
    Stage {
        name: entry(fleet, &["machines", &plan.key]),
        folder: set_folder(plan),
        after: last_of_platform(fleet),
        wave: 5,
        wait: false,
        content: Content::Machines,
    }
}

/// All stages of a plan, in an order in which each comes after those that it needs.
pub fn all(fleet: &Fleet, plan: &Plan) -> Vec<Stage> {
    let clusters = plan.clusters.iter().map(|plan| cluster(fleet, plan));
    let sets = plan.virtual_machines.iter().map(|plan| set(fleet, plan));
    platform(fleet)
        .into_iter()
        .chain(clusters)
        .chain(sets)
        .collect()
}

/// Folder of a cluster.
pub fn cluster_folder(plan: &ClusterPlan) -> String {
    format!(
        "clusters/{}/{}",
        names::shorten(&[&plan.tier], LABEL_MAX),
        plan.name
    )
}

/// Folder of a set of standalone machines.
pub fn set_folder(plan: &SetPlan) -> String {
    format!(
        "virtualmachines/{}",
        names::shorten(&[&plan.key], LABEL_MAX)
    )
}

fn last_of_platform(fleet: &Fleet) -> Vec<String> {
    platform(fleet)
        .last()
        .map(|stage| stage.name.clone())
        .into_iter()
        .collect()
}

/// Name of an entry. It becomes a label value of everything that the entry applies.
fn entry(fleet: &Fleet, parts: &[&str]) -> String {
    let parts: Vec<&str> = std::iter::once(fleet.metadata.name.as_str())
        .chain(parts.iter().copied())
        .collect();
    names::shorten(&parts, LABEL_MAX)
}
