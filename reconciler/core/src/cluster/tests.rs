#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use banlieue_schemas::platform::{Provider, ProviderClass};
use serde_json::{Value, json};

use super::*;
use crate::conditions::find;
use crate::fixtures::{domain, object, provider, provider_class};

struct Case {
    spec: Value,
    old: Option<InfraClusterStatus>,
    paused: bool,
    providers: Vec<Provider>,
    class: Option<ProviderClass>,
}

impl Case {
    fn new() -> Self {
        let zone = |name: &str, role: &str| domain(name, json!({ "role": role }));
        Self {
            spec: json!({}),
            old: None,
            paused: false,
            providers: vec![
                provider("b", vec![zone("b1", "worker")]),
                provider("a", vec![zone("a2", "cp"), zone("a1", "cp")]),
            ],
            class: Some(provider_class()),
        }
    }

    fn with(spec: Value) -> Self {
        Self {
            spec,
            ..Self::new()
        }
    }

    fn status(&self) -> InfraClusterStatus {
        let spec: InfraClusterSpec = object(self.spec.clone());
        let sites: Vec<Site<'_>> = self
            .providers
            .iter()
            .map(|provider| Site {
                provider,
                class: self.class.as_ref(),
            })
            .collect();
        let input = Input {
            kind: "SimCluster",
            backend: Backend::Sim,
            spec: &spec,
            status: self.old.as_ref(),
            generation: Some(2),
            paused: self.paused,
            sites: &sites,
        };
        status(&input, Timestamp::UNIX_EPOCH)
    }
}

fn names(status: &InfraClusterStatus) -> Vec<&str> {
    status
        .failure_domains
        .iter()
        .map(|domain| domain.name.as_str())
        .collect()
}

fn ready(status: &InfraClusterStatus) -> (String, String) {
    let ready = find(&status.conditions, ConditionType::Ready).unwrap();
    (
        format!("{}/{}", ready.status, ready.reason),
        ready.message.clone(),
    )
}

fn is_done(status: &InfraClusterStatus) -> bool {
    status
        .initialization
        .as_ref()
        .is_some_and(InitializationStatus::is_done)
}

#[test]
fn all_failure_domains_of_the_backend_are_listed_by_name() {
    let status = Case::new().status();
    assert_eq!(names(&status), ["a1", "a2", "b1"]);
    assert_eq!(ready(&status).0, "True/Reconciled");
    assert!(is_done(&status));
    let attributes = &status.failure_domains[2].attributes;
    assert_eq!(
        (attributes["provider"].as_str(), attributes["role"].as_str()),
        ("b", "worker")
    );
    let mut other = Case::new();
    other.class.as_mut().unwrap().spec.backend = Backend::Libvirt;
    assert_eq!(
        ready(&other.status()).1,
        "no Provider of backend sim matches"
    );
}

#[test]
fn the_selector_says_where_the_control_plane_may_run() {
    let selector =
        json!({ "controlPlaneFailureDomainSelector": { "matchLabels": { "role": "cp" } } });
    let status = Case::with(selector).status();
    let eligible: Vec<_> = status
        .failure_domains
        .iter()
        .map(|d| d.control_plane)
        .collect();
    assert_eq!(eligible, [Some(true), Some(true), Some(false)]);
}

#[test]
fn names_win_over_the_selector_and_a_missing_one_is_said() {
    let refs = |names: &[&str]| {
        let refs: Vec<Value> = names.iter().map(|name| json!({ "name": name })).collect();
        json!({ "providerRefs": refs, "providerSelector": { "matchLabels": { "no": "such" } } })
    };
    assert_eq!(names(&Case::with(refs(&["b"])).status()), ["b1"]);
    let status = Case::with(refs(&["b", "c"])).status();
    assert_eq!(names(&status), ["b1"]);
    assert_eq!(
        ready(&status),
        (
            "False/ProviderNotFound".into(),
            "no Provider of backend sim is named c".into()
        )
    );
}

#[test]
fn a_name_that_two_providers_show_is_left_out_and_said() {
    let mut case = Case::new();
    let b = case.providers[0].status.as_mut().unwrap();
    b.failure_domains.push(domain("a1", json!({})));
    let status = case.status();
    assert_eq!(names(&status), ["a2", "b1"]);
    assert_eq!(
        ready(&status),
        (
            "False/InventoryFailed".into(),
            "left out, since several Providers show them: a1 (a, b)".into()
        )
    );
}

#[test]
fn provisioned_never_goes_back() {
    let mut case = Case::new();
    case.old = Some(case.status());
    case.providers.clear();
    let status = case.status();
    assert_eq!(ready(&status).0, "False/NoFailureDomains");
    assert!(is_done(&status));
    case.old = None;
    assert!(!is_done(&case.status()));
}

#[test]
fn a_paused_cluster_keeps_what_it_shows() {
    let mut case = Case::new();
    let before = case.status();
    case.old = Some(before.clone());
    case.paused = true;
    case.providers.clear();
    let paused = case.status();
    assert_eq!(paused.failure_domains, before.failure_domains);
    assert_eq!(ready(&paused), ready(&before));
    assert!(find(&paused.conditions, ConditionType::Paused).is_some());
}

#[test]
fn a_provider_that_is_not_ready_keeps_its_failure_domains() {
    let mut case = Case::new();
    case.providers[0]
        .status
        .as_mut()
        .unwrap()
        .conditions
        .clear();
    assert_eq!(names(&case.status()), ["a1", "a2", "b1"]);
}

#[test]
fn the_endpoint_is_that_of_the_spec() {
    let endpoint = json!({ "host": "api.example", "port": 6443 });
    let status = Case::with(json!({ "controlPlaneEndpoint": endpoint })).status();
    assert_eq!(status.control_plane_endpoint.unwrap().host, "api.example");
}

#[test]
fn what_does_not_fit_is_said() {
    let mut case = Case::new();
    let many = (0..101).map(|index| domain(&format!("z{index}"), json!({})));
    case.providers = vec![provider("a", many.collect())];
    let status = case.status();
    assert_eq!(status.failure_domains.len(), 100);
    assert_eq!(
        ready(&status).1,
        "1 failure domains are left out, at most 100 fit"
    );
}

#[test]
fn a_selector_that_cannot_be_read_is_the_users_error_and_loses_nothing() {
    let mut case = Case::new();
    case.old = Some(case.status());
    case.spec =
        json!({ "providerSelector": { "matchExpressions": [{ "key": "a", "operator": "Odd" }] } });
    let status = case.status();
    assert_eq!(ready(&status).0, "False/InvalidSpec");
    assert_eq!(names(&status), ["a1", "a2", "b1"]);
}
