#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use serde_json::{Value, json};

use super::*;

fn provider(recorded: &Value) -> Provider {
    serde_json::from_value(json!({
        "apiVersion": "banlieue.io/v1alpha1", "kind": "Provider",
        "metadata": { "name": "a", "namespace": "prod", "uid": "u" },
        "spec": {
            "providerClassRef": { "name": "canary" },
            "connection": { "endpoint": "qemu+tls://host/system" },
        },
        "status": { "workload": recorded },
    }))
    .unwrap()
}

#[test]
fn a_class_that_is_gone_is_remembered_by_image_place_and_backend() {
    let recorded = |namespace: &str| {
        let image = "r/banlieue:v1@sha256:00";
        json!({ "mode": "Managed", "namespace": namespace, "image": image })
    };
    let class = remembered(&provider(&recorded("workers"))).unwrap();
    assert_eq!(class.name_any(), "canary");
    assert_eq!(class.spec.backend, Backend::Libvirt);
    assert_eq!(class.spec.workload_namespace.as_deref(), Some("workers"));
    let image = class.spec.image.unwrap().reference();
    assert_eq!(image, "r/banlieue:v1@sha256:00");

    let class = remembered(&provider(&recorded("prod"))).unwrap();
    assert_eq!(class.spec.workload_namespace, None, "its own is no choice");
}

#[test]
fn a_process_that_the_operator_never_ran_is_not_made_up() {
    let external = json!({ "mode": "External", "namespace": "prod" });
    assert_eq!(remembered(&provider(&external)), None);
    let provider = provider(&Value::Null);
    assert_eq!(remembered(&provider), None);
    let plan = serving(&Settings::default(), &provider, &Found::default(), true);
    assert_eq!(plan, Plan::Leave(None));
}

#[test]
fn nobody_takes_the_names_of_another_provider() {
    let class = json!({
        "apiVersion": "banlieue.io/v1alpha1", "kind": "ProviderClass",
        "metadata": { "name": "canary" },
        "spec": {
            "backend": "libvirt", "workloadNamespace": "workers",
            "image": { "repository": "r/banlieue", "tag": "v1" },
        },
    });
    let own = provider(&Value::Null);
    let mut first = own.clone();
    first.metadata.namespace = Some("elder".into());
    first.metadata.creation_timestamp =
        serde_json::from_value(json!("2026-01-01T00:00:00Z")).unwrap();
    let found = Found {
        class: Some(Arc::new(serde_json::from_value(class).unwrap())),
        namesakes: vec![Arc::new(first), Arc::new(own.clone())],
        cluster_role: true,
        deployments: Vec::new(),
    };
    let settings = Settings::default();
    let Plan::Leave(Some(saying)) = running(&settings, &own, &found) else {
        panic!("applied");
    };
    assert!(saying.note.contains("elder/a"), "{}", saying.note);
    assert_eq!(serving(&settings, &own, &found, false), Plan::Leave(None));
}

#[test]
fn a_process_that_could_be_granted_nothing_is_not_started() {
    let class = json!({
        "apiVersion": "banlieue.io/v1alpha1", "kind": "ProviderClass",
        "metadata": { "name": "canary" },
        "spec": { "backend": "libvirt", "image": { "repository": "r/banlieue", "tag": "v1" } },
    });
    let mut found = Found {
        class: Some(Arc::new(serde_json::from_value(class).unwrap())),
        ..Found::default()
    };
    let (settings, provider) = (Settings::default(), provider(&Value::Null));
    let Plan::Leave(Some(saying)) = running(&settings, &provider, &found) else {
        panic!("applied");
    };
    assert_eq!(saying.reason, Reason::ClusterRoleMissing);
    assert!(
        saying
            .note
            .starts_with("ClusterRole banlieue-provider-libvirt does not exist")
    );
    found.cluster_role = true;
    assert!(matches!(
        running(&settings, &provider, &found),
        Plan::Apply(_)
    ));
}
