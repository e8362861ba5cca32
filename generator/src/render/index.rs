//! Files that are drawn from all the others: a sorted `kustomization.yaml` for each folder that
//! is applied as a whole.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::tree::TreePath;

/// The kustomizations of a tree with these files, by path.
///
/// They are explicit and sorted: neither engine then has to guess which files are meant.
pub fn kustomizations(paths: &[&TreePath]) -> BTreeMap<String, Value> {
    let mut files: Vec<(&str, &str)> = paths
        .iter()
        .filter_map(|path| split(path.as_str()))
        .collect();
    files.sort_unstable();
    files.dedup();
    files
        .chunk_by(|(one, _), (other, _)| one == other)
        .filter_map(|of_one| {
            let (folder, _) = of_one.first()?;
            let resources: Vec<&str> = of_one.iter().map(|(_, file)| *file).collect();
            let kustomization = json!({
                "apiVersion": "kustomize.config.k8s.io/v1beta1",
                "kind": "Kustomization",
                "resources": resources,
            });
            Some((format!("{folder}/kustomization.yaml"), kustomization))
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
