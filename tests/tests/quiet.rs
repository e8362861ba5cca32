//! Where nothing changes, nothing is written: in every state in which a machine may stay, however
//! often its processes look at it and start again.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use banlieue_core::machine::Identity;
use banlieue_schemas::infrastructure::SimMachine;
use banlieue_schemas::platform::VirtualMachine;
use banlieue_tests::platform::{Case, Options, Platform, all_hold, at_once, objects};
use banlieue_tests::wait::until;
use kube::ResourceExt as _;
use kube::api::PostParams;
use serde_json::{Value, json};

/// A state in which a machine stays.
#[derive(Clone, Copy, Debug)]
enum State {
    Ready,
    PoweredOff,
    Unschedulable,
    NoClass,
    NoImage,
    NoUserData,
    Paused,
    RemovedByHand,
}

const STATES: [State; 8] = [
    State::Ready,
    State::PoweredOff,
    State::Unschedulable,
    State::NoClass,
    State::NoImage,
    State::NoUserData,
    State::Paused,
    State::RemovedByHand,
];

impl State {
    /// What of the spec differs from that of a machine that becomes ready.
    fn spec(self) -> Value {
        match self {
            Self::Ready | Self::RemovedByHand => json!({}),
            Self::PoweredOff => json!({"desiredPowerState": "PoweredOff"}),
            Self::Unschedulable => json!({"placement": objects::placement("nowhere")}),
            Self::NoClass => json!({"classRef": {"name": "none"}}),
            Self::NoImage => json!({"imageRef": {"name": "none"}}),
            Self::NoUserData => json!({"userData": {"secretRef": {"name": "none"}}}),
            Self::Paused => json!({"paused": true}),
        }
    }

    /// `type status reason` of the condition by which the state is known.
    fn sign(self) -> &'static str {
        match self {
            Self::Ready => "Ready True",
            Self::PoweredOff => "InfrastructureReady True",
            Self::Paused => "Paused True",
            Self::RemovedByHand => "InfrastructureReady False",
            Self::Unschedulable | Self::NoClass | Self::NoImage | Self::NoUserData => "Ready False",
        }
    }
}

fn shows(vm: &VirtualMachine, sign: &str) -> bool {
    let conditions = vm.status.iter().flat_map(|status| &status.conditions);
    let value = conditions.filter_map(|condition| serde_json::to_value(condition).ok());
    let mut signs = value.map(|it| {
        let text = |field: &str| it[field].as_str().unwrap_or_default().to_owned();
        format!("{} {}", text("type"), text("status"))
    });
    signs.any(|it| it == sign)
}

/// A case whose machine is in that state.
async fn reach(platform: &Arc<Platform>, state: State) -> Result<Case> {
    let options = Options {
        resync: Duration::from_millis(50),
        ..Options::default()
    };
    let case = Case::start(platform, options).await?;
    let mut vm = serde_json::to_value(objects::virtual_machine(&case.name, "vm", "a")?)?;
    let spec = vm["spec"].as_object_mut().context("no spec")?;
    spec.extend(state.spec().as_object().cloned().unwrap_or_default());
    let vm: VirtualMachine = serde_json::from_value(vm)?;
    case.api().create(&PostParams::default(), &vm).await?;
    if matches!(state, State::RemovedByHand) {
        case.machine_ready("vm", "a").await?;
        let machine = case.api::<SimMachine>().get("vm").await?;
        let identity = Identity::of(machine.uid().context("no UID")?);
        case.simulators[0].with(|world| world.remove_by_hand(&identity, false));
    }
    until(&case.api(), "vm", state.sign(), |vm| {
        shows(vm, state.sign())
    })
    .await?;
    case.settled().await?;
    Ok(case)
}

async fn stays_quiet(platform: Arc<Platform>, state: State) -> Result<()> {
    let case = reach(&platform, state).await?;
    let looks = case.stays_quiet(&["controller", "a"]).await?;
    println!("{state:?}: {looks} looks, no write");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_state_in_which_a_machine_stays_costs_a_write() -> Result<()> {
    let platform = Platform::start().await?;
    let cases = STATES.map(|state| {
        let case = stays_quiet(Arc::clone(&platform), state);
        (format!("{state:?}"), case)
    });
    all_hold(at_once(STATES.len(), cases).await)
}
