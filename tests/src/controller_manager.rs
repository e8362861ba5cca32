//! A kube-controller-manager: Deployments make Pods, Jobs end, owned objects are
//! garbage-collected, namespaces end, namespaces get their default ServiceAccount.

use std::time::Duration;

use anyhow::{Context, Result};

use crate::apiserver::ApiServer;
use crate::process::{self, Server};
use crate::tools::{Tool, go_program};

const START_LIMIT: Duration = Duration::from_secs(90);

/// A running controller manager, 110 MB. Dropping it ends it.
///
/// Its garbage collector learns of a new kind only every 30 s: CRDs whose objects
/// are to be collected should be there before it starts. Nodes are not watched
/// for health, so that they need no heartbeat.
#[derive(Debug)]
pub struct ControllerManager {
    _server: Server,
}

impl ControllerManager {
    /// Starts it against `api` as administrator and waits until it works. It
    /// serves no port.
    pub fn start(api: &ApiServer) -> Result<Self> {
        let mut command = go_program(Tool::ControllerManager)?;
        command
            .arg("--kubeconfig")
            .arg(api.kubeconfig())
            .arg("--root-ca-file")
            .arg(api.certificate())
            .arg("--service-account-private-key-file")
            .arg(api.service_account_key())
            .args([
                "--controllers=*,-node-ipam-controller,-node-lifecycle-controller",
                "--kube-api-qps=200",
                "--kube-api-burst=400",
                "--leader-elect=false",
                "--secure-port=0",
            ]);
        let mut server = Server::start(command, &api.directory().join("controller-manager.log"))?;
        // The last two things without which no Pod is admitted and started.
        for path in [
            "/api/v1/namespaces/default/serviceaccounts/default",
            "/api/v1/namespaces/default/configmaps/kube-root-ca.crt",
        ] {
            process::wait_until(path, START_LIMIT, || {
                server.ensure_running()?;
                Ok(api.get(path).is_ok())
            })
            .with_context(|| format!("start of the controller manager:\n{}", server.log_tail()))?;
        }
        Ok(Self { _server: server })
    }
}
