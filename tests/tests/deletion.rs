//! A deletion ends, whatever went before it.

use std::fmt::Debug;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use banlieue_core::conditions::is_true;
use banlieue_schemas::conditions::ConditionType;
use banlieue_schemas::platform::{Provider, ProviderClass, VirtualMachine, VmClass, VmImage};
use banlieue_tests::platform::{Case, Options, Platform};
use banlieue_tests::wait::LIMIT;
use futures::StreamExt as _;
use kube::api::DeleteParams;
use kube::{Api, Resource};
use serde::de::DeserializeOwned;
use tokio::time::timeout;

/// Orders that are tried: the even ones on a machine that is being made, the others on a ready one.
const ORDERS: u64 = 50;

/// Cases at once.
const PARALLEL: usize = 10;

/// Calls after which a deletion may begin, fewer than a machine takes to be made.
const CALLS: u64 = 16;

/// What a user deletes.
#[derive(Clone, Copy, Debug)]
enum Target {
    Machine,
    Provider,
    ProviderClass,
    Class,
    Image,
}

const TARGETS: [Target; 5] = [
    Target::Machine,
    Target::Provider,
    Target::ProviderClass,
    Target::Class,
    Target::Image,
];

impl Target {
    async fn delete(self, case: &Case) -> Result<()> {
        match self {
            Self::Machine => delete::<VirtualMachine>(&case.api(), "vm").await,
            Self::Provider => delete::<Provider>(&case.api(), "a").await,
            Self::ProviderClass => delete::<ProviderClass>(&case.shared(), &case.name).await,
            Self::Class => delete::<VmClass>(&case.shared(), &case.name).await,
            Self::Image => delete::<VmImage>(&case.shared(), &case.name).await,
        }
    }
}

async fn delete<K>(api: &Api<K>, name: &str) -> Result<()>
where
    K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned,
{
    let deleted = api.delete(name, &DeleteParams::default()).await;
    deleted.with_context(|| format!("{} {name}", K::kind(&())))?;
    Ok(())
}

/// Numbers that are the same every time, by SplitMix64.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }

    fn order(&mut self) -> Vec<Target> {
        let mut left = TARGETS.to_vec();
        let mut order = Vec::new();
        for end in (1..=TARGETS.len() as u64).rev() {
            order.push(left.remove(self.below(end) as usize));
        }
        order
    }
}

/// A machine that so many calls were made for.
async fn being_made(case: &Case, calls: u64) -> Result<()> {
    let mut changes = case.gate.changes();
    // A call is counted when it enters and when it ends.
    let begin = *changes.borrow() + 2 * calls;
    case.create_machine("vm", "a").await?;
    let reached = changes.wait_for(|count| *count >= begin);
    timeout(LIMIT, reached).await.context("no such call")??;
    Ok(())
}

async fn is_ready(case: &Case) -> Result<bool> {
    let vm: VirtualMachine = case.api().get("vm").await?;
    let status = vm.status.as_ref();
    Ok(status.is_some_and(|status| is_true(&status.conditions, ConditionType::Ready)))
}

/// Deletes everything in the order of a seed, and answers whether the machine was ready by then.
async fn ends(platform: Arc<Platform>, seed: u64) -> Result<bool> {
    let mut dice = Dice(seed);
    let (order, calls) = (dice.order(), dice.below(CALLS));
    let options = Options {
        work: 2,
        ..Options::default()
    };
    let case = Case::start(&platform, options).await?;
    if seed.is_multiple_of(2) {
        being_made(&case, calls).await?;
    } else {
        case.create_machine("vm", "a").await?;
        case.machine_ready("vm", "a").await?;
        case.settled().await?;
    }
    let ready = is_ready(&case).await?;
    let end = async {
        for target in &order {
            target.delete(&case).await?;
        }
        case.machine_gone("vm").await?;
        case.settled().await?;
        case.no_machine().await?;
        let left = case.versions().await?;
        ensure!(left.is_empty(), "still there: {left:?}");
        Ok(ready)
    };
    end.await.with_context(|| {
        let calls: Vec<_> = case.gate.calls().iter().map(ToString::to_string).collect();
        let last = &calls[calls.len().saturating_sub(40)..];
        format!("seed {seed}, ready {ready}: {order:?}\n{}", last.join("\n"))
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_machine_goes_in_whatever_order_things_are_deleted() -> Result<()> {
    let platform = Platform::start().await?;
    let results: Vec<_> = futures::stream::iter(0..ORDERS)
        .map(|seed| tokio::spawn(ends(Arc::clone(&platform), seed)))
        .buffer_unordered(PARALLEL)
        .collect()
        .await;
    let (mut failures, mut ready) = (Vec::new(), 0);
    for result in results {
        match result? {
            Ok(was_ready) => ready += u64::from(was_ready),
            Err(error) => failures.push(format!("{error:#}")),
        }
    }
    println!("{ORDERS} orders, {ready} on a machine that was ready");
    ensure!(failures.is_empty(), "{}", failures.join("\n\n"));
    ensure!(ready < ORDERS, "no machine was still being made");
    Ok(())
}
