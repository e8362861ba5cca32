//! Waiting for what a cluster does by itself. Objects are watched, not polled; a
//! failure shows what was seen last.

use std::fmt::Debug;
use std::future::Future;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use futures::StreamExt as _;
use kube::runtime::WatchStreamExt as _;
use kube::runtime::watcher::watch_object;
use kube::{Api, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::Instant;

/// How long a wait may last before it counts as stuck. No measure of speed: it
/// leaves room for a machine that does ten other things.
pub const LIMIT: Duration = Duration::from_secs(120);

const POLL: Duration = Duration::from_millis(100);

/// Waits until the object `name` exists and `condition` holds, and returns it.
///
/// `api` must be of one namespace for namespaced kinds.
pub async fn until<K>(
    api: &Api<K>,
    name: &str,
    what: &str,
    condition: impl Fn(&K) -> bool,
) -> Result<K>
where
    K: Resource + Clone + Debug + DeserializeOwned + Serialize + Send + 'static,
{
    let found = watch(api, name, what, |object| object.is_some_and(&condition)).await?;
    found.ok_or_else(|| anyhow!("{what}: {name} is gone"))
}

/// Waits until there is no object `name`.
pub async fn until_gone<K>(api: &Api<K>, name: &str) -> Result<()>
where
    K: Resource + Clone + Debug + DeserializeOwned + Serialize + Send + 'static,
{
    watch(api, name, "to be gone", |object| object.is_none()).await?;
    Ok(())
}

/// Waits until `condition` holds for the object `name`, `None` if there is none.
async fn watch<K>(
    api: &Api<K>,
    name: &str,
    what: &str,
    condition: impl Fn(Option<&K>) -> bool,
) -> Result<Option<K>>
where
    K: Resource + Clone + Debug + DeserializeOwned + Serialize + Send + 'static,
{
    let mut events = watch_object(api.clone(), name).default_backoff().boxed();
    let end = Instant::now() + LIMIT;
    let mut seen = "nothing yet".to_owned();
    loop {
        match tokio::time::timeout_at(end, events.next()).await {
            Ok(Some(Ok(object))) if condition(object.as_ref()) => return Ok(object),
            Ok(Some(Ok(object))) => seen = object.map_or("no such object".to_owned(), describe),
            Ok(Some(Err(error))) => seen = format!("{error}"),
            Ok(None) => bail!("{name}, {what}: the watch ended; last seen: {seen}"),
            Err(_) => bail!(
                "{name}, {what}: not within {} s; last seen: {seen}",
                LIMIT.as_secs()
            ),
        }
    }
}

/// Calls `attempt` until it succeeds, for what no watch of one object shows. The
/// failure is that of the last attempt, so an attempt should say what it saw.
pub async fn eventually<T, F>(what: &str, mut attempt: impl FnMut() -> F) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    let end = Instant::now() + LIMIT;
    loop {
        match attempt().await {
            Ok(value) => return Ok(value),
            Err(error) if Instant::now() > end => {
                return Err(error.context(format!("{what}: not within {} s", LIMIT.as_secs())));
            }
            Err(_) => tokio::time::sleep(POLL).await,
        }
    }
}

/// The object as JSON, without what no reader of a failure needs.
fn describe<K: Resource + Serialize>(mut object: K) -> String {
    object.meta_mut().managed_fields = None;
    serde_json::to_string_pretty(&object).unwrap_or_else(|error| error.to_string())
}
