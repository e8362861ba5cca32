//! One container from its first start to its last end.

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use k8s_openapi::api::core::v1::{
    Container, ContainerState, ContainerStateRunning, ContainerStateTerminated,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use kube::ResourceExt as _;
use tokio::sync::watch;

use super::context::PodContext;
use super::health::probes;
use super::launch::launch;
use super::report::Report;
use super::sandbox::Process;
use super::status::waiting;

/// Time to end in that is given; none as long as nobody asked for the end.
pub(super) type Stop = watch::Receiver<Option<Duration>>;

/// Runs `container` until `stop`, or until it ended and its Pod's policy does not
/// start it again.
pub(super) async fn run(
    pod: Arc<PodContext>,
    container: Container,
    policy: RestartPolicy,
    report: Report,
    mut stop: Stop,
) {
    let options = &pod.node.options;
    let mut restarts = 0;
    loop {
        let Some((process, started)) = start(&pod, &container, &report, &mut stop).await else {
            return;
        };
        let group = process.group();
        let namespace = pod.pod.namespace().unwrap_or_default();
        let processes = &pod.node.processes;
        processes.insert(group, &namespace, &pod.pod.name_any());
        let ended = supervise(&pod, &container, &report, &mut stop, process).await;
        processes.remove(group);

        let ended = terminated(ended, started);
        let again = stop.borrow().is_none() && policy.restarts(ended.exit_code);
        report.update(|it| {
            it.ready = ended.exit_code == 0 && policy.is_init;
            it.started = false;
            it.done = !again;
            it.state = ContainerState {
                terminated: Some(ended),
                ..ContainerState::default()
            };
        });
        if !again {
            return;
        }
        let delay = back_off(options.first_back_off, options.longest_back_off, restarts);
        if !delay.is_zero() {
            let message = format!(
                "back-off {} ms restarting failed container",
                delay.as_millis()
            );
            report.update(|it| it.enter(waiting("CrashLoopBackOff", &message)));
            tokio::select! {
                () = tokio::time::sleep(delay) => {}
                _ = asked(&mut stop) => {
                    report.update(|it| {
                        it.state = std::mem::take(&mut it.last);
                        it.done = true;
                    });
                    return;
                }
            }
        }
        restarts += 1;
    }
}

/// When a container is started again.
#[derive(Debug, Clone, Copy)]
pub(super) struct RestartPolicy {
    /// After success.
    pub(super) always: bool,
    /// After a failure.
    pub(super) on_failure: bool,
    /// It is an init container.
    pub(super) is_init: bool,
}

impl RestartPolicy {
    /// Of a Pod's `restartPolicy`. An init container that succeeded is done.
    pub(super) fn new(name: Option<&str>, is_init: bool) -> Self {
        Self {
            always: !is_init && !matches!(name, Some("Never" | "OnFailure")),
            on_failure: name != Some("Never"),
            is_init,
        }
    }

    fn restarts(self, exit_code: i32) -> bool {
        self.always || (self.on_failure && exit_code != 0)
    }
}

/// Starts the process; before that waits for what it refers to. `None` when it was
/// asked to stop instead.
async fn start(
    pod: &PodContext,
    container: &Container,
    report: &Report,
    stop: &mut Stop,
) -> Option<(Process, Time)> {
    let mut changes = pod.node.config_changes.clone();
    loop {
        changes.mark_unchanged();
        match launch(pod, container) {
            Ok(process) => {
                let started = Time(Timestamp::now());
                report.update(|it| {
                    it.enter(ContainerState {
                        running: Some(ContainerStateRunning {
                            started_at: Some(started.clone()),
                        }),
                        ..ContainerState::default()
                    });
                    if it.last.terminated.is_some() {
                        it.restarts += 1;
                    }
                });
                return Some((process, started));
            }
            Err(error) => {
                let (reason, message) = ("CreateContainerConfigError", format!("{error:#}"));
                report.update(|it| it.enter(waiting(reason, &message)));
            }
        }
        tokio::select! {
            // It can only end with the node.
            _ = changes.changed() => {}
            _ = asked(stop) => {
                report.update(|it| it.done = true);
                return None;
            }
        }
    }
}

/// Waits for the process to end by itself, by request or for its failing probes.
async fn supervise(
    pod: &PodContext,
    container: &Container,
    report: &Report,
    stop: &mut Stop,
    mut process: Process,
) -> Result<ExitStatus> {
    let grace = tokio::select! {
        status = process.wait() => return status,
        grace = asked(stop) => grace,
        () = probes(pod, container, report) => pod.grace(),
    };
    report.update(|it| it.ready = false);
    tokio::select! {
        status = process.terminate(grace) => return status,
        _ = stop.wait_for(|grace| grace.is_some_and(|grace| grace.is_zero())) => {}
    }
    process.terminate(Duration::ZERO).await
}

/// Waits until somebody asks for the end.
async fn asked(stop: &mut Stop) -> Duration {
    match stop.wait_for(Option::is_some).await {
        Ok(grace) => grace.unwrap_or_default(),
        // Nobody is left to ask: the node ends.
        Err(_) => Duration::ZERO,
    }
}

fn terminated(status: Result<ExitStatus>, started: Time) -> ContainerStateTerminated {
    let (exit_code, signal, message) = match status {
        Ok(status) => {
            let signal = status.signal();
            let code = status.code().or(signal.map(|signal| 128 + signal));
            (code.unwrap_or(1), signal, None)
        }
        Err(error) => (1, None, Some(format!("{error:#}"))),
    };
    ContainerStateTerminated {
        exit_code,
        finished_at: Some(Time(Timestamp::now())),
        message,
        reason: Some(if exit_code == 0 { "Completed" } else { "Error" }.to_owned()),
        signal,
        started_at: Some(started),
        ..ContainerStateTerminated::default()
    }
}

/// Wait before a restart when there were `restarts` before it.
fn back_off(first: Duration, longest: Duration, restarts: u32) -> Duration {
    match restarts.checked_sub(1) {
        None => Duration::ZERO,
        Some(doublings) => first
            .saturating_mul(2_u32.saturating_pow(doublings))
            .min(longest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_restart_is_immediate_and_the_wait_doubles_up_to_a_limit() {
        let waits = [0, 1, 2, 3, 4, 60].map(|restarts| {
            back_off(Duration::from_secs(1), Duration::from_secs(5), restarts).as_secs()
        });
        assert_eq!(waits, [0, 1, 2, 4, 5, 5]);
    }

    #[test]
    fn the_policy_decides_which_end_is_the_last() {
        for (policy, is_init, after_success, after_failure) in [
            (None, false, true, true),
            (Some("Always"), false, true, true),
            (Some("OnFailure"), false, false, true),
            (Some("Never"), false, false, false),
            (Some("Always"), true, false, true),
            (Some("Never"), true, false, false),
        ] {
            let it = RestartPolicy::new(policy, is_init);
            assert_eq!(it.restarts(0), after_success, "{policy:?} {is_init}");
            assert_eq!(it.restarts(1), after_failure, "{policy:?} {is_init}");
        }
    }
}
