//! What holds for every object, whatever its kind.
//!
//! | module | checks |
//! |---|---|
//! | [`identity`] | kind, name, namespace |
//! | [`labels`] | labels and annotations |
//! | [`content`] | fields that no manifest may hold, clear-text Secrets, substitution |
//! | [`size`] | limits of etcd, of ConfigMaps and of clients |
//! | [`quantity`] | quantities as the API server writes them |
//! | [`scaling`] | pools of machines whose number is the autoscaler's |

pub mod content;
pub mod identity;
pub mod labels;
pub mod quantity;
pub mod scaling;
pub mod size;

use serde_json::Value;

use super::{finding::Fault, kinds::Kinds};

/// Everything that is wrong with an object by itself.
pub fn check(kinds: &Kinds, object: &Value) -> Vec<Fault> {
    let mut faults = Vec::new();
    identity::check(kinds, object, &mut faults);
    labels::check(object, &mut faults);
    content::check(object, &mut faults);
    size::check(object, &mut faults);
    quantity::check(object, &mut faults);
    scaling::check(object, &mut faults);
    // What is in the cluster is not known here.
    kinds.check(object, None, &mut faults);
    faults
}

/// API group of an object, empty for the core group.
fn group(object: &Value) -> &str {
    let version = object["apiVersion"].as_str().unwrap_or_default();
    version.split_once('/').map_or("", |(group, _)| group)
}

fn kind(object: &Value) -> &str {
    object["kind"].as_str().unwrap_or_default()
}
