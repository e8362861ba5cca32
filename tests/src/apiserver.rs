//! A Kubernetes API server with a store of its own.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;
use tempfile::TempDir;

use crate::process::{self, Server};
use crate::requests::log;
use crate::tools::{Tool, go_program};

/// Used by nobody else: each server has its own certificate, which clients check.
const TOKEN: &str = "test-token";
const CERTIFICATE: &str = "certificates/apiserver.crt";
const SERVICE_ACCOUNT_KEY: &str = "service-accounts.key";
const REQUESTS: &str = "requests.log";
const START_LIMIT: Duration = Duration::from_secs(90);

/// A running API server, empty at first; ready after about 5 s, 280 MB.
/// RBAC is on and the kubeconfig belongs to an administrator. Alone it has no
/// controller manager: nothing is garbage-collected and a namespace never ends.
#[derive(Debug)]
pub struct ApiServer {
    // Ended in this order.
    apiserver: Server,
    etcd: Server,
    directory: TempDir,
    port: u16,
}

impl ApiServer {
    /// Starts etcd and the API server in a temporary directory and waits until
    /// they serve. Any number may run side by side.
    pub fn start() -> Result<Self> {
        Self::start_with(&[])
    }

    /// The same, with the requests of ServiceAccounts recorded: see [`Self::requests`].
    pub fn start_recording() -> Result<Self> {
        Self::start_with(&[
            "--audit-policy-file=audit-policy.yaml",
            &format!("--audit-log-path={REQUESTS}"),
        ])
    }

    fn start_with(arguments: &[&str]) -> Result<Self> {
        let directory = tempfile::Builder::new().prefix("banlieue-").tempdir()?;
        let etcd = start_etcd(directory.path())?;
        write_credentials(directory.path())?;

        let (apiserver, port) = process::on_free_port(|port| {
            let server = start_apiserver(directory.path(), port, arguments)?;
            Ok((server, port))
        })?;
        Ok(Self {
            apiserver,
            etcd,
            directory,
            port,
        })
    }

    /// Port on 127.0.0.1 that serves HTTPS.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Certificates that the server is trusted by, PEM.
    pub fn certificate(&self) -> PathBuf {
        self.directory.path().join(CERTIFICATE)
    }

    /// Private key that signs the tokens of ServiceAccounts, PEM.
    pub fn service_account_key(&self) -> PathBuf {
        self.directory.path().join(SERVICE_ACCOUNT_KEY)
    }

    /// Kubeconfig of an administrator.
    pub fn kubeconfig(&self) -> PathBuf {
        kubeconfig(self.directory.path())
    }

    /// Directory that lives as long as the server, for what belongs to it.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// The requests up to now, if they are recorded.
    pub fn requests(&self) -> Result<Vec<log::Request>> {
        log::read(&self.directory.path().join(REQUESTS))
    }

    /// IDs of the processes of the API server and of etcd.
    pub fn processes(&self) -> [u32; 2] {
        [self.apiserver.id(), self.etcd.id()]
    }

    /// Last lines of the API server's log, for an error message.
    pub fn log_tail(&self) -> String {
        self.apiserver.log_tail()
    }

    /// Runs kubectl and returns its standard output.
    pub fn kubectl(&self, arguments: &[&str]) -> Result<String> {
        self.kubectl_with_input(arguments, "")
    }

    /// Runs kubectl with `input` on standard input (`-f -`).
    pub fn kubectl_with_input(&self, arguments: &[&str], input: &str) -> Result<String> {
        process::run(kubectl(self.directory.path())?.args(arguments), input)
    }

    /// Answer of the API server to GET `path`, such as
    /// `/api/v1/namespaces/default`.
    pub fn get(&self, path: &str) -> Result<Value> {
        let text = self.kubectl(&["get", "--raw", path])?;
        serde_json::from_str(&text).with_context(|| format!("GET {path} is not JSON"))
    }

    /// Applies every manifest below `path` server-side, with strict field
    /// validation. Applying the same again changes nothing.
    pub fn apply_files(&self, path: &Path) -> Result<()> {
        let path = path.to_str().context("path is not UTF-8")?;
        self.kubectl(&[
            "apply",
            "--server-side",
            "--force-conflicts",
            "--field-manager=tests",
            "--validate=strict",
            "--recursive",
            "--filename",
            path,
        ])?;
        Ok(())
    }
}

/// etcd on Unix sockets in its own directory, so that no port can clash. It
/// takes only addresses of the form host:port and uses that as the file's name.
fn start_etcd(directory: &Path) -> Result<Server> {
    let mut command = go_program(Tool::Etcd)?;
    command.current_dir(directory).args([
        "--unsafe-no-fsync",
        "--data-dir=etcd",
        "--listen-client-urls=unix://localhost:1",
        "--advertise-client-urls=unix://localhost:1",
        "--listen-peer-urls=unix://localhost:2",
        "--initial-advertise-peer-urls=unix://localhost:2",
        "--initial-cluster=default=unix://localhost:2",
    ]);
    Server::start(command, &directory.join("etcd.log"))
}

fn write_credentials(directory: &Path) -> Result<()> {
    std::fs::write(
        directory.join("tokens.csv"),
        format!("{TOKEN},admin,admin,\"system:masters\"\n"),
    )?;
    std::fs::write(directory.join("audit-policy.yaml"), log::POLICY)?;
    process::run(
        Command::new("openssl")
            .args(["genrsa", "-out", SERVICE_ACCOUNT_KEY, "2048"])
            .current_dir(directory),
        "",
    )?;
    Ok(())
}

fn start_apiserver(directory: &Path, port: u16, arguments: &[&str]) -> Result<Server> {
    write_kubeconfig(directory, port)?;
    let mut command = go_program(Tool::ApiServer)?;
    command.current_dir(directory).args([
        "--etcd-servers=unix://localhost:1",
        "--bind-address=127.0.0.1",
        &format!("--secure-port={port}"),
        "--cert-dir=certificates",
        &format!("--service-account-key-file={SERVICE_ACCOUNT_KEY}"),
        &format!("--service-account-signing-key-file={SERVICE_ACCOUNT_KEY}"),
        "--service-account-issuer=https://kubernetes.default.svc",
        "--token-auth-file=tokens.csv",
        "--authorization-mode=RBAC",
        "--service-cluster-ip-range=10.0.0.0/24",
    ]);
    command.args(arguments);
    let mut server = Server::start(command, &directory.join("apiserver.log"))?;
    // A kubectl that finds nobody costs as much as one that is answered.
    process::wait_until("the port of the API server", START_LIMIT, || {
        server.ensure_running()?;
        Ok(TcpStream::connect(("127.0.0.1", port)).is_ok())
    })
    .with_context(|| format!("start of the API server:\n{}", server.log_tail()))?;
    // The namespaces come a moment after the server calls itself ready.
    for path in ["/readyz", "/api/v1/namespaces/default"] {
        let mut kubectl = kubectl(directory)?;
        kubectl.args(["get", "--raw", path]);
        process::wait_until(path, START_LIMIT, || {
            server.ensure_running()?;
            Ok(process::run(&mut kubectl, "").is_ok())
        })
        .with_context(|| format!("start of the API server:\n{}", server.log_tail()))?;
    }
    Ok(server)
}

fn kubeconfig(directory: &Path) -> PathBuf {
    directory.join("kubeconfig")
}

fn kubectl(directory: &Path) -> Result<Command> {
    let mut command = go_program(Tool::Kubectl)?;
    command
        .env("KUBECONFIG", kubeconfig(directory))
        .arg("--cache-dir")
        .arg(directory.join("kubectl-cache"));
    Ok(command)
}

fn write_kubeconfig(directory: &Path, port: u16) -> Result<()> {
    let config = serde_json::json!({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "test",
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "admin"}}],
        "users": [{"name": "admin", "user": {"token": TOKEN}}],
        "clusters": [{"name": "test", "cluster": {
            "server": format!("https://127.0.0.1:{port}"),
            "certificate-authority": directory.join(CERTIFICATE),
        }}],
    });
    std::fs::write(kubeconfig(directory), config.to_string())?;
    Ok(())
}
