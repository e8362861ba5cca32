//! The program on a real cluster: it installs itself, and its operator runs provider processes, all
//! under the identities and with the rights that were rendered.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod quiet;
mod register;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use banlieue_tests::cluster::{Cluster, Options};
use banlieue_tests::node_agent;
use kube::core::DynamicObject;
use kube::{Api, Client};

/// Registry of the image that the node takes for our program.
const REGISTRY: &str = "registry.example.com/tests";

fn program() -> PathBuf {
    env!("CARGO_BIN_EXE_banlieue").into()
}

/// A cluster whose node can run us; nothing is installed.
async fn cluster() -> Cluster {
    let node = node_agent::Options::default().image("banlieue", program());
    Cluster::start(Options {
        node: Some(node),
        ..Options::default()
    })
    .await
    .unwrap()
}

/// Installs the platform, and returns what is said.
fn install(cluster: &Cluster) -> String {
    let output = Command::new(program())
        .args(["bootstrap", "operator", "--registry", REGISTRY])
        .arg("--kubeconfig")
        .arg(cluster.api().kubeconfig())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    String::from_utf8(output.stdout).unwrap()
}

/// Resource versions of all objects of these kinds with the label, by kind, namespace and name.
async fn versions(
    client: &Client,
    kinds: &[(&str, &str, &str)],
    label: &str,
) -> BTreeMap<String, String> {
    let mut versions = BTreeMap::new();
    for (group, version, kind) in kinds {
        let kind = kube::core::GroupVersionKind::gvk(group, version, kind);
        let resource = kube::api::ApiResource::from_gvk(&kind);
        let objects: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
        let labelled = kube::api::ListParams::default().labels(label);
        for object in objects.list(&labelled).await.unwrap() {
            let meta = object.metadata;
            let name = [meta.namespace.unwrap_or_default(), meta.name.unwrap()].join("/");
            let key = format!("{} {name}", kind.kind);
            versions.insert(key, meta.resource_version.unwrap());
        }
    }
    versions
}
