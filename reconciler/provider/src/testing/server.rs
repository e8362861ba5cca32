//! An API server that stores what a provider writes, and keeps a journal of it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use banlieue_kit::fake::{Answer, Call, Fake};
use banlieue_sim::Simulator;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

/// The server. Clones are the same one.
#[derive(Clone)]
pub(crate) struct Server {
    stored: Arc<Mutex<Stored>>,
    simulator: Arc<Simulator>,
    written: watch::Sender<u64>,
}

/// How a write goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing is stored.
    Before,
    /// It is stored, and the connection breaks.
    After,
}

#[derive(Default)]
struct Stored {
    objects: BTreeMap<String, Value>,
    version: u64,
    /// Fields of a status that each manager applied last.
    applied: BTreeMap<(String, String), Vec<String>>,
    journal: Vec<String>,
    heard: usize,
    /// Which of the next writes goes wrong.
    failing: Option<(usize, Fault)>,
}

impl Server {
    pub(crate) fn new(simulator: Arc<Simulator>) -> Self {
        Self {
            stored: Arc::default(),
            simulator,
            written: watch::Sender::new(0),
        }
    }

    pub(crate) fn fake(&self) -> Fake {
        let server = self.clone();
        Fake::new(move |call| server.answer(call))
    }

    /// Stores an object as a user would.
    pub(crate) fn put(&self, path: &str, mut object: Value) -> Value {
        let mut stored = self.stored();
        stored.version += 1;
        object["metadata"]["resourceVersion"] = stored.version.to_string().into();
        stored.objects.insert(path.to_owned(), object.clone());
        object
    }

    pub(crate) fn get(&self, path: &str) -> Option<Value> {
        self.stored().objects.get(path).cloned()
    }

    /// Takes an object away, whatever holds it.
    pub(crate) fn remove(&self, path: &str) {
        self.stored().objects.remove(path);
    }

    /// Changes an object as a user would.
    pub(crate) fn edit(&self, path: &str, edit: impl FnOnce(&mut Value)) -> Value {
        let mut object = self.get(path).unwrap();
        edit(&mut object);
        self.put(path, object)
    }

    /// Writes to the API server and calls to the backend since the last look, in order.
    pub(crate) fn journal(&self) -> Vec<String> {
        let mut stored = self.stored();
        stored.hear(&self.simulator);
        std::mem::take(&mut stored.journal)
    }

    /// Lets the `nth` write from now on go wrong.
    pub(crate) fn fail(&self, nth: usize, fault: Fault) {
        self.stored().failing = Some((nth, fault));
    }

    /// Ends once what is stored is as wanted.
    pub(crate) async fn until(&self, wanted: impl Fn(&Self) -> bool) {
        let mut written = self.written.subscribe();
        written.wait_for(|_| wanted(self)).await.unwrap();
    }

    fn stored(&self) -> MutexGuard<'_, Stored> {
        self.stored.lock().unwrap()
    }

    fn answer(&self, call: &Call) -> Answer {
        let answer = if call.method == "GET" {
            self.read(call)
        } else {
            let fault = self.stored().strike();
            match fault {
                Some(Fault::Before) => Answer::Break,
                Some(Fault::After) => {
                    self.write(call);
                    Answer::Break
                }
                None => self.write(call),
            }
        };
        self.written.send_modify(|count| *count += 1);
        answer
    }

    fn read(&self, call: &Call) -> Answer {
        if call.query.contains("watch=true") {
            return Answer::Hang;
        }
        match self.get(&call.path) {
            Some(object) => Answer::ok(object),
            None => self.list(&call.path),
        }
    }

    fn list(&self, path: &str) -> Answer {
        let within = format!("{path}/");
        let stored = self.stored();
        let objects = stored.objects.iter();
        let items: Vec<_> = objects
            .filter(|(path, _)| path.starts_with(&within))
            .map(|(_, object)| object.clone())
            .collect();
        Answer::ok(json!({
            "apiVersion": "v1", "kind": "List", "items": items,
            "metadata": {"resourceVersion": stored.version.to_string()},
        }))
    }

    fn write(&self, call: &Call) -> Answer {
        let mut stored = self.stored();
        stored.hear(&self.simulator);
        if call.method == "POST" {
            let reason = call.body["reason"].as_str().unwrap_or_default();
            stored.journal.push(format!("api: Event {reason}"));
            return Answer::Json(201, call.body.clone());
        }
        let path = call.path.trim_end_matches("/status").to_owned();
        let Some(object) = stored.objects.get(&path).cloned() else {
            return Answer::refusal(404, "NotFound");
        };
        let (what, changed) = if call.content_type.starts_with("application/json-patch") {
            let mut changed = object.clone();
            // The real one takes a field that is not there for null.
            let metadata = changed["metadata"].as_object_mut().unwrap();
            metadata.entry("finalizers").or_insert(Value::Null);
            let operations = serde_json::from_value(call.body.clone());
            let operations: json_patch::Patch = operations.unwrap();
            if json_patch::patch(&mut changed, &operations).is_err() {
                return Answer::refusal(422, "Invalid");
            }
            ("finalizers", changed)
        } else {
            let wanted = &call.body["metadata"];
            for field in ["uid", "resourceVersion"] {
                if !wanted[field].is_null() && wanted[field] != object["metadata"][field] {
                    return Answer::refusal(409, "Conflict");
                }
            }
            if call.path.ends_with("/status") {
                ("status", stored.status(&path, &object, call))
            } else {
                let mut changed = object.clone();
                merge(&mut changed["spec"], &call.body["spec"]);
                ("spec", changed)
            }
        };
        stored.journal.push(format!("api: {what}"));
        Answer::ok(stored.store(path, &object, changed))
    }
}

impl Stored {
    fn strike(&mut self) -> Option<Fault> {
        let (nth, fault) = self.failing.take()?;
        if nth == 1 {
            return Some(fault);
        }
        self.failing = Some((nth - 1, fault));
        None
    }

    fn hear(&mut self, simulator: &Simulator) {
        let calls: Vec<String> = simulator.with(|world| {
            let calls = world.log().calls().skip(self.heard);
            calls
                .map(|call| format!("{:?}", call.kind).to_lowercase())
                .collect()
        });
        self.heard += calls.len();
        self.journal.extend(calls);
    }

    /// A status in which the fields of this manager are those that it applies.
    fn status(&mut self, path: &str, object: &Value, call: &Call) -> Value {
        let manager = (path.to_owned(), call.query.clone());
        let wanted = call.body["status"].as_object().cloned().unwrap_or_default();
        let mut changed = object.clone();
        let mut status = changed["status"].as_object().cloned().unwrap_or_default();
        for field in self.applied.remove(&manager).unwrap_or_default() {
            status.remove(&field);
        }
        let fields = wanted.keys().cloned().collect();
        self.applied.insert(manager, fields);
        status.extend(wanted);
        changed["status"] = status.into();
        changed
    }

    fn store(&mut self, path: String, old: &Value, mut new: Value) -> Value {
        if new == *old {
            return new;
        }
        self.version += 1;
        new["metadata"]["resourceVersion"] = self.version.to_string().into();
        if new["spec"] != old["spec"] {
            let generation = old["metadata"]["generation"].as_i64().unwrap_or(1);
            new["metadata"]["generation"] = (generation + 1).into();
        }
        let held = new["metadata"]["finalizers"].as_array();
        let held = held.is_some_and(|held| !held.is_empty());
        if new["metadata"]["deletionTimestamp"].is_string() && !held {
            self.objects.remove(&path);
        } else {
            self.objects.insert(path, new.clone());
        }
        new
    }
}

fn merge(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from.clone(),
    }
}

/// The metadata of an object that a user made.
pub(crate) fn metadata(namespace: Option<&str>, name: &str) -> Value {
    let mut metadata = Map::new();
    if let Some(namespace) = namespace {
        metadata.insert("namespace".into(), namespace.into());
    }
    metadata.insert("name".into(), name.into());
    metadata.insert("uid".into(), format!("uid-of-{name}").into());
    metadata.insert("generation".into(), json!(1));
    metadata.into()
}
