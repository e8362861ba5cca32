//! What is where, for the reviewer of a pull request.
//!
//! A tree may come from several runs, so each part keeps its own summary in the inventory and
//! the page is drawn from all of them.

use std::collections::BTreeMap;

use banlieue_schemas::fleet::{Fleet, Promise};
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    Context,
    templates::{self, TemplateError},
};
use crate::{
    plan::{ClusterPlan, SetPlan, survival::Verdict},
    tree::{Scope, ScopeInfo},
};

/// The summary of a cluster.
pub fn cluster(plan: &ClusterPlan) -> Value {
    let mut sites: Vec<Value> = Vec::new();
    for site in &plan.sites {
        let domains = plan
            .domains
            .iter()
            .filter(|d| &d.site == site)
            .map(|domain| {
                json!({
                    "name": domain.name,
                    "workers": domain.workers,
                    "control_plane": plan.control_plane.domains.contains(&domain.name),
                })
            });
        sites.push(json!({ "name": site, "domains": domains.collect::<Vec<_>>() }));
    }
    let members = plan.control_plane.replicas;
    let control_plane = if plan.control_plane.kind.on_machines() {
        format!("{members} on machines")
    } else {
        format!("{members} hosted")
    };
    let verdict = |loss: Promise| {
        plan.survival
            .iter()
            .find(|v| v.loss == loss)
            .map_or("unknown", answer)
    };
    json!({
        "name": plan.name,
        "tier": plan.tier,
        "workers": plan.workers(),
        "domains": plan.domains.iter().map(|d| &d.name).collect::<Vec<_>>(),
        "sites": sites,
        "control_plane": control_plane,
        "survives_failure_domain": verdict(Promise::FailureDomain),
        "survives_site": verdict(Promise::Site),
        "verdicts": plan.survival.iter().map(line).collect::<Vec<_>>(),
    })
}

/// The summary of a set of standalone machines.
pub fn set(fleet: &Fleet, plan: &SetPlan) -> Value {
    let sites = if plan.sites.is_empty() {
        format!(
            "any of {}",
            fleet.sites.keys().cloned().collect::<Vec<_>>().join(", ")
        )
    } else {
        plan.sites.join(", ")
    };
    json!({
        "set": plan.key,
        "name": plan.key,
        "namespace": plan.namespace,
        "machines": plan.machines.len(),
        "sites": sites,
    })
}

/// What the template of the page gets. Borrowed: the summaries of a large fleet are many.
#[derive(Serialize)]
struct Page<'a> {
    fleet: BTreeMap<&'static str, &'a str>,
    clusters: Vec<&'a Value>,
    sets: Vec<&'a Value>,
}

/// Draws the page from the summaries of all parts of the tree.
///
/// # Errors
/// A template that fails.
pub fn page(
    context: Context<'_>,
    scopes: &BTreeMap<Scope, ScopeInfo>,
) -> Result<String, TemplateError> {
    let summaries = || {
        scopes
            .values()
            .map(|info| &info.summary)
            .filter(|summary| !summary.is_null())
    };
    let clusters: Vec<&Value> = summaries().filter(|s| s.get("tier").is_some()).collect();
    let sets: Vec<&Value> = summaries().filter(|s| s.get("set").is_some()).collect();
    let variables = templates::variables(Page {
        fleet: BTreeMap::from([("name", context.fleet.metadata.name.as_str())]),
        clusters,
        sets,
    });
    context
        .templates
        .render("repository/TOPOLOGY.md.j2", &variables)
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
