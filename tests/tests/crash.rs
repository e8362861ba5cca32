//! Every call of a flow fails, loses its answer, or is the last one of the process that made it.

use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use banlieue_tests::platform::flow::Flow;
use banlieue_tests::platform::gate::{Call, Fault};
use banlieue_tests::platform::{Options, Platform, all_hold, at_once};

/// Cases at once.
const PARALLEL: usize = 10;

/// How often a case is tried in which the flow had fewer calls than in others.
const ATTEMPTS: usize = 4;

/// Hypervisors whose work takes so long.
fn takes(work: u64) -> Options {
    Options {
        work,
        ..Options::default()
    }
}

/// The calls of a flow in which nothing goes wrong.
async fn record(platform: &Arc<Platform>, flow: Flow, work: u64) -> Result<Vec<Call>> {
    let case = flow.prepare(platform, takes(work)).await?;
    case.gate.forget();
    flow.run(&case).await?;
    Ok(case.gate.calls())
}

/// Runs the flow with a fault, and tells which call it struck.
async fn strike(
    platform: Arc<Platform>,
    flow: Flow,
    work: u64,
    k: usize,
    fault: Fault,
) -> Result<Option<Call>> {
    for _ in 0..ATTEMPTS {
        let case = flow.prepare(&platform, takes(work)).await?;
        case.gate.strike(k, fault);
        let result = flow.run(&case).await;
        let struck = case.gate.struck();
        result.with_context(|| {
            let calls: Vec<_> = case.gate.calls().iter().map(ToString::to_string).collect();
            format!(
                "{flow}, call {k} {fault:?}: {struck:?}\n{}",
                calls.join("\n")
            )
        })?;
        if struck.is_some() {
            return Ok(struck);
        }
    }
    Ok(None)
}

async fn every_call(flow: Flow, work: u64) -> Result<()> {
    let platform = Platform::start().await?;
    let mut records = Vec::new();
    for _ in 0..3 {
        records.push(record(&platform, flow, work).await?);
    }
    let lengths = records.iter().map(Vec::len);
    let (least, most) = (
        lengths.clone().min().context("no record")?,
        lengths.max().context("no record")?,
    );
    for (at, call) in records[0].iter().enumerate() {
        println!("{flow} {}: {call}", at + 1);
    }
    let cases = (1..=most).flat_map(|k| Fault::ALL.map(|fault| (k, fault)));
    let cases = cases.map(|(k, fault)| {
        let struck = strike(Arc::clone(&platform), flow, work, k, fault);
        let case = async move {
            let struck = struck.await?.is_some();
            // The longest of the records may have had a call that most runs do not have.
            ensure!(struck || k > least, "the call was never made");
            Ok(struck)
        };
        (format!("call {k} {fault:?}"), case)
    });
    let results = at_once(PARALLEL, cases).await;
    let struck = results.iter().filter(|it| matches!(it, Ok(true))).count();
    println!(
        "{flow}: {most} points x {}, {struck} struck",
        Fault::ALL.len()
    );
    all_hold(results.into_iter().map(|it| it.map(drop)).collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_machine_is_made_once_whatever_call_goes_wrong() -> Result<()> {
    every_call(Flow::Create, 2).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_machine_that_moves_is_never_two_whatever_call_goes_wrong() -> Result<()> {
    every_call(Flow::Swap, 2).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_left_of_a_machine_whatever_call_goes_wrong() -> Result<()> {
    every_call(Flow::Delete, 2).await
}
