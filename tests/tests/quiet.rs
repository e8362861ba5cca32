//! Where nothing changes, nothing is written: in every state in which a machine may stay, however
//! often its processes look at it, list again what they watch, and start again.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use banlieue_backend::ErrorKind;
use banlieue_core::machine::Identity;
use banlieue_schemas::infrastructure::SimMachine;
use banlieue_schemas::platform::{Provider, VirtualMachine};
use banlieue_sim::world::call::CallKind;
use banlieue_sim::world::fault::{Fault, Rule};
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
    ImageNowhere,
    OutOfSpace,
    NoDestination,
    ProviderPaused,
    BackendAway,
    LockedOut,
    DeletionRefused,
}

const STATES: [State; 15] = [
    State::Ready,
    State::PoweredOff,
    State::Unschedulable,
    State::NoClass,
    State::NoImage,
    State::NoUserData,
    State::Paused,
    State::RemovedByHand,
    State::ImageNowhere,
    State::OutOfSpace,
    State::NoDestination,
    State::ProviderPaused,
    State::BackendAway,
    State::LockedOut,
    State::DeletionRefused,
];

impl State {
    /// What of the spec differs from that of a machine that becomes ready.
    fn spec(self) -> Value {
        match self {
            Self::PoweredOff => json!({"desiredPowerState": "PoweredOff"}),
            Self::Unschedulable => json!({"placement": objects::placement("nowhere")}),
            Self::NoClass => json!({"classRef": {"name": "none"}}),
            Self::NoImage => json!({"imageRef": {"name": "none"}}),
            Self::NoUserData => json!({"userData": {"secretRef": {"name": "none"}}}),
            Self::Paused => json!({"paused": true}),
            _ => json!({}),
        }
    }

    /// What is wrong with the backend before the machine is made.
    fn prepare(self, case: &Case) {
        match self {
            Self::ImageNowhere => case.simulators[0].with(|world| {
                world.remove_image("dc1", "c1", "debian-13");
            }),
            Self::OutOfSpace => always(case, Rule::new(Fault::OutOfSpace).on(CallKind::Create)),
            _ => {}
        }
    }

    /// What happens to the machine when it is ready.
    async fn strike(self, case: &Case) -> Result<()> {
        match self {
            Self::RemovedByHand => {
                let machine = case.api::<SimMachine>().get("vm").await?;
                let identity = Identity::of(machine.uid().context("no UID")?);
                case.simulators[0].with(|world| world.remove_by_hand(&identity, false));
            }
            Self::NoDestination => {
                let spec = json!({
                    "placement": objects::placement("nowhere"), "migrationPolicy": "automatic",
                });
                case.patch::<VirtualMachine>("vm", json!({"spec": spec}))
                    .await?;
            }
            Self::ProviderPaused => {
                case.patch::<Provider>("a", json!({"spec": {"paused": true}}))
                    .await?;
            }
            Self::BackendAway => always(case, Rule::new(Fault::Error(ErrorKind::Retry))),
            Self::LockedOut => always(case, Rule::new(Fault::Error(ErrorKind::Auth))),
            Self::DeletionRefused => {
                let refused = Rule::new(Fault::Error(ErrorKind::Refused));
                always(case, refused.on(CallKind::Delete));
                case.delete_machine("vm").await?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether the machine is ready before that.
    fn was_ready(self) -> bool {
        matches!(
            self,
            Self::Ready
                | Self::RemovedByHand
                | Self::NoDestination
                | Self::ProviderPaused
                | Self::BackendAway
                | Self::LockedOut
                | Self::DeletionRefused
        )
    }

    /// Whether the backend is asked again and again for what it refuses.
    fn insists(self) -> bool {
        matches!(self, Self::OutOfSpace | Self::DeletionRefused)
    }

    /// `type status` of the condition by which the state is known.
    fn sign(self) -> &'static str {
        match self {
            Self::Ready | Self::ProviderPaused => "Ready True",
            Self::PoweredOff => "InfrastructureReady True",
            Self::Paused => "Paused True",
            Self::RemovedByHand | Self::OutOfSpace => "InfrastructureReady False",
            Self::NoDestination => "PlacementValid False",
            Self::BackendAway | Self::LockedOut => "Ready Unknown",
            Self::Unschedulable
            | Self::NoClass
            | Self::NoImage
            | Self::NoUserData
            | Self::ImageNowhere
            | Self::DeletionRefused => "Ready False",
        }
    }
}

fn always(case: &Case, rule: Rule) {
    case.simulators[0].with(|world| world.script().add(rule.times(0)));
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
    state.prepare(&case);
    let mut vm = serde_json::to_value(objects::virtual_machine(&case.name, "vm", "a")?)?;
    let spec = vm["spec"].as_object_mut().context("no spec")?;
    spec.extend(state.spec().as_object().cloned().unwrap_or_default());
    let vm: VirtualMachine = serde_json::from_value(vm)?;
    case.api().create(&PostParams::default(), &vm).await?;
    if state.was_ready() {
        case.machine_ready("vm", "a").await?;
        state.strike(&case).await?;
    }
    until(&case.api(), "vm", state.sign(), |vm| {
        shows(vm, state.sign())
    })
    .await?;
    Ok(case)
}

async fn stays_quiet(platform: Arc<Platform>, state: State) -> Result<()> {
    let case = reach(&platform, state).await?;
    let calls = if state.insists() {
        case.writes_nothing(&["controller", "a"]).await?.len()
    } else {
        case.stays_quiet(&["controller", "a"]).await?
    };
    println!("{state:?}: {calls} calls, no write");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_state_in_which_a_machine_stays_costs_a_write() -> Result<()> {
    let platform = Platform::start().await?;
    let cases = STATES.into_iter().map(|state| {
        let case = stays_quiet(Arc::clone(&platform), state);
        (format!("{state:?}"), case)
    });
    all_hold(at_once(STATES.len(), cases).await)
}
