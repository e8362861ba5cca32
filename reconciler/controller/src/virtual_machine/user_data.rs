//! Where user data comes from: one read when a machine is made, and a look-out while it is not
//! there.
//!
//! User data counts when a machine is made: later passes take it from the machine object, so that
//! a Secret that changes or goes touches no machine, and no cache of Secrets is needed. A source
//! that is missing or of no use is found again by a watch on its namespace, which asks for metadata
//! only, and which is there only as long as somebody waits. Where the controller has no Role, it
//! can neither read nor watch: the reconcile fails, is tried again with growing waits, and stops no
//! other namespace.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use banlieue_kit::errors::{ApiError, ErrorKind};
use banlieue_kit::{Client, Kind, ObjectRef, names, read};
use banlieue_schemas::common::KeySelector;
use banlieue_schemas::platform::{UserDataSource, VirtualMachine};
use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures::{Stream, StreamExt};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use tokio_util::task::AbortOnDropHandle;

/// Key of the user data unless another is given.
const KEY: &str = "user-data";

/// User data of a machine that is to be made.
#[derive(Debug)]
pub(super) enum UserData {
    /// The machine is there, or has none.
    NotNeeded,
    /// What the source holds.
    Given(Vec<u8>),
    /// The source or its key is not there.
    Missing {
        /// What is missing.
        message: String,
    },
    /// The controller may not read it.
    Forbidden(ApiError),
}

/// What kind of object holds user data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum SourceKind {
    Secret,
    ConfigMap,
}

impl SourceKind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Secret => "Secret",
            Self::ConfigMap => "ConfigMap",
        }
    }
}

fn source(data: &UserDataSource) -> Option<(SourceKind, &KeySelector)> {
    let secret = data.secret_ref.as_ref();
    let config_map = data.config_map_ref.as_ref();
    let secret = secret.map(|selector| (SourceKind::Secret, selector));
    secret.or(config_map.map(|selector| (SourceKind::ConfigMap, selector)))
}

/// Reads the user data of a machine, once.
pub(super) async fn fetch(client: &Client, vm: &VirtualMachine) -> Result<UserData, ApiError> {
    let Some((kind, selector)) = vm.spec.user_data.as_ref().and_then(source) else {
        return Ok(UserData::NotNeeded);
    };
    let namespace = vm.metadata.namespace.as_deref();
    let (name, key) = (&selector.name, selector.key.as_deref().unwrap_or(KEY));
    let answer = match kind {
        SourceKind::Secret => {
            let secret = read::<Secret>(client, namespace, name).await;
            secret.map(|found| found.map(|secret| secret.valid().and_then(|s| in_secret(s, key))))
        }
        SourceKind::ConfigMap => {
            let map = read::<ConfigMap>(client, namespace, name).await;
            map.map(|found| found.map(|map| map.valid().and_then(|m| in_config_map(m, key))))
        }
    };
    let kind = kind.as_str();
    match answer {
        Ok(Some(Some(bytes))) => Ok(UserData::Given(bytes)),
        Ok(Some(None)) => Ok(UserData::Missing {
            message: format!("{kind} {name} has no key {key}"),
        }),
        Ok(None) => Ok(UserData::Missing {
            message: format!("{kind} {name} does not exist"),
        }),
        Err(error) if error.kind() == ErrorKind::Forbidden => Ok(UserData::Forbidden(error)),
        Err(error) => Err(error),
    }
}

fn in_secret(secret: &Secret, key: &str) -> Option<Vec<u8>> {
    let value = secret.data.as_ref()?.get(key)?;
    Some(value.0.clone())
}

fn in_config_map(map: &ConfigMap, key: &str) -> Option<Vec<u8>> {
    let text = map.data.as_ref().and_then(|data| data.get(key));
    let text = text.map(|text| text.clone().into_bytes());
    text.or_else(|| Some(map.binary_data.as_ref()?.get(key)?.0.clone()))
}

/// Machines whose source appeared or changed.
pub(super) type Woken = UnboundedReceiver<ObjectRef<VirtualMachine>>;

/// Wakes machines when the source that they wait for appears or changes.
pub(super) struct Lookout {
    client: Client,
    woken: UnboundedSender<ObjectRef<VirtualMachine>>,
    posts: Mutex<HashMap<(SourceKind, String), Post>>,
}

/// A watch on the sources of one namespace, and who waits for which of them.
struct Post {
    waiting: Waiting,
    _watch: AbortOnDropHandle<()>,
}

type Waiting = Arc<Mutex<HashMap<String, HashSet<ObjectRef<VirtualMachine>>>>>;

impl Lookout {
    /// A look-out, and the machines that it wakes.
    pub(super) fn new(client: Client) -> (Self, Woken) {
        let (woken, wakes) = unbounded();
        let posts = Mutex::default();
        let lookout = Self {
            client,
            woken,
            posts,
        };
        (lookout, wakes)
    }

    /// Looks out for the source of a machine that could not be made, if the source was of no use or
    /// may be why. A source that may not be read may not be watched either.
    pub(super) fn attend(&self, vm: &VirtualMachine, user_data: &UserData, is_blocked: bool) {
        match user_data {
            UserData::Given(_) | UserData::Missing { .. } if is_blocked => self.post(vm),
            _ => self.dismiss(&ObjectRef::from_obj(vm)),
        }
    }

    fn post(&self, vm: &VirtualMachine) {
        let Some((kind, selector)) = vm.spec.user_data.as_ref().and_then(source) else {
            return;
        };
        let namespace = vm.metadata.namespace.clone().unwrap_or_default();
        let mut posts = lock(&self.posts);
        let post = posts
            .entry((kind, namespace.clone()))
            .or_insert_with(|| match kind {
                SourceKind::Secret => self.start::<Secret>(&namespace),
                SourceKind::ConfigMap => self.start::<ConfigMap>(&namespace),
            });
        let mut waiting = lock(&post.waiting);
        let same = waiting.entry(selector.name.clone()).or_default();
        same.insert(ObjectRef::from_obj(vm));
    }

    /// The machine waits no longer. The watch ends with the last that waited.
    pub(super) fn dismiss(&self, vm: &ObjectRef<VirtualMachine>) {
        lock(&self.posts).retain(|(_, namespace), post| {
            if Some(namespace) != vm.namespace.as_ref() {
                return true;
            }
            let mut waiting = lock(&post.waiting);
            waiting.retain(|_, machines| {
                machines.remove(vm);
                !machines.is_empty()
            });
            !waiting.is_empty()
        });
    }

    fn start<K: Kind>(&self, namespace: &str) -> Post {
        let waiting = Waiting::default();
        let names = names::<K>(&self.client, namespace);
        let watch = wake(names, Arc::clone(&waiting), self.woken.clone());
        Post {
            waiting,
            _watch: AbortOnDropHandle::new(tokio::spawn(watch)),
        }
    }
}

async fn wake(
    names: impl Stream<Item = String> + Send,
    waiting: Waiting,
    woken: UnboundedSender<ObjectRef<VirtualMachine>>,
) {
    let mut names = std::pin::pin!(names);
    while let Some(name) = names.next().await {
        let machines = lock(&waiting).get(&name).cloned().unwrap_or_default();
        for machine in machines {
            // Nobody listens any more when the process ends.
            let _ = woken.unbounded_send(machine);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
