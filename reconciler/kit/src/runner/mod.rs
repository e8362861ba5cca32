//! The one runner of every reconciler.
//!
//! ```text
//! watches --change--> Trigger --> queue (one entry an object) --> reconcile --> Next or an error
//!                                   ^                                             |
//!                                   '---- look again, resync, backoff ------------'
//! ```
//!
//! It promises a reconciler: never two at once for one object; no call before every watch it
//! depends on has listed once; never an object older than what [`Cache::wrote`] was told; an object that does not parse, fails or panics stops nobody else;
//! a failure is counted, logged once with its chain, told to people once, and tried again after a
//! wait that doubles. It is the only place below a process's start that reads the clock.

mod attempt;
mod config;
mod trigger;

use std::sync::Arc;

use futures::future::BoxFuture;
use futures::stream::{BoxStream, select_all};
use futures::{FutureExt, Stream, StreamExt, future};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::jiff::Timestamp;
use kube::Resource;
use kube::runtime::controller::{self, ReconcileRequest};
use kube::runtime::reflector::ObjectRef;
use tokio::time::Duration;
use tokio_util::sync::CancellationToken;

#[cfg(doc)]
use crate::cache::Cache;
use crate::cache::Watch;
use crate::errors::ReconcileError;
use crate::events::Events;
use crate::guard::{Guarded, Kind};
use crate::health::{self, Health};
use crate::metrics::Metrics;

pub use crate::backoff::Backoff;
use attempt::Attempts;
pub use config::Config;
use trigger::Filter;
pub use trigger::{Trigger, fingerprint};

/// When to reconcile an object again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// When something changes; anyhow after [`Config::resync`].
    Wait,
    /// After this time, or when something changes.
    After(Duration),
}

/// Brings one kind of object to where it should be.
///
/// Both methods are idempotent, may be cancelled at any await and called again, and must not
/// depend on why they are called.
pub trait Reconciler: Send + Sync + 'static {
    /// The kind.
    type Object: Kind;
    /// What can go wrong.
    type Error: ReconcileError;
    /// Name in metrics, spans and log lines.
    const NAME: &'static str;

    /// One step, or all steps that can be done now. `now` is when it was called.
    fn reconcile(
        &self,
        object: Arc<Self::Object>,
        now: Timestamp,
    ) -> impl Future<Output = Result<Next, Self::Error>> + Send;

    /// Called instead for a stored object that does not parse, which the runner reports. A
    /// reconciler with a finalizer lets such an object go when it is deleted.
    fn invalid(
        &self,
        meta: &ObjectMeta,
        error: &str,
        now: Timestamp,
    ) -> impl Future<Output = Result<Next, Self::Error>> + Send {
        let _ = (meta, error, now);
        future::ready(Ok(Next::Wait))
    }
}

/// Where a runner reports to. Cheap to clone.
#[derive(Clone)]
pub struct Reporting {
    /// Events on the objects.
    pub events: Events,
    /// Counters and durations.
    pub metrics: Metrics,
    /// Readiness once it runs, and progress.
    pub health: Health,
}

/// Reconciles were still running when the time for shutting down was over; they were cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{controller} did not finish its reconciles within {drain:?}")]
pub struct CutOff {
    controller: &'static str,
    drain: Duration,
}

type Requests<K> = BoxStream<'static, ReconcileRequest<Guarded<K>>>;

/// A reconciler with everything that triggers it.
pub struct Runner<R: Reconciler> {
    attempts: Arc<Attempts<R>>,
    objects: Watch<R::Object>,
    requests: Vec<Requests<R::Object>>,
    ready: Vec<BoxFuture<'static, ()>>,
    health: health::Handle,
}

impl<R: Reconciler> Runner<R> {
    /// Reconciles the objects of a watch; `trigger` says which of their changes count.
    pub fn new(
        reconciler: R,
        objects: &Watch<R::Object>,
        trigger: Trigger<R::Object>,
        config: Config,
        reporting: Reporting,
    ) -> Self {
        let health = reporting.health.register(R::NAME);
        let attempts = Arc::new(Attempts::new(reconciler, config, reporting));
        let gone = Arc::clone(&attempts);
        let mut filter = Filter::new(trigger);
        let changes = objects.subscribe().filter_map(move |change| {
            let passes = filter.passes(&change);
            if change.deleted {
                gone.forget(change.object.meta());
            }
            let wanted = passes && !change.deleted;
            future::ready(wanted.then(|| ObjectRef::from_obj(&change.object).into()))
        });
        Self {
            attempts,
            objects: objects.clone(),
            requests: vec![changes.boxed()],
            ready: vec![ready(objects)],
            health,
        }
    }

    /// Also reconciles what `map` names when an object of another watch changes or goes.
    ///
    /// `map` gets the metadata, so that it works for objects that do not parse. It looks up in
    /// caches and must not block.
    #[must_use]
    pub fn watches<O: Kind, I>(
        mut self,
        others: &Watch<O>,
        trigger: Trigger<O>,
        map: impl Fn(&ObjectMeta) -> I + Send + 'static,
    ) -> Self
    where
        I: IntoIterator<Item = ObjectRef<R::Object>>,
    {
        let mut filter = Filter::new(trigger);
        let changes = others.subscribe().flat_map(move |change| {
            let named: Vec<_> = if filter.passes(&change) {
                let named = map(change.object.meta()).into_iter();
                named.map(request).collect()
            } else {
                Vec::new()
            };
            futures::stream::iter(named)
        });
        self.requests.push(changes.boxed());
        self.ready.push(ready(others));
        self
    }

    /// Also reconciles the owner, by owner reference, when an object of another watch changes or
    /// goes.
    #[must_use]
    pub fn owns<O: Kind>(self, others: &Watch<O>, trigger: Trigger<O>) -> Self {
        self.watches(others, trigger, |meta| {
            let owners = meta.owner_references.iter().flatten();
            let namespace = meta.namespace.as_deref();
            owners
                .filter_map(|owner| ObjectRef::from_owner_ref(namespace, owner, ()))
                .collect::<Vec<_>>()
        })
    }

    /// Also reconciles what a stream names, such as changes that a hypervisor tells.
    #[must_use]
    pub fn triggered_by(
        mut self,
        named: impl Stream<Item = ObjectRef<R::Object>> + Send + 'static,
    ) -> Self {
        self.requests.push(named.map(request).boxed());
        self
    }

    /// Reconciles until `shutdown`, then lets the running reconciles finish, for
    /// [`Config::drain`] at most.
    ///
    /// Dropping the future stops at once: running reconciles end at their next await. That is for
    /// a lost leadership.
    pub async fn run(self, shutdown: CancellationToken) -> Result<(), CutOff> {
        let Self {
            attempts,
            objects,
            requests,
            ready,
            health,
        } = self;
        tokio::select! {
            _ = future::join_all(ready) => health.ready(),
            () = shutdown.cancelled() => return Ok(()),
        }
        let drain = attempts.config.drain;
        // Zero would mean no bound.
        let concurrency = attempts.config.concurrency.max(1);
        let limits = controller::Config::default().concurrency(concurrency);
        let cache = objects.cache().clone();
        let queue = select_all(requests)
            .map(Ok::<_, std::convert::Infallible>)
            .take_until(shutdown.clone().cancelled_owned());
        let done = controller::applier(
            move |object: Arc<Guarded<R::Object>>, attempts: Arc<Attempts<R>>| {
                let object = cache.newest(&object);
                async move { attempts.run(object).await }.boxed()
            },
            |_, never: &std::convert::Infallible, _| match *never {},
            attempts,
            objects.cache().store(),
            queue,
            limits,
        );
        let mut done = std::pin::pin!(done);
        let mut beats = tokio::time::interval(health::STALL / 6);
        let cut_off = async {
            shutdown.cancelled().await;
            tokio::time::sleep(drain).await;
        };
        let mut cut_off = std::pin::pin!(cut_off);
        loop {
            tokio::select! {
                one = done.next() => match one {
                    Some(Ok(_)) => {}
                    Some(Err(error)) => tracing::debug!(controller = R::NAME, %error, "skipped"),
                    None => return Ok(()),
                },
                now = beats.tick() => health.beat(now),
                () = &mut cut_off => {
                    return Err(CutOff { controller: R::NAME, drain });
                }
            }
        }
    }
}

fn ready<K: Kind>(watch: &Watch<K>) -> BoxFuture<'static, ()> {
    let cache = watch.cache().clone();
    async move { cache.ready().await }.boxed()
}

fn request<K: Kind>(named: ObjectRef<K>) -> ReconcileRequest<Guarded<K>> {
    named.into_kind_unchecked::<Guarded<K>>(()).into()
}

#[cfg(test)]
mod tests;
