//! Whether the process is alive and of use: `/livez` and `/readyz`.
//!
//! Parts of the process hold a [`Handle`] each. The process is live while every part that beats
//! has done so lately, and ready when every part has reported and the API server answers. A part
//! that ended counts no more.

mod routes;

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::time::Instant;

pub use routes::routes;

/// A part that has not beaten for this long makes the process not live.
pub const STALL: Duration = Duration::from_secs(60);

/// What a process does at the moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// It waits for the leader to go.
    #[default]
    Standby,
    /// It acts.
    Leader,
}

/// Answer to "is it ready".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// Some part has not reported yet.
    Starting,
    /// The API server does not answer.
    Unreachable,
    /// Ready, in this role.
    Ready(Role),
}

/// Health of a process. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Health(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    role: Role,
    unreachable: bool,
    parts: Vec<Weak<Part>>,
}

#[derive(Debug)]
struct Part {
    name: Cow<'static, str>,
    report: Mutex<Report>,
}

#[derive(Debug, Default)]
struct Report {
    ready: bool,
    beat: Option<Instant>,
}

/// What one part of the process reports through. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Handle(Arc<Part>);

impl Health {
    /// A process without parts: live, and ready as stand-by.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a part, which counts as starting until it reports.
    pub fn register(&self, name: impl Into<Cow<'static, str>>) -> Handle {
        let part = Arc::new(Part {
            name: name.into(),
            report: Mutex::default(),
        });
        lock(&self.0).parts.push(Arc::downgrade(&part));
        Handle(part)
    }

    /// Says what the process does.
    pub fn set_role(&self, role: Role) {
        lock(&self.0).role = role;
    }

    /// Says whether the API server answers.
    pub fn set_reachable(&self, reachable: bool) {
        lock(&self.0).unreachable = !reachable;
    }

    /// Whether the process is of use.
    pub fn readiness(&self) -> Readiness {
        let parts = self.parts();
        let state = lock(&self.0);
        if state.unreachable {
            Readiness::Unreachable
        } else if parts.iter().all(|part| lock(&part.report).ready) {
            Readiness::Ready(state.role)
        } else {
            Readiness::Starting
        }
    }

    /// Names of the parts that stopped beating, none while the process is live.
    pub fn stalled(&self, now: Instant) -> Vec<String> {
        let stalled = |part: &Arc<Part>| {
            let beat = lock(&part.report).beat;
            beat.is_some_and(|beat| now.saturating_duration_since(beat) > STALL)
        };
        let parts = self.parts();
        let stalled = parts.iter().filter(|part| stalled(part));
        stalled.map(|part| part.name.to_string()).collect()
    }

    /// The parts that live, which also forgets the others.
    fn parts(&self) -> Vec<Arc<Part>> {
        let mut state = lock(&self.0);
        state.parts.retain(|part| part.strong_count() > 0);
        state.parts.iter().filter_map(Weak::upgrade).collect()
    }
}

impl Handle {
    /// Reports that the part has started.
    pub fn ready(&self) {
        lock(&self.0.report).ready = true;
    }

    /// Reports that the part makes progress. From the first beat on, [`STALL`] applies.
    pub fn beat(&self, now: Instant) {
        lock(&self.0.report).beat = Some(now);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
