#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use banlieue_kit::cache::Cache;
use banlieue_kit::fake::{Answer, Fake};
use banlieue_schemas::platform::Provider;
use k8s_openapi::api::rbac::v1::ClusterRole;
use serde_json::{Value, from_value, json};

use super::*;
use crate::cluster_roles::ClusterRoles;

fn class(status: &Value) -> Value {
    json!({
        "apiVersion": "banlieue.io/v1alpha1", "kind": "ProviderClass",
        "metadata": { "name": "sim", "uid": "u", "resourceVersion": "3", "generation": 1 },
        "spec": { "backend": "sim", "image": { "repository": "r/banlieue", "tag": "v1" } },
        "status": status,
    })
}

fn provider(name: &str, class: &str) -> Provider {
    from_value(json!({
        "apiVersion": "banlieue.io/v1alpha1", "kind": "Provider",
        "metadata": { "name": name, "namespace": "prod" },
        "spec": {
            "providerClassRef": { "name": class }, "connection": { "endpoint": "sim://local" },
        },
    }))
    .unwrap()
}

/// Reconciles once, with the ClusterRoles of these backends there.
async fn reconcile(fake: &Fake, class: Value, roles: &[&str]) {
    let role = |name: &&str| -> Cache<ClusterRole> {
        let name = format!("banlieue-provider-{name}");
        Cache::of([from_value(json!({ "metadata": { "name": name } })).unwrap()])
    };
    let reconciler = ProviderClasses {
        client: fake.client(),
        caches: Caches {
            classes: Cache::of([]),
            providers: Cache::of([
                provider("a", "sim"),
                provider("b", "sim"),
                provider("c", "x"),
            ]),
            cluster_roles: ClusterRoles::new(roles.iter().map(role)),
        },
    };
    let class = Arc::new(from_value(class).unwrap());
    reconciler
        .reconcile(class, Timestamp::UNIX_EPOCH)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_class_tells_who_uses_it_and_whether_its_processes_would_get_their_rights() {
    for (roles, ready) in [(&["sim", "vsphere"][..], "True"), (&["vsphere"], "False")] {
        let fake = Fake::new(|call| Answer::ok(class(&call.body["status"])));
        reconcile(&fake, class(&json!({})), roles).await;
        let call = fake.call();
        let path = "/apis/banlieue.io/v1alpha1/providerclasses/sim/status";
        assert_eq!(call.line(), format!("PATCH {path}"));
        assert_eq!(call.body["status"]["providers"], 2);
        let conditions = call.body["status"]["conditions"].as_array().unwrap();
        let found = conditions
            .iter()
            .find(|condition| condition["type"] == "Ready");
        assert_eq!(found.unwrap()["status"], ready);

        let quiet = Fake::refusing(500, "InternalError");
        reconcile(&quiet, class(&call.body["status"]), roles).await;
        assert!(quiet.calls().is_empty());
    }
}
