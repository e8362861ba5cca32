//! What the fleet asks for against what its sites offer.
//!
//! | module | checks |
//! |---|---|
//! | [`demands`] | which classes and images are used at which sites |
//! | [`offers`] | whether a site has what is demanded of it |
//! | [`images`] | where images are imported from |
//! | [`machines`] | addresses and interfaces of standalone machines |

pub mod demands;
pub mod images;
pub mod machines;
pub mod offers;

use banlieue_schemas::fleet::Fleet;

use super::{codes, object::labels};
use crate::plan::{Plan, Problem};

/// Everything that is wrong between the parts of the planned fleet.
pub fn check(fleet: &Fleet, plan: &Plan) -> Vec<Problem> {
    let mut problems: Vec<Problem> = Vec::new();
    for demand in demands::of(fleet, plan) {
        for lack in offers::lacks(fleet, &demand) {
            // The first that needs something stands for all: one repair serves them.
            let same = |known: &Problem| known.path == lack.path && known.hint == lack.hint;
            if !problems.iter().any(same) {
                problems.push(lack);
            }
        }
    }
    machines::check(fleet, plan, &mut problems);
    problems.extend(shared_namespace(fleet));
    for cluster in &plan.clusters {
        let Some(spec) = fleet.clusters.get(&cluster.key) else {
            continue;
        };
        let path = ["clusters", &cluster.key, "workers"];
        if let Some(bounds) = spec.workers.autoscaling.as_ref().filter(|b| b.min > b.max) {
            let message = format!("`min` is {}, and `max` only {}", bounds.min, bounds.max);
            problems.push(
                Problem::new(
                    &codes::AUTOSCALING,
                    &[&path[..], &["autoscaling", "min"]].concat(),
                    message,
                )
                .hint("swap them, or raise `max`"),
            );
        }
        for (key, value) in &spec.workers.labels {
            if let Some(reason) = labels::reason(key, value) {
                let path = [&path[..], &["labels", key]].concat();
                problems.push(
                    Problem::new(
                        &codes::LABEL,
                        &path,
                        format!("the label `{key}` of the nodes is not accepted: {reason}"),
                    )
                    .hint(labels::HINT),
                );
            }
        }
    }
    problems
}

fn shared_namespace(fleet: &Fleet) -> Option<Problem> {
    let platform = &fleet.platform;
    let builder = &platform.image_builder.namespace;
    (builder == &platform.namespace).then(|| {
        Problem::new(
            &codes::SHARED_NAMESPACE,
            &["platform", "imageBuilder", "namespace"],
            format!("`{builder}` is the namespace of the controller, too"),
        )
        .hint("give image builds a namespace of their own")
    })
}
