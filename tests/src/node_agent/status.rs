//! What a Pod's status says, from the states of its containers. Pure.

use std::net::Ipv4Addr;

use k8s_openapi::api::core::v1::{
    Container, ContainerState, ContainerStatus, HostIP, Pod, PodCondition, PodIP, PodStatus,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::{Value, json};

/// State of one container.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Snapshot {
    pub(super) state: ContainerState,
    /// How it ended before the last restart.
    pub(super) last: ContainerState,
    pub(super) restarts: i32,
    /// Whether its startup probe, if any, has passed.
    pub(super) started: bool,
    pub(super) ready: bool,
    /// It ended and is not started again.
    pub(super) done: bool,
}

impl Snapshot {
    /// A container that waits for a reason.
    pub(super) fn waiting(reason: &str, message: &str) -> Self {
        Self {
            state: waiting(reason, message),
            last: ContainerState::default(),
            restarts: 0,
            started: false,
            ready: false,
            done: false,
        }
    }

    /// Changes the state; how it ended before, if it did, is kept.
    pub(super) fn enter(&mut self, state: ContainerState) {
        let old = std::mem::replace(&mut self.state, state);
        if old.terminated.is_some() {
            self.last = old;
        }
    }

    /// Exit code of a container that is done.
    pub(super) fn exit_code(&self) -> Option<i32> {
        let ended = self.state.terminated.as_ref().filter(|_| self.done);
        ended.map(|ended| ended.exit_code)
    }
}

/// The state of a container that does not run yet or again.
pub(super) fn waiting(reason: &str, message: &str) -> ContainerState {
    ContainerState {
        waiting: Some(k8s_openapi::api::core::v1::ContainerStateWaiting {
            message: (!message.is_empty()).then(|| message.to_owned()),
            reason: Some(reason.to_owned()),
        }),
        ..ContainerState::default()
    }
}

/// Containers' states, in the order of the Pod's spec.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Snapshots {
    pub(super) init: Vec<Snapshot>,
    pub(super) main: Vec<Snapshot>,
}

/// The whole status of `pod`, transition times taken from the `old` one. `Pending`
/// until every init container succeeded, then `Running` until no container runs or
/// will run again, as kubelet has it.
pub(super) fn status(
    pod: &Pod,
    old: Option<&PodStatus>,
    address: Ipv4Addr,
    started: &Time,
    now: &Time,
    snapshots: &Snapshots,
) -> PodStatus {
    let spec = pod.spec.clone().unwrap_or_default();
    let init = spec.init_containers.unwrap_or_default();
    let phase = phase(snapshots);
    let over = matches!(phase, "Succeeded" | "Failed");
    let initialized = snapshots.init.iter().all(|it| it.exit_code() == Some(0));
    let unready: Vec<&str> = spec
        .containers
        .iter()
        .zip(&snapshots.main)
        .filter(|(_, snapshot)| !snapshot.ready)
        .map(|(container, _)| container.name.as_str())
        .collect();
    let ready_problem = match phase {
        "Succeeded" => Some(("PodCompleted", String::new())),
        "Failed" => Some(("PodFailed", String::new())),
        _ if unready.is_empty() => None,
        _ => Some((
            "ContainersNotReady",
            format!("containers with unready status: [{}]", unready.join(" ")),
        )),
    };
    let init_problem =
        (!initialized).then(|| ("ContainersNotInitialized", "init containers run".to_owned()));
    let generation = pod.metadata.generation;
    let condition = |type_: &str, problem: Option<&(&str, String)>| {
        condition(old, generation, now, type_, problem)
    };
    PodStatus {
        conditions: Some(vec![
            condition("Initialized", init_problem.as_ref()),
            condition("Ready", ready_problem.as_ref()),
            condition("ContainersReady", ready_problem.as_ref()),
        ]),
        container_statuses: Some(statuses(&spec.containers, &snapshots.main, over)),
        host_ip: Some(Ipv4Addr::LOCALHOST.to_string()),
        host_ips: Some(vec![HostIP {
            ip: Ipv4Addr::LOCALHOST.to_string(),
        }]),
        init_container_statuses: (!init.is_empty()).then(|| statuses(&init, &snapshots.init, over)),
        observed_generation: generation,
        phase: Some(phase.to_owned()),
        pod_ip: Some(address.to_string()),
        pod_ips: Some(vec![PodIP {
            ip: address.to_string(),
        }]),
        start_time: Some(started.clone()),
        ..PodStatus::default()
    }
}

/// The strategic merge patch that makes `status` the Pod's, but for conditions of
/// others. What a condition no longer says is removed by name.
pub(super) fn patch(pod: &Pod, status: &PodStatus) -> serde_json::Result<Value> {
    let mut status = serde_json::to_value(status)?;
    let conditions = status["conditions"].as_array_mut().into_iter().flatten();
    for condition in conditions.filter_map(Value::as_object_mut) {
        for field in ["message", "reason"] {
            condition.entry(field).or_insert(Value::Null);
        }
    }
    // The uid keeps it from another Pod of the same name.
    Ok(json!({"metadata": {"uid": pod.metadata.uid}, "status": status}))
}

fn phase(snapshots: &Snapshots) -> &'static str {
    let failed = |it: &Snapshot| it.exit_code().is_some_and(|code| code != 0);
    if snapshots.init.iter().any(failed) {
        return "Failed";
    }
    if snapshots.init.iter().any(|it| it.exit_code().is_none()) {
        return "Pending";
    }
    let main = &snapshots.main;
    if !main.is_empty() && main.iter().all(|it| it.done) {
        return if main.iter().any(failed) {
            "Failed"
        } else {
            "Succeeded"
        };
    }
    let untouched = |it: &Snapshot| it.state.waiting.is_some() && it.last.terminated.is_none();
    if main.iter().all(untouched) {
        return "Pending";
    }
    "Running"
}

fn condition(
    old: Option<&PodStatus>,
    generation: Option<i64>,
    now: &Time,
    type_: &str,
    problem: Option<&(&str, String)>,
) -> PodCondition {
    let status = if problem.is_some() { "False" } else { "True" };
    let before = old
        .and_then(|old| old.conditions.as_ref())
        .and_then(|all| all.iter().find(|condition| condition.type_ == type_))
        .filter(|condition| condition.status == status)
        .and_then(|condition| condition.last_transition_time.clone());
    let message = problem.map(|(_, message)| message.clone());
    PodCondition {
        last_transition_time: Some(before.unwrap_or_else(|| now.clone())),
        message: message.filter(|message| !message.is_empty()),
        observed_generation: generation,
        reason: problem.map(|(reason, _)| (*reason).to_owned()),
        status: status.to_owned(),
        type_: type_.to_owned(),
        ..PodCondition::default()
    }
}

fn statuses(containers: &[Container], snapshots: &[Snapshot], over: bool) -> Vec<ContainerStatus> {
    let status = |(container, snapshot): (&Container, &Snapshot)| ContainerStatus {
        image: container.image.clone().unwrap_or_default(),
        image_id: String::new(),
        last_state: Some(snapshot.last.clone()),
        name: container.name.clone(),
        ready: snapshot.ready && !over,
        restart_count: snapshot.restarts,
        started: Some(snapshot.started),
        state: Some(snapshot.state.clone()),
        ..ContainerStatus::default()
    };
    containers.iter().zip(snapshots).map(status).collect()
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{ContainerStateRunning, ContainerStateTerminated, PodSpec};
    use k8s_openapi::jiff::Timestamp;

    use super::*;

    fn running() -> Snapshot {
        let mut it = Snapshot::waiting("ContainerCreating", "");
        it.enter(ContainerState {
            running: Some(ContainerStateRunning::default()),
            ..ContainerState::default()
        });
        it.ready = true;
        it
    }

    fn ended(exit_code: i32, done: bool) -> Snapshot {
        let mut it = running();
        it.enter(ContainerState {
            terminated: Some(ContainerStateTerminated {
                exit_code,
                ..ContainerStateTerminated::default()
            }),
            ..ContainerState::default()
        });
        (it.ready, it.done) = (false, done);
        it
    }

    fn crash_loop() -> Snapshot {
        let mut it = ended(1, false);
        it.enter(waiting("CrashLoopBackOff", ""));
        it
    }

    fn new() -> Snapshot {
        Snapshot::waiting("ContainerCreating", "")
    }

    #[test]
    fn the_phase_follows_the_containers() {
        for (init, main, expected) in [
            (vec![], vec![new()], "Pending"),
            (vec![running()], vec![new()], "Pending"),
            (vec![ended(1, false)], vec![new()], "Pending"),
            (vec![ended(1, true)], vec![new()], "Failed"),
            (vec![ended(0, true)], vec![running()], "Running"),
            (vec![], vec![running(), new()], "Running"),
            (vec![], vec![ended(1, false)], "Running"),
            (vec![], vec![crash_loop()], "Running"),
            (vec![], vec![ended(1, true), running()], "Running"),
            (vec![], vec![ended(1, true), ended(0, true)], "Failed"),
            (vec![], vec![ended(0, true), ended(0, true)], "Succeeded"),
        ] {
            let snapshots = Snapshots { init, main };
            assert_eq!(phase(&snapshots), expected, "{snapshots:?}");
        }
    }

    #[test]
    fn the_transition_time_moves_only_with_the_status() {
        let pod = Pod {
            spec: Some(PodSpec {
                containers: vec![Container::default()],
                ..PodSpec::default()
            }),
            ..Pod::default()
        };
        let at = |second| Time(Timestamp::from_second(second).unwrap());
        let status_of = |old: Option<&PodStatus>, second, main: Snapshot| {
            let snapshots = Snapshots {
                init: Vec::new(),
                main: vec![main],
            };
            let address = Ipv4Addr::LOCALHOST;
            status(&pod, old, address, &at(0), &at(second), &snapshots)
        };
        let ready = |status: &PodStatus| {
            let conditions = status.conditions.clone().unwrap();
            let ready = conditions.into_iter().find(|it| it.type_ == "Ready");
            let ready = ready.unwrap();
            (ready.status, ready.last_transition_time.unwrap())
        };
        let first = status_of(None, 1, new());
        assert_eq!(ready(&first), ("False".to_owned(), at(1)));
        let second = status_of(Some(&first), 2, crash_loop());
        assert_eq!(ready(&second), ("False".to_owned(), at(1)));
        let third = status_of(Some(&second), 3, running());
        assert_eq!(ready(&third), ("True".to_owned(), at(3)));
    }

    #[test]
    fn a_patch_removes_what_a_condition_says_no_longer() {
        let status = PodStatus {
            conditions: Some(vec![PodCondition::default()]),
            ..PodStatus::default()
        };
        let patch = patch(&Pod::default(), &status).unwrap();
        let condition = patch["status"]["conditions"][0].as_object().unwrap();
        assert_eq!(condition.get("message"), Some(&Value::Null));
    }
}
