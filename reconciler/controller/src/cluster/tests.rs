#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use banlieue_kit::cache::feed::Feed;
use banlieue_schemas::infrastructure::SimCluster;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Value, json};

use super::triggers::{select, shown};
use super::*;
use crate::testing::fixtures::{cluster_path, path, provider, provider_class};
use crate::testing::{Feeds, Server};

/// A `SimCluster` of Cluster `owner`, and two Providers.
struct World {
    server: Server,
    feeds: Feeds,
    clusters: Feed<SimCluster>,
    owners: Feed<Owner>,
}

impl World {
    fn new() -> Self {
        let (server, mut feeds) = (Server::new(), Feeds::new());
        server.put(&cluster_path("providerclasses/sim"), &provider_class("sim"));
        for name in ["a", "b"] {
            let provider = provider(name, "sim", "1", &[&format!("{name}1")]);
            server.put(&path(&format!("providers/{name}")), &provider);
        }
        let cluster = json!({
            "apiVersion": "infrastructure.banlieue.io/v1alpha1", "kind": "SimCluster",
            "metadata": {
                "name": "c", "namespace": "prod",
                "ownerReferences": [{
                    "apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Cluster",
                    "name": "owner", "uid": "uid-owner",
                }],
            },
            "spec": {},
        });
        server.put(&path("simclusters/c"), &cluster);
        feeds.sync(&server);
        Self {
            server,
            feeds,
            clusters: Feed::new(),
            owners: Feed::listed(&[owner(false)]),
        }
    }

    /// One pass with up-to-date caches.
    async fn pass(&mut self) {
        self.feeds.sync(&self.server);
        self.clusters.list(&[self.cluster()]);
        let reconciler = Clusters::<SimCluster> {
            client: self.server.client(),
            cache: self.clusters.watch().cache().clone(),
            around: Around {
                watched: self.feeds.watched(),
                owners: self.owners.watch().clone(),
            },
        };
        let cluster = reconciler.cache.get(Some("prod"), "c").unwrap();
        let now = Timestamp::UNIX_EPOCH;
        reconciler.reconcile(cluster, now).await.unwrap();
    }

    fn cluster(&self) -> Value {
        self.server.get(&path("simclusters/c")).unwrap()
    }

    fn domains(&self) -> Vec<String> {
        let cluster = self.cluster();
        let domains = cluster["status"]["failureDomains"].as_array();
        let names = domains.into_iter().flatten().map(|domain| &domain["name"]);
        names
            .map(|name| name.as_str().unwrap().to_owned())
            .collect()
    }

    fn is_paused(&self) -> bool {
        let cluster = self.cluster();
        let conditions = cluster["status"]["conditions"].as_array().unwrap();
        conditions
            .iter()
            .any(|condition| condition["type"] == "Paused")
    }
}

fn owner(paused: bool) -> Value {
    json!({
        "apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Cluster",
        "metadata": { "name": "owner", "namespace": "prod", "uid": "uid-owner" },
        "spec": { "paused": paused, "topology": { "what": "we do not read" } },
    })
}

#[tokio::test]
async fn failure_domains_are_published_once() {
    let mut world = World::new();
    world.pass().await;
    assert_eq!(world.domains(), ["a1", "b1"]);
    let cluster = world.cluster();
    assert_eq!(cluster["status"]["initialization"]["provisioned"], true);
    world.pass().await;
    assert_eq!(
        world.server.lines(),
        ["apply simclusters/c/status by banlieue.io/controller"]
    );
}

#[tokio::test]
async fn spec_annotation_and_owner_pause_it() {
    type Pause = fn(&mut World);
    let table: [Pause; 3] = [
        |world| {
            world.server.edit(&path("simclusters/c"), |it| {
                it["spec"]["paused"] = json!(true);
            });
        },
        |world| {
            world.server.edit(&path("simclusters/c"), |it| {
                it["metadata"]["annotations"] = json!({ "cluster.x-k8s.io/paused": "" });
            });
        },
        |world| world.owners.apply(&owner(true)),
    ];
    for pause in table {
        let mut world = World::new();
        world.pass().await;
        assert!(!world.is_paused());
        pause(&mut world);
        world.server.delete(&path("providers/a"));
        world.pass().await;
        assert!(world.is_paused());
        assert_eq!(world.domains(), ["a1", "b1"], "what it shows stays");
    }
}

#[tokio::test]
async fn a_cluster_that_something_else_manages_is_left_alone() {
    let mut world = World::new();
    world.server.edit(&path("simclusters/c"), |cluster| {
        cluster["metadata"]["annotations"] = json!({ "cluster.x-k8s.io/managed-by": "me" });
    });
    world.pass().await;
    assert!(world.server.lines().is_empty());
}

#[test]
fn free_capacity_is_no_news_for_a_cluster() {
    let before = provider("a", "sim", "1", &["a1"]);
    let mut full = before.clone();
    full["status"]["failureDomains"][0]["attributes"]["freeCapacity"] = json!({ "cpus": 4 });
    let mut moved = before.clone();
    moved["status"]["failureDomains"][0]["labels"]["dc"] = json!("2");
    let shown = |provider: &Value| shown(&serde_json::from_value(provider.clone()).unwrap());
    assert_eq!(shown(&before), shown(&full));
    assert_ne!(shown(&before), shown(&moved));
}

#[test]
fn other_objects_call_for_their_own_clusters() {
    let cluster: SimCluster = serde_json::from_value(World::new().cluster()).unwrap();
    let cache = Cache::of([cluster]);
    let of_owner = select(&cache, owner::is_of);
    let meta = |uid: &str| ObjectMeta {
        uid: Some(uid.to_owned()),
        ..ObjectMeta::default()
    };
    assert_eq!(of_owner(&meta("uid-owner")).len(), 1);
    assert!(of_owner(&meta("another")).is_empty());
}
