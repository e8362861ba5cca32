//! The rules themselves, one function a workload.

use super::{Rule, Workload};

const CORE: &str = "";
const PLATFORM: &str = crate::PLATFORM_GROUP;
const INFRASTRUCTURE: &str = crate::INFRASTRUCTURE_GROUP;
const RBAC: &str = "rbac.authorization.k8s.io";
const CAPI: &str = "cluster.x-k8s.io";
const COORDINATION: &str = "coordination.k8s.io";

/// What a cache needs.
const READ: &[&str] = &["list", "watch"];
/// What whoever also asks for an object by its name needs.
const READ_AND_GET: &[&str] = &["get", "list", "watch"];
const READ_AND_PATCH: &[&str] = &["list", "watch", "patch"];
/// What whoever writes an object by server-side apply, and removes it, needs.
const OWN: &[&str] = &["list", "watch", "create", "patch", "delete"];
/// The same for whoever has to know for certain that an object is gone.
const OWN_AND_GET: &[&str] = &["get", "list", "watch", "create", "patch", "delete"];
const PATCH: &[&str] = &["patch"];

/// Rules of the workload's ClusterRole.
pub fn cluster_rules(workload: Workload) -> Vec<Rule> {
    match workload {
        Workload::Controller => controller(),
        Workload::Operator => operator(),
        Workload::ImageBuilder => image_builder(),
        Workload::ProviderVsphere | Workload::ProviderLibvirt | Workload::ProviderSim => {
            let mut rules = provider_common();
            rules.extend(provider_backend(workload));
            rules
        }
        Workload::CapiInfrastructure => capi_infrastructure(),
    }
}

/// Rules of the workload's Role in the namespace that it runs in.
///
/// The operator's ClusterRole already holds Leases, since it grants them to provider processes.
/// A provider process has a Role for each Provider, see [`provider_instance_rules`].
pub fn namespaced_rules(workload: Workload) -> Vec<Rule> {
    match workload {
        Workload::Controller | Workload::ImageBuilder => {
            let reason = "makes its Lease once; create cannot be limited to a name";
            let make = Rule::new(COORDINATION, &["leases"], &["create"], reason);
            vec![make, lease(workload.name())]
        }
        _ => Vec::new(),
    }
}

/// Rules of the workload's Role in the namespace in which images are built.
pub fn build_namespace_rules(workload: Workload) -> Vec<Rule> {
    let jobs = |reason| Rule::new("batch", &["jobs"], OWN_AND_GET, reason);
    match workload {
        Workload::ImageBuilder => vec![
            Rule::new(
                "build.kairos.io",
                &["osartifacts"],
                OWN_AND_GET,
                "starts a build, follows it, and removes it when its inputs changed",
            ),
            Rule::new(
                CORE,
                &["secrets"],
                &["get", "list", "watch", "create", "patch"],
                "merges the cloud-config Secrets of an image; a changed one is a new build",
            ),
            Rule::new(
                CORE,
                &["persistentvolumeclaims", "pods"],
                READ_AND_GET,
                "finds the artifact of a build, and says why a build Pod failed",
            ),
            jobs("pushes an artifact to the registry"),
        ],
        Workload::ProviderVsphere | Workload::ProviderLibvirt => {
            vec![jobs("imports an artifact from its volume into the backend")]
        }
        Workload::Operator => {
            vec![jobs(
                "holds what it grants to provider processes by a RoleBinding",
            )]
        }
        // A simulator has its images, and needs none imported.
        Workload::Controller | Workload::ProviderSim | Workload::CapiInfrastructure => Vec::new(),
    }
}

/// Rules of the Role that the operator makes for one Provider's process.
pub fn provider_instance_rules<N: AsRef<str>>(
    lease_name: &str,
    secrets: &[N],
    config_maps: &[N],
) -> Vec<Rule> {
    let mut rules = vec![lease(lease_name)];
    rules.extend(credential_rules(secrets, config_maps));
    rules
}

/// Read access to exactly these credential and trust objects.
///
/// Each Provider's own process has it for its own objects. The operator has it for those of all
/// Providers in a namespace, because the API server refuses to grant what the granter lacks.
/// An empty list of names gives no rule, for it would mean every name.
pub fn credential_rules<N: AsRef<str>>(secrets: &[N], config_maps: &[N]) -> Vec<Rule> {
    let mut rules = Vec::new();
    if !secrets.is_empty() {
        let reason = "logs in to the backend, and notices when the credentials rotate";
        rules.push(Rule::new(CORE, &["secrets"], READ, reason).named(secrets));
    }
    if !config_maps.is_empty() {
        let reason = "trusts the backend's certificate, and notices when the authority rotates";
        rules.push(Rule::new(CORE, &["configmaps"], READ, reason).named(config_maps));
    }
    rules
}

/// Rules of the provider processes' Role in a namespace that holds Cluster API clusters.
pub fn bootstrap_data_rules() -> Vec<Rule> {
    vec![Rule::new(
        CORE,
        &["secrets"],
        &["get"],
        "hands the bootstrap data of a Cluster API Machine, whose name is generated, to its VM",
    )]
}

/// Rules of the controller's Role in a namespace that holds VirtualMachines with user data.
pub fn user_data_rules() -> Vec<Rule> {
    vec![Rule::new(
        CORE,
        &["configmaps", "secrets"],
        READ_AND_GET,
        "renders user data, and goes on as soon as a missing source appears",
    )]
}

fn controller() -> Vec<Rule> {
    vec![
        Rule::new(
            PLATFORM,
            &["virtualmachines"],
            READ_AND_PATCH,
            "reconciles VirtualMachines; patch carries the finalizer and clears the migrate request",
        ),
        Rule::new(
            PLATFORM,
            &["providers", "vmclasses", "vmimages"],
            READ,
            "schedules: failure domains, hardware, and where an image is ready",
        ),
        Rule::new(
            PLATFORM,
            &["providerclasses"],
            READ,
            "learns a Provider's backend, which decides the kind of the machine object",
        ),
        Rule::new(
            PLATFORM,
            &["virtualmachines/status", "vmimages/status"],
            PATCH,
            "publishes placement and conditions, and an image's Ready",
        ),
        Rule::new(
            INFRASTRUCTURE,
            &["libvirtmachines", "simmachines", "vspheremachines"],
            OWN_AND_GET,
            "owns the machine object of each VirtualMachine",
        ),
        Rule::new(
            INFRASTRUCTURE,
            &["libvirtclusters", "simclusters", "vsphereclusters"],
            READ,
            "reconciles infrastructure clusters",
        ),
        Rule::new(
            INFRASTRUCTURE,
            &[
                "libvirtclusters/status",
                "simclusters/status",
                "vsphereclusters/status",
            ],
            PATCH,
            "publishes failure domains and endpoint of clusters",
        ),
        Rule::new(
            CAPI,
            &["clusters"],
            READ,
            "finds the owner of an infrastructure cluster, and whether it is paused",
        ),
        events(),
    ]
}

fn operator() -> Vec<Rule> {
    let mut rules = vec![
        Rule::new(
            PLATFORM,
            &["providers"],
            PATCH,
            "adds and removes the finalizer that outlives workload and machines",
        ),
        Rule::new(
            PLATFORM,
            &["providerclasses"],
            READ,
            "builds the workload of each Provider from its class",
        ),
        Rule::new(
            PLATFORM,
            &["providerclasses/status"],
            PATCH,
            "publishes how many Providers use a class, and whether it is usable",
        ),
        Rule::new(
            "apps",
            &["deployments"],
            OWN,
            "runs one process for each Provider, in the Provider's namespace",
        ),
        Rule::new(
            CORE,
            &["serviceaccounts"],
            OWN,
            "gives each Provider's process an identity of its own",
        ),
        Rule::new(
            RBAC,
            &["clusterrolebindings", "rolebindings", "roles"],
            OWN,
            "grants each Provider's process its rights; escalate and bind are withheld",
        ),
        Rule::new(
            RBAC,
            &["clusterroles"],
            &["list", "watch"],
            "reports a class whose shared ClusterRole is missing, as soon as it is",
        )
        .named(&Workload::PROVIDERS.map(Workload::name)),
        Rule::new(
            COORDINATION,
            &["leases"],
            &[
                "get", "list", "watch", "create", "update", "patch", "delete",
            ],
            "elects its leader, and makes the Lease of each Provider's process",
        ),
    ];
    let delegated = provider_common()
        .into_iter()
        .chain(Workload::PROVIDERS.into_iter().flat_map(provider_backend));
    rules.extend(delegated);
    rules
}

fn image_builder() -> Vec<Rule> {
    vec![
        Rule::new(
            PLATFORM,
            &["vmimages"],
            READ,
            "finds the images that have to be built, and their inputs",
        ),
        Rule::new(
            PLATFORM,
            &["vmimages/status"],
            PATCH,
            "publishes the build artifact and its digest",
        ),
        events(),
    ]
}

/// What every provider process may do. The operator has it too, in order to grant it, and itself
/// lists the machines of a Provider that is being deleted, whose process has to outlive them.
fn provider_common() -> Vec<Rule> {
    vec![
        Rule::new(
            PLATFORM,
            &["providers"],
            READ,
            "reads its own Provider: endpoint, trust, classes, pause",
        ),
        Rule::new(
            PLATFORM,
            &["vmimages"],
            READ,
            "finds out which images its backend has, and what they are called there",
        ),
        Rule::new(
            PLATFORM,
            &["providers/status", "vmimages/status"],
            PATCH,
            "publishes failure domains and health, and its own row of an image",
        ),
        Rule::new(
            CAPI,
            &["machines"],
            READ,
            "follows the Cluster API contract: owner, failure domain, bootstrap data",
        ),
        events(),
    ]
}

fn provider_backend(workload: Workload) -> Vec<Rule> {
    let (objects, statuses): (&[_], &[_]) = match workload {
        Workload::ProviderVsphere => (&["vspheremachines"], &["vspheremachines/status"]),
        Workload::ProviderLibvirt => (&["libvirtmachines"], &["libvirtmachines/status"]),
        Workload::ProviderSim => (&["simmachines"], &["simmachines/status"]),
        _ => return Vec::new(),
    };
    vec![
        Rule::new(
            INFRASTRUCTURE,
            objects,
            READ_AND_PATCH,
            "reconciles its machines; patch carries the finalizer and spec.providerID",
        ),
        Rule::new(
            INFRASTRUCTURE,
            statuses,
            PATCH,
            "publishes addresses, power state and conditions of its machines",
        ),
    ]
}

fn capi_infrastructure() -> Vec<Rule> {
    vec![Rule::new(
        INFRASTRUCTURE,
        &[
            "libvirtclusters",
            "libvirtclustertemplates",
            "libvirtmachines",
            "libvirtmachinetemplates",
            "simclusters",
            "simclustertemplates",
            "simmachines",
            "simmachinetemplates",
            "vsphereclusters",
            "vsphereclustertemplates",
            "vspheremachines",
            "vspheremachinetemplates",
        ],
        &[
            "get", "list", "watch", "create", "update", "patch", "delete",
        ],
        "Cluster API clones templates into machines, owns them and removes them",
    )]
}

fn events() -> Rule {
    Rule::new(
        "events.k8s.io",
        &["events"],
        &["create"],
        "tells people what happened to an object",
    )
}

fn lease(name: &str) -> Rule {
    let reason = "elects one leader among its replicas";
    Rule::new(COORDINATION, &["leases"], &["get", "update"], reason).named(&[name])
}
