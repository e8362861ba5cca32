//! What a process knows may be old, and another one may act at the same time.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use banlieue_schemas::platform::VirtualMachine;
use banlieue_tests::platform::flow::Flow;
use banlieue_tests::platform::gate::{Call, Point};
use banlieue_tests::platform::hearing::Trouble;
use banlieue_tests::platform::points::Points;
use banlieue_tests::platform::{Case, Options, Platform, all_hold, at_once, objects};
use banlieue_tests::wait::eventually;
use kube::ResourceExt as _;
use serde_json::json;

/// Runs of the same, since each is another race.
const RUNS: usize = 8;

/// Runs in which everything is heard.
const RECORDS: usize = 3;

/// How often a write is waited for that has to come: how often a status is written depends on how
/// many changes one pass sees.
const ATTEMPTS: usize = 12;

/// Cases at once.
const PARALLEL: usize = 10;

/// Passes that a process makes on what it knew before its watches fell silent.
const PASSES: u64 = 5;

/// What each process watches and has objects of.
const WATCHED: [(&str, &str); 9] = [
    ("controller", "virtualmachines"),
    ("controller", "simmachines"),
    ("controller", "providers"),
    ("controller", "providerclasses"),
    ("controller", "vmclasses"),
    ("controller", "vmimages"),
    ("a", "providers"),
    ("a", "vmimages"),
    ("a", "simmachines"),
];

/// Which processes there are twice.
#[derive(Clone, Copy, Debug)]
enum Twice {
    Controller,
    Providers,
}

/// A whole life of a machine. Answers which of the processes that overlap did anything.
async fn overlapping(platform: Arc<Platform>, twice: Twice) -> Result<BTreeSet<&'static str>> {
    let options = Options {
        providers: vec!["a", "b"],
        work: 2,
        ..Options::default()
    };
    let mut case = Case::start(&platform, options).await?;
    match twice {
        Twice::Controller => case.add_controller("other-controller").await?,
        Twice::Providers => {
            case.add_provider("other-a", "a").await?;
            case.add_provider("other-b", "b").await?;
        }
    }
    case.gate.forget();

    case.create_machine("vm", "a").await?;
    case.machine_ready("vm", "a").await?;
    case.settled().await?;
    case.one_machine("vm", "a").await?;

    let patch = json!({"spec": {"placement": objects::placement("b")}});
    case.patch::<VirtualMachine>("vm", patch).await?;
    case.machine_ready("vm", "b").await?;
    case.settled().await?;
    case.one_machine("vm", "b").await?;

    case.delete_machine("vm").await?;
    case.machine_gone("vm").await?;
    case.settled().await?;
    case.no_machine().await?;

    let calls = case.gate.calls();
    let mut processes = BTreeSet::from_iter(twice.processes().iter().copied());
    processes.retain(|process| {
        let acts = |call: &Call| call.process == *process && !call.is_look();
        calls.iter().any(acts)
    });
    Ok(processes)
}

impl Twice {
    /// Those that overlap.
    fn processes(self) -> &'static [&'static str] {
        match self {
            Self::Controller => &["controller", "other-controller"],
            Self::Providers => &["a", "other-a", "b", "other-b"],
        }
    }
}

async fn two_of(twice: Twice) -> Result<()> {
    let platform = Platform::start().await?;
    let cases = (0..RUNS).map(|run| {
        let case = overlapping(Arc::clone(&platform), twice);
        (format!("run {run}"), case)
    });
    let (mut acted, mut failures) = (Vec::new(), Vec::new());
    for result in at_once(4, cases).await {
        match result {
            Ok(processes) => acted.extend(processes),
            Err(error) => failures.push(Err(error)),
        }
    }
    all_hold(failures)?;
    for process in twice.processes() {
        let runs = acted.iter().filter(|it| *it == process).count();
        println!("{process} acted in {runs} of {RUNS} runs");
        ensure!(runs > 0, "{process} did nothing, so nothing overlapped");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_controllers_without_a_lease_make_one_machine() -> Result<()> {
    two_of(Twice::Controller).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_providers_without_a_lease_make_one_machine() -> Result<()> {
    two_of(Twice::Providers).await
}

/// Processes that look at everything again all the time.
fn restless() -> Options {
    Options {
        resync: Duration::from_millis(50),
        ..Options::default()
    }
}

/// The writes of machines of a flow.
async fn writes(platform: Arc<Platform>, flow: Flow) -> Result<Vec<Call>> {
    let case = flow.prepare(&platform, restless()).await?;
    case.gate.forget();
    flow.run(&case).await?;
    let mut calls = case.gate.calls();
    calls.retain(Call::is_write_of_machine);
    Ok(calls)
}

/// The process hears nothing from right before this write of its own in the flow on, for some
/// passes. Answers whether there was such a write.
async fn silent_once(platform: &Arc<Platform>, flow: Flow, write: &Point) -> Result<bool> {
    let case = flow.prepare(platform, restless()).await?;
    case.hearing.arm_at(write.clone(), Trouble::Silence);
    flow.begin(&case).await?;
    tokio::select! {
        biased;
        felt = case.hearing.felt() => felt?,
        ended = flow.end(&case) => return ended.map(|()| false),
    }
    let reconciler = match write.kind.process.as_str() {
        "controller" => "virtual_machine",
        _ => "machine",
    };
    let before = case.passes(reconciler);
    let enough = || async {
        let passes = case.passes(reconciler);
        ensure!(
            passes >= before + PASSES,
            "{passes} passes, {before} before"
        );
        Ok(())
    };
    eventually("passes without news", enough).await?;
    case.hearing.end().await?;
    flow.end(&case).await?;
    Ok(true)
}

async fn silent(
    platform: Arc<Platform>,
    flow: Flow,
    write: Point,
    attempts: usize,
) -> Result<Option<(Flow, Point)>> {
    for _ in 0..attempts {
        if silent_once(&platform, flow, &write).await? {
            return Ok(Some((flow, write)));
        }
    }
    Ok(None)
}

/// The writes of each flow, as runs that hear everything have them.
async fn all_writes(platform: &Arc<Platform>) -> Result<Vec<(Flow, Points)>> {
    let mut all = Vec::new();
    for flow in [Flow::Create, Flow::Swap, Flow::Delete] {
        // An API server that just started may end a connection: so the first run is alone.
        let mut runs = vec![writes(Arc::clone(platform), flow).await?];
        let others = (1..RECORDS).map(|run| {
            let run = format!("{flow}, record {run}");
            (run, writes(Arc::clone(platform), flow))
        });
        for run in at_once(PARALLEL, others).await {
            runs.push(run?);
        }
        all.push((flow, Points::of(&runs)));
    }
    Ok(all)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_machine_is_one_at_most_for_processes_that_hear_nothing_of_their_writes() -> Result<()> {
    let platform = Platform::start().await?;
    let all = all_writes(&platform).await?;
    let writes = all.iter().flat_map(|(flow, points)| {
        let all = points.all();
        all.map(|(write, is_certain)| (*flow, write, is_certain))
    });
    let writes: Vec<_> = writes.collect();
    let cases = writes.clone().into_iter().map(|(flow, write, is_certain)| {
        let name = format!("{flow}, {write}");
        let attempts = if is_certain { ATTEMPTS } else { 1 };
        (name, silent(Arc::clone(&platform), flow, write, attempts))
    });
    let mut met = BTreeSet::new();
    let mut failures = Vec::new();
    for result in at_once(PARALLEL, cases).await {
        match result {
            Ok(silent) => met.extend(silent),
            Err(error) => failures.push(Err(error)),
        }
    }
    let mut missed = Vec::new();
    for (flow, write, is_certain) in writes {
        let is_met = met.contains(&(flow, write.clone()));
        println!("{flow}: {write}: certain {is_certain}, silent {is_met}");
        if is_certain && !is_met {
            missed.push(format!("{flow}, {write}"));
        }
    }
    let certain: usize = all.iter().map(|(_, points)| points.certain.len()).sum();
    println!(
        "silent at {} of {certain} writes that every run has",
        certain - missed.len()
    );
    all_hold(failures)?;
    ensure!(missed.is_empty(), "never silent: {missed:?}");
    Ok(())
}

/// When a list comes empty.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// At the first write of the process of a flow.
    During(Flow),
    /// While the machine stays as it is, and the flow begins before the list is whole again.
    Before(Flow),
}

const MOMENTS: [Moment; 4] = [
    Moment::During(Flow::Create),
    Moment::During(Flow::Delete),
    Moment::Before(Flow::Swap),
    Moment::Before(Flow::Delete),
];

async fn uids(case: &Case) -> Result<Vec<Option<String>>> {
    let objects = case.machine_objects().await?;
    Ok(objects.iter().map(|object| object.uid()).collect())
}

async fn empty_once(
    platform: Arc<Platform>,
    process: &str,
    resource: &'static str,
    moment: Moment,
) -> Result<()> {
    let trouble = Trouble::EmptyList(resource);
    let (Moment::During(flow) | Moment::Before(flow)) = moment;
    let case = flow.prepare(&platform, restless()).await?;
    match moment {
        Moment::During(_) => {
            case.hearing.arm(process, trouble);
            flow.begin(&case).await?;
            case.hearing.felt().await?;
        }
        Moment::Before(_) => {
            let before = uids(&case).await?;
            case.hearing.begin(process, trouble);
            case.hearing.felt().await?;
            case.settled().await?;
            let after = uids(&case).await?;
            ensure!(after == before, "{before:?} became {after:?}");
            flow.begin(&case).await?;
        }
    }
    case.settled().await?;
    case.hearing.end().await?;
    flow.end(&case).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_that_is_empty_once_takes_and_doubles_no_machine() -> Result<()> {
    let platform = Platform::start().await?;
    let watched = WATCHED.iter().copied();
    let cases =
        watched.flat_map(|(process, resource)| MOMENTS.map(|moment| (process, resource, moment)));
    let cases = cases.map(|(process, resource, moment)| {
        let case = empty_once(Arc::clone(&platform), process, resource, moment);
        (format!("no {resource} for {process}, {moment:?}"), case)
    });
    all_hold(at_once(PARALLEL, cases).await)
}
