//! Builders of whole Kubernetes objects, and the writer that turns them into YAML.
//!
//! The generator and `banlieue bootstrap` call the same functions, so both emit the same bytes.
//! Nothing here holds what a server strips or spells otherwise: what is read back after an apply
//! is what was rendered, plus defaults.

pub mod crds;
pub mod namespaces;
pub mod network_policies;
pub mod object;
pub mod policies;
pub mod provider_classes;
pub mod provider_workload;
pub mod rbac;
pub mod settings;
pub mod workloads;
pub mod yaml;

use serde::Serialize;
use serde_json::Value;

pub use object::{ObjectId, object_id};
pub use settings::{Image, Settings};

use crate::access::Workload;

/// Folders of the infrastructure part of the tree; each is applied, and waited for, before the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// CustomResourceDefinitions.
    Crds,
    /// Namespaces, identities and rights.
    Rbac,
    /// Workloads, network policies and admission policies.
    System,
    /// ProviderClasses and VMClasses.
    Classes,
    /// Providers.
    Providers,
    /// VMImages.
    Images,
}

impl Stage {
    /// Every stage, in the order in which they are applied.
    pub const ALL: [Self; 6] = [
        Self::Crds,
        Self::Rbac,
        Self::System,
        Self::Classes,
        Self::Providers,
        Self::Images,
    ];

    /// Name of the folder.
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Crds => "00-crds",
            Self::Rbac => "10-rbac",
            Self::System => "20-system",
            Self::Classes => "30-classes",
            Self::Providers => "40-providers",
            Self::Images => "50-images",
        }
    }
}

/// Workloads that run in the platform's namespace. The image builder is none of them: `banlieue` has
/// no such process, and a Deployment that never becomes available would hold up every later stage.
const SYSTEM: [Workload; 2] = [Workload::Controller, Workload::Operator];

/// Every object of an installation up to and with [`Stage::System`], in the order in which it can
/// be applied to an empty cluster. The error is that of serialisation.
pub fn platform(settings: &Settings) -> Result<Vec<(Stage, Value)>, serde_json::Error> {
    let mut objects = Objects::default();
    let crds = crds::rendered()?;
    objects
        .0
        .extend(crds.into_iter().map(|crd| (Stage::Crds, crd)));
    rights(settings, &mut objects)?;
    system(settings, &mut objects)?;
    Ok(objects.0)
}

fn rights(settings: &Settings, objects: &mut Objects) -> Result<(), serde_json::Error> {
    objects.push(Stage::Rbac, &namespaces::system(settings))?;
    objects.push(Stage::Rbac, &namespaces::image_builder(settings))?;
    for workload in Workload::ALL {
        objects.push(Stage::Rbac, &rbac::cluster_role(workload))?;
    }
    for workload in SYSTEM {
        objects.push(Stage::Rbac, &rbac::service_account(settings, workload))?;
        objects.push(Stage::Rbac, &rbac::cluster_role_binding(settings, workload))?;
        let own = rbac::own_role(settings, workload);
        for (role, binding) in own.into_iter().chain(rbac::build_role(settings, workload)) {
            objects.push(Stage::Rbac, &role)?;
            objects.push(Stage::Rbac, &binding)?;
        }
    }
    objects.push(Stage::Rbac, &rbac::import_account(settings))?;
    objects.push(Stage::Rbac, &rbac::import_role(settings))
}

fn system(settings: &Settings, objects: &mut Objects) -> Result<(), serde_json::Error> {
    objects.push(
        Stage::System,
        &network_policies::system_default_deny(settings),
    )?;
    objects.push(
        Stage::System,
        &network_policies::build_default_deny(settings),
    )?;
    for workload in SYSTEM.into_iter().chain(Workload::PROVIDERS) {
        objects.push(
            Stage::System,
            &network_policies::workload(settings, workload),
        )?;
    }
    for (policy, binding) in policies::all(settings) {
        objects.push(Stage::System, &policy)?;
        objects.push(Stage::System, &binding)?;
    }
    for workload in SYSTEM {
        objects.push(Stage::System, &workloads::deployment(settings, workload))?;
        objects.push(
            Stage::System,
            &workloads::disruption_budget(settings, workload),
        )?;
    }
    Ok(())
}

#[derive(Default)]
struct Objects(Vec<(Stage, Value)>);

impl Objects {
    fn push<T: Serialize>(&mut self, stage: Stage, object: &T) -> Result<(), serde_json::Error> {
        self.0.push((stage, object::to_value(object)?));
        Ok(())
    }
}

#[cfg(test)]
mod tests;
