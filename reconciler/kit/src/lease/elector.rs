//! The requests of an election.

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::jiff::Timestamp;
use kube::api::PostParams;
use kube::{Api, ResourceExt};
use tokio::time::Instant;

use super::decide::{Move, created, decide, released, renewed, taken};
use super::{Election, Timing};
use crate::errors::{ApiError, ErrorKind, chain};
use crate::health::Role;

/// What became of a renewal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Renewal {
    /// The Lease is ours as of this time.
    Held(Instant),
    /// It is somebody else's, or gone.
    Lost,
}

/// A candidate with what it has seen.
pub(super) struct Elector {
    election: Election,
    leases: Api<Lease>,
    /// The Lease as last read or written, and since when it has been so.
    seen: Option<(Lease, Instant)>,
}

impl Elector {
    pub(super) fn new(election: Election) -> Self {
        let leases = Api::namespaced(election.client.clone(), &election.namespace);
        Self {
            election,
            leases,
            seen: None,
        }
    }

    pub(super) fn timing(&self) -> Timing {
        self.election.timing
    }

    /// Tells health, metrics and fence.
    pub(super) fn announce(&self, leads: bool) {
        let Election {
            role,
            health,
            metrics,
            fence,
            ..
        } = &self.election;
        metrics.set_leader(role, leads);
        if leads {
            health.set_role(Role::Leader);
        } else {
            health.set_role(Role::Standby);
            fence.close();
        }
    }

    /// Lets writes through for as long as a leader acts after a renewal at `since`.
    pub(super) fn hold_from(&self, since: Instant) {
        let end = since + self.election.timing.renew_deadline;
        self.election.fence.open_until(end);
    }

    /// One attempt to lead; since when it does.
    pub(super) async fn campaign(&mut self) -> Option<Instant> {
        let since = Instant::now();
        let won = self.try_to_lead().await;
        self.heard(&won);
        match won {
            Ok(true) => Some(since),
            Ok(false) => None,
            Err(error) => {
                tracing::warn!(error = %chain(&error), "no word on the Lease, trying again");
                None
            }
        }
    }

    async fn try_to_lead(&mut self) -> Result<bool, ApiError> {
        let now = Timestamp::now();
        let Election {
            namespace,
            name,
            identity,
            timing,
            ..
        } = &self.election;
        let answer = self.leases.get_opt(name).await;
        let Some(lease) = answer.map_err(|error| self.error("read", error))? else {
            let lease = created(namespace, name, identity, timing.duration, now);
            let answer = self.leases.create(&PostParams::default(), &lease).await;
            return self.settle("create", answer);
        };
        let unchanged = self.observe(&lease);
        let Election {
            identity, timing, ..
        } = &self.election;
        let lease = match decide(&lease, identity, unchanged, timing.duration) {
            Move::Stand => return Ok(false),
            Move::Take => taken(&lease, identity, timing.duration, now),
            Move::Renew => renewed(&lease, identity, timing.duration, now),
        };
        let answer = self.replace(&lease).await;
        self.settle("take", answer)
    }

    /// For how long the Lease has been as it is, by our clock.
    fn observe(&mut self, lease: &Lease) -> std::time::Duration {
        let now = Instant::now();
        match &self.seen {
            Some((seen, since)) if seen.resource_version() == lease.resource_version() => {
                now.saturating_duration_since(*since)
            }
            _ => {
                self.seen = Some((lease.clone(), now));
                std::time::Duration::ZERO
            }
        }
    }

    /// Prolongs the Lease. Whoever changed it without taking it, and an answer of ours that was
    /// lost, cost one more read.
    pub(super) async fn renew(&mut self) -> Result<Renewal, ApiError> {
        let since = Instant::now();
        let answer = self.renew_once().await;
        let renewal = match answer {
            Err(error) if error.kind() == ErrorKind::Conflict => self.renew_after_reading().await,
            other => other,
        };
        self.heard(&renewal);
        match renewal {
            Ok(true) => Ok(Renewal::Held(since)),
            Ok(false) => Ok(Renewal::Lost),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Renewal::Lost),
            Err(error) => Err(error),
        }
    }

    async fn renew_after_reading(&mut self) -> Result<bool, ApiError> {
        let lease = self.leases.get(&self.election.name).await;
        let lease = lease.map_err(|error| self.error("read", error))?;
        let spec = lease.spec.as_ref();
        let holder = spec.and_then(|spec| spec.holder_identity.as_ref());
        if holder != Some(&self.election.identity) {
            return Ok(false);
        }
        self.seen = Some((lease, Instant::now()));
        self.renew_once().await
    }

    async fn renew_once(&mut self) -> Result<bool, ApiError> {
        let Some((lease, _)) = &self.seen else {
            return Ok(false);
        };
        let Election {
            identity, timing, ..
        } = &self.election;
        let lease = renewed(lease, identity, timing.duration, Timestamp::now());
        let answer = self.replace(&lease).await;
        let stored = answer.map_err(|error| self.error("renew", error))?;
        self.seen = Some((stored, Instant::now()));
        Ok(true)
    }

    /// Frees the Lease, unless somebody else changed it.
    pub(super) async fn release(&mut self) -> Result<(), ApiError> {
        let Some((lease, _)) = &self.seen else {
            return Ok(());
        };
        let lease = released(lease, Timestamp::now());
        let answer = self.replace(&lease).await;
        answer
            .map(|_| ())
            .map_err(|error| self.error("release", error))
    }

    async fn replace(&self, lease: &Lease) -> Result<Lease, kube::Error> {
        let name = &self.election.name;
        self.leases
            .replace(name, &PostParams::default(), lease)
            .await
    }

    fn settle(
        &mut self,
        action: &'static str,
        answer: Result<Lease, kube::Error>,
    ) -> Result<bool, ApiError> {
        match answer {
            Ok(stored) => {
                self.seen = Some((stored, Instant::now()));
                Ok(true)
            }
            // Another candidate was faster.
            Err(error) if ErrorKind::from(&error) == ErrorKind::Conflict => Ok(false),
            Err(error) => Err(self.error(action, error)),
        }
    }

    fn heard<T>(&self, answer: &Result<T, ApiError>) {
        let silent = matches!(answer, Err(error) if error.kind() == ErrorKind::Transient);
        self.election.health.set_reachable(!silent);
    }

    fn error(&self, action: &'static str, error: kube::Error) -> ApiError {
        let Election {
            namespace, name, ..
        } = &self.election;
        ApiError::new(action, format!("Lease {namespace}/{name}"), error)
    }
}
