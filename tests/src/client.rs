//! Requests to an API server whose answers matter as much as their success, through
//! `kubectl proxy`, which brings credentials and TLS.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use anyhow::{Context, Result};
use serde_json::Value;
use ureq::Agent;

use crate::apiserver::ApiServer;
use crate::tools::{Tool, go_program};

/// A client of one API server. Dropping it ends its proxy.
#[derive(Debug)]
pub struct Client {
    proxy: Child,
    address: String,
    agent: Agent,
}

/// What the server answered.
#[derive(Debug)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// The object, or a `Status` that says why not.
    pub body: Value,
}

impl Answer {
    /// Whether the request was granted.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The server's message; empty on success.
    pub fn message(&self) -> &str {
        self.body["message"].as_str().unwrap_or_default()
    }
}

impl Client {
    /// Starts a proxy of an administrator on a free port.
    pub fn new(api: &ApiServer) -> Result<Self> {
        Self::start(api, &[])
    }

    /// The same for a ServiceAccount, so that its roles decide what it may do.
    pub fn service_account(api: &ApiServer, namespace: &str, name: &str) -> Result<Self> {
        let token = api.kubectl(&["create", "token", name, "--namespace", namespace])?;
        Self::start(api, &[&format!("--token={}", token.trim())])
    }

    fn start(api: &ApiServer, arguments: &[&str]) -> Result<Self> {
        let mut proxy = go_program(Tool::Kubectl)?
            .env("KUBECONFIG", api.kubeconfig())
            .args(["proxy", "--port=0"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(proxy.stdout.take().context("no output")?).read_line(&mut line)?;
        let address = line
            .trim()
            .rsplit(' ')
            .next()
            .unwrap_or_default()
            .to_owned();
        let agent: Agent = Agent::config_builder()
            .http_status_as_error(false)
            .build()
            .into();
        Ok(Self {
            proxy,
            address,
            agent,
        })
    }

    /// Sends an object to a path with a query, such as `dryRun=All`.
    pub fn post(&self, path: &str, query: &str, object: &Value) -> Result<Answer> {
        answer(self.agent.post(self.url(path, query)).send_json(object)?)
    }

    /// Replaces the object at a path.
    pub fn put(&self, path: &str, query: &str, object: &Value) -> Result<Answer> {
        answer(self.agent.put(self.url(path, query)).send_json(object)?)
    }

    /// Deletes the object at a path.
    pub fn delete(&self, path: &str) -> Result<Answer> {
        answer(self.agent.delete(self.url(path, "")).call()?)
    }

    fn url(&self, path: &str, query: &str) -> String {
        format!("http://{}{path}?{query}", self.address)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Both fail only when the process is gone already.
        let _ = self.proxy.kill();
        let _ = self.proxy.wait();
    }
}

fn answer(mut response: ureq::http::Response<ureq::Body>) -> Result<Answer> {
    let status = response.status().as_u16();
    Ok(Answer {
        status,
        body: response.body_mut().read_json()?,
    })
}
