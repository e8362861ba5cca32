//! HTTP probes.

use std::net::Ipv4Addr;
use std::time::Duration;

use k8s_openapi::api::core::v1::{Container, Probe};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use ureq::Agent;

/// A probe of one container, with kubelet's defaults filled in.
#[derive(Debug, Clone)]
pub(super) struct Check {
    url: String,
    agent: Agent,
    /// Wait before the first attempt.
    pub(super) delay: Duration,
    /// Wait between attempts.
    pub(super) period: Duration,
    success_threshold: u32,
    failure_threshold: u32,
}

impl Check {
    /// Reads `probe`; delay and period are at most `limit`. An error if a named port
    /// is none of the container's.
    pub(super) fn new(
        probe: &Probe,
        container: &Container,
        address: Ipv4Addr,
        limit: Option<Duration>,
    ) -> Result<Self, String> {
        let get = probe.http_get.clone().unwrap_or_default();
        let port = match &get.port {
            IntOrString::Int(port) => *port,
            IntOrString::String(name) => container
                .ports
                .iter()
                .flatten()
                .find(|port| port.name.as_ref() == Some(name))
                .map(|port| port.container_port)
                .ok_or_else(|| format!("no port is called {name}"))?,
        };
        let host = get.host.unwrap_or_else(|| address.to_string());
        let path = get.path.unwrap_or_default();
        let seconds = |value: Option<i32>, default: u64| {
            let value = value.and_then(|value| u64::try_from(value).ok());
            Duration::from_secs(value.unwrap_or(default))
        };
        let shorten = |time: Duration| limit.map_or(time, |limit| time.min(limit));
        let count = |value: Option<i32>, default: u32| {
            value
                .and_then(|value| u32::try_from(value).ok())
                .unwrap_or(default)
        };
        let agent = Agent::config_builder()
            .timeout_global(Some(seconds(probe.timeout_seconds, 1)))
            .max_idle_connections(0)
            .build()
            .into();
        Ok(Self {
            url: format!("http://{host}:{port}/{}", path.trim_start_matches('/')),
            agent,
            delay: shorten(seconds(probe.initial_delay_seconds, 0)),
            period: shorten(seconds(probe.period_seconds, 10)),
            success_threshold: count(probe.success_threshold, 1),
            failure_threshold: count(probe.failure_threshold, 3),
        })
    }

    /// Asks once: whether the answer came in time and is no error.
    pub(super) async fn attempt(&self) -> bool {
        let (agent, url) = (self.agent.clone(), self.url.clone());
        let answer = tokio::task::spawn_blocking(move || agent.get(url).call().is_ok());
        answer.await.unwrap_or_default()
    }
}

/// Answers in a row.
#[derive(Debug, Default)]
pub(super) struct Tally {
    last: bool,
    streak: u32,
}

impl Tally {
    /// Counts an answer. The verdict, once enough were alike.
    pub(super) fn count(&mut self, check: &Check, passed: bool) -> Option<bool> {
        if self.last != passed {
            self.streak = 0;
        }
        self.last = passed;
        self.streak = self.streak.saturating_add(1);
        let threshold = if passed {
            check.success_threshold
        } else {
            check.failure_threshold
        };
        (self.streak >= threshold).then_some(passed)
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{ContainerPort, HTTPGetAction};

    use super::*;

    fn check(limit: Option<Duration>) -> Check {
        let probe = Probe {
            http_get: Some(HTTPGetAction {
                path: Some("/readyz".to_owned()),
                port: IntOrString::String("health".to_owned()),
                ..HTTPGetAction::default()
            }),
            failure_threshold: Some(2),
            initial_delay_seconds: Some(5),
            success_threshold: Some(3),
            ..Probe::default()
        };
        let container = Container {
            ports: Some(vec![ContainerPort {
                container_port: 8081,
                name: Some("health".to_owned()),
                ..ContainerPort::default()
            }]),
            ..Container::default()
        };
        Check::new(&probe, &container, Ipv4Addr::new(127, 9, 0, 2), limit).unwrap()
    }

    #[test]
    fn a_named_port_is_looked_up_and_times_are_cut() {
        let check = check(Some(Duration::from_millis(50)));
        assert_eq!(check.url, "http://127.9.0.2:8081/readyz");
        assert_eq!(check.delay, Duration::from_millis(50));
        assert_eq!(check.period, Duration::from_millis(50));
    }

    #[test]
    fn times_are_the_pods_own_or_kubelets_without_a_limit() {
        let check = check(None);
        assert_eq!(check.delay, Duration::from_secs(5));
        assert_eq!(check.period, Duration::from_secs(10));
    }

    #[test]
    fn a_verdict_needs_as_many_answers_in_a_row_as_the_threshold() {
        let check = check(None);
        let mut tally = Tally::default();
        let answers = [true, true, false, true, true, true, false, false];
        let verdicts = answers.map(|passed| tally.count(&check, passed));
        let (yes, no) = (Some(true), Some(false));
        assert_eq!(verdicts, [None, None, None, None, None, yes, None, no]);
    }
}
