//! A deletion ends, whatever went before it.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use banlieue_backend::ErrorKind;
use banlieue_core::conditions::{find, is_true};
use banlieue_schemas::conditions::{ConditionType, Reason};
use banlieue_schemas::infrastructure::SimMachine;
use banlieue_schemas::labels::ABANDON;
use banlieue_schemas::platform::{Provider, ProviderClass, VirtualMachine, VmClass, VmImage};
use banlieue_sim::world::call::CallKind;
use banlieue_sim::world::fault::{Fault, Rule};
use banlieue_tests::platform::objects::LOGIN;
use banlieue_tests::platform::{Case, Options, Platform, all_hold, at_once};
use banlieue_tests::wait::{LIMIT, eventually, until, until_gone};
use k8s_openapi::api::core::v1::{Namespace, Secret};
use k8s_openapi::api::events::v1::Event;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::api::{DeleteParams, ListParams};
use kube::{Api, Resource, ResourceExt};
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::time::timeout;

/// Orders that are tried: the even ones on a machine that is being made, the others on a ready one.
const ORDERS: u64 = 50;

/// Cases at once: most of the time they wait for the namespace controller.
const PARALLEL: usize = 25;

/// Calls after which a deletion may begin, fewer than a machine takes to be made.
const CALLS: u64 = 16;

/// What a user deletes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Machine,
    Provider,
    ProviderClass,
    Class,
    Image,
    Secret,
    Namespace,
}

const TARGETS: [Target; 7] = [
    Target::Machine,
    Target::Provider,
    Target::ProviderClass,
    Target::Class,
    Target::Image,
    Target::Secret,
    Target::Namespace,
];

impl Target {
    /// Asks for the deletion. With the namespace `emptied`, what is in it may be gone before.
    async fn delete(self, case: &Case, emptied: bool) -> Result<()> {
        let deleted = match self {
            Self::Machine => delete::<VirtualMachine>(&case.api(), "vm").await,
            Self::Provider => delete::<Provider>(&case.api(), "a").await,
            Self::ProviderClass => delete::<ProviderClass>(&case.shared(), &case.name).await,
            Self::Class => delete::<VmClass>(&case.shared(), &case.name).await,
            Self::Image => delete::<VmImage>(&case.shared(), &case.name).await,
            Self::Secret => delete::<Secret>(&case.api(), LOGIN).await,
            Self::Namespace => delete::<Namespace>(&case.shared(), &case.name).await,
        };
        let is_inside = matches!(self, Self::Machine | Self::Provider | Self::Secret);
        match deleted {
            Err(kube::Error::Api(status)) if status.is_not_found() && is_inside && emptied => {
                Ok(())
            }
            deleted => deleted.with_context(|| format!("{self:?}")),
        }
    }
}

async fn delete<K>(api: &Api<K>, name: &str) -> Result<(), kube::Error>
where
    K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned,
{
    api.delete(name, &DeleteParams::default()).await.map(drop)
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
        password: Some("open sesame"),
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
        for (place, target) in order.iter().enumerate() {
            let emptied = order[..place].contains(&Target::Namespace);
            target.delete(&case, emptied).await?;
        }
        case.machine_gone("vm").await?;
        until_gone(&case.shared::<Namespace>(), &case.name).await?;
        case.settled().await?;
        case.no_machine().await?;
        let left = case.versions().await?;
        ensure!(left.is_empty(), "still there: {left:?}");
        Ok(ready)
    };
    end.await.with_context(|| {
        let calls: Vec<_> = case.gate.calls().iter().map(ToString::to_string).collect();
        let last = &calls[calls.len().saturating_sub(40)..];
        format!("ready {ready}: {order:?}\n{}", last.join("\n"))
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_machine_goes_in_whatever_order_things_are_deleted() -> Result<()> {
    let platform = Platform::start_whole().await?;
    let cases = (0..ORDERS).map(|seed| {
        let case = ends(Arc::clone(&platform), seed);
        (format!("seed {seed}"), case)
    });
    let results = at_once(PARALLEL, cases).await;
    let ready = results.iter().filter(|it| matches!(it, Ok(true))).count();
    let all_ready = ready == results.len();
    println!("{ORDERS} orders, {ready} on a machine that was ready");
    all_hold(results.into_iter().map(|it| it.map(drop)).collect())?;
    ensure!(!all_ready, "no machine was still being made");
    Ok(())
}

/// What the condition `Ready` says.
fn message(conditions: &[Condition]) -> &str {
    let ready = find(conditions, ConditionType::Ready);
    ready.map_or("", |ready| &ready.message)
}

/// Waits until the machine object says this.
async fn says(case: &Case, words: &str) -> Result<SimMachine> {
    let what = format!("to say {words}");
    until(&case.api(), "vm", &what, |machine: &SimMachine| {
        let status = machine.status.as_ref();
        status.is_some_and(|status| message(&status.conditions).contains(words))
    })
    .await
}

async fn abandon(case: &Case, uid: &str) -> Result<()> {
    let patch = json!({"metadata": {"annotations": {ABANDON: uid}}});
    case.patch::<SimMachine>("vm", patch).await
}

/// Waits until the machine object was looked at a few times more.
async fn looked_at(case: &Case) -> Result<()> {
    let before = case.passes("machine");
    let enough = || async {
        let passes = case.passes("machine");
        ensure!(passes >= before + 5, "{passes} passes, {before} before");
        Ok(())
    };
    eventually("passes", enough).await
}

/// UIDs of machine objects that were given up, as Events tell.
async fn given_up(case: &Case) -> Result<Vec<Option<String>>> {
    let events = case.api::<Event>().list(&ListParams::default()).await?;
    let reason = Reason::Abandoned.to_string();
    let events = events.items.into_iter();
    let events = events.filter(|event| event.reason.as_deref() == Some(&reason));
    Ok(events.map(|event| event.regarding?.uid).collect())
}

/// Deletes the machine, which cannot go for what `stuck` says, until its UID gives it up.
async fn is_given_up(case: &Case, stuck: &str) -> Result<()> {
    case.delete_machine("vm").await?;
    let machine = says(case, stuck).await?;
    let uid = machine.metadata.uid.context("no UID")?;
    until(&case.api(), "vm", "to say so", |vm: &VirtualMachine| {
        let status = vm.status.as_ref();
        status.is_some_and(|status| message(&status.conditions).contains(stuck))
    })
    .await?;

    abandon(case, "another").await?;
    says(case, "names another UID than this object's").await?;
    looked_at(case).await?;
    let objects = case.machine_objects().await?;
    let uids: Vec<_> = objects.iter().filter_map(ResourceExt::uid).collect();
    ensure!(uids == [uid.clone()], "machine objects: {uids:?}");
    let before = given_up(case).await?;
    ensure!(before.is_empty(), "given up by another UID: {before:?}");

    abandon(case, &uid).await?;
    case.machine_gone("vm").await?;
    let objects = case.machine_objects().await?;
    ensure!(objects.is_empty(), "machine objects: {objects:?}");
    let stamps = case.audit.stamps();
    ensure!(stamps == [uid.clone()], "VMs of {stamps:?}");
    let given_up = given_up(case).await?;
    ensure!(given_up == [Some(uid)], "given up: {given_up:?}");
    case.never_wrong()
}

/// A case with a machine that is ready.
async fn with_machine(platform: &Arc<Platform>) -> Result<Case> {
    let options = Options {
        resync: Duration::from_millis(100),
        ..Options::default()
    };
    let case = Case::start(platform, options).await?;
    case.create_machine("vm", "a").await?;
    case.machine_ready("vm", "a").await?;
    case.settled().await?;
    Ok(case)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_machine_that_nobody_can_remove_is_given_up_by_its_own_uid() -> Result<()> {
    let platform = Platform::start().await?;

    let case = with_machine(&platform).await?;
    let away = Rule::new(Fault::Error(ErrorKind::Retry)).on(CallKind::Observe);
    case.simulators[0].with(|world| world.script().add(away.times(0)));
    is_given_up(&case, "the machine cannot be removed from its backend").await?;

    let case = with_machine(&platform).await?;
    Target::Provider.delete(&case, false).await?;
    case.kill("a");
    case.settled().await?;
    is_given_up(&case, "Provider a does not exist").await
}
