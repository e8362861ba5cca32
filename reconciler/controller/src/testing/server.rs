//! An API server in memory: what the reconcilers rely on, and nothing else.
//!
//! Objects are stored under their paths. It keeps UIDs, generations, resource versions, finalizers
//! and preconditions as the real one does. It knows one manager of each object, whose apply
//! replaces spec, labels, owners or status, and what others wrote beside that stays.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use banlieue_kit::Client;
use banlieue_kit::fake::{Answer, Call, Fake};
use serde_json::{Map, Value, json};

/// What happens to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is lost on its way there.
    Before,
    /// It is done, and the answer is lost.
    After,
}

type Refusal = (&'static str, u16, &'static str);

#[derive(Default)]
struct State {
    objects: BTreeMap<String, Value>,
    version: u64,
    /// The request, counted from 0, to which something happens.
    fault: Option<(usize, Fault)>,
    /// Requests whose line begins like this are refused.
    refusals: Vec<Refusal>,
}

#[derive(Clone)]
pub(crate) struct Server {
    state: Arc<Mutex<State>>,
    fake: Fake,
}

impl Server {
    pub(crate) fn new() -> Self {
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        let count = Mutex::new(0_usize);
        let fake = Fake::new(move |call| {
            let mut state = shared.lock().unwrap();
            let mut count = count.lock().unwrap();
            let fault = state.fault.filter(|(at, _)| *at == *count);
            *count += 1;
            match fault {
                Some((_, Fault::Before)) => Answer::Break,
                Some((_, Fault::After)) => {
                    state.answer(call);
                    Answer::Break
                }
                None => state.answer(call),
            }
        });
        Self { state, fake }
    }

    pub(crate) fn client(&self) -> Client {
        self.fake.client()
    }

    /// The k-th request from the start meets the fault.
    pub(crate) fn fault(&self, request: usize, fault: Fault) {
        self.lock().fault = Some((request, fault));
    }

    /// Refuses requests whose line, such as `get simmachines/vm`, begins like this.
    pub(crate) fn refuse(&self, line: &'static str, code: u16, reason: &'static str) {
        self.lock().refusals.push((line, code, reason));
    }

    pub(crate) fn allow_all(&self) {
        self.lock().refusals.clear();
    }

    /// Stores an object as a person would. What the server fills in need not be given.
    pub(crate) fn put(&self, path: &str, object: &Value) {
        let mut state = self.lock();
        let mut object = object.clone();
        state.stamp(&mut object);
        state.objects.insert(path.to_owned(), object);
    }

    /// Changes a stored object. A changed spec is a new generation.
    pub(crate) fn edit(&self, path: &str, change: impl FnOnce(&mut Value)) {
        let mut state = self.lock();
        let before = state.objects[path].clone();
        let mut after = before.clone();
        change(&mut after);
        state.store(path, Some(&before), after);
    }

    /// Deletes an object as a person would.
    pub(crate) fn delete(&self, path: &str) {
        self.lock().delete(path, &Value::Null);
    }

    /// Grows with every change.
    pub(crate) fn version(&self) -> u64 {
        self.lock().version
    }

    pub(crate) fn get(&self, path: &str) -> Option<Value> {
        self.lock().objects.get(path).cloned()
    }

    /// Paths and objects of a kind.
    pub(crate) fn all(&self, plural: &str) -> BTreeMap<String, Value> {
        let middle = format!("/{plural}/");
        let state = self.lock();
        let objects = state.objects.iter();
        objects
            .filter(|(path, _)| path.contains(&middle))
            .map(|(path, object)| (path.clone(), object.clone()))
            .collect()
    }

    /// Every request so far: `apply simmachines/vm by banlieue.io/controller`.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.fake.calls().iter().map(line).collect()
    }

    /// Body of a request.
    pub(crate) fn body(&self, request: usize) -> Value {
        self.fake.calls()[request].body.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

fn line(call: &Call) -> String {
    let mut parts: Vec<&str> = call.path.split('/').collect();
    let tail = parts.split_off(parts.len() - if call.path.ends_with("/status") { 3 } else { 2 });
    let action = match (call.method.as_str(), call.content_type.as_str()) {
        ("PATCH", "application/apply-patch+yaml") => "apply",
        ("PATCH", _) => "patch",
        ("DELETE", _) => "delete",
        ("GET", _) => "get",
        _ => "create",
    };
    let mut line = format!("{action} {}", tail.join("/"));
    let manager = call
        .query
        .split('&')
        .find_map(|pair| pair.strip_prefix("fieldManager="));
    if let Some(manager) = manager {
        line.push_str(" by ");
        line.push_str(&manager.replace("%2F", "/"));
    }
    line
}

impl State {
    fn answer(&mut self, call: &Call) -> Answer {
        let text = line(call);
        let mut refusals = self.refusals.iter();
        if let Some((_, code, reason)) = refusals.find(|(wanted, _, _)| text.starts_with(wanted)) {
            return Answer::refusal(*code, reason);
        }
        if call.query.contains("watch=") {
            // A watch that breaks down at once, so that the next list tells what is there.
            let expired = json!({ "kind": "Status", "code": 410, "reason": "Expired" });
            return Answer::ok(json!({ "type": "ERROR", "object": expired }));
        }
        let path = call.path.strip_suffix("/status").unwrap_or(&call.path);
        match (call.method.as_str(), call.content_type.as_str()) {
            ("GET", _) if call.accept.contains("List") => self.list(path),
            ("GET", _) => self.found(path),
            ("DELETE", _) => self.delete(path, &call.body["preconditions"]["uid"]),
            ("PATCH", "application/apply-patch+yaml") => self.apply(path, call),
            ("PATCH", _) => self.patch(path, call),
            _ => Answer::ok(call.body.clone()),
        }
    }

    fn found(&self, path: &str) -> Answer {
        match self.objects.get(path) {
            Some(object) => Answer::ok(object.clone()),
            None => Answer::refusal(404, "NotFound"),
        }
    }

    fn list(&self, path: &str) -> Answer {
        let under = format!("{path}/");
        let objects = self
            .objects
            .iter()
            .filter(|(path, _)| path.starts_with(&under));
        let items: Vec<Value> = objects
            .map(|(_, object)| json!({"metadata": object["metadata"]}))
            .collect();
        Answer::ok(json!({
            "kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1",
            "metadata": {"resourceVersion": self.version.to_string()}, "items": items,
        }))
    }

    fn delete(&mut self, path: &str, uid: &Value) -> Answer {
        let Some(before) = self.objects.get(path).cloned() else {
            return Answer::refusal(404, "NotFound");
        };
        if !uid.is_null() && *uid != before["metadata"]["uid"] {
            return Answer::refusal(409, "Conflict");
        }
        let mut after = before.clone();
        after["metadata"]["deletionTimestamp"] = json!("2026-01-02T00:00:00Z");
        self.store(path, Some(&before), after)
    }

    fn patch(&mut self, path: &str, call: &Call) -> Answer {
        let Some(before) = self.objects.get(path).cloned() else {
            return Answer::refusal(404, "NotFound");
        };
        let mut after = before.clone();
        // A test for null holds for what is not there.
        let metadata = after["metadata"].as_object_mut().unwrap();
        metadata.entry("finalizers").or_insert(Value::Null);
        let operations: json_patch::Patch = serde_json::from_value(call.body.clone()).unwrap();
        match json_patch::patch(&mut after, &operations) {
            Ok(()) => self.store(path, Some(&before), after),
            Err(_) => Answer::refusal(422, "Invalid"),
        }
    }

    fn apply(&mut self, path: &str, call: &Call) -> Answer {
        let is_status = call.path.ends_with("/status");
        let intent = &call.body;
        let before = self.objects.get(path).cloned();
        let pinned = |field: &str| {
            let wanted = &intent["metadata"][field];
            let live = before
                .as_ref()
                .map_or(&Value::Null, |live| &live["metadata"][field]);
            !wanted.is_null() && wanted != live
        };
        match &before {
            None if is_status => return Answer::refusal(404, "NotFound"),
            _ if pinned("uid") || pinned("resourceVersion") => {
                return Answer::refusal(409, "Conflict");
            }
            Some(live) if !is_status && !live["metadata"]["deletionTimestamp"].is_null() => {
                panic!("applied onto a terminating object: {path}");
            }
            _ => {}
        }
        let mut after = before.clone().unwrap_or_else(|| json!({
            "apiVersion": intent["apiVersion"], "kind": intent["kind"],
            "metadata": {"name": intent["metadata"]["name"], "namespace": intent["metadata"]["namespace"]},
        }));
        if is_status {
            let old = after["status"].take();
            after["status"] = intent["status"].clone();
            beside(
                &mut after["status"],
                &old,
                &["perProvider", "buildArtifacts"],
            );
        } else {
            let old = after["spec"].take();
            after["spec"] = intent["spec"].clone();
            beside(&mut after["spec"], &old, &["providerID"]);
            for field in ["labels", "ownerReferences"] {
                after["metadata"][field] = intent["metadata"][field].clone();
            }
            if after["metadata"]["finalizers"].is_null() {
                after["metadata"]["finalizers"] = intent["metadata"]["finalizers"].clone();
            }
            after["metadata"]["managedFields"] = managed_fields(intent);
        }
        self.store(path, before.as_ref(), after)
    }

    /// Stores what came of a write, and answers it.
    fn store(&mut self, path: &str, before: Option<&Value>, mut after: Value) -> Answer {
        if before == Some(&after) {
            return Answer::ok(after);
        }
        match before {
            None => self.stamp(&mut after),
            Some(before) => {
                if before["spec"] != after["spec"] {
                    let generation = before["metadata"]["generation"].as_i64().unwrap_or(1);
                    after["metadata"]["generation"] = json!(generation + 1);
                }
                self.touch(&mut after);
            }
        }
        let metadata = &after["metadata"];
        let finalizers = metadata["finalizers"].as_array().map_or(0, Vec::len);
        if !metadata["deletionTimestamp"].is_null() && finalizers == 0 {
            self.objects.remove(path);
        } else {
            self.objects.insert(path.to_owned(), after.clone());
        }
        Answer::ok(after)
    }

    fn stamp(&mut self, object: &mut Value) {
        self.touch(object);
        let version = self.version;
        let metadata = object["metadata"].as_object_mut().unwrap();
        let mut default = |field: &str, value: Value| {
            metadata.entry(field).or_insert(value);
        };
        default("uid", json!(format!("uid-{version}")));
        default("generation", json!(1));
        default("creationTimestamp", json!("2026-01-01T00:00:00Z"));
    }

    fn touch(&mut self, object: &mut Value) {
        self.version += 1;
        object["metadata"]["resourceVersion"] = json!(self.version.to_string());
    }
}

/// Keeps what another manager wrote.
fn beside(written: &mut Value, old: &Value, fields: &[&str]) {
    for field in fields {
        if !old[field].is_null() {
            written[field] = old[field].clone();
        }
    }
}

/// The set of fields of an apply. Lists count as a whole, which means the same for one manager.
fn managed_fields(intent: &Value) -> Value {
    fn fields(value: &Value) -> Value {
        let Value::Object(map) = value else {
            return json!({});
        };
        let fields = map
            .iter()
            .map(|(name, value)| (format!("f:{name}"), fields(value)));
        Value::Object(fields.collect::<Map<_, _>>())
    }
    let metadata = json!({
        "labels": intent["metadata"]["labels"],
        "ownerReferences": intent["metadata"]["ownerReferences"],
        "finalizers": intent["metadata"]["finalizers"],
    });
    json!([{
        "manager": "banlieue.io/controller", "operation": "Apply",
        "apiVersion": intent["apiVersion"], "fieldsType": "FieldsV1",
        "fieldsV1": fields(&json!({"metadata": metadata, "spec": intent["spec"]})),
    }])
}
