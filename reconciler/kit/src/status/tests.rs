#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use banlieue_schemas::infrastructure::{SimMachine, SimMachineStatus};
use banlieue_schemas::platform::Backend;

use super::*;
use crate::fake::{Answer, Fake};

fn machine(status: &Value) -> SimMachine {
    serde_json::from_value(json!({
        "apiVersion": "infrastructure.banlieue.io/v1alpha1", "kind": "SimMachine",
        "metadata": {"name": "m", "namespace": "ns", "uid": "u", "resourceVersion": "7"},
        "spec": {"imageRef": {"name": "i"}, "numCpus": 1, "memoryMiB": 512, "disks": []},
        "status": status,
    }))
    .unwrap()
}

fn status(zone: &str) -> SimMachineStatus {
    SimMachineStatus {
        failure_domain: Some(zone.to_owned()),
        ..SimMachineStatus::default()
    }
}

fn server() -> Fake {
    Fake::new(|_| Answer::ok(serde_json::to_value(machine(&json!({}))).unwrap()))
}

async fn written(fake: &Fake, read: &Value, wanted: &SimMachineStatus) -> Result<bool, ApiError> {
    let manager = Manager::Provider(Backend::Sim);
    let written = write(&fake.client(), &manager, &machine(read), wanted).await?;
    Ok(written.is_written())
}

#[tokio::test]
async fn a_status_is_applied_to_the_object_that_was_read() {
    let fake = server();
    assert!(written(&fake, &json!({}), &status("z")).await.unwrap());
    let call = fake.call();
    let path = "/apis/infrastructure.banlieue.io/v1alpha1/namespaces/ns/simmachines/m/status";
    assert_eq!(call.line(), format!("PATCH {path}"));
    assert_eq!(call.content_type, "application/apply-patch+yaml");
    assert!(call.query.contains("force=true"), "{}", call.query);
    let manager = "fieldManager=banlieue.io%2Fprovider-sim";
    assert!(call.query.contains(manager), "{}", call.query);
    assert_eq!(
        call.body,
        json!({
            "apiVersion": "infrastructure.banlieue.io/v1alpha1", "kind": "SimMachine",
            "metadata": {"name": "m", "namespace": "ns", "uid": "u", "resourceVersion": "7"},
            "status": {"failureDomain": "z"},
        })
    );
}

#[tokio::test]
async fn nothing_is_sent_where_nothing_changed() {
    let fake = server();
    let table = [
        (json!({"failureDomain": "z"}), status("z")),
        (json!({}), SimMachineStatus::default()),
        (Value::Null, SimMachineStatus::default()),
    ];
    for (read, wanted) in table {
        assert!(!written(&fake, &read, &wanted).await.unwrap(), "{read}");
    }
    assert!(fake.calls().is_empty());
}

#[tokio::test]
async fn a_status_from_old_news_is_a_conflict() {
    let fake = Fake::refusing(409, "Conflict");
    let error = written(&fake, &json!({}), &status("z")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
}

#[tokio::test]
async fn a_part_is_written_whatever_happened_to_the_rest() {
    let fake = server();
    let machine = machine(&json!({"failureDomain": "z", "instanceUuid": "i"}));
    for (wanted, sent) in [("z", false), ("y", true)] {
        let (meta, read, wanted) = (&machine.metadata, &status("z"), &status(wanted));
        let written =
            write_part::<SimMachine>(&fake.client(), &Manager::Operator, meta, read, wanted).await;
        assert_eq!(written.unwrap().is_written(), sent);
    }
    let body = fake.call().body;
    assert_eq!(body["status"], json!({"failureDomain": "y"}));
    assert!(body["metadata"].get("resourceVersion").is_none());
    assert_eq!(body["metadata"]["uid"], "u");
}
