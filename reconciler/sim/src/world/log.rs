//! Every call that was made.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use banlieue_backend::ErrorKind;
use serde::{Deserialize, Serialize};

use super::call::CallKind;
use super::state::millis;
use crate::words;

/// Calls that are kept. Older ones are still counted.
const KEPT: usize = 1 << 16;

/// One call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoggedCall {
    /// The how many-th call it is, from 1.
    pub number: u64,
    /// When it came, in milliseconds of the world's time.
    pub at_ms: u64,
    /// What kind of call it is.
    pub kind: CallKind,
    /// UID of the object whose machine it is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub machine: Option<String>,
    /// How it ended for its client.
    pub outcome: Outcome,
}

/// How a call ended for its client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// Well.
    Done,
    /// With an error; nothing was done.
    #[serde(with = "words::error_kind")]
    Error(ErrorKind),
    /// It was done, and its client was told that it may not have been.
    LostAnswer,
    /// It was not done, and its client was told nothing.
    NoAnswer,
}

/// The calls of a world.
#[derive(Clone, Debug, Default)]
pub struct CallLog {
    calls: VecDeque<LoggedCall>,
    counts: BTreeMap<CallKind, u64>,
    total: u64,
}

impl CallLog {
    /// How many calls were made since the log was last cleared.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// How many calls of each kind were made.
    pub fn counts(&self) -> &BTreeMap<CallKind, u64> {
        &self.counts
    }

    /// The calls, the oldest first. A few ten thousand are kept.
    pub fn calls(&self) -> impl Iterator<Item = &LoggedCall> {
        self.calls.iter()
    }

    pub(super) fn add(
        &mut self,
        now: Duration,
        kind: CallKind,
        machine: Option<String>,
        outcome: Outcome,
    ) {
        self.total += 1;
        *self.counts.entry(kind).or_default() += 1;
        if self.calls.len() == KEPT {
            self.calls.pop_front();
        }
        self.calls.push_back(LoggedCall {
            number: self.total,
            at_ms: millis(now),
            kind,
            machine,
            outcome,
        });
    }
}
