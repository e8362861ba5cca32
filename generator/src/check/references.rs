//! References from one rendered object to another.

use banlieue_schemas::{INFRASTRUCTURE_GROUP, PLATFORM_GROUP, capi, manifests::object::ObjectId};
use serde_json::Value;

use super::{codes, finding::Fault};
use crate::{load::node::Path, render::Object};

/// Where objects of some kinds refer to another.
struct Rule {
    group: &'static str,
    /// End of the kind: one row serves the kinds of all backends.
    kind: &'static str,
    /// Fields from the top of the object to a reference, a list of references, or a name.
    path: &'static [&'static str],
    target: Target,
}

/// What is referred to.
#[derive(Clone, Copy)]
enum Target {
    /// A cluster-scoped object of our platform group.
    Platform(&'static str),
    /// An object of the same namespace.
    Here(&'static str, &'static str),
    /// The reference says what it refers to.
    Written,
}

const fn rule(
    group: &'static str,
    kind: &'static str,
    path: &'static [&'static str],
    target: Target,
) -> Rule {
    Rule {
        group,
        kind,
        path,
        target,
    }
}

const CONTROL_PLANE_GROUP: &str = "controlplane.cluster.x-k8s.io";
const CLUSTER: Target = Target::Here(capi::GROUP, "Cluster");

const RULES: &[Rule] = &[
    rule(
        PLATFORM_GROUP,
        "Provider",
        &["spec", "providerClassRef"],
        Target::Platform("ProviderClass"),
    ),
    rule(
        PLATFORM_GROUP,
        "VirtualMachine",
        &["spec", "classRef"],
        Target::Platform("VMClass"),
    ),
    rule(
        PLATFORM_GROUP,
        "VirtualMachine",
        &["spec", "imageRef"],
        Target::Platform("VMImage"),
    ),
    rule(
        INFRASTRUCTURE_GROUP,
        "Cluster",
        &["spec", "providerRefs"],
        Target::Here(PLATFORM_GROUP, "Provider"),
    ),
    rule(
        INFRASTRUCTURE_GROUP,
        "Machine",
        &["spec", "imageRef"],
        Target::Platform("VMImage"),
    ),
    rule(
        INFRASTRUCTURE_GROUP,
        "MachineTemplate",
        &["spec", "template", "spec", "imageRef"],
        Target::Platform("VMImage"),
    ),
    rule(
        capi::GROUP,
        "Cluster",
        &["spec", "infrastructureRef"],
        Target::Written,
    ),
    rule(
        capi::GROUP,
        "Cluster",
        &["spec", "controlPlaneRef"],
        Target::Written,
    ),
    rule(
        capi::GROUP,
        "MachineDeployment",
        &["spec", "clusterName"],
        CLUSTER,
    ),
    rule(
        capi::GROUP,
        "MachineDeployment",
        &["spec", "template", "spec", "infrastructureRef"],
        Target::Written,
    ),
    rule(
        capi::GROUP,
        "MachineDeployment",
        &["spec", "template", "spec", "bootstrap", "configRef"],
        Target::Written,
    ),
    rule(
        capi::GROUP,
        "MachineHealthCheck",
        &["spec", "clusterName"],
        CLUSTER,
    ),
    rule(
        CONTROL_PLANE_GROUP,
        "ControlPlane",
        &["spec", "machineTemplate", "infrastructureRef"],
        Target::Written,
    ),
    rule(
        CONTROL_PLANE_GROUP,
        "ControlPlane",
        &["spec", "machineTemplate", "spec", "infrastructureRef"],
        Target::Written,
    ),
];

/// A reference, and the fault that it is if its target does not exist.
#[derive(Clone, Debug)]
pub struct Reference {
    /// What must exist.
    pub target: ObjectId,
    /// What to report otherwise.
    pub fault: Fault,
}

/// All references of an object.
pub fn of(object: &Object) -> Vec<Reference> {
    let rules = RULES
        .iter()
        .filter(|rule| rule.group == object.id.group && object.id.kind.ends_with(rule.kind));
    let mut found = Vec::new();
    for rule in rules {
        let value = rule
            .path
            .iter()
            .try_fold(&object.value, |value, key| value.get(key));
        let mut place: Vec<String> = rule.path.iter().map(|&key| key.to_owned()).collect();
        match value {
            Some(Value::Array(references)) => {
                for (index, reference) in references.iter().enumerate() {
                    place = [&place[..rule.path.len()], &[index.to_string()]].concat();
                    found.extend(resolve(object, rule.target, reference, &place));
                }
            }
            Some(reference) => found.extend(resolve(object, rule.target, reference, &place)),
            None => {}
        }
    }
    found
}

fn resolve(
    object: &Object,
    target: Target,
    reference: &Value,
    place: &[String],
) -> Option<Reference> {
    let text = |key: &str| reference.get(key).and_then(Value::as_str);
    let name = reference.as_str().or_else(|| text("name"))?.to_owned();
    let namespace = text("namespace")
        .map(str::to_owned)
        .or_else(|| object.id.namespace.clone());
    let (group, kind, namespace) = match target {
        Target::Platform(kind) => (PLATFORM_GROUP, kind, None),
        Target::Here(group, kind) => (group, kind, namespace),
        Target::Written => {
            let version =
                text("apiVersion").map(|v| v.split_once('/').map_or("", |(group, _)| group));
            (text("apiGroup").or(version)?, text("kind")?, namespace)
        }
    };
    let target = ObjectId {
        group: group.to_owned(),
        kind: kind.to_owned(),
        namespace,
        name,
    };
    let mut fault = Fault::new(
        &codes::DANGLING,
        &Path::Root,
        format!("refers to {target}, which is rendered nowhere"),
        "correct the name, or add what it refers to",
    );
    fault.path = place.to_vec();
    Some(Reference { target, fault })
}
