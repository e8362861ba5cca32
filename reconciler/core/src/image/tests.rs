#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use serde_json::{Value, json};

use super::*;
use crate::conditions::find;
use crate::fixtures::{image, object, provider};

fn with_rows(rows: Value) -> VmImage {
    let mut image = image(&[]);
    image.status.as_mut().unwrap().per_provider = object(rows);
    image
}

fn row(name: &str, ready: bool, reason: &str) -> Value {
    json!({ "providerNamespace": "prod", "providerName": name, "ready": ready, "reason": reason })
}

/// `status/reason` of `Ready`, and which of `Reconciling` and `Stalled` is there.
fn said(image: &VmImage, providers: &[Provider]) -> (String, Option<&'static str>) {
    let status = status(image, providers.iter(), Timestamp::UNIX_EPOCH);
    let ready = find(&status.conditions, ConditionType::Ready).unwrap();
    let mut progress = [ConditionType::Reconciling, ConditionType::Stalled].into_iter();
    let found = progress.find(|kind| find(&status.conditions, *kind).is_some());
    (
        format!("{}/{}", ready.status, ready.reason),
        found.map(ConditionType::as_str),
    )
}

#[test]
fn an_image_is_ready_when_every_row_that_counts_is() {
    let (a, b) = (provider("a", vec![]), provider("b", vec![]));
    let mut other_class = provider("c", vec![]);
    other_class.spec.provider_class_ref.name = "vsphere".into();
    let all = [a, b, other_class];
    let ready = |name| row(name, true, "Reconciled");
    let importing = |name| row(name, false, "Importing");
    let cases = [
        (json!([]), "Unknown/ImagePending", Some("Reconciling")),
        (json!([ready("a"), ready("b")]), "True/Reconciled", None),
        (
            json!([ready("a"), importing("b")]),
            "False/Importing",
            Some("Reconciling"),
        ),
        // Neither a Provider of a class without source nor one that is gone counts.
        (
            json!([ready("a"), importing("c"), importing("gone")]),
            "True/Reconciled",
            None,
        ),
        (
            json!([importing("gone")]),
            "Unknown/ImagePending",
            Some("Reconciling"),
        ),
        (
            json!([importing("a"), row("b", false, "ChecksumMismatch")]),
            "False/ChecksumMismatch",
            Some("Stalled"),
        ),
        (
            json!([row("a", false, "Odd word")]),
            "False/ImagePending",
            Some("Reconciling"),
        ),
    ];
    for (rows, ready, progress) in cases {
        assert_eq!(
            said(&with_rows(rows.clone()), &all),
            (ready.to_owned(), progress),
            "{rows}"
        );
    }
}

#[test]
fn a_row_of_another_namespace_is_another_provider() {
    let mut elsewhere = provider("a", vec![]);
    elsewhere.metadata.namespace = Some("test".into());
    let image = with_rows(json!([row("a", true, "Reconciled")]));
    assert_eq!(said(&image, &[elsewhere]).0, "Unknown/ImagePending");
}

#[test]
fn only_what_the_controller_owns_is_applied() {
    let image = with_rows(json!([row("a", true, "Reconciled")]));
    let status = status(
        &image,
        [provider("a", vec![])].iter(),
        Timestamp::UNIX_EPOCH,
    );
    assert!(status.per_provider.is_empty() && status.build_artifacts.is_empty());
}

#[test]
fn a_long_list_of_rows_is_cut() {
    let names: Vec<String> = (0..7).map(|index| format!("p{index}")).collect();
    let providers: Vec<Provider> = names.iter().map(|name| provider(name, vec![])).collect();
    let rows: Vec<Value> = names
        .iter()
        .map(|name| row(name, false, "Importing"))
        .collect();
    let status = status(
        &with_rows(json!(rows)),
        providers.iter(),
        Timestamp::UNIX_EPOCH,
    );
    let message = &find(&status.conditions, ConditionType::Ready)
        .unwrap()
        .message;
    assert!(message.starts_with("prod/p0: Importing; "), "{message}");
    assert!(
        message.ends_with("prod/p4: Importing; and 2 more"),
        "{message}"
    );
}
