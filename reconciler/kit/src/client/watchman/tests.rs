#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::error::Error;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::PostParams;

use super::*;
use crate::errors::ErrorKind;
use crate::fake::{Answer, Fake, config_map};

#[tokio::test(start_paused = true)]
async fn a_process_that_does_not_lead_writes_leases_only() {
    let fake = Fake::echo();
    let fence = Fence::closed();
    let client = fake.client_with(Metrics::new(), fence.clone());
    let objects: Api<ConfigMap> = Api::namespaced(client.clone(), "ns");
    let leases: Api<Lease> = Api::namespaced(client, "ns");
    let params = PostParams::default();

    let error = objects.create(&params, &config_map("a")).await.unwrap_err();
    assert_eq!(ErrorKind::from(&error), ErrorKind::Transient);
    assert!(error.source().unwrap().is::<Fenced>(), "{error:?}");
    assert!(fake.calls().is_empty());

    leases.create(&params, &Lease::default()).await.unwrap();
    fence.open_until(Instant::now() + Duration::from_secs(1));
    objects.create(&params, &config_map("a")).await.unwrap();
    assert_eq!(fake.calls().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_does_not_come_is_an_error_in_time() {
    let metrics = Metrics::new();
    let client = Fake::new(|_| Answer::Hang).client_with(metrics.clone(), Fence::open());
    let begin = Instant::now();
    let objects: Api<ConfigMap> = Api::namespaced(client, "ns");
    let error = objects.get("a").await.unwrap_err();
    assert_eq!(begin.elapsed(), Duration::from_secs(30));
    assert_eq!(ErrorKind::from(&error), ErrorKind::Transient);
    let counted = "verb=\"get\",resource=\"configmaps\",code=\"none\"} 1";
    assert!(metrics.encode().unwrap().contains(counted));
}

#[tokio::test]
async fn every_answer_is_counted_by_its_code() {
    let metrics = Metrics::new();
    let client = Fake::refusing(404, "NotFound").client_with(metrics.clone(), Fence::open());
    let objects: Api<ConfigMap> = Api::namespaced(client, "ns");
    assert!(objects.get_opt("a").await.unwrap().is_none());
    let counted = "verb=\"get\",resource=\"configmaps\",code=\"404\"} 1";
    assert!(metrics.encode().unwrap().contains(counted));
}
