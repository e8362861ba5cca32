//! RBAC as data: what each workload may do, and why.
//!
//! Nobody gets a wildcard, `escalate`, `bind` or `impersonate`, and nobody reads Secrets across
//! the cluster: a Secret is readable through a Role in its own namespace only, and by name
//! wherever the name is known beforehand. Status is granted apart from the object. Finalizers
//! need `patch` on the object itself; server-side apply needs `create` and `patch`.

mod rules;

pub use rules::{
    bootstrap_data_rules, build_namespace_rules, cluster_rules, credential_rules, namespaced_rules,
    provider_instance_rules, user_data_rules,
};

/// One line of a Role or ClusterRole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// API group, empty for the core group.
    pub api_group: &'static str,
    /// Plural names, with `/status` where the subresource is meant.
    pub resources: Vec<&'static str>,
    /// Verbs, never `*`.
    pub verbs: Vec<&'static str>,
    /// Object names; empty for all.
    pub resource_names: Vec<String>,
    /// Why the workload cannot do without it.
    pub reason: &'static str,
}

impl Rule {
    fn new(
        api_group: &'static str,
        resources: &[&'static str],
        verbs: &[&'static str],
        reason: &'static str,
    ) -> Self {
        Self {
            api_group,
            resources: resources.to_vec(),
            verbs: verbs.to_vec(),
            resource_names: Vec::new(),
            reason,
        }
    }

    fn named<N: AsRef<str>>(mut self, names: &[N]) -> Self {
        self.resource_names = names.iter().map(|name| name.as_ref().to_owned()).collect();
        self
    }
}

/// Who acts on the API server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Workload {
    /// `banlieue controller`.
    Controller,
    /// `banlieue operator`.
    Operator,
    /// `banlieue imagebuilder`.
    ImageBuilder,
    /// `banlieue provider vsphere`, one process a Provider.
    ProviderVsphere,
    /// `banlieue provider libvirt`, one process a Provider.
    ProviderLibvirt,
    /// `banlieue provider sim`, one process a Provider.
    ProviderSim,
    /// Cluster API's own manager, through an aggregated ClusterRole.
    CapiInfrastructure,
}

impl Workload {
    /// Every workload, in the order in which objects are rendered.
    pub const ALL: [Self; 7] = [
        Self::Controller,
        Self::Operator,
        Self::ImageBuilder,
        Self::ProviderVsphere,
        Self::ProviderLibvirt,
        Self::ProviderSim,
        Self::CapiInfrastructure,
    ];

    /// The workloads of which each Provider runs one.
    pub const PROVIDERS: [Self; 3] = [
        Self::ProviderVsphere,
        Self::ProviderLibvirt,
        Self::ProviderSim,
    ];

    /// Name of its ClusterRole, Deployment, ServiceAccount and Lease, as far as it has them.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Controller => "banlieue-controller",
            Self::Operator => "banlieue-operator",
            Self::ImageBuilder => "banlieue-imagebuilder",
            Self::ProviderVsphere => "banlieue-provider-vsphere",
            Self::ProviderLibvirt => "banlieue-provider-libvirt",
            Self::ProviderSim => "banlieue-provider-sim",
            Self::CapiInfrastructure => "banlieue-capi-infrastructure",
        }
    }

    /// Value of its label `app.kubernetes.io/component`.
    pub const fn component(self) -> &'static str {
        match self {
            Self::Controller => "controller",
            Self::Operator => "operator",
            Self::ImageBuilder => "imagebuilder",
            Self::ProviderVsphere => "provider-vsphere",
            Self::ProviderLibvirt => "provider-libvirt",
            Self::ProviderSim => "provider-sim",
            Self::CapiInfrastructure => "capi-infrastructure",
        }
    }
}

#[cfg(test)]
mod tests;
