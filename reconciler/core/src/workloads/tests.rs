#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;

use super::*;
use crate::fixtures::{provider, provider_class};

fn planned(provider: &Provider, class: Option<&ProviderClass>, others: &[Provider]) -> Plan {
    plan(&Settings::default(), provider, class, others.iter())
}

fn applied(provider: &Provider, class: &ProviderClass) -> ProviderWorkload {
    match planned(provider, Some(class), &[]) {
        Plan::Apply(workload) => *workload,
        other => panic!("{other:?}"),
    }
}

fn canary() -> ProviderClass {
    let mut class = provider_class();
    class.metadata.name = Some("canary".into());
    class
}

/// What the API server would hold after a set was applied.
fn stored(workload: &ProviderWorkload) -> Vec<Existing> {
    let labels = workload.service_account.metadata.labels.clone().unwrap();
    let ids = wanted(workload).unwrap();
    let existing = |id| Existing {
        id,
        labels: labels.clone(),
    };
    ids.into_iter().map(existing).collect()
}

#[test]
fn pause_missing_class_and_deletion_come_before_everything() {
    let class = provider_class();
    let mut subject = provider("a", vec![]);
    assert_eq!(planned(&subject, None, &[]), Plan::ClassMissing);
    let mut paused_class = class.clone();
    paused_class.spec.paused = Some(true);
    assert_eq!(planned(&subject, Some(&paused_class), &[]), Plan::Paused);
    subject.spec.paused = Some(true);
    assert_eq!(planned(&subject, Some(&class), &[]), Plan::Paused);
    subject.metadata.deletion_timestamp = Some(Time(Timestamp::UNIX_EPOCH));
    assert_eq!(planned(&subject, Some(&class), &[]), Plan::Remove);
    assert_eq!(planned(&subject, None, &[]), Plan::Remove);
}

#[test]
fn a_set_is_six_objects_and_nothing_of_it_is_superseded() {
    let provider = provider("a", vec![]);
    let workload = applied(&provider, &provider_class());
    let ids = wanted(&workload).unwrap();
    let names: Vec<String> = ids.iter().map(ToString::to_string).collect();
    assert_eq!(
        names,
        [
            "ServiceAccount prod/banlieue-provider-sim-a",
            "Deployment.apps prod/banlieue-provider-sim-a",
            "Lease.coordination.k8s.io prod/banlieue-provider-sim-a",
            "ClusterRoleBinding.rbac.authorization.k8s.io banlieue-provider-sim-prod-a",
            "Role.rbac.authorization.k8s.io prod/banlieue-provider-sim-a",
            "RoleBinding.rbac.authorization.k8s.io prod/banlieue-provider-sim-a",
        ]
    );
    assert_eq!(superseded(&provider, &ids, &stored(&workload)), []);
}

#[test]
fn another_class_supersedes_the_whole_set_with_its_cluster_role_binding() {
    let provider = provider("a", vec![]);
    let before = stored(&applied(&provider, &provider_class()));
    let after = wanted(&applied(&provider, &canary())).unwrap();
    let gone = superseded(&provider, &after, &before);
    assert_eq!(gone.len(), 6);
    assert!(gone.iter().any(|id| id.kind == "ClusterRoleBinding"));
}

#[test]
fn another_mode_or_namespace_supersedes_what_it_leaves() {
    let provider = provider("a", vec![]);
    let before = stored(&applied(&provider, &provider_class()));
    let mut external = provider_class();
    external.spec.deployment = Some(DeploymentMode::External);
    let after = wanted(&applied(&provider, &external)).unwrap();
    let gone = superseded(&provider, &after, &before);
    assert_eq!(gone.len(), 1);
    assert_eq!(gone[0].kind, "Deployment");

    let mut moved = provider_class();
    moved.spec.workload_namespace = Some("providers".into());
    let after = wanted(&applied(&provider, &moved)).unwrap();
    let gone = superseded(&provider, &after, &before);
    assert!(
        gone.iter()
            .all(|id| id.namespace.as_deref() == Some("prod"))
    );
    assert_eq!(gone.len(), 5);
}

#[test]
fn objects_of_others_are_never_superseded() {
    let (own, mut other) = (provider("a", vec![]), provider("a", vec![]));
    other.metadata.namespace = Some("test".into());
    let theirs = stored(&applied(&other, &provider_class()));
    assert_eq!(superseded(&own, &BTreeSet::new(), &theirs), []);
    // A machine object carries the Provider's name too.
    let mut machine = theirs[0].clone();
    machine.labels = StringMap::from([(labels::PROVIDER.to_owned(), "a".to_owned())]);
    assert_eq!(superseded(&own, &BTreeSet::new(), &[machine]), []);
}

#[test]
fn two_providers_never_share_a_process() {
    let mut class = provider_class();
    class.spec.workload_namespace = Some("providers".into());
    let (mut first, mut second) = (provider("a", vec![]), provider("a", vec![]));
    first.metadata.creation_timestamp = Some(Time(Timestamp::UNIX_EPOCH));
    second.metadata.namespace = Some("test".into());
    let all = [first.clone(), second.clone()];
    let taken = Plan::NameTaken {
        namespace: "prod".into(),
    };
    assert_eq!(planned(&second, Some(&class), &all), taken);
    assert!(matches!(
        planned(&first, Some(&class), &all),
        Plan::Apply(_)
    ));
    class.spec.workload_namespace = None;
    assert!(matches!(
        planned(&second, Some(&class), &all),
        Plan::Apply(_)
    ));
}

#[test]
fn the_status_says_who_runs_the_process_and_whether_it_does() {
    let mut provider = provider("a", vec![]);
    provider.metadata.generation = Some(4);
    let mut class = provider_class();
    let shown =
        |class: &ProviderClass, ready| status(&provider, class, &applied(&provider, class), ready);
    let managed = shown(&class, Some(1));
    assert_eq!(
        managed.deployment_name.as_deref(),
        Some("banlieue-provider-sim-a")
    );
    assert_eq!(managed.image.as_deref(), Some("r/banlieue:v1"));
    assert_eq!(
        (managed.ready_replicas, managed.observed_generation),
        (Some(1), Some(4))
    );
    assert_eq!(shown(&class, None).ready_replicas, Some(0));
    class.spec.deployment = Some(DeploymentMode::External);
    let external = shown(&class, None);
    assert_eq!(
        (external.deployment_name, external.ready_replicas),
        (None, None)
    );
}
