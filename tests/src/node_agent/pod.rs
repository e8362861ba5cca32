//! One Pod from its binding to its end.

use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use k8s_openapi::api::core::v1::{Container, Pod, PodStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use kube::api::{DeleteParams, Patch, PatchParams, Preconditions};
use kube::{Api, ResourceExt as _};
use tokio::sync::watch;

use super::agent::Shared;
use super::container::{self, RestartPolicy, Stop};
use super::context::{PodContext, grace};
use super::report::Report;
use super::status::{Snapshot, Snapshots, patch, status};
use super::unsupported::unsupported;

/// Wait before a write or a preparation that failed is tried again.
const RETRY: Duration = Duration::from_millis(200);

/// Runs `pod` until it is gone or the node is stopped.
pub(super) async fn run(node: Arc<Shared>, pod: Pod, updates: watch::Receiver<Option<Pod>>) {
    let uid = pod.uid().unwrap_or_default();
    let directory = node.directory.join("pods").join(uid);
    let context = Arc::new(PodContext::new(node, pod.clone(), directory.clone()));
    let mut worker = Worker {
        pods: Api::namespaced(
            context.node.client.clone(),
            &pod.namespace().unwrap_or_default(),
        ),
        stopped: context.node.stopped.clone(),
        context,
        updates,
        started: Time(Timestamp::now()),
        written: pod.status.clone(),
    };
    worker.run().await;
    // It fails only when nothing was made.
    let _ = std::fs::remove_dir_all(directory);
}

struct Worker {
    context: Arc<PodContext>,
    pods: Api<Pod>,
    updates: watch::Receiver<Option<Pod>>,
    stopped: watch::Receiver<bool>,
    started: Time,
    /// The status that was written last.
    written: Option<PodStatus>,
}

impl Worker {
    async fn run(&mut self) {
        if let Some(what) = unsupported(&self.context.pod) {
            let message = format!("the test node does not support {what}");
            let failed = PodStatus {
                message: Some(message),
                phase: Some("Failed".to_owned()),
                reason: Some("Unsupported".to_owned()),
                ..PodStatus::default()
            };
            self.write(failed).await;
        } else if self.prepare().await {
            self.run_containers().await;
        }
        self.leave().await;
    }

    /// Makes the volumes; false if the Pod is to end before they could be.
    async fn prepare(&mut self) -> bool {
        let mut changes = self.context.node.config_changes.clone();
        loop {
            changes.mark_unchanged();
            let Err(missing) = self.context.sync().await else {
                return true;
            };
            let snapshots = self.first_snapshots(&format!("{missing:#}"));
            self.write_status(&snapshots).await;
            tokio::select! {
                _ = changes.changed() => {}
                () = tokio::time::sleep(RETRY) => {}
                _ = ending(&mut self.updates, &mut self.stopped, None) => return false,
            }
        }
    }

    async fn run_containers(&mut self) {
        let snapshots = Arc::new(watch::Sender::new(self.first_snapshots("")));
        let (stop, stopped) = watch::channel(None);
        let mut reports = snapshots.subscribe();
        let mut changes = self.context.node.config_changes.clone();
        let lifecycle = lifecycle(Arc::clone(&self.context), snapshots, stopped);
        tokio::pin!(lifecycle);
        let mut written = false;
        reports.mark_changed();
        loop {
            let grace = *stop.borrow();
            tokio::select! {
                () = &mut lifecycle => break,
                _ = reports.changed() => {
                    let snapshots = reports.borrow_and_update().clone();
                    written = self.write_status(&snapshots).await;
                }
                _ = changes.changed() => {
                    if let Err(error) = self.context.sync().await {
                        eprintln!("node: {}: {error:#}", self.context.pod.name_any());
                    }
                }
                // Later requests may leave less time.
                shorter = ending(&mut self.updates, &mut self.stopped, grace),
                    if grace != Some(Duration::ZERO) => {
                    stop.send_replace(Some(shorter));
                }
                () = tokio::time::sleep(RETRY), if !written => {
                    let snapshots = reports.borrow().clone();
                    written = self.write_status(&snapshots).await;
                }
            }
        }
        let last = reports.borrow().clone();
        while !self.write_status(&last).await && !*self.stopped.borrow() {
            tokio::time::sleep(RETRY).await;
        }
    }

    /// Waits until the deletion of the Pod is asked for, and confirms it.
    async fn leave(&mut self) {
        ending(&mut self.updates, &mut self.stopped, None).await;
        let parameters = DeleteParams {
            grace_period_seconds: Some(0),
            preconditions: Some(Preconditions {
                uid: self.context.pod.uid(),
                resource_version: None,
            }),
            ..DeleteParams::default()
        };
        while !*self.stopped.borrow() && self.updates.borrow().is_some() {
            let name = self.context.pod.name_any();
            match self.pods.delete(&name, &parameters).await {
                Ok(_) => return,
                Err(error) if is_gone(&error) => return,
                Err(error) => eprintln!("node: delete {name}: {error}"),
            }
            tokio::time::sleep(RETRY).await;
        }
    }

    fn first_snapshots(&self, message: &str) -> Snapshots {
        let spec = self.context.pod.spec.as_ref();
        let init = spec.and_then(|spec| spec.init_containers.as_ref());
        let init = init.map_or(0, Vec::len);
        let main = spec.map_or(0, |spec| spec.containers.len());
        let reason = if init > 0 {
            "PodInitializing"
        } else {
            "ContainerCreating"
        };
        Snapshots {
            init: vec![Snapshot::waiting(reason, message); init],
            main: vec![Snapshot::waiting(reason, message); main],
        }
    }

    /// Writes the status that follows from `snapshots`; whether it is written.
    async fn write_status(&mut self, snapshots: &Snapshots) -> bool {
        let now = Time(Timestamp::now());
        let status = status(
            &self.context.pod,
            self.written.as_ref(),
            self.context.address,
            &self.started,
            &now,
            snapshots,
        );
        self.write(status).await
    }

    async fn write(&mut self, status: PodStatus) -> bool {
        if self.written.as_ref() == Some(&status) || self.updates.borrow().is_none() {
            return true;
        }
        let patch = match patch(&self.context.pod, &status) {
            Ok(patch) => Patch::Strategic(patch),
            Err(error) => {
                eprintln!("node: status: {error}");
                return false;
            }
        };
        let parameters = PatchParams {
            field_manager: Some("kubelet".to_owned()),
            ..PatchParams::default()
        };
        let name = self.context.pod.name_any();
        match self.pods.patch_status(&name, &parameters, &patch).await {
            Ok(_) => {}
            Err(error) if is_gone(&error) => {}
            Err(error) => {
                eprintln!("node: status of {name}: {error}");
                return false;
            }
        }
        self.written = Some(status);
        true
    }
}

/// Runs the init containers one after the other, then all others together.
async fn lifecycle(context: Arc<PodContext>, snapshots: Arc<watch::Sender<Snapshots>>, stop: Stop) {
    let spec = context.pod.spec.clone().unwrap_or_default();
    let run = |container: Container, is_init: bool, index: usize| {
        let policy = RestartPolicy::new(spec.restart_policy.as_deref(), is_init);
        let report = Report::new(Arc::clone(&snapshots), is_init, index);
        container::run(
            Arc::clone(&context),
            container,
            policy,
            report,
            stop.clone(),
        )
    };
    let init = spec.init_containers.clone().unwrap_or_default();
    for (index, container) in init.into_iter().enumerate() {
        run(container, true, index).await;
        let exit_code = snapshots
            .borrow()
            .init
            .get(index)
            .and_then(Snapshot::exit_code);
        if exit_code != Some(0) {
            return;
        }
    }
    let main = spec.containers.iter().cloned().enumerate();
    join_all(main.map(|(index, container)| run(container, false, index))).await;
}

/// Waits until the Pod or the node is to end in less than `before`, or at all; the
/// time that its containers have.
async fn ending(
    updates: &mut watch::Receiver<Option<Pod>>,
    stopped: &mut watch::Receiver<bool>,
    before: Option<Duration>,
) -> Duration {
    let shorter = |pod: &Option<Pod>| {
        requested(pod.as_ref()).is_some_and(|it| before.is_none_or(|before| it < before))
    };
    tokio::select! {
        _ = stopped.wait_for(|stopped| *stopped) => Duration::ZERO,
        pod = updates.wait_for(shorter) => {
            pod.ok().and_then(|pod| requested(pod.as_ref())).unwrap_or_default()
        }
    }
}

/// Time in which a Pod is to end, if it is. One that was removed by force has none.
fn requested(pod: Option<&Pod>) -> Option<Duration> {
    let Some(pod) = pod else {
        return Some(Duration::ZERO);
    };
    let deleted = pod.metadata.deletion_timestamp.is_some();
    deleted.then(|| grace(pod.metadata.deletion_grace_period_seconds))
}

fn is_gone(error: &kube::Error) -> bool {
    // A conflict is another Pod of the same name.
    matches!(error, kube::Error::Api(status) if matches!(status.code, 404 | 409))
}
