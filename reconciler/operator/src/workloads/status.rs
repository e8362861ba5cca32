//! `status.workload` of a Provider. The operator writes nothing else of its status.

use std::sync::Arc;

use banlieue_core::workloads;
use banlieue_kit::Client;
use banlieue_kit::cache::Cache;
use banlieue_kit::errors::ApiError;
use banlieue_kit::events::{Saying, Severity};
use banlieue_kit::status::{Written, write_part};
use banlieue_schemas::conditions::Reason;
use banlieue_schemas::managers::Manager;
use banlieue_schemas::platform::{Provider, ProviderStatus, WorkloadStatus};
use k8s_openapi::api::apps::v1::Deployment;
use kube::ResourceExt;

use super::plan::Plan;

/// What the status should be, `None` before the first process. Where nothing may change, what was
/// recorded is kept, and how many replicas are ready follows.
pub fn of(
    provider: &Provider,
    plan: &Plan,
    deployments: &Cache<Deployment>,
) -> Option<WorkloadStatus> {
    match plan {
        Plan::Apply(wanted) => {
            let deployment = wanted.workload.deployment.as_ref();
            let ready = deployment.and_then(|deployment| {
                let namespace = deployment.namespace();
                ready(deployments, namespace.as_deref(), &deployment.name_any())
            });
            let workload = &wanted.workload;
            Some(workloads::status(provider, &wanted.class, workload, ready))
        }
        Plan::Leave(_) => {
            let mut recorded = recorded(provider)?.clone();
            if let Some(name) = &recorded.deployment_name {
                let ready = ready(deployments, Some(&recorded.namespace), name);
                recorded.ready_replicas = Some(ready.unwrap_or(0));
            }
            Some(recorded)
        }
    }
}

/// Writes the status if it differs from what is recorded.
pub async fn write(
    client: &Client,
    providers: &Cache<Provider>,
    provider: &Provider,
    wanted: Option<WorkloadStatus>,
) -> Result<(), ApiError> {
    let part = |workload: Option<WorkloadStatus>| ProviderStatus {
        workload,
        ..ProviderStatus::default()
    };
    let read = part(recorded(provider).cloned());
    let wanted = part(wanted);
    let manager = Manager::Operator;
    let meta = &provider.metadata;
    let written: Written<Provider> = write_part(client, &manager, meta, &read, &wanted).await?;
    if let Written::Written(stored) = written {
        providers.wrote(&stored);
    }
    Ok(())
}

/// What people are told while a Provider is being deleted.
pub fn waiting(kind: &str) -> Saying {
    Saying {
        severity: Severity::Normal,
        reason: Reason::Deleting,
        action: "Delete",
        note: format!("its process is kept until no {kind} needs it any more"),
    }
}

fn recorded(provider: &Provider) -> Option<&WorkloadStatus> {
    provider.status.as_ref()?.workload.as_ref()
}

fn ready(deployments: &Cache<Deployment>, namespace: Option<&str>, name: &str) -> Option<i32> {
    let deployment: Arc<Deployment> = deployments.get(namespace, name)?;
    deployment.status.as_ref()?.ready_replicas
}
