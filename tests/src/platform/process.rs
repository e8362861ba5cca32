//! Controller and providers as tasks that die and start again, each with a client of its own.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use banlieue_kit::CancellationToken;
use banlieue_kit::events::Events;
use banlieue_kit::health::{Health, Readiness};
use banlieue_kit::metrics::Metrics;
use banlieue_kit::runner::{Backoff, Config, Reporting};
use banlieue_provider::Limits;
use banlieue_schemas::infrastructure::SimMachine;
use banlieue_sim::{SimConnect, Simulator};
use tokio_util::task::AbortOnDropHandle;

use super::api;
use super::audit::Audit;
use super::backend::Gated;
use super::gate::{Gate, Life};
use super::hearing::Hearing;
use crate::apiserver::ApiServer;

/// What the processes of a case have in common.
pub(super) struct Surroundings {
    pub(super) api: Arc<ApiServer>,
    pub(super) namespace: String,
    pub(super) gate: Arc<Gate>,
    pub(super) hearing: Arc<Hearing>,
    pub(super) audit: Arc<Audit>,
    pub(super) resync: Duration,
    lives: Mutex<BTreeMap<String, Running>>,
}

/// A process that runs now.
struct Running {
    life: Arc<Life>,
    health: Health,
    metrics: Metrics,
}

/// What runs in a process.
#[derive(Clone)]
pub(super) enum Program {
    Controller,
    /// It serves the Provider of that name.
    Provider(String, Arc<Simulator>),
}

impl Surroundings {
    pub(super) fn new(
        api: Arc<ApiServer>,
        namespace: String,
        audit: Arc<Audit>,
        resync: Duration,
    ) -> Arc<Self> {
        Arc::new(Self {
            api,
            namespace,
            gate: Gate::new(),
            hearing: Hearing::new(),
            audit,
            resync,
            lives: Mutex::default(),
        })
    }

    /// Runs a process. When it dies, it starts again with nothing that it knew.
    pub(super) fn run(self: &Arc<Self>, name: &str, program: Program) -> AbortOnDropHandle<()> {
        let (around, name) = (Arc::clone(self), name.to_owned());
        AbortOnDropHandle::new(tokio::spawn(async move {
            loop {
                let life = Life::new(&name);
                let reports = around.live(&life);
                let process = start(
                    Arc::clone(&around),
                    program.clone(),
                    Arc::clone(&life),
                    reports,
                );
                let running = AbortOnDropHandle::new(tokio::spawn(process));
                life.over().await;
                drop(running);
            }
        }))
    }

    /// Whether every process has listed what it watches.
    pub(super) fn are_ready(&self) -> bool {
        let lives = self.lives.lock().unwrap_or_else(PoisonError::into_inner);
        let ready = |health: &Health| matches!(health.readiness(), Readiness::Ready(_));
        lives
            .values()
            .all(|running| !running.life.is_over() && ready(&running.health))
    }

    /// Ends a process of that name. It starts again.
    pub(super) fn kill(&self, name: &str) {
        let lives = self.lives.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = lives.get(name) {
            running.life.end();
        }
    }

    /// How many passes each process that runs now made in a reconciler.
    pub(super) fn passes(&self, reconciler: &str) -> BTreeMap<String, u64> {
        let lives = self.lives.lock().unwrap_or_else(PoisonError::into_inner);
        let line = format!("banlieue_reconcile_total{{controller=\"{reconciler}\"");
        let passes = lives.iter().map(|(process, running)| {
            let text = running.metrics.encode().unwrap_or_default();
            let counts = text.lines().filter(|it| it.starts_with(&line));
            let counts = counts.filter_map(|it| it.rsplit(' ').next()?.parse::<u64>().ok());
            (process.clone(), counts.sum())
        });
        passes.collect()
    }

    fn live(&self, life: &Arc<Life>) -> (Health, Metrics) {
        let (health, metrics) = (Health::new(), Metrics::new());
        let running = Running {
            life: Arc::clone(life),
            health: health.clone(),
            metrics: metrics.clone(),
        };
        let mut lives = self.lives.lock().unwrap_or_else(PoisonError::into_inner);
        lives.insert(life.process.clone(), running);
        (health, metrics)
    }

    fn limits(&self) -> Config {
        Config {
            concurrency: 4,
            deadline: Duration::from_secs(30),
            resync: self.resync,
            backoff: Backoff {
                first: Duration::from_millis(10),
                max: Duration::from_millis(200),
            },
            drain: Duration::from_secs(5),
        }
    }
}

async fn start(
    around: Arc<Surroundings>,
    program: Program,
    life: Arc<Life>,
    reports: (Health, Metrics),
) {
    if let Err(error) = serve(&around, program, &life, reports).await {
        around.gate.violated(format!("{}: {error:#}", life.process));
    }
}

async fn serve(
    around: &Surroundings,
    program: Program,
    life: &Arc<Life>,
    (health, metrics): (Health, Metrics),
) -> Result<()> {
    let (gate, hearing) = (Arc::clone(&around.gate), Arc::clone(&around.hearing));
    let namespace = around.namespace.clone();
    let own = Arc::clone(life);
    let api = &around.api;
    let client = api::client(api, &namespace, gate, hearing, own, metrics.clone()).await?;
    let reporting = Reporting {
        events: Events::new(client.clone(), &life.process, "test"),
        metrics,
        health,
    };
    let shutdown = CancellationToken::new();
    match program {
        Program::Controller => {
            let settings = banlieue_controller::Settings {
                namespace: Some(namespace),
                limits: around.limits(),
            };
            banlieue_controller::run(client, settings, reporting, shutdown).await?;
        }
        Program::Provider(provider, simulator) => {
            let config = banlieue_provider::Config {
                runner: around.limits(),
                backend: Limits {
                    reconnect: Duration::from_millis(10),
                    ..Limits::default()
                },
                look_again: Duration::from_millis(20),
                shutdown_grace: Duration::from_secs(5),
                ..banlieue_provider::Config::new(namespace, provider)
            };
            let (gate, audit) = (Arc::clone(&around.gate), Arc::clone(&around.audit));
            let connect = Gated::new(SimConnect::to(simulator), gate, Arc::clone(life), audit);
            banlieue_provider::run::<SimMachine, _>(client, connect, config, reporting, shutdown)
                .await?;
        }
    }
    Ok(())
}
