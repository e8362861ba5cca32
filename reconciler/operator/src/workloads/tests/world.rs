//! An API server with just enough behind it, and what the operator asked of it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use banlieue_kit::cache::Cache;
use banlieue_kit::events::Events;
use banlieue_kit::fake::{Answer, Call, Fake};
use banlieue_kit::runner::{Next, Reconciler};
use banlieue_kit::{Client, Kind, Timestamp};
use banlieue_schemas::manifests::Settings;
use banlieue_schemas::platform::Provider;
use serde_json::{Value, json};

use crate::cluster_roles::ClusterRoles;
use crate::workloads::{Caches, FINALIZER, WorkloadError, Workloads};

/// When every reconcile is.
pub const NOW: &str = "2026-01-01T00:00:10Z";

/// Objects by path.
type Store = BTreeMap<String, Value>;

pub struct World {
    store: Arc<Mutex<Store>>,
    fake: Fake,
    told: usize,
}

impl World {
    /// Provider `prod/a` of class `sim`, which exists.
    pub fn new() -> Self {
        let store: Arc<Mutex<Store>> = Arc::default();
        let served = Arc::clone(&store);
        let fake = Fake::new(move |call| serve(&mut served.lock().unwrap(), call));
        let world = Self {
            store,
            fake,
            told: 0,
        };
        world.put(class("sim", "v1"));
        world.put(json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
            "metadata": { "name": "banlieue-provider-vsphere" },
        }));
        world.put(json!({
            "apiVersion": "banlieue.io/v1alpha1", "kind": "Provider",
            "metadata": { "name": "a", "namespace": "prod", "generation": 1 },
            "spec": {
                "providerClassRef": { "name": "sim" },
                "connection": { "endpoint": "sim://local", "credentialsRef": { "name": "login" } },
            },
        }));
        world
    }

    /// A world in which the process of the Provider runs.
    pub async fn registered() -> Self {
        let mut world = Self::new();
        world.reconcile().await.unwrap();
        world.edit(DEPLOYMENT, |deployment| {
            deployment["status"] = json!({ "readyReplicas": 1 });
        });
        world.reconcile().await.unwrap();
        world.news();
        world
    }

    pub fn put(&self, mut object: Value) {
        let path = path_of(&object);
        object["metadata"]["uid"] = uid_of(&object).into();
        object["metadata"]["resourceVersion"] = "1".into();
        self.store.lock().unwrap().insert(path, object);
    }

    pub fn edit(&self, path: &str, change: impl FnOnce(&mut Value)) {
        change(self.store.lock().unwrap().get_mut(path).unwrap());
    }

    pub fn drop(&self, path: &str) {
        self.store.lock().unwrap().remove(path).unwrap();
    }

    pub fn get(&self, path: &str) -> Option<Value> {
        self.store.lock().unwrap().get(path).cloned()
    }

    /// `kubectl delete`, for the Provider.
    pub fn delete_provider(&self) {
        self.edit(PROVIDER, |provider| {
            provider["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
        });
    }

    /// The namespace is being deleted: what is in it and has no finalizer is gone.
    pub fn delete_namespace(&self) {
        self.delete_provider();
        let mut store = self.store.lock().unwrap();
        store.retain(|path, object| {
            !path.contains("/namespaces/prod/") || object["metadata"]["finalizers"].is_array()
        });
        store.insert(TERMINATING.to_owned(), json!({ "metadata": {} }));
    }

    /// One reconcile, by caches that have heard everything.
    pub async fn reconcile(&self) -> Result<Next, WorkloadError> {
        let provider = self.cached::<Provider>().get(Some("prod"), "a").unwrap();
        let now = NOW.parse::<Timestamp>().unwrap();
        self.reconciler().reconcile(provider, now).await
    }

    pub fn reconciler(&self) -> Workloads {
        let client: Client = self.fake.client();
        Workloads {
            events: Events::new(client.clone(), "banlieue-operator", "pod"),
            client,
            settings: Settings::default(),
            caches: Caches {
                providers: self.cached(),
                classes: self.cached(),
                service_accounts: self.cached(),
                leases: self.cached(),
                roles: self.cached(),
                role_bindings: self.cached(),
                cluster_role_bindings: self.cached(),
                deployments: self.cached(),
                cluster_roles: ClusterRoles::new([self.cached()]),
            },
        }
    }

    fn cached<K: Kind>(&self) -> Cache<K> {
        let store = self.store.lock().unwrap();
        let objects = store
            .values()
            .filter(|object| object["kind"] == K::kind(&()).as_ref());
        Cache::of(objects.map(|object| serde_json::from_value(object.clone()).unwrap()))
    }

    /// What was asked since the last call, one line each.
    pub fn news(&mut self) -> Vec<String> {
        let calls = self.fake.calls();
        let news = calls[self.told..].iter().map(said).collect();
        self.told = calls.len();
        news
    }

    /// Bodies of all writes of the Provider's status.
    pub fn statuses(&self) -> Vec<Value> {
        let calls = self.fake.calls().into_iter();
        let calls = calls.filter(|call| call.path == format!("{PROVIDER}/status"));
        calls.map(|call| call.body["status"].clone()).collect()
    }
}

pub const PROVIDER: &str = "/apis/banlieue.io/v1alpha1/namespaces/prod/providers/a";
pub const DEPLOYMENT: &str = "/apis/apps/v1/namespaces/prod/deployments/banlieue-provider-sim-a";
const TERMINATING: &str = "prod is being deleted";

pub fn class(name: &str, tag: &str) -> Value {
    json!({
        "apiVersion": "banlieue.io/v1alpha1", "kind": "ProviderClass",
        "metadata": { "name": name },
        "spec": { "backend": "vsphere", "image": { "repository": "r/banlieue", "tag": tag } },
    })
}

pub fn machine() -> Value {
    json!({
        "apiVersion": "infrastructure.banlieue.io/v1alpha1", "kind": "SimMachine",
        "metadata": {
            "name": "vm", "namespace": "prod", "labels": { "banlieue.io/provider": "a" },
            "finalizers": ["banlieue.io/simmachine"],
        },
    })
}

fn uid_of(object: &Value) -> String {
    let name = object["metadata"]["name"].as_str().unwrap();
    format!("uid-{name}")
}

fn path_of(object: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let plural = match object["kind"].as_str().unwrap() {
        "ProviderClass" => "providerclasses".to_owned(),
        kind => format!("{}s", kind.to_lowercase()),
    };
    let namespace = object["metadata"]["namespace"].as_str();
    let namespace = namespace.map_or_else(String::new, |name| format!("namespaces/{name}/"));
    let (version, name) = (
        text(&object["apiVersion"]),
        text(&object["metadata"]["name"]),
    );
    format!("/apis/{version}/{namespace}{plural}/{name}")
}

fn serve(store: &mut Store, call: &Call) -> Answer {
    match call.method.as_str() {
        "GET" => list(store, call),
        "POST" => Answer::ok(call.body.clone()),
        "DELETE" => match store.remove(&call.path) {
            Some(object) => Answer::ok(object),
            None => Answer::refusal(404, "NotFound"),
        },
        _ if call.content_type == "application/json-patch+json" => {
            let object = store.get_mut(&call.path).unwrap();
            // Tests of what is absent: the API server takes it for null.
            let metadata = object["metadata"].as_object_mut().unwrap();
            metadata.entry("finalizers").or_insert(Value::Null);
            let patch: json_patch::Patch = serde_json::from_value(call.body.clone()).unwrap();
            if json_patch::patch(object, &patch).is_err() {
                return Answer::refusal(422, "Invalid");
            }
            Answer::ok(object.clone())
        }
        _ => apply(store, call),
    }
}

fn apply(store: &mut Store, call: &Call) -> Answer {
    if let Some(path) = call.path.strip_suffix("/status") {
        let object = store.get_mut(path).unwrap();
        object["status"] = call.body["status"].clone();
        return Answer::ok(object.clone());
    }
    let going = store.contains_key(TERMINATING) && call.path.contains("/namespaces/prod/");
    let mut object = call.body.clone();
    match store.get(&call.path) {
        Some(live) => object["status"] = live["status"].clone(),
        None if going => return terminating(),
        None => {}
    }
    object["metadata"]["uid"] = uid_of(&object).into();
    object["metadata"]["resourceVersion"] = "2".into();
    store.insert(call.path.clone(), object.clone());
    Answer::ok(object)
}

fn terminating() -> Answer {
    let body = json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure",
        "code": 403, "reason": "Forbidden", "message": "being terminated",
        "details": { "causes": [{ "reason": "NamespaceTerminating", "message": "" }] },
    });
    Answer::Json(403, body)
}

/// Objects of a kind, with all labels of the selector, in one or all namespaces.
fn list(store: &Store, call: &Call) -> Answer {
    let (before, plural) = call.path.rsplit_once('/').unwrap();
    let query = call
        .query
        .replace("%3D", "=")
        .replace("%2F", "/")
        .replace("%2C", ",");
    let selector = query
        .split('&')
        .find_map(|part| part.strip_prefix("labelSelector="));
    let carries = |object: &Value| {
        let mut wanted = selector
            .unwrap()
            .split(',')
            .map(|one| one.split_once('=').unwrap());
        wanted.all(|(key, value)| object["metadata"]["labels"][key] == value)
    };
    let of_kind = store
        .iter()
        .filter(|(path, _)| path.starts_with(before) && path.rsplit('/').nth(1) == Some(plural));
    let items: Vec<Value> = of_kind
        .filter(|(_, object)| carries(object))
        .map(|(_, object)| json!({ "metadata": object["metadata"] }))
        .collect();
    Answer::ok(json!({
        "kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1",
        "metadata": {}, "items": items,
    }))
}

/// A request in a few words.
fn said(call: &Call) -> String {
    let path: Vec<&str> = call
        .path
        .split('/')
        .skip_while(|part| *part != "v1" && *part != "v1alpha1")
        .skip(1)
        .collect();
    let object = match path.as_slice() {
        ["namespaces", namespace, plural, rest @ ..] => {
            format!("{plural} {}", [&[*namespace][..], rest].concat().join("/"))
        }
        rest => rest.join(" "),
    };
    match call.method.as_str() {
        "GET" => format!("list {object}"),
        "POST" => format!("tell {}", call.body["reason"].as_str().unwrap()),
        "DELETE" => format!("delete {object}"),
        _ if call.content_type == "application/json-patch+json" => {
            let text = call.body.to_string();
            assert!(text.contains(FINALIZER), "{text}");
            let verb = if text.contains("\"remove\"") {
                "release"
            } else {
                "hold"
            };
            format!("{verb} {object}")
        }
        _ => format!("apply {object}"),
    }
}
