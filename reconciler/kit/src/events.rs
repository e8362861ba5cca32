//! Events: what people see when they describe an object.
//!
//! The name of an Event is a hash of what it says about which object, so that saying the same
//! again, after a restart too, is refused as existing instead of stored. What was said once is
//! also remembered, so that it is not even asked.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use banlieue_schemas::conditions::Reason;
use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::api::events::v1::Event;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta};
use k8s_openapi::jiff::Timestamp;
use kube::api::PostParams;
use kube::{Api, Client};

use crate::errors::{ApiError, chain};
use crate::guard::Kind;

/// Longest note that the API server takes, in bytes.
const MAX_NOTE: usize = 1024;
/// Longest front of an Event's name; `.` and 16 digits follow, within the limit of 253.
const MAX_FRONT: usize = 236;

/// Whether an Event is about trouble.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// Something happened as it should.
    Normal,
    /// Something a person may have to look at.
    Warning,
}

impl Severity {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "Normal",
            Self::Warning => "Warning",
        }
    }
}

/// What an Event says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Saying {
    /// Whether it is about trouble.
    pub severity: Severity,
    /// Why, for machines.
    pub reason: Reason,
    /// What was being done, in `PascalCase`.
    pub action: &'static str,
    /// The same for people; cut at 1 KiB. Without times, counters and task ids, or each would be
    /// another Event.
    pub note: String,
}

/// Writes Events under the name of one process. Cheap to clone.
#[derive(Clone)]
pub struct Events {
    client: Client,
    controller: Arc<str>,
    instance: Arc<str>,
    said: Arc<Mutex<HashMap<String, Said>>>,
}

/// What was said about an object, by hash, and whether that was after the last [`Events::settle`].
type Said = HashMap<u64, bool>;

impl Events {
    /// `controller` names the program and `instance` the process, such as its Pod; both at most
    /// 128 bytes.
    pub fn new(client: Client, controller: &str, instance: &str) -> Self {
        Self {
            client,
            controller: controller.into(),
            instance: instance.into(),
            said: Arc::default(),
        }
    }

    /// Says something about an object, unless it was said already; answers whether it is new to
    /// this process.
    ///
    /// An Event that cannot be written is logged and forgotten: no work fails for it, and it is
    /// tried again when it is said again.
    pub async fn say<K: Kind>(&self, meta: &ObjectMeta, saying: &Saying, now: Timestamp) -> bool {
        let uid = meta.uid.clone().unwrap_or_default();
        let hash = hash(&(&uid, saying));
        let before = self
            .lock()
            .entry(uid.clone())
            .or_default()
            .insert(hash, true);
        if before.is_some() {
            return false;
        }
        let regarding = regarding::<K>(meta);
        let event = self.event(regarding, saying, hash, now);
        let namespace = event.metadata.namespace.clone().unwrap_or_default();
        let events: Api<Event> = Api::namespaced(self.client.clone(), &namespace);
        match events.create(&PostParams::default(), &event).await {
            Ok(_) => {}
            Err(kube::Error::Api(status)) if status.is_already_exists() => {}
            Err(error) => {
                let name = event.metadata.name.unwrap_or_default();
                let error = ApiError::new("create", format!("Event {namespace}/{name}"), error);
                tracing::warn!(error = %chain(&error), "an Event is lost");
                if let Some(said) = self.lock().get_mut(&uid) {
                    said.remove(&hash);
                }
            }
        }
        true
    }

    /// Forgets what is no longer so: what was said about an object, but not since this was called
    /// last. To be called after each pass that went well; what that pass said is remembered.
    pub fn settle(&self, uid: &str) {
        let mut all = self.lock();
        if let Some(said) = all.get_mut(uid) {
            said.retain(|_, again| std::mem::take(again));
            if said.is_empty() {
                all.remove(uid);
            }
        }
    }

    /// Forgets what was said about an object that is gone.
    pub fn forget(&self, uid: &str) {
        self.lock().remove(uid);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Said>> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn event(
        &self,
        regarding: ObjectReference,
        saying: &Saying,
        hash: u64,
        now: Timestamp,
    ) -> Event {
        let front = cut(regarding.name.as_deref().unwrap_or_default(), MAX_FRONT);
        // Events about cluster-scoped objects live where kubectl looks for them.
        let namespace = regarding.namespace.clone();
        let namespace = namespace.unwrap_or_else(|| "default".to_owned());
        Event {
            action: Some(saying.action.to_owned()),
            event_time: Some(MicroTime(now)),
            metadata: ObjectMeta {
                name: Some(format!("{front}.{hash:016x}")),
                namespace: Some(namespace),
                ..ObjectMeta::default()
            },
            note: Some(cut(&saying.note, MAX_NOTE).to_owned()),
            reason: Some(saying.reason.to_string()),
            regarding: Some(regarding),
            reporting_controller: Some(self.controller.to_string()),
            reporting_instance: Some(self.instance.to_string()),
            type_: Some(saying.severity.as_str().to_owned()),
            ..Event::default()
        }
    }
}

fn regarding<K: Kind>(meta: &ObjectMeta) -> ObjectReference {
    ObjectReference {
        api_version: Some(K::api_version(&()).into_owned()),
        kind: Some(K::kind(&()).into_owned()),
        name: meta.name.clone(),
        namespace: meta.namespace.clone(),
        uid: meta.uid.clone(),
        ..ObjectReference::default()
    }
}

/// The same in every process of one build, which is all that it is compared between.
fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

fn cut(text: &str, max: usize) -> &str {
    let mut ends = (0..=max.min(text.len())).rev();
    let end = ends.find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

#[cfg(test)]
mod tests;
