//! A real API server and Flux's own apply engine take what the generator renders: from empty, in
//! the generated order, with strict field validation, without a manual step and without drift.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;
use std::path::Path;

use banlieue_tests::apiserver::ApiServer;
use banlieue_tests::cluster_api::Engine;
use banlieue_tests::flux::{Change, Kustomization};
use banlieue_tests::tools::checkout;
use banlieue_tests::{cluster_api, tree};
use serde_json::Value;
use tempfile::TempDir;

/// Groups and versions of what is rendered that no CRD defines.
const BUILT_IN: [&str; 8] = [
    "admissionregistration.k8s.io/v1",
    "apiextensions.k8s.io/v1",
    "apps/v1",
    "networking.k8s.io/v1",
    "policy/v1",
    "rbac.authorization.k8s.io/v1",
    "scheduling.k8s.io/v1",
    "v1",
];

/// An API server with what a management cluster has before banlieue comes: Cluster API and the
/// engine that delivers.
fn management_cluster(engine: Engine) -> ApiServer {
    let api = ApiServer::start().unwrap();
    cluster_api::install(&api, &[engine]).unwrap();
    api.kubectl(&["create", "namespace", engine.namespace()])
        .unwrap();
    api
}

fn render(arguments: &[&str]) -> TempDir {
    let root = TempDir::new().unwrap();
    tree::render(arguments, root.path()).unwrap();
    root
}

fn fleet(path: &str) -> String {
    checkout().join(path).to_string_lossy().into_owned()
}

/// The entry of the entries, which Flux follows once it was applied.
fn entries() -> Kustomization {
    Kustomization {
        wait: false,
        ..Kustomization::new("entries", "flux")
    }
}

/// Applies every stage and answers what became of each object, by stage.
fn deliver(api: &ApiServer, root: &Path) -> BTreeMap<String, Vec<Change>> {
    entries().apply(api, root).unwrap();
    let stages = tree::stages(root).unwrap();
    assert!(stages.len() >= 6, "{stages:?}");
    stages
        .iter()
        .map(|stage| {
            let changes = stage.apply(api, root);
            (
                stage.name.clone(),
                changes.unwrap_or_else(|error| panic!("{}: {error:?}", stage.name)),
            )
        })
        .collect()
}

fn deleted(changes: &[Change]) -> Vec<&str> {
    let deleted = changes.iter().filter(|it| it.action == "deleted");
    deleted.map(|it| it.id.as_str()).collect()
}

fn assert_all(changes: &BTreeMap<String, Vec<Change>>, action: &str) {
    for (stage, changes) in changes {
        for change in changes {
            assert_eq!(change.action, action, "{stage}: {}", change.id);
        }
    }
}

/// The rendered and the served form of every object, by its path in the tree.
fn read_back(api: &ApiServer, root: &Path) -> BTreeMap<String, (Value, Value)> {
    let rendered = tree::objects(root).unwrap();
    let stream: String = rendered
        .values()
        .map(|object| format!("{object}\n---\n"))
        .collect();
    let answer = api
        .kubectl_with_input(&["get", "-f", "-", "-o", "json"], &stream)
        .unwrap();
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let served = answer["items"].as_array().unwrap().clone();
    assert_eq!(served.len(), rendered.len());
    rendered
        .into_iter()
        .zip(served)
        .map(|((path, object), served)| (path, (object, served)))
        .collect()
}

fn versions(objects: &BTreeMap<String, (Value, Value)>) -> BTreeMap<&String, &Value> {
    objects
        .iter()
        .map(|(path, (_, served))| (path, &served["metadata"]["resourceVersion"]))
        .collect()
}

/// Everything rendered is served as it was rendered.
fn assert_contains(served: &Value, rendered: &Value, at: &str) {
    match rendered {
        Value::Object(fields) => {
            for (key, value) in fields {
                let found = served.get(key);
                assert!(found.is_some(), "{at}.{key} was dropped");
                assert_contains(found.unwrap(), value, &format!("{at}.{key}"));
            }
        }
        Value::Array(items) => {
            assert_eq!(served.as_array().map(Vec::len), Some(items.len()), "{at}");
            for (index, item) in items.iter().enumerate() {
                assert_contains(&served[index], item, &format!("{at}[{index}]"));
            }
        }
        _ => assert_eq!(served, rendered, "{at}"),
    }
}

/// `apiVersion` and `kind`.
type KindId = (String, String);

fn kind_of(object: &Value) -> KindId {
    let text = |key: &str| object[key].as_str().unwrap().to_owned();
    (text("apiVersion"), text("kind"))
}

/// The schema of every kind that is defined on the server, ours and those of other projects.
fn schemas(api: &ApiServer) -> BTreeMap<KindId, Value> {
    let crds = api.kubectl(&["get", "crds", "-o", "json"]).unwrap();
    let crds: Value = serde_json::from_str(&crds).unwrap();
    let mut schemas = BTreeMap::new();
    for crd in crds["items"].as_array().unwrap() {
        let spec = &crd["spec"];
        let group = spec["group"].as_str().unwrap();
        let kind = spec["names"]["kind"].as_str().unwrap();
        for version in spec["versions"].as_array().unwrap() {
            let name = version["name"].as_str().unwrap();
            let schema = version["schema"]["openAPIV3Schema"].clone();
            schemas.insert((format!("{group}/{name}"), kind.to_owned()), schema);
        }
    }
    schemas
}

/// An object without what a server and controllers write.
fn written(object: &Value) -> Value {
    let mut object = object.clone();
    let fields = object.as_object_mut().unwrap();
    fields.remove("metadata");
    fields.remove("status");
    object
}

/// Everything rendered is served; beside it are only the defaults that the schema of its kind
/// declares. The kinds that are built into the API server declare none that can be asked for.
fn assert_read_back(api: &ApiServer, objects: &BTreeMap<String, (Value, Value)>) {
    let schemas = schemas(api);
    let mut built_in = BTreeSet::new();
    for (path, (rendered, served)) in objects {
        assert_contains(served, rendered, path);
        let Some(schema) = schemas.get(&kind_of(rendered)) else {
            built_in.insert(kind_of(rendered).0);
            continue;
        };
        let expected = kube_cel::apply_defaults(schema, rendered);
        assert_eq!(written(served), written(&expected), "{path}");
    }
    let strange: Vec<_> = built_in
        .iter()
        .filter(|v| !BUILT_IN.contains(&v.as_str()))
        .collect();
    assert!(strange.is_empty(), "no schema is known of {strange:?}");
}

fn takes_the_tree(arguments: &[&str]) {
    let root = render(arguments);
    let api = management_cluster(Engine::Flux);
    assert_all(&deliver(&api, root.path()), "created");
    let first = read_back(&api, root.path());
    assert!(first.len() > 60, "{}", first.len());

    assert_read_back(&api, &first);

    assert_all(&deliver(&api, root.path()), "unchanged");
    let second = read_back(&api, root.path());
    assert_eq!(
        versions(&first),
        versions(&second),
        "applying again wrote something"
    );
}

#[test]
fn platinum_applies_from_empty_without_drift() {
    takes_the_tree(&["tier=platinum"]);
}

#[test]
fn gold_applies_from_empty_without_drift() {
    takes_the_tree(&["tier=gold"]);
}

#[test]
fn silver_applies_from_empty_without_drift() {
    takes_the_tree(&["tier=silver"]);
}

#[test]
fn bronze_applies_from_empty_without_drift() {
    takes_the_tree(&["tier=bronze"]);
}

#[test]
fn edge_on_libvirt_applies_from_empty_without_drift() {
    takes_the_tree(&["tier=edge"]);
}

#[test]
fn the_starter_applies_from_empty_without_drift() {
    takes_the_tree(&["-f", &fleet("examples/starter/fleet.yaml")]);
}

#[test]
fn the_whole_example_applies_and_a_removed_cluster_goes_as_planned() {
    let root = render(&[]);
    let api = management_cluster(Engine::Flux);
    assert_all(&deliver(&api, root.path()), "created");
    let before = tree::stages(root.path()).unwrap();

    let layer = root.path().with_extension("layer.yaml");
    std::fs::write(
        &layer,
        "apiVersion: gen.banlieue.io/v1alpha1\nkind: Fleet\nclusters: {payments: null}\n",
    )
    .unwrap();
    let layer_name = layer.to_string_lossy();
    tree::render(
        &["-f", &fleet("examples/fleet/fleet.yaml"), "-f", &layer_name],
        root.path(),
    )
    .unwrap();
    std::fs::remove_file(&layer).unwrap();

    let after = tree::stages(root.path()).unwrap();
    let names = |stages: &[Kustomization]| {
        stages
            .iter()
            .map(|s| s.name.clone())
            .collect::<BTreeSet<_>>()
    };
    let gone: Vec<_> = names(&before).difference(&names(&after)).cloned().collect();
    assert_eq!(gone, ["example-cluster-payments"]);
    let changes = entries().apply(&api, root.path()).unwrap();
    assert_eq!(
        deleted(&changes),
        ["Kustomization/flux-system/example-cluster-payments"]
    );

    // Flux deletes what an entry had applied, as the entry itself is deleted.
    let removed = before.iter().find(|stage| stage.name == gone[0]).unwrap();
    let empty = TempDir::new().unwrap();
    let folder = empty.path().join(&removed.path);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(
        folder.join("kustomization.yaml"),
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: []\n",
    )
    .unwrap();
    let changes = removed.apply(&api, empty.path()).unwrap();
    assert_eq!(deleted(&changes), ["Cluster/fleet/payments"]);
    let kept = changes.iter().filter(|c| c.action == "skipped").count();
    assert_eq!(kept, changes.len() - 1, "{changes:?}");
    assert!(kept >= 10, "{changes:?}");
}

#[test]
fn layers_apply_from_empty_without_drift() {
    takes_the_tree(&["-f", &fleet("examples/layers")]);
}

/// The example at the edge is delivered by Argo CD: wave by wave, and every entry is taken.
#[test]
fn the_edge_example_applies_in_argo_cds_waves() {
    let root = render(&["-f", &fleet("examples/edge/fleet.yaml")]);
    let api = management_cluster(Engine::ArgoCd);
    let entries = Kustomization {
        wait: false,
        ..Kustomization::new("entries", "argocd")
    };
    let applications = tree::objects(&root.path().join("argocd")).unwrap();
    let mut waves: Vec<(i32, String)> = applications
        .values()
        // The application of the applications has no wave of its own.
        .filter(|object| object["kind"] == "Application" && object["metadata"]["name"] != "edge")
        .map(|object| {
            let annotations = &object["metadata"]["annotations"];
            let wave = annotations["argocd.argoproj.io/sync-wave"]
                .as_str()
                .unwrap();
            let path = object["spec"]["source"]["path"].as_str().unwrap();
            (
                wave.parse().unwrap(),
                path.trim_start_matches("fleets/edge/").to_owned(),
            )
        })
        .collect();
    waves.sort();
    assert_eq!(waves.len(), 9, "{waves:?}");
    let deliver = |action: &str| {
        let stages = waves
            .iter()
            .enumerate()
            .map(|(index, (_, path))| Kustomization {
                wait: index == 0,
                ..Kustomization::new(&format!("wave-{index}"), path)
            });
        for stage in iter::once(entries.clone()).chain(stages) {
            let changes = stage.apply(&api, root.path()).unwrap();
            assert!(
                changes.iter().all(|change| change.action == action),
                "{changes:?}"
            );
        }
        read_back(&api, root.path())
    };
    let first = deliver("created");
    assert_read_back(&api, &first);
    let second = deliver("unchanged");
    assert_eq!(
        versions(&first),
        versions(&second),
        "applying again wrote something"
    );
}

/// Without an engine: `kubectl` takes the stream in the two steps that the help names, since it does
/// not wait for a definition before it looks its objects up.
#[test]
fn kubectl_takes_the_stream_in_two_steps() {
    let api = management_cluster(Engine::Flux);
    let apply = |arguments: &[&str]| {
        let stream = tree::stream(arguments).unwrap();
        let command = ["apply", "--server-side", "--validate=strict", "-f", "-"];
        api.kubectl_with_input(&command, &stream).unwrap()
    };
    apply(&["--stage", "crds"]);
    api.kubectl(&[
        "wait",
        "--for=condition=Established",
        "crds",
        "--all",
        "--timeout=60s",
    ])
    .unwrap();
    let answer = apply(&[]);
    assert!(answer.lines().count() > 100, "{answer}");
    assert!(
        answer.contains("cluster.cluster.x-k8s.io/payments serverside-applied"),
        "{answer}"
    );
    let explained = api
        .kubectl(&["explain", "provider.spec.connection.endpoint"])
        .unwrap();
    assert!(explained.contains("URL of the backend"), "{explained}");
    let listed = api
        .kubectl(&["get", "prov,vmc,vsmt,banlieue", "-A"])
        .unwrap();
    assert!(
        listed.contains("CLASS") && listed.contains("MEMORY"),
        "{listed}"
    );
}

/// Flux waits for kinds that end in `Class` before anything else of the same entry. A class that
/// is not ready must not keep away the new workload that would make it ready.
#[test]
fn a_provider_class_that_is_not_ready_does_not_block_a_fix_of_the_operator() {
    let root = render(&["tier=platinum"]);
    let api = management_cluster(Engine::Flux);
    deliver(&api, root.path());
    let status = r#"{"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"False",
        "reason":"Test","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}"#;
    let patch = [
        "patch",
        "providerclass",
        "vsphere",
        "--subresource=status",
        "--type=merge",
        "-p",
        status,
    ];
    api.kubectl(&patch).unwrap();

    let layer = TempDir::new().unwrap();
    let file = layer.path().join("fix.yaml");
    std::fs::write(
        &file,
        "apiVersion: gen.banlieue.io/v1alpha1\nkind: Fleet\nplatform: {image: {repository: registry.example.com/banlieue, tag: v9}}\n",
    )
    .unwrap();
    let example = fleet("examples/fleet/fleet.yaml");
    tree::render(
        &[
            "-f",
            &example,
            "-f",
            &file.to_string_lossy(),
            "tier=platinum",
        ],
        root.path(),
    )
    .unwrap();
    let stages = tree::stages(root.path()).unwrap();
    let system = stages
        .iter()
        .position(|stage| stage.name == "example-system")
        .unwrap();
    assert!(
        stages[system + 1..]
            .iter()
            .any(|stage| stage.name == "example-classes")
    );
    let changes = stages[system].apply(&api, root.path()).unwrap();
    let configured: Vec<&str> = changes
        .iter()
        .filter(|change| change.action == "configured")
        .map(|change| change.id.as_str())
        .collect();
    assert!(
        configured.contains(&"Deployment/banlieue-system/banlieue-operator"),
        "{configured:?}"
    );
}
