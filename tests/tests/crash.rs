//! Every call of a flow fails, loses its answer, or is the last one of the process that made it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, bail, ensure};
use banlieue_tests::platform::flow::Flow;
use banlieue_tests::platform::gate::{Call, Fault, Point};
use banlieue_tests::platform::points::Points;
use banlieue_tests::platform::{Case, Options, Platform, all_hold, at_once};

/// Cases at once.
const PARALLEL: usize = 12;

/// Runs in which nothing goes wrong.
const RECORDS: usize = 6;

/// How often a call is waited for that has to come, and is not in every run.
const ATTEMPTS: usize = 12;

/// Cases of a flow. Each is used again and again: to start one costs more than the flow.
struct Cases {
    platform: Arc<Platform>,
    flow: Flow,
    /// Those that nobody uses, right before the flow.
    idle: Mutex<Vec<Case>>,
}

impl Cases {
    async fn start(flow: Flow) -> Result<Arc<Self>> {
        Ok(Arc::new(Self {
            platform: Platform::start().await?,
            flow,
            idle: Mutex::default(),
        }))
    }

    async fn take(&self) -> Result<Case> {
        let idle = self
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        if let Some(case) = idle {
            return Ok(case);
        }
        let options = Options {
            work: 2,
            user_data: Some("#cloud-config\n"),
            ..Options::default()
        };
        self.flow.prepare(&self.platform, options).await
    }

    async fn give_back(&self, case: Case) -> Result<()> {
        self.flow.again(&case).await.context("once more")?;
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(case);
        Ok(())
    }

    /// The calls of a run in which nothing goes wrong. The API server ends watches as it likes, and
    /// those list again: then the flow runs once more, since no list is part of any flow.
    async fn record(self: Arc<Self>) -> Result<Vec<Call>> {
        for _ in 0..ATTEMPTS {
            let case = self.take().await?;
            case.gate.forget();
            self.flow.run(&case).await?;
            let calls = case.gate.calls();
            self.give_back(case).await?;
            if !calls.iter().any(|call| call.verb == "list") {
                return Ok(calls);
            }
        }
        bail!("every run lists something")
    }

    /// Runs the flow until the fault struck the call, and tells which call that was.
    async fn strike(
        self: Arc<Self>,
        point: Point,
        fault: Fault,
        attempts: usize,
    ) -> Result<Option<Point>> {
        for _ in 0..attempts {
            let case = self.take().await?;
            case.gate.strike(point.clone(), fault);
            let result = self.flow.run(&case).await;
            let struck = case.gate.struck();
            result.with_context(|| {
                let calls: Vec<_> = case.gate.calls().iter().map(ToString::to_string).collect();
                format!("struck: {}\n{}", struck.is_some(), calls.join("\n"))
            })?;
            self.give_back(case).await?;
            if struck.is_some() {
                return Ok(struck);
            }
        }
        Ok(None)
    }
}

async fn every_call(flow: Flow) -> Result<()> {
    let cases = Cases::start(flow).await?;
    // An API server that just started may end a connection: so the first run is alone.
    let mut records = vec![Arc::clone(&cases).record().await?];
    let others = (1..RECORDS).map(|run| (format!("record {run}"), Arc::clone(&cases).record()));
    for record in at_once(PARALLEL, others).await {
        records.push(record?);
    }
    let points = Points::of(&records);
    for (point, is_certain) in points.all() {
        let note = if is_certain { "" } else { ", in some runs" };
        println!("{flow}: {point}{note}");
    }
    let strikes = points.all().flat_map(|(point, is_certain)| {
        let attempts = if is_certain { ATTEMPTS } else { 1 };
        Fault::ALL.map(|fault| (point.clone(), fault, attempts))
    });
    let strikes = strikes.map(|(point, fault, attempts)| {
        let name = format!("{flow}, {point} {fault:?}");
        let strike = Arc::clone(&cases).strike(point, fault, attempts);
        let case = async move { Ok(strike.await?.map(|struck| (struck, fault))) };
        (name, case)
    });
    let mut struck = BTreeSet::new();
    let mut failures = Vec::new();
    for result in at_once(PARALLEL, strikes).await {
        match result {
            Ok(one) => struck.extend(one),
            Err(error) => failures.push(Err(error)),
        }
    }
    let never = |of: &[Point]| {
        let all = of
            .iter()
            .flat_map(|it| Fault::ALL.map(|fault| (it.clone(), fault)));
        let never = all.filter(|it| !struck.contains(it));
        never.collect::<Vec<_>>()
    };
    let missed = never(&points.certain);
    for (points, missed, what) in [
        (&points.certain, missed.len(), "points"),
        (
            &points.uncertain,
            never(&points.uncertain).len(),
            "points that not every run has",
        ),
    ] {
        let all = points.len() * Fault::ALL.len();
        println!(
            "{flow}: {} {what} x {} faults, {} of {all} struck",
            points.len(),
            Fault::ALL.len(),
            all - missed
        );
    }
    all_hold(failures)?;
    ensure!(missed.is_empty(), "never struck: {missed:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_machine_is_made_once_whatever_call_goes_wrong() -> Result<()> {
    every_call(Flow::Create).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_machine_that_moves_is_never_two_whatever_call_goes_wrong() -> Result<()> {
    every_call(Flow::Swap).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_left_of_a_machine_whatever_call_goes_wrong() -> Result<()> {
    every_call(Flow::Delete).await
}
