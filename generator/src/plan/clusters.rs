//! One cluster: its failure domains, its workers, its control plane and its promises.

use banlieue_schemas::{
    fleet::{Cluster, Fleet, Promise, Resources, Tier},
    platform::Backend,
};
use serde::Serialize;

use super::{
    balance::balance,
    codes,
    control_plane::{self, ControlPlanePlan},
    domains::{self, Domain},
    names,
    problem::Problem,
    providers,
    survival::{self, Verdict},
};

/// Everything that is decided about one cluster.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterPlan {
    /// Key in the fleet.
    pub key: String,
    /// Name of its objects.
    pub name: String,
    /// Tier.
    pub tier: String,
    /// Namespace of its objects.
    pub namespace: String,
    /// Hypervisor of all its machines.
    pub backend: Backend,
    /// Sites in use, in order of preference.
    pub sites: Vec<String>,
    /// Providers of these sites, in the cluster's namespace.
    pub providers: Vec<String>,
    /// Machine class of the workers.
    pub worker_class: String,
    /// Machine class of control-plane machines; none when the control plane is hosted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control_plane_class: Option<String>,
    /// Whether resources are guaranteed.
    pub resources: Resources,
    /// Failure domains in use, each with its workers.
    pub domains: Vec<DomainPlan>,
    /// The control plane.
    pub control_plane: ControlPlanePlan,
    /// What it survives.
    pub survival: Vec<Verdict>,
}

impl ClusterPlan {
    /// Worker machines in all failure domains.
    pub fn workers(&self) -> u32 {
        self.domains.iter().map(|d| d.workers).sum()
    }
}

/// One failure domain of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DomainPlan {
    /// Name of the failure domain.
    pub name: String,
    /// Its site.
    pub site: String,
    /// Its zone.
    pub zone: String,
    /// Workers in it. At zero it is a spare.
    pub workers: u32,
    /// MachineDeployment that holds the workers.
    pub deployment: String,
}

/// Plans one cluster.
///
/// # Errors
/// Unknown names, sites of several backends, too few failure domains, a promise that does not
/// hold, and a control plane on machines without an endpoint.
pub fn plan(fleet: &Fleet, key: &str, cluster: &Cluster) -> Result<ClusterPlan, Vec<Problem>> {
    let mut problems = references(fleet, key, cluster);
    let (Some(tier), true) = (fleet.tiers.get(&cluster.tier), problems.is_empty()) else {
        return Err(problems);
    };
    let sites = domains::sites_of(fleet, cluster);
    let backend = one_backend(fleet, key, &sites).map_err(|problem| vec![problem])?;
    let picked = domains::pick(fleet, &sites, tier.failure_domains as usize);
    if picked.len() < tier.failure_domains as usize {
        problems.push(
            Problem::new(&codes::TOO_FEW_DOMAINS, &["clusters", key, "sites"], format!(
                "tier `{}` spreads over {} failure domains, but the cluster's sites ({}) have {}",
                cluster.tier, tier.failure_domains, sites.join(", "), picked.len(),
            ))
            .hint("add a site or a zone, or choose a tier with fewer failure domains"),
        );
        return Err(problems);
    }
    let name = names::cluster(key);
    let domains = spread(cluster, tier, &name, &picked);
    let control_plane = control_plane::plan(cluster, tier, &picked);
    let survival = survival::judge(tier, &domains, &control_plane);
    problems.extend(broken_promises(key, cluster, &survival));
    if control_plane.kind.on_machines() && control_plane.domains.is_empty() {
        problems.push(
            Problem::new(&codes::NO_CONTROL_PLANE_DOMAIN, &["clusters", key, "controlPlane"], "no zone of the cluster's sites allows control-plane machines")
                .hint("set `controlPlane: true` on a zone, or use a hosted control plane (`kind: k0smotron`)"),
        );
    }
    if control_plane.kind.on_machines() && cluster.control_plane.endpoint.is_none() {
        problems.push(
            Problem::new(
                &codes::NO_ENDPOINT,
                &["clusters", key, "controlPlane"],
                "a control plane on machines needs a stable address for its API server",
            )
            .hint("set `controlPlane.endpoint.host` to a virtual IP or load balancer"),
        );
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let in_use: Vec<String> = sites
        .iter()
        .filter(|site| picked.iter().any(|d| &d.site == *site))
        .cloned()
        .collect();
    Ok(ClusterPlan {
        key: key.to_owned(),
        name,
        tier: cluster.tier.clone(),
        namespace: cluster
            .namespace
            .clone()
            .unwrap_or_else(|| fleet.platform.fleet_namespace.clone()),
        backend,
        providers: in_use
            .iter()
            .flat_map(|site| providers::names(fleet, site))
            .collect(),
        sites: in_use,
        worker_class: cluster
            .workers
            .class
            .clone()
            .unwrap_or_else(|| tier.class.clone()),
        control_plane_class: control_plane.kind.on_machines().then(|| {
            tier.control_plane
                .class
                .clone()
                .unwrap_or_else(|| tier.class.clone())
        }),
        resources: tier.resources,
        domains,
        control_plane,
        survival,
    })
}

fn spread(cluster: &Cluster, tier: &Tier, name: &str, picked: &[Domain]) -> Vec<DomainPlan> {
    let replicas = cluster.workers.replicas.unwrap_or(tier.replicas);
    let pairs: Vec<_> = picked
        .iter()
        .map(|d| (d.site.as_str(), d.zone.as_str()))
        .collect();
    let counts = balance(replicas, &pairs);
    picked
        .iter()
        .zip(counts)
        .map(|(domain, workers)| DomainPlan {
            name: domain.name.clone(),
            site: domain.site.clone(),
            zone: domain.zone.clone(),
            workers,
            deployment: names::deployment(name, &domain.name),
        })
        .collect()
}

/// Every name that the cluster uses and the fleet does not have.
fn references(fleet: &Fleet, key: &str, cluster: &Cluster) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut unknown = |path: &[&str], what: &str, name: &str, known: Vec<&str>| {
        problems.extend(Problem::unknown_name(path, what, name, &known));
    };
    let tiers: Vec<_> = fleet.tiers.keys().map(String::as_str).collect();
    let images: Vec<_> = fleet.images.keys().map(String::as_str).collect();
    let classes: Vec<_> = fleet.classes.keys().map(String::as_str).collect();
    let sites: Vec<_> = fleet.sites.keys().map(String::as_str).collect();
    unknown(&["clusters", key, "tier"], "tier", &cluster.tier, tiers);
    unknown(&["clusters", key, "image"], "image", &cluster.image, images);
    if let Some(class) = &cluster.workers.class {
        unknown(
            &["clusters", key, "workers", "class"],
            "class",
            class,
            classes.clone(),
        );
    }
    if let Some(tier) = fleet.tiers.get(&cluster.tier) {
        unknown(
            &["tiers", &cluster.tier, "class"],
            "class",
            &tier.class,
            classes.clone(),
        );
        if let Some(class) = &tier.control_plane.class {
            unknown(
                &["tiers", &cluster.tier, "controlPlane", "class"],
                "class",
                class,
                classes,
            );
        }
    }
    for (index, site) in cluster.sites.iter().enumerate() {
        unknown(
            &["clusters", key, "sites", &index.to_string()],
            "site",
            site,
            sites.clone(),
        );
    }
    match (cluster.sites.is_empty(), cluster.site_selector.is_some()) {
        (true, false) => problems.push(
            Problem::new(
                &codes::NO_SITE,
                &["clusters", key],
                "the cluster names no site to run at",
            )
            .hint("set `sites` to a list of sites, or `siteSelector` to labels that they carry"),
        ),
        (false, true) => problems.push(
            Problem::new(
                &codes::NO_SITE,
                &["clusters", key, "siteSelector"],
                "`sites` and `siteSelector` exclude each other",
            )
            .hint("remove one of them"),
        ),
        (true, true) if domains::sites_of(fleet, cluster).is_empty() => problems.push(
            Problem::new(
                &codes::NO_SITE,
                &["clusters", key, "siteSelector"],
                "the selector matches no site",
            )
            .hint("compare it with the `labels` of the sites"),
        ),
        _ => {}
    }
    problems
}

/// The backend of all the sites.
fn one_backend(fleet: &Fleet, key: &str, sites: &[String]) -> Result<Backend, Problem> {
    let mut backends = sites
        .iter()
        .filter_map(|name| fleet.sites.get(name).map(|s| (name, s.backend)));
    let Some((first, backend)) = backends.next() else {
        return Err(Problem::new(
            &codes::NO_SITE,
            &["clusters", key],
            "the cluster names no site to run at",
        ));
    };
    match backends.find(|(_, other)| *other != backend) {
        None => Ok(backend),
        Some((name, other)) => Err(Problem::new(
            &codes::MIXED_BACKENDS,
            &["clusters", key, "sites"],
            format!("site `{first}` is {backend}, site `{name}` is {other}: one cluster has one kind of infrastructure"),
        )
        .hint("split the cluster, or choose sites of one backend")),
    }
}

/// Promises of the tier that these sites cannot keep.
fn broken_promises<'a>(
    key: &'a str,
    cluster: &'a Cluster,
    verdicts: &'a [Verdict],
) -> impl Iterator<Item = Problem> + 'a {
    verdicts.iter().filter(|v| v.promised && !v.survives).map(move |verdict| {
        let loss = match verdict.loss {
            Promise::FailureDomain => "any one failure domain",
            Promise::Site => "any one site",
        };
        Problem::new(
            &codes::BROKEN_PROMISE,
            &["clusters", key, "tier"],
            format!("tier `{}` promises to survive the loss of {loss}; this cluster does not: {}", cluster.tier, verdict.why),
        )
        .hint("add a site or failure domains, use a hosted control plane, or take the promise out of the tier")
    })
}
