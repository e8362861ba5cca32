//! Kind, name and namespace.

use banlieue_schemas::names::{check_label, check_subdomain};
use serde_json::Value;

use super::{group, kind};
use crate::{
    check::{codes, finding::Fault, kinds::Kinds},
    load::node::Path,
    plan::names::{CLUSTER_MAX, LABEL_MAX, MACHINE_OWNER_MAX},
};

const RBAC: &str = "rbac.authorization.k8s.io";

/// Groups of which every kind is known to be namespaced or not.
const NAMESPACED_GROUPS: [&str; 8] = [
    "",
    "apps",
    "argoproj.io",
    "cluster.x-k8s.io",
    "kustomize.toolkit.fluxcd.io",
    "networking.k8s.io",
    RBAC,
    "source.toolkit.fluxcd.io",
];
const CLUSTER_GROUPS: [&str; 2] = ["admissionregistration.k8s.io", "apiextensions.k8s.io"];
const CLUSTER_KINDS: [&str; 7] = [
    "ClusterRole",
    "ClusterRoleBinding",
    "IngressClass",
    "IPAddress",
    "Namespace",
    "Node",
    "PersistentVolume",
];

pub(super) fn check(kinds: &Kinds, object: &Value, faults: &mut Vec<Fault>) {
    let root = Path::Root;
    for field in ["apiVersion", "kind"] {
        if object[field].as_str().is_none_or(str::is_empty) {
            faults.push(Fault::new(
                &codes::IDENTITY,
                &root,
                format!("has no `{field}`"),
                "add it",
            ));
        }
    }
    let metadata = root.key("metadata");
    match object["metadata"]["name"].as_str() {
        None | Some("") => faults.push(Fault::new(
            &codes::IDENTITY,
            &metadata,
            "has no `name`",
            "add one",
        )),
        Some(name) => {
            let path = metadata.key("name");
            if let Err((reason, hint)) = name_of(object, name) {
                faults.push(Fault::new(&codes::NAME, &path, reason, hint));
            }
            faults.extend(appended(object, name, &path));
        }
    }
    namespace(kinds, object, &metadata, faults);
}

fn name_of(object: &Value, name: &str) -> Result<(), (String, &'static str)> {
    let checked = match (group(object), kind(object)) {
        (RBAC, _) => {
            let accepted = ![".", ".."].contains(&name) && !name.contains(['/', '%']);
            return accepted.then_some(()).ok_or((
                "may not be `.` or `..`, nor hold `/` or `%`".to_owned(),
                "leave these characters out",
            ));
        }
        ("", "Namespace" | "Service") => check_label(name),
        _ => check_subdomain(name),
    };
    let hint = "use lower-case letters, digits and `-`, starting and ending with a letter or digit";
    checked.map_err(|error| (error.to_string(), hint))
}

/// Whether the control plane of a `Cluster` runs as Pods of k0smotron, which name themselves after
/// the `Cluster`.
fn is_hosted(cluster: &Value) -> bool {
    cluster["spec"]["controlPlaneRef"]["kind"] == "K0smotronControlPlane"
}

/// A name that is itself accepted, and becomes too long with what others append.
fn appended(object: &Value, name: &str, path: &Path<'_>) -> Option<Fault> {
    let (max, why) = match (group(object), kind(object)) {
        ("controlplane.cluster.x-k8s.io", kind) if kind.ends_with("ControlPlane") => {
            (MACHINE_OWNER_MAX, MACHINES)
        }
        ("cluster.x-k8s.io", "MachineDeployment" | "MachineSet" | "MachinePool") => {
            (MACHINE_OWNER_MAX, MACHINES)
        }
        ("kustomize.toolkit.fluxcd.io" | "argoproj.io", _) => (
            LABEL_MAX,
            "it becomes a label value of everything that is applied",
        ),
        ("cluster.x-k8s.io", "Cluster") if is_hosted(object) => (
            CLUSTER_MAX,
            "k0smotron makes a StatefulSet `kmc-<name>-etcd`, whose Pods are labelled with its name and a revision",
        ),
        ("cluster.x-k8s.io", "Cluster") => (
            LABEL_MAX,
            "it becomes a label value of everything that is made for the cluster",
        ),
        _ => return None,
    };
    (name.len() > max).then(|| {
        Fault::new(
            &codes::APPENDED_NAME,
            path,
            format!(
                "has {} characters, and at most {max} fit: {why}",
                name.len()
            ),
            "choose a shorter name",
        )
    })
}

const MACHINES: &str =
    "Cluster API appends up to 12 characters to name a machine, and that becomes its host name";

fn namespace(kinds: &Kinds, object: &Value, metadata: &Path<'_>, faults: &mut Vec<Fault>) {
    let namespaced = is_namespaced(kinds, object);
    let mut add = |path: &Path<'_>, message: String, hint: &str| {
        faults.push(Fault::new(&codes::NAMESPACE, path, message, hint));
    };
    match object["metadata"]["namespace"].as_str() {
        None if namespaced == Some(true) => {
            add(metadata, "has no `namespace`".to_owned(), "add one");
        }
        None => {}
        Some(_) if namespaced == Some(false) => add(
            &metadata.key("namespace"),
            format!("is set, and a {} belongs to no namespace", kind(object)),
            "a template of a cluster makes namespaced objects only; apply this one by other means",
        ),
        Some(name) => {
            if let Err(error) = check_label(name) {
                add(
                    &metadata.key("namespace"),
                    error.to_string(),
                    "use lower-case letters, digits and `-`",
                );
            }
        }
    }
}

/// Whether the object lives in a namespace, where its kind is known.
fn is_namespaced(kinds: &Kinds, object: &Value) -> Option<bool> {
    if let Some(kind) = kinds.get(object) {
        return Some(kind.namespaced);
    }
    object["apiVersion"].as_str()?;
    let group = group(object);
    if CLUSTER_GROUPS.contains(&group) {
        return Some(false);
    }
    NAMESPACED_GROUPS
        .contains(&group)
        .then(|| !CLUSTER_KINDS.contains(&kind(object)))
}
