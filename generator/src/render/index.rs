//! Files that are drawn from all the others: a sorted `kustomization.yaml` for each folder that
//! is applied as a whole.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::tree::TreePath;

/// The kustomizations of a tree with these files, by path.
///
/// They are explicit and sorted: neither engine then has to guess which files are meant.
pub fn kustomizations(paths: &[&TreePath]) -> BTreeMap<String, Value> {
    let mut folders: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for path in paths {
        if let Some((root, file)) = split(path.as_str()) {
            folders.entry(root).or_default().insert(file);
        }
    }
    folders
        .into_iter()
        .map(|(folder, resources)| {
            let kustomization = json!({
                "apiVersion": "kustomize.config.k8s.io/v1beta1",
                "kind": "Kustomization",
                "resources": resources,
            });
            (format!("{folder}/kustomization.yaml"), kustomization)
        })
        .collect()
}

/// The folder that is applied as a whole, and the rest of the path. None for a file that is not
/// applied.
fn split(path: &str) -> Option<(&str, &str)> {
    let file = path.rsplit('/').next()?;
    if file == "kustomization.yaml" || file.rsplit_once('.')?.1 != "yaml" {
        return None;
    }
    let depth = match path.split('/').next()? {
        "infrastructure" | "virtualmachines" => 2,
        "clusters" => 3,
        "flux" | "argocd" => 1,
        _ => return None,
    };
    let (end, _) = path.match_indices('/').nth(depth - 1)?;
    Some((&path[..end], &path[end + 1..]))
}
