//! What a process knows may be old, and another one may act at the same time.

use std::sync::Arc;

use anyhow::Result;
use banlieue_schemas::platform::VirtualMachine;
use banlieue_tests::platform::{Case, Options, Platform, all_hold, objects};
use futures::StreamExt as _;
use serde_json::json;

/// Runs of the same, since each is another race.
const RUNS: usize = 8;

async fn two_controllers(platform: Arc<Platform>) -> Result<()> {
    let options = Options {
        providers: vec!["a", "b"],
        work: 2,
        ..Options::default()
    };
    let mut case = Case::start(&platform, options).await?;
    case.add_controller("other-controller").await?;

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
    case.no_machine().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_controllers_without_a_lease_make_one_machine() -> Result<()> {
    let platform = Platform::start().await?;
    let results: Vec<Result<()>> = futures::stream::iter(0..RUNS)
        .map(|_| two_controllers(Arc::clone(&platform)))
        .buffer_unordered(4)
        .collect()
        .await;
    all_hold(results)
}
