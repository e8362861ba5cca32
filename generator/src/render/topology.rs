//! What is where, for the reviewer of a pull request.
//!
//! A tree may come from several runs, so each part keeps its own summary in the inventory and
//! the page is drawn from all of them.

use std::collections::BTreeMap;

use banlieue_schemas::fleet::{Fleet, Promise};
use serde::Serialize;

use super::{Context, RenderError, templates};
use crate::{
    plan::{ClusterPlan, SetPlan, survival::Verdict},
    tree::{Opaque, Scope, ScopeInfo},
};

#[derive(Serialize)]
struct Cluster<'a> {
    name: &'a str,
    tier: &'a str,
    workers: u32,
    domains: Vec<&'a str>,
    sites: Vec<Site<'a>>,
    control_plane: String,
    survives_failure_domain: &'static str,
    survives_site: &'static str,
    verdicts: Vec<String>,
}

#[derive(Serialize)]
struct Site<'a> {
    name: &'a str,
    domains: Vec<Domain<'a>>,
}

#[derive(Serialize)]
struct Domain<'a> {
    name: &'a str,
    workers: u32,
    control_plane: bool,
}

#[derive(Serialize)]
struct Set<'a> {
    name: &'a str,
    namespace: &'a str,
    machines: usize,
    sites: String,
}

/// The summary of a cluster.
///
/// # Errors
/// None that is known: JSON can hold all of it.
pub fn cluster(plan: &ClusterPlan) -> Result<Opaque, RenderError> {
    let domains = |site| {
        let of_site = plan.domains.iter().filter(move |d| &d.site == site);
        of_site.map(|domain| Domain {
            name: &domain.name,
            workers: domain.workers,
            control_plane: plan.control_plane.domains.contains(&domain.name),
        })
    };
    let sites = plan.sites.iter().map(|name| Site {
        name,
        domains: domains(name).collect(),
    });
    let members = plan.control_plane.replicas;
    let hosted = !plan.control_plane.kind.on_machines();
    let verdict = |loss: Promise| {
        plan.survival
            .iter()
            .find(|v| v.loss == loss)
            .map_or("unknown", answer)
    };
    note(&Cluster {
        name: &plan.name,
        tier: &plan.tier,
        workers: plan.workers(),
        domains: plan.domains.iter().map(|d| d.name.as_str()).collect(),
        sites: sites.collect(),
        control_plane: format!(
            "{members} {}",
            if hosted { "hosted" } else { "on machines" }
        ),
        survives_failure_domain: verdict(Promise::FailureDomain),
        survives_site: verdict(Promise::Site),
        verdicts: plan.survival.iter().map(line).collect(),
    })
}

/// The summary of a set of standalone machines.
///
/// # Errors
/// None that is known: JSON can hold all of it.
pub fn set(fleet: &Fleet, plan: &SetPlan) -> Result<Opaque, RenderError> {
    let sites = if plan.sites.is_empty() {
        let all: Vec<&str> = fleet.sites.keys().map(String::as_str).collect();
        format!("any of {}", all.join(", "))
    } else {
        plan.sites.join(", ")
    };
    note(&Set {
        name: &plan.key,
        namespace: &plan.namespace,
        machines: plan.machines.len(),
        sites,
    })
}

fn note<T: Serialize>(summary: &T) -> Result<Opaque, RenderError> {
    Opaque::of(summary).map_err(|source| RenderError::Encode {
        what: "a summary for TOPOLOGY.md".to_owned(),
        source,
    })
}

/// What the template of the page gets.
#[derive(Serialize)]
struct Page<'a> {
    fleet: BTreeMap<&'static str, &'a str>,
    clusters: Vec<minijinja::Value>,
    sets: Vec<minijinja::Value>,
}

/// Draws the page from the summaries of all parts of the tree.
///
/// # Errors
/// A template that fails, and a summary in the inventory that cannot be read.
pub fn page(
    context: Context<'_>,
    scopes: &BTreeMap<Scope, ScopeInfo>,
) -> Result<String, RenderError> {
    let (mut clusters, mut sets) = (Vec::new(), Vec::new());
    for (scope, info) in scopes {
        let Some(summary) = &info.summary else {
            continue;
        };
        let summary = summary.read().map_err(|source| RenderError::Encode {
            what: format!("the summary of {scope} in the inventory"),
            source,
        })?;
        let part = if info.cluster.is_some() {
            &mut clusters
        } else {
            &mut sets
        };
        part.push(summary);
    }
    let variables = templates::variables(Page {
        fleet: BTreeMap::from([("name", context.fleet.metadata.name.as_str())]),
        clusters,
        sets,
    });
    Ok(context
        .templates
        .render("repository/TOPOLOGY.md.j2", &variables)?)
}

fn answer(verdict: &Verdict) -> &'static str {
    match (verdict.survives, verdict.promised) {
        (true, true) => "yes, promised",
        (true, false) => "yes",
        (false, _) => "no",
    }
}

fn line(verdict: &Verdict) -> String {
    let loss = match verdict.loss {
        Promise::FailureDomain => "any failure domain",
        Promise::Site => "any site",
    };
    let answer = if verdict.survives {
        "Survives"
    } else {
        "Does not survive"
    };
    format!("{answer} the loss of {loss}; {}.", verdict.why)
}
