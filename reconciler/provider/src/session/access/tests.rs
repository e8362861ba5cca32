#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use serde_json::{Value, json};

use super::*;
use crate::testing::Keys;

fn provider(connection: &Value, annotations: &Value) -> Provider {
    serde_json::from_value(json!({
        "metadata": {"name": "p", "namespace": "ns", "annotations": annotations},
        "spec": {"providerClassRef": {"name": "c"}, "connection": connection},
    }))
    .unwrap()
}

fn keys() -> Keys {
    let keys = Keys::default();
    keys.put("login", "username", "me");
    keys.put("empty", "username", "");
    keys.put("trust", "ca.crt", "PEM");
    keys.put("trust-elsewhere", "bundle", "PEM");
    keys
}

fn access(connection: &Value) -> Result<Access, Problem> {
    Access::of(&provider(connection, &json!({})), &["username"], &keys())
}

#[test]
fn what_is_missing_is_named() {
    let login = |name: &str| json!({"endpoint": "https://a", "credentialsRef": {"name": name}});
    let trust = |bundle: Value| json!({"endpoint": "https://a", "caBundle": bundle});
    let table = [
        (login("none"), Reason::SecretMissing),
        (login("empty"), Reason::SecretInvalid),
        (login("trust"), Reason::SecretInvalid),
        (
            trust(json!({"secretRef": {"name": "none"}})),
            Reason::CredentialsUnavailable,
        ),
        (
            trust(json!({"configMapRef": {"name": "trust-elsewhere"}})),
            Reason::CredentialsUnavailable,
        ),
    ];
    for (connection, reason) in table {
        assert_eq!(
            access(&connection).unwrap_err().reason,
            reason,
            "{connection}"
        );
    }
}

#[test]
fn trust_comes_from_where_the_provider_says() {
    let table = [
        (json!({"inline": "PEM"}), Some("PEM")),
        (json!({"secretRef": {"name": "trust"}}), Some("PEM")),
        (json!({"configMapRef": {"name": "trust"}}), Some("PEM")),
        (
            json!({"secretRef": {"name": "trust-elsewhere", "key": "bundle"}}),
            Some("PEM"),
        ),
    ];
    for (bundle, trust) in table {
        let connection = json!({"endpoint": "https://a", "caBundle": bundle});
        let endpoint = access(&connection).unwrap().endpoint;
        assert_eq!(endpoint.trust.as_deref(), trust, "{bundle}");
    }
    let endpoint = access(&json!({"endpoint": "https://a"})).unwrap().endpoint;
    assert_eq!(endpoint.trust, None);
}

#[test]
fn certificates_go_unverified_only_with_the_annotation() {
    let connection = json!({"endpoint": "https://a", "insecureSkipTLSVerify": true});
    for (annotations, insecure) in [
        (json!({}), false),
        (json!({"banlieue.io/allow-insecure-tls": "false"}), false),
        (json!({"banlieue.io/allow-insecure-tls": "true"}), true),
    ] {
        let provider = provider(&connection, &annotations);
        let access = Access::of(&provider, &[], &keys()).unwrap();
        assert_eq!(access.endpoint.insecure, insecure, "{annotations}");
    }
}

#[test]
fn only_what_the_provider_names_is_referred_to() {
    let provider = provider(
        &json!({
            "endpoint": "https://a", "credentialsRef": {"name": "login"},
            "caBundle": {"secretRef": {"name": "trust"}},
        }),
        &json!({}),
    );
    let references = References::of(&provider);
    assert_eq!(Vec::from_iter(references.secrets), ["login", "trust"]);
    assert!(references.config_maps.is_empty());
}
