//! The CustomResourceDefinitions of every kind.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt;
use serde_json::Value;

use crate::infrastructure::{
    LibvirtCluster, LibvirtClusterTemplate, LibvirtMachine, LibvirtMachineTemplate, SimCluster,
    SimClusterTemplate, SimMachine, SimMachineTemplate, VSphereCluster, VSphereClusterTemplate,
    VSphereMachine, VSphereMachineTemplate,
};
use crate::platform::{Provider, ProviderClass, VirtualMachine, VmClass, VmImage};

use super::object::{PRUNE_DISABLED, SUBSTITUTE_DISABLED, labels, strings};

const RENDERED: &str = include_str!("../../crds.json");

/// [`all`] in their rendered form, read from the checked-in file, which takes a thirtieth of the
/// time of making them. A test holds the two together.
pub fn rendered() -> Result<Vec<Value>, serde_json::Error> {
    serde_json::from_str(RENDERED)
}

/// Every CRD, in a fixed order, ready to be applied.
pub fn all() -> Vec<CustomResourceDefinition> {
    [
        Provider::crd,
        ProviderClass::crd,
        VirtualMachine::crd,
        VmClass::crd,
        VmImage::crd,
        LibvirtCluster::crd,
        LibvirtClusterTemplate::crd,
        LibvirtMachine::crd,
        LibvirtMachineTemplate::crd,
        SimCluster::crd,
        SimClusterTemplate::crd,
        SimMachine::crd,
        SimMachineTemplate::crd,
        VSphereCluster::crd,
        VSphereClusterTemplate::crd,
        VSphereMachine::crd,
        VSphereMachineTemplate::crd,
    ]
    .into_iter()
    .map(|crd| finish(crd()))
    .collect()
}

/// Adds what every CRD of ours carries to what the derive macro made; keeps other labels, such as
/// that of the Cluster API contract.
///
/// A CRD that vanishes from git stays, since its objects would go with it. Descriptions that show
/// `${NAME}` keep Flux's substitution away.
fn finish(mut crd: CustomResourceDefinition) -> CustomResourceDefinition {
    // Servers drop `false` here, which then shows as drift.
    crd.spec.preserve_unknown_fields = None;
    crd.status = None;
    let substitutes = mentions_a_variable(&crd);
    let metadata = &mut crd.metadata;
    metadata.labels.get_or_insert_default().extend(labels(None));
    let annotations = metadata.annotations.get_or_insert_default();
    annotations.extend(strings(PRUNE_DISABLED));
    if substitutes {
        annotations.extend(strings([SUBSTITUTE_DISABLED]));
    }
    crd
}

fn mentions_a_variable(crd: &CustomResourceDefinition) -> bool {
    // What cannot be serialised fails where it is rendered, with the error at hand.
    serde_json::to_string(crd).is_ok_and(|text| text.contains("${"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use kube::CustomResource;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};
    use serde_json::{Value, json};

    use super::*;
    use crate::manifests::object;

    #[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
    #[kube(
        group = "infrastructure.banlieue.io",
        version = "v1alpha1",
        kind = "Dummy",
        label("cluster.x-k8s.io/v1beta2", "v1alpha1")
    )]
    struct DummySpec {
        #[schemars(range(min = 1, max = 4_194_304))]
        size: u32,
    }

    fn rendered(crd: CustomResourceDefinition) -> Value {
        object::to_value(&finish(crd)).unwrap()
    }

    #[test]
    fn a_crd_is_never_pruned_and_keeps_its_contract_label() {
        let crd = rendered(Dummy::crd());
        assert_eq!(
            crd["metadata"],
            json!({
                "name": "dummies.infrastructure.banlieue.io",
                "labels": { "app.kubernetes.io/name": "banlieue", "cluster.x-k8s.io/v1beta2": "v1alpha1" },
                "annotations": {
                    "argocd.argoproj.io/sync-options": "Prune=false",
                    "kustomize.toolkit.fluxcd.io/prune": "disabled",
                },
            })
        );
    }

    #[test]
    fn a_crd_holds_nothing_that_a_server_drops_or_rewrites() {
        let mut crd = Dummy::crd();
        crd.spec.preserve_unknown_fields = Some(false);
        let crd = rendered(crd);
        assert!(crd.get("status").is_none());
        assert!(crd["spec"].get("preserveUnknownFields").is_none());
        let size = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
            ["size"];
        assert!(
            size["minimum"].is_i64() && size["maximum"].is_i64(),
            "{size}"
        );
    }

    #[test]
    fn flux_leaves_a_description_with_a_variable_alone() {
        let mut crd = Dummy::crd();
        let schema = crd.spec.versions[0].schema.as_mut().unwrap();
        schema.open_api_v3_schema.as_mut().unwrap().description = Some("fills ${VM_NAME}".into());
        let crd = rendered(crd);
        let annotations = &crd["metadata"]["annotations"];
        assert_eq!(
            annotations["kustomize.toolkit.fluxcd.io/substitute"],
            "disabled"
        );
    }
}
