//! The process of one Provider: its watches, its session, its three reconcilers.
//!
//! ```text
//! own Provider ──> endpoint ──> failure domains ──> images ──> rows ──> machines that wait
//! its Secret, trust ──> endpoint                own machines, hints of the backend ──> machines
//! ```
//!
//! It watches the machines with its label, its own Provider, every VMImage, the Cluster API Machines
//! of its namespace where there are any, and by name the Secrets and ConfigMaps that the Provider
//! refers to; nothing else.

use std::sync::Arc;
use std::time::Duration;

use banlieue_backend::{Connect, Hint};
use banlieue_kit::cache::{Watch, WatchOptions, Watches};
use banlieue_kit::runner::{self, CutOff, Reporting, Runner, Trigger};
use banlieue_kit::{CancellationToken, Client, ObjectRef};
use banlieue_schemas::labels;
use banlieue_schemas::platform::{Provider, VmImage};
use futures::channel::mpsc::UnboundedReceiver;
use futures::{StreamExt, stream};

use crate::config::Config;
use crate::endpoint::EndpointReconciler;
use crate::image::ImageReconciler;
use crate::machine::{Machine, MachineReconciler, Owner};
use crate::session::{Calls, Keyring, Session};
use crate::triggers;

/// Longest wait between two looks at a backend that is away: everything else waits for its return.
const RETURN: Duration = Duration::from_secs(30);

/// Serves one Provider until `shutdown`, then lets what runs finish and ends the session.
///
/// # Errors
/// When what runs did not finish in time and was cut off; that is harmless.
pub async fn run<M: Machine, C: Connect>(
    client: Client,
    connect: C,
    config: Config,
    reporting: Reporting,
    shutdown: CancellationToken,
) -> Result<(), CutOff> {
    let config = Arc::new(config);
    let health = reporting.health.clone();
    let mut watches = Watches::new(client.clone(), health.clone());
    let seen = Seen::<M>::add(&mut watches, &config);
    let (keyring, rotations) = Keyring::new(client.clone(), health, &config.namespace);
    let calls = Calls::register(&reporting.metrics);
    let providers = seen.provider.cache().clone();
    let following = Arc::clone(&keyring);
    let (session, hints) = Session::new(connect, &config, providers, keyring, calls);
    let parts = Parts {
        client,
        session: Arc::new(session),
        config,
        reporting,
    };
    let endpoint = parts.endpoint(&seen, rotations).run(shutdown.clone());
    let machines = parts.machines(&seen, hints).run(shutdown.clone());
    let images = parts.images(&seen).run(shutdown);
    let ended = tokio::select! {
        (endpoint, machines, images) = async { tokio::join!(endpoint, machines, images) } => {
            endpoint.and(machines).and(images)
        }
        // Both go on for as long as they are polled.
        () = watches.run() => Ok(()),
        () = following.follow(&seen.provider) => Ok(()),
    };
    parts.session.close().await;
    ended
}

/// What the process hears of.
struct Seen<M: Machine> {
    provider: Watch<Provider>,
    images: Watch<VmImage>,
    machines: Watch<M>,
    owners: Watch<Owner>,
}

impl<M: Machine> Seen<M> {
    fn add(watches: &mut Watches, config: &Config) -> Self {
        let namespace = Some(config.namespace.clone());
        Self {
            provider: watches.add(WatchOptions {
                namespace: namespace.clone(),
                fields: Some(format!("metadata.name={}", config.provider)),
                ..WatchOptions::default()
            }),
            images: watches.add(WatchOptions::default()),
            owners: watches.add(WatchOptions {
                namespace: namespace.clone(),
                optional: true,
                ..WatchOptions::default()
            }),
            machines: watches.add(WatchOptions {
                namespace,
                labels: Some(format!("{}={}", labels::PROVIDER, config.provider)),
                ..WatchOptions::default()
            }),
        }
    }
}

/// What the reconcilers share.
struct Parts<C: Connect> {
    client: Client,
    session: Arc<Session<C, Arc<Keyring>>>,
    config: Arc<Config>,
    reporting: Reporting,
}

type Endpoint<C> = EndpointReconciler<C, Arc<Keyring>>;
type Images<C> = ImageReconciler<C, Arc<Keyring>>;
type Machines<M, C> = MachineReconciler<M, C, Arc<Keyring>>;

impl<C: Connect> Parts<C> {
    fn endpoint<M: Machine>(
        &self,
        seen: &Seen<M>,
        rotations: UnboundedReceiver<()>,
    ) -> Runner<Endpoint<C>> {
        let reconciler = EndpointReconciler {
            client: self.client.clone(),
            session: Arc::clone(&self.session),
            providers: seen.provider.cache().clone(),
            backend: M::BACKEND,
            config: Arc::clone(&self.config),
        };
        let own = ObjectRef::new(&self.config.provider).within(&self.config.namespace);
        let mut limits = self.config.runner;
        limits.backoff.max = limits.backoff.max.min(RETURN);
        let reporting = self.reporting.clone();
        Runner::new(
            reconciler,
            &seen.provider,
            Trigger::Intent,
            limits,
            reporting,
        )
        .triggered_by(rotations.map(move |()| own.clone()))
    }

    fn images<M: Machine>(&self, seen: &Seen<M>) -> Runner<Images<C>> {
        let reconciler = ImageReconciler {
            client: self.client.clone(),
            session: Arc::clone(&self.session),
            providers: seen.provider.cache().clone(),
            images: seen.images.cache().clone(),
            backend: M::BACKEND,
            config: Arc::clone(&self.config),
        };
        let images = seen.images.cache().clone();
        self.runner(reconciler, &seen.images).watches(
            &seen.provider,
            Trigger::IntentAnd(triggers::shown),
            move |_| {
                let all = images.all();
                let all = all.iter().map(ObjectRef::from_obj);
                let all = all.map(|image| image.into_kind_unchecked(()));
                all.collect::<Vec<_>>()
            },
        )
    }

    fn machines<M: Machine>(
        &self,
        seen: &Seen<M>,
        hints: UnboundedReceiver<Hint>,
    ) -> Runner<Machines<M, C>> {
        let reconciler = MachineReconciler {
            client: self.client.clone(),
            session: Arc::clone(&self.session),
            machines: seen.machines.cache().clone(),
            providers: seen.provider.cache().clone(),
            images: seen.images.cache().clone(),
            owners: seen.owners.cache().clone(),
            events: self.reporting.events.clone(),
            config: Arc::clone(&self.config),
        };
        let cache = || seen.machines.cache().clone();
        let (all, waiting, imaged) = (cache(), cache(), cache());
        let (owned, hinted) = (cache(), cache());
        self.runner(reconciler, &seen.machines)
            .watches(&seen.provider, Trigger::Intent, move |_| {
                triggers::all(&all)
            })
            .watches(
                &seen.provider,
                Trigger::IntentAnd(triggers::shown),
                move |_| triggers::waiting(&waiting),
            )
            .watches(
                &seen.images,
                Trigger::IntentAnd(triggers::rows),
                move |image| {
                    let name = image.name.as_deref().unwrap_or_default();
                    triggers::waiting_for(&imaged, name)
                },
            )
            .watches(&seen.owners, Trigger::Intent, move |owner| {
                let name = owner.name.as_deref().unwrap_or_default();
                triggers::owned_by(&owned, name)
            })
            .triggered_by(
                hints.flat_map(move |hint| stream::iter(triggers::hinted(&hinted, &hint))),
            )
    }

    fn runner<R: runner::Reconciler>(&self, reconciler: R, watch: &Watch<R::Object>) -> Runner<R> {
        let (limits, reporting) = (self.config.runner, self.reporting.clone());
        Runner::new(reconciler, watch, Trigger::Intent, limits, reporting)
    }
}

#[cfg(test)]
mod tests;
