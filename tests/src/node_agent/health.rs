//! A container's probes while it runs.

use k8s_openapi::api::core::v1::{Container, Probe};
use kube::ResourceExt as _;

use super::context::PodContext;
use super::probe::{Check, Tally};
use super::report::Report;

/// Keeps the report up to date with the probes; returns when the container is to
/// be killed.
pub(super) async fn probes(pod: &PodContext, container: &Container, report: &Report) {
    let options = &pod.node.options;
    let check = |probe: &Probe, limit| Check::new(probe, container, pod.address, limit);
    let read = |probe: &Option<Probe>, limit| probe.as_ref().map(|it| check(it, limit)).transpose();
    let checks =
        read(&container.startup_probe, Some(options.readiness_period)).and_then(|startup| {
            let readiness = read(&container.readiness_probe, Some(options.readiness_period))?;
            let liveness = read(&container.liveness_probe, options.liveness_period)?;
            Ok((startup, readiness, liveness))
        });
    let (startup, readiness, liveness) = match checks {
        Ok(checks) => checks,
        Err(problem) => {
            eprintln!("{} of {}: {problem}", container.name, pod.pod.name_any());
            return std::future::pending().await;
        }
    };
    if let Some(check) = startup {
        let mut passed = false;
        watch_probe(&check, |verdict| {
            passed = verdict;
            // Either way the startup is over.
            true
        })
        .await;
        if !passed {
            return;
        }
    }
    report.update(|it| {
        it.started = true;
        it.ready = readiness.is_none();
    });
    let ready = async {
        match readiness {
            Some(check) => {
                watch_probe(&check, |verdict| {
                    report.update(|it| it.ready = verdict);
                    false
                })
                .await;
            }
            None => std::future::pending().await,
        }
    };
    let alive = async {
        match liveness {
            Some(check) => watch_probe(&check, |verdict| !verdict).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = ready => {}
        () = alive => {}
    }
}

/// Hands each verdict to `enough` until that answers true.
async fn watch_probe(check: &Check, mut enough: impl FnMut(bool) -> bool) {
    let mut tally = Tally::default();
    tokio::time::sleep(check.delay).await;
    loop {
        let passed = check.attempt().await;
        if tally.count(check, passed).is_some_and(&mut enough) {
            return;
        }
        tokio::time::sleep(check.period).await;
    }
}
