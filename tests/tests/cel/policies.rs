//! A real API server gives the verdicts that the cases of every admission policy say, on requests
//! of ServiceAccounts that may write the objects.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use banlieue_schemas::manifests;
use banlieue_tests::apiserver::ApiServer;
use banlieue_tests::cel_cases::{Suite, merge};
use banlieue_tests::client::{Answer, Client};
use serde_json::{Value, json};

use super::policy_cases::{ALLOWED_REGISTRY, Ask, CASES, Case, Who};
use super::{DRY, STRICT, server_with_crds};

/// Both write every kind; the second also reads what the bases of the cases name.
const ACCESS: &str = "
apiVersion: v1
kind: ServiceAccount
metadata: {name: writer, namespace: default}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: reader, namespace: default}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: writes}
rules:
- apiGroups: [banlieue.io, infrastructure.banlieue.io]
  resources: [providers, virtualmachines, vmimages, libvirtmachinetemplates, simmachinetemplates, vspheremachinetemplates]
  verbs: [get, create, update]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: writes}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: writes}
subjects:
- {kind: ServiceAccount, name: writer, namespace: default}
- {kind: ServiceAccount, name: reader, namespace: default}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reads, namespace: default}
rules:
- {apiGroups: [''], resources: [secrets], resourceNames: [vcenter-1, vcenter-1-ca, db-1], verbs: [get]}
- {apiGroups: [''], resources: [configmaps], resourceNames: [db-1], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reads, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reads}
subjects:
- {kind: ServiceAccount, name: reader, namespace: default}
";

/// Keeps an object that is being deleted.
const FINALIZER: &str = "example.com/kept";

/// Policies and bindings, as they are rendered where every option is used.
fn rendered() -> Result<Vec<Value>> {
    let settings = manifests::Settings {
        allowed_registries: vec![ALLOWED_REGISTRY.to_owned()],
        ..manifests::Settings::default()
    };
    let objects = manifests::platform(&settings)?.into_iter();
    let objects = objects.map(|(_, object)| object).filter(|object| {
        let kind = object["kind"].as_str().unwrap_or_default();
        kind.starts_with("ValidatingAdmissionPolicy")
    });
    Ok(objects.collect())
}

fn apply(api: &ApiServer, objects: &[Value]) -> Result<()> {
    let stream: Vec<String> = objects.iter().map(Value::to_string).collect();
    let command = ["apply", "--server-side", "--validate=strict", "-f", "-"];
    api.kubectl_with_input(&command, &stream.join("\n---\n"))?;
    Ok(())
}

/// A server with our kinds, and a client of everybody who asks.
struct Bed {
    api: ApiServer,
    administrator: Client,
    writer: Client,
    reader: Client,
}

impl Bed {
    fn start() -> Result<Self> {
        let (api, administrator) = server_with_crds()?;
        api.kubectl_with_input(&["apply", "--server-side", "-f", "-"], ACCESS)?;
        Ok(Self {
            writer: Client::service_account(&api, "default", "writer")?,
            reader: Client::service_account(&api, "default", "reader")?,
            api,
            administrator,
        })
    }

    fn client(&self, who: Who) -> &Client {
        match who {
            Who::Writer => &self.writer,
            Who::Reader => &self.reader,
        }
    }

    fn create(&self, collection: &str, object: &Value) -> Result<Value> {
        let created = self.administrator.post(collection, STRICT, object)?;
        ensure!(created.is_success(), "setup: {}", created.message());
        Ok(created.body)
    }

    /// What becomes of a request that changes nothing.
    fn ask(&self, case: &Case, ask: &Ask) -> Result<Answer> {
        let collection = collection(case.kind);
        let client = self.client(ask.who);
        let (old, mut object) = objects(case, ask)?;
        let Some(old) = old else {
            return client.post(&collection, DRY, &object);
        };
        let current = self.create(&collection, &old)?;
        let path = path(&collection, &current)?;
        object["metadata"]["resourceVersion"] = current["metadata"]["resourceVersion"].clone();
        let answer = client.put(&path, DRY, &object);
        self.administrator.delete(&path)?;
        answer
    }

    fn check(&self, case: &Case) -> Result<()> {
        // A policy takes effect a moment after it is stored.
        let deadline = Instant::now() + Duration::from_secs(60);
        let refused = loop {
            let answer = self.ask(case, &case.refused)?;
            if !answer.is_success() || Instant::now() > deadline {
                break answer;
            }
            std::thread::sleep(Duration::from_millis(200));
        };
        ensure!(!refused.is_success(), "what should be refused is accepted");
        let expected = format!(
            "ValidatingAdmissionPolicy '{0}' with binding '{0}' denied request: {1}",
            case.policy, case.message
        );
        ensure!(
            refused.status == 403 && refused.message().ends_with(&expected),
            "refused for another reason: {}",
            refused.message()
        );
        let accepted = self.ask(case, &case.accepted)?;
        ensure!(
            accepted.is_success(),
            "what should be accepted is refused: {}",
            accepted.message()
        );
        Ok(())
    }
}

fn collection(kind: &str) -> String {
    let plural = format!("{}s", kind.to_lowercase());
    match kind {
        "VMImage" => format!("/apis/banlieue.io/v1alpha1/{plural}"),
        "Provider" | "VirtualMachine" => {
            format!("/apis/banlieue.io/v1alpha1/namespaces/default/{plural}")
        }
        _ => format!("/apis/infrastructure.banlieue.io/v1alpha1/namespaces/default/{plural}"),
    }
}

fn path(collection: &str, object: &Value) -> Result<String> {
    let name = object["metadata"]["name"].as_str().context("no name")?;
    Ok(format!("{collection}/{name}"))
}

/// The object before the request, where it is an update, and the one that it sends.
fn objects(case: &Case, ask: &Ask) -> Result<(Option<Value>, Value)> {
    let patched = |object: &Value, patch: &str| -> Result<Value> {
        let mut object = object.clone();
        merge(
            &mut object,
            &serde_json::from_str(patch).context(patch.to_owned())?,
        );
        Ok(object)
    };
    let base = patched(&Suite::load(case.kind)?.base, case.base)?;
    let old = ask.old.map(|patch| patched(&base, patch)).transpose()?;
    let object = patched(old.as_ref().unwrap_or(&base), ask.patch)?;
    Ok((old, object))
}

#[test]
fn every_validation_accepts_and_refuses_on_the_api_server() -> Result<()> {
    let bed = Bed::start()?;
    apply(&bed.api, &rendered()?)?;
    let wrong: Vec<String> = CASES
        .iter()
        .filter_map(|case| {
            let error = bed.check(case).err()?;
            Some(format!("{} ({}): {error:#}", case.policy, case.name))
        })
        .collect();
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// A finalizer is removed by an update, by somebody who need not be allowed to write the spec that
/// is there.
#[test]
fn no_policy_stands_in_the_way_of_a_deletion() -> Result<()> {
    let bed = Bed::start()?;
    let mut leaving = Vec::new();
    for (index, case) in CASES.iter().enumerate() {
        let (old, mut object) = objects(case, &case.refused)?;
        let mut old = old.unwrap_or_else(|| object.clone());
        let name = json!(format!("case-{index}"));
        for object in [&mut old, &mut object] {
            object["metadata"]["name"] = name.clone();
        }
        old["metadata"]["finalizers"] = json!([FINALIZER]);
        let collection = collection(case.kind);
        let path = path(&collection, &bed.create(&collection, &old)?)?;
        let deleted = bed.administrator.delete(&path)?;
        ensure!(deleted.is_success(), "{}", deleted.message());
        leaving.push((case, path, object));
    }
    apply(&bed.api, &rendered()?)?;
    // From here on all are in force.
    for case in CASES {
        bed.check(case)?;
    }
    for (case, path, mut object) in leaving {
        let current = bed.api.get(&path)?;
        object["metadata"]["resourceVersion"] = current["metadata"]["resourceVersion"].clone();
        let answer = bed.client(case.refused.who).put(&path, STRICT, &object)?;
        ensure!(
            answer.is_success(),
            "{} ({}): {}",
            case.policy,
            case.name,
            answer.message()
        );
        ensure!(bed.api.get(&path).is_err(), "{path} is still there");
    }
    Ok(())
}

#[test]
fn no_validation_is_without_a_case_and_no_case_without_a_validation() -> Result<()> {
    let mut validations = BTreeSet::new();
    let mut bound = BTreeSet::new();
    for object in rendered()? {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if object["kind"] == "ValidatingAdmissionPolicyBinding" {
            bound.insert(text(&object["spec"]["policyName"]));
        }
        for validation in object["spec"]["validations"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let policy = text(&object["metadata"]["name"]);
            validations.insert((policy, text(&validation["message"])));
        }
    }
    let cases: BTreeSet<_> = CASES
        .iter()
        .map(|case| (case.policy.to_owned(), case.message.to_owned()))
        .collect();
    assert_eq!(validations, cases);
    let policies: BTreeSet<_> = cases.into_iter().map(|(policy, _)| policy).collect();
    assert_eq!(policies, bound);
    Ok(())
}

/// The rule is a policy: inside the CRD it would refuse Cluster API's dry run, too.
#[test]
fn a_machine_template_is_immutable_but_for_the_topology_controllers_dry_run() -> Result<()> {
    let (api, client) = server_with_crds()?;
    apply(&api, &rendered()?)?;

    for kind in [
        "LibvirtMachineTemplate",
        "SimMachineTemplate",
        "VSphereMachineTemplate",
    ] {
        let suite = Suite::load(kind)?;
        let path = format!(
            "/apis/infrastructure.banlieue.io/v1alpha1/namespaces/default/{}s",
            kind.to_lowercase()
        );
        let created = client.post(&path, STRICT, &suite.base)?;
        ensure!(created.is_success(), "{}", created.message());
        let object = format!(
            "{path}/{}",
            created.body["metadata"]["name"]
                .as_str()
                .unwrap_or_default()
        );
        let mut edited = created.body.clone();
        edited["spec"]["template"]["spec"]["memoryMiB"] = json!(8192);
        let mut marked = edited.clone();
        marked["metadata"]["annotations"] = json!({ "topology.cluster.x-k8s.io/dry-run": "" });

        // A policy takes effect a moment after it is stored.
        let deadline = Instant::now() + Duration::from_secs(60);
        while client.put(&object, DRY, &edited)?.is_success() {
            ensure!(Instant::now() < deadline, "{kind}: an edit is let through");
            std::thread::sleep(Duration::from_millis(200));
        }
        let refused = client.put(&object, STRICT, &edited)?;
        ensure!(
            refused
                .message()
                .contains("spec.template.spec is immutable"),
            "{}",
            refused.message()
        );
        ensure!(
            !client.put(&object, STRICT, &marked)?.is_success(),
            "{kind}: the annotation alone suffices"
        );
        let dry = client.put(&object, DRY, &marked)?;
        ensure!(
            dry.is_success(),
            "{kind}: the dry run is refused: {}",
            dry.message()
        );
        let mut labelled = created.body.clone();
        labelled["metadata"]["labels"] = json!({ "a": "b" });
        let labelled = client.put(&object, DRY, &labelled)?;
        ensure!(
            labelled.is_success(),
            "{kind}: a label is refused: {}",
            labelled.message()
        );
    }
    Ok(())
}
