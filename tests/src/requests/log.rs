//! The audit log of an API server.

use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;

use super::rights::Ask;

/// What is recorded: ServiceAccounts alone, and of what they write the body.
///
/// A watch is in the log when it starts, everything else when it was answered.
pub(crate) const POLICY: &str = r#"
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Request
  userGroups: ["system:serviceaccounts"]
  verbs: [create, update, patch]
- level: Metadata
  userGroups: ["system:serviceaccounts"]
"#;

const DECISION: &str = "authorization.k8s.io/decision";
const REASON: &str = "authorization.k8s.io/reason";

/// A request that was allowed.
#[derive(Clone, Debug)]
pub struct Request {
    /// Who asked: `system:serviceaccount:<namespace>:<name>`.
    pub user: String,
    /// What the path alone asks of RBAC.
    pub ask: Ask,
    /// Path and query.
    pub uri: String,
    /// What was sent, if anything was written.
    pub body: Option<Value>,
    /// HTTP status of the answer.
    pub status: u16,
    /// Which binding of which role allowed it, in the API server's words.
    pub reason: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event {
    #[serde(rename = "requestURI")]
    request_uri: String,
    verb: String,
    user: User,
    object_ref: Option<ObjectRef>,
    response_status: Option<Status>,
    request_object: Option<Value>,
    #[serde(default)]
    annotations: std::collections::BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct User {
    username: String,
}

#[derive(Deserialize)]
struct Status {
    code: u16,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct ObjectRef {
    resource: String,
    subresource: String,
    namespace: Option<String>,
    name: Option<String>,
    api_group: String,
}

/// The requests for objects in the log up to now that RBAC allowed.
pub fn read(log: &Path) -> Result<Vec<Request>> {
    let text = std::fs::read_to_string(log).with_context(|| format!("{}", log.display()))?;
    // The API server may be in the middle of the last line.
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let mut requests = Vec::new();
    for line in whole.lines() {
        let event: Event = serde_json::from_str(line).with_context(|| line.to_owned())?;
        requests.extend(request(event));
    }
    Ok(requests)
}

fn request(event: Event) -> Option<Request> {
    let object = event.object_ref?;
    if event.annotations.get(DECISION)? != "allow" {
        return None;
    }
    // RBAC sees no name of what is created, though the log does once the body was read.
    let name = object.name.filter(|_| event.verb != "create");
    let resource = if object.subresource.is_empty() {
        object.resource
    } else {
        format!("{}/{}", object.resource, object.subresource)
    };
    Some(Request {
        user: event.user.username,
        ask: Ask {
            verb: event.verb,
            group: object.api_group,
            resource,
            namespace: object.namespace,
            name,
        },
        uri: event.request_uri,
        body: event.request_object,
        status: event.response_status.map_or(0, |status| status.code),
        reason: event.annotations.get(REASON).cloned().unwrap_or_default(),
    })
}
