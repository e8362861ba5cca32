//! Flow 7: a Provider is applied, and gets a process of its own; it is deleted, and nothing stays.

use banlieue_schemas::labels;
use banlieue_schemas::names;
use banlieue_schemas::platform::{Provider, ProviderClass};
use banlieue_tests::history::{Entry, Event, History, kind, step};
use banlieue_tests::live::{self, Platform, SYSTEM, is_ready, ready};
use banlieue_tests::wait::{eventually, until, until_gone};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding, Role, RoleBinding};
use kube::api::{DeleteParams, ListParams, PostParams};
use kube::{Api, Client, ResourceExt};
use serde_json::json;

use crate::{OPERATOR, PROVIDER, TEAM, register};

#[tokio::test]
async fn a_provider_gets_a_process_of_its_own_and_takes_it_along() {
    let platform = Platform::bare().await.unwrap();
    let client = platform.client();
    let told = platform.install(&[]).await.unwrap();
    installed(&client, &told).await;
    says_that_it_cannot_be_used(&client, "sim").await;

    live::prepare(&client, TEAM, &["west"]).await.unwrap();
    let history = record(&client).await;
    register(&platform, "west").await;
    let providers: Api<Provider> = Api::namespaced(client.clone(), TEAM);
    ready(&providers, "west").await.unwrap();
    until(
        &providers,
        "west",
        "to have a process that is ready",
        |provider| {
            let status = provider.status.as_ref();
            let workload = status.and_then(|status| status.workload.as_ref());
            workload.is_some_and(|workload| workload.ready_replicas == Some(1))
        },
    )
    .await
    .unwrap();
    arrives(&history).await;

    providers
        .delete("west", &DeleteParams::default())
        .await
        .unwrap();
    until_gone(&providers, "west").await.unwrap();
    nothing_of(&client, "west").await;
    leaves(&history).await;
}

/// Step 1: what the installer says it applied is there, in its own name.
async fn installed(client: &Client, told: &str) {
    for line in [
        "applied CustomResourceDefinition.apiextensions.k8s.io providers.banlieue.io",
        "applied ProviderClass.banlieue.io sim",
    ] {
        assert!(
            told.lines().any(|it| it == line),
            "{line} is not in\n{told}"
        );
    }
    let classes: Api<ProviderClass> = Api::all(client.clone());
    let class = ready(&classes, "sim").await.unwrap();
    let managers = class.managed_fields().iter();
    let managers: Vec<&str> = managers.filter_map(|it| it.manager.as_deref()).collect();
    assert_eq!(managers, ["banlieue.io/bootstrap", OPERATOR]);
    for name in ["banlieue-controller", "banlieue-operator"] {
        let leases: Api<Lease> = Api::namespaced(client.clone(), SYSTEM);
        let held = |lease: &Lease| {
            let spec = lease.spec.as_ref();
            spec.is_some_and(|spec| spec.holder_identity.is_some())
        };
        until(&leases, name, "to be held", held).await.unwrap();
    }
}

/// Before any Provider exists: a class tells whether what its processes may do is there.
async fn says_that_it_cannot_be_used(client: &Client, class: &str) {
    let classes: Api<ProviderClass> = Api::all(client.clone());
    let roles: Api<ClusterRole> = Api::all(client.clone());
    let name = format!("banlieue-provider-{class}");
    let mut role = roles.get(&name).await.unwrap();
    roles.delete(&name, &DeleteParams::default()).await.unwrap();
    let unusable = until(&classes, class, "to be unusable", |class| !is_ready(class));
    let status = unusable.await.unwrap().status.unwrap();
    assert_eq!(status.providers, Some(0));
    let conditions = status.conditions.iter();
    let said: Vec<(&str, &str, &str)> = conditions
        .map(|it| (&*it.type_, &*it.status, &*it.reason))
        .collect();
    assert_eq!(
        said,
        [
            ("Ready", "False", "ClusterRoleMissing"),
            ("Reconciling", "True", "ClusterRoleMissing"),
        ]
    );

    role.metadata.resource_version = None;
    role.metadata.uid = None;
    roles.create(&PostParams::default(), &role).await.unwrap();
    ready(&classes, class).await.unwrap();
}

async fn record(client: &Client) -> History {
    let kinds = vec![
        kind::<Provider>(),
        kind::<ServiceAccount>(),
        kind::<Role>(),
        kind::<RoleBinding>(),
        kind::<ClusterRoleBinding>(),
        kind::<Deployment>(),
        kind::<Lease>(),
    ];
    History::record(client, kinds).await.unwrap()
}

async fn arrives(history: &History) {
    let name = names::workload("sim", "west");
    let cluster_wide = names::cluster_scoped_workload("sim", TEAM, "west");
    let made = |entry: &Entry, kind: &str| {
        entry.event == Event::Added
            && entry.is(kind, &name)
            && entry.namespace == TEAM
            && entry.has_manager(OPERATOR, "")
            && entry.owners == ["Provider/west"]
    };
    history
        .assert_order(&[
            step("2. a person applies a Provider", |entry| {
                entry.event == Event::Added && entry.is("Provider", "west")
            }),
            step("3. the operator takes it in hand", |entry| {
                entry.is("Provider", "west") && entry.has_finalizer(WORKLOAD_FINALIZER)
            }),
            step("3. it gives the process an identity", |entry| {
                made(entry, "ServiceAccount")
            }),
            step("3. a Lease to elect its leader by", |entry| {
                made(entry, "Lease")
            }),
            step("3. the right to read one Secret", |entry| {
                made(entry, "Role") && reads_only(entry, "west-credentials")
            }),
            step("3. which it grants", |entry| made(entry, "RoleBinding")),
            step("3. what all processes may do", |entry| {
                entry.event == Event::Added
                    && entry.is("ClusterRoleBinding", &cluster_wide)
                    && entry.has_manager(OPERATOR, "")
            }),
            step("3. and starts it", |entry| {
                made(entry, "Deployment")
                    && entry.at("/spec/template/spec/containers/0/args/0") == "provider"
                    && entry.at("/spec/template/spec/containers/0/args/1") == "sim"
            }),
            step("4. the process takes its Lease", |entry| {
                entry.is("Lease", &name)
                    && entry.namespace == TEAM
                    && entry.at("/spec/holderIdentity").is_string()
            }),
            step("5. it shows the failure domains of its backend", |entry| {
                entry.is("Provider", "west")
                    && entry.has_manager(PROVIDER, "status")
                    && entry.at("/status/failureDomains").as_array().map(Vec::len) == Some(6)
                    && entry.condition("Ready") == "True"
            }),
        ])
        .await
        .is_shown("docs/flows/register.md", "registration")
        .unwrap();
    history
        .assert_order(&[
            step("the process is available", |entry| {
                entry.is("Deployment", &name) && entry.at("/status/availableReplicas") == 1
            }),
            step("6. the operator says so on the Provider", |entry| {
                entry.is("Provider", "west")
                    && entry.has_manager(OPERATOR, "status")
                    && entry.at("/status/workload/readyReplicas") == 1
            }),
        ])
        .await
        .is_shown("docs/flows/register.md", "readiness")
        .unwrap();
}

async fn leaves(history: &History) {
    let cluster_wide = names::cluster_scoped_workload("sim", TEAM, "west");
    let gone = |entry: &Entry, kind: &str, name: &str| {
        entry.event == Event::Deleted && entry.is(kind, name)
    };
    history
        .assert_order(&[
            step(
                "a person deletes the Provider; the finalizer keeps it",
                |entry| {
                    entry.is("Provider", "west")
                        && entry.deletion_timestamp.is_some()
                        && entry.has_finalizer(WORKLOAD_FINALIZER)
                },
            ),
            step(
                "the operator removes what no owner reference reaches",
                |entry| gone(entry, "ClusterRoleBinding", &cluster_wide),
            ),
            step("then it lets the Provider go", |entry| {
                gone(entry, "Provider", "west")
            }),
            step("and the process goes with it", |entry| {
                gone(entry, "Deployment", &names::workload("sim", "west"))
            }),
        ])
        .await
        .is_shown("docs/flows/register.md", "removal")
        .unwrap();
}

const WORKLOAD_FINALIZER: &str = "banlieue.io/provider-workload";

/// Whether a Role lets its holder read this one Secret, and no other.
pub(super) fn reads_only(role: &Entry, secret: &str) -> bool {
    let rules = role.at("/rules").as_array().into_iter().flatten();
    let mut of_secrets = rules.filter(|rule| rule["resources"] == json!(["secrets"]));
    of_secrets.all(|rule| rule["resourceNames"] == json!([secret]))
        && role.at("/rules").to_string().contains(secret)
}

/// Waits until nothing carries the labels of a Provider.
pub(super) async fn nothing_of(client: &Client, provider: &str) {
    let labelled = ListParams::default().labels(&format!("{}={provider}", labels::PROVIDER));
    eventually("the process and its rights to be gone", async || {
        let mut left = Vec::new();
        macro_rules! collect {
            ($($kind:ty),*) => {$(
                let api: Api<$kind> = Api::all(client.clone());
                left.extend(api.list(&labelled).await?.iter().map(ResourceExt::name_any));
            )*};
        }
        collect!(
            ServiceAccount,
            Lease,
            Role,
            RoleBinding,
            ClusterRoleBinding,
            Deployment
        );
        anyhow::ensure!(left.is_empty(), "left: {left:?}");
        Ok(())
    })
    .await
    .unwrap();
}
