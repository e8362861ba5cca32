//! The rendered objects, checked as the API server and the controllers would, without a cluster.
//!
//! Pure. Units are rendered and checked in parallel, a few at a time, so that a large fleet is
//! never in memory as a whole: only names and findings stay.
//!
//! | module | checks |
//! |---|---|
//! | [`object`] | each object by itself: name, labels, size |
//! | [`schema`], [`kinds`] | objects of our kinds against schema and rules of their CRDs |
//! | [`identities`] | objects and files that are rendered twice |
//! | [`references`] | references from one object to another |
//! | [`fleet`] | what the fleet asks for against what its sites offer |
//! | [`place`] | nothing: it leads from an object to the place in the fleet |

pub mod codes;
pub mod finding;
pub mod fleet;
pub mod identities;
pub mod kinds;
pub mod object;
pub mod place;
pub mod references;
pub mod schema;

use std::collections::HashSet;

use banlieue_schemas::manifests::object::ObjectId;
use rayon::prelude::*;

pub use finding::{Finding, Report};
use identities::Identities;
use kinds::Kinds;

use crate::{
    plan::{self, Plan, Selection},
    render::{self, Context, Object, RenderError, Unit, units},
};

/// Units that are rendered before the first of them is forgotten.
const CHUNK: usize = 64;

/// Renders and checks everything that a plan holds. `done` is called after each unit, from any
/// thread.
///
/// # Errors
/// The first template that fails, in the order of the plan.
pub fn run(
    context: Context<'_>,
    plan: &Plan,
    kinds: &Kinds,
    done: &(dyn Fn() + Sync),
) -> Result<Report, RenderError> {
    let mut report = Report::default();
    let mut identities = Identities::default();
    let mut open = Vec::new();
    let units = units(plan);
    // The platform comes first and alone: every other unit refers to it.
    let (platform, others) = units.split_at(1);
    let mut known = HashSet::new();
    for chunk in std::iter::once(platform).chain(others.chunks(CHUNK)) {
        let checked: Vec<Result<Checked, RenderError>> = chunk
            .par_iter()
            .map(|unit| {
                let checked = check(context, kinds, &known, *unit);
                done();
                checked
            })
            .collect();
        for checked in checked {
            let checked = checked?;
            report.objects += checked.identities.len();
            checked.findings.into_iter().for_each(|f| report.add(f));
            if known.is_empty() {
                known = checked.identities.iter().map(|i| i.id.clone()).collect();
            }
            open.extend(checked.open);
            for twin in identities.add(checked.identities) {
                report.add(twin);
            }
        }
    }
    open.retain(|(target, _)| !identities.contains(target));
    for finding in still_open(context, plan, open)? {
        report.add(finding);
    }
    for problem in fleet::check(context.fleet, plan) {
        report.add(problem.into());
    }
    Ok(report)
}

/// A reference whose target is not in sight yet, and what to report if it never is.
type Open = (ObjectId, Finding);

/// What is left of a unit when it has been checked.
struct Checked {
    findings: Vec<Finding>,
    identities: Vec<identities::Identity>,
    open: Vec<Open>,
}

fn check(
    context: Context<'_>,
    kinds: &Kinds,
    platform: &HashSet<ObjectId>,
    unit: Unit<'_>,
) -> Result<Checked, RenderError> {
    let objects = render::render(context, unit)?;
    let here: HashSet<&ObjectId> = objects.iter().map(|object| &object.id).collect();
    let mut findings = Vec::new();
    let mut open = Vec::new();
    for object in &objects {
        let found = |fault| place::finding(context.fleet, object, fault);
        let faults = object::check(kinds, &object.value);
        let user_data = fleet::machines::user_data(context.fleet, object);
        let registries = fleet::images::registries(context.fleet, object);
        let faults = faults.into_iter().chain(user_data).chain(registries);
        findings.extend(faults.map(found));
        for reference in references::of(object) {
            if !here.contains(&reference.target) && !platform.contains(&reference.target) {
                open.push((reference.target, found(reference.fault)));
            }
        }
    }
    Ok(Checked {
        findings,
        identities: objects.into_iter().map(identity).collect(),
        open,
    })
}

fn identity(object: Object) -> identities::Identity {
    identities::Identity {
        id: object.id,
        path: object.path,
        origin: object.origin,
    }
}

/// The references whose targets are not in the unselected rest of the fleet either.
fn still_open(
    context: Context<'_>,
    plan: &Plan,
    mut open: Vec<Open>,
) -> Result<Vec<Finding>, RenderError> {
    let fleet = context.fleet;
    let is_partial = plan.clusters.len() < fleet.clusters.len()
        || plan.virtual_machines.len() < fleet.virtual_machines.len();
    // A rest that cannot be planned cannot be searched; the selected part may be sound.
    if is_partial
        && !open.is_empty()
        && let Ok(whole) = plan::plan(fleet, &Selection::default())
    {
        for chunk in units(&whole).chunks(CHUNK) {
            let ids: Vec<Result<Vec<ObjectId>, RenderError>> = chunk
                .par_iter()
                .map(|unit| {
                    let objects = render::render(context, *unit)?;
                    Ok(objects.into_iter().map(|object| object.id).collect())
                })
                .collect();
            for ids in ids {
                let ids: HashSet<ObjectId> = ids?.into_iter().collect();
                open.retain(|(target, _)| !ids.contains(target));
            }
        }
    }
    Ok(open.into_iter().map(|(_, finding)| finding).collect())
}
