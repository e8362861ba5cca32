//! Conditions: what one writer applies, made from what it wants and what was there.
//!
//! The rules, for every kind:
//!
//! - What is wanted is the whole. A condition of the writer that is no longer wanted is gone;
//!   `Reconciling`, `Stalled`, `Paused`, `Migrating` and `ResizePending` exist only while they are
//!   true.
//! - A type that the writer does not own, or that we do not know, is left out. Under server-side
//!   apply that leaves the entry of another manager alone.
//! - `lastTransitionTime` moves only when `status` does, so a quiet pass changes nothing.

use std::borrow::Cow;
use std::collections::BTreeMap;

use banlieue_schemas::common::Condition;
use banlieue_schemas::conditions::{ConditionType, Reason, Writer, owner};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::{Timestamp, Unit};

/// Longest message in bytes. The API server takes 32768; a person reads less.
pub const MAX_MESSAGE: usize = 1024;

const ELLIPSIS: char = '…';

/// Value of a condition's `status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// The condition holds.
    True,
    /// The condition does not hold.
    False,
    /// It is not known yet.
    Unknown,
}

impl Truth {
    /// The name that the API server stores.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }

    /// Reads a stored value; what nobody should have written is unknown.
    fn read(text: &str) -> Self {
        match text {
            "True" => Self::True,
            "False" => Self::False,
            _ => Self::Unknown,
        }
    }
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
    }
}

/// A condition as it should be, without its history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Type of the condition.
    pub kind: ConditionType,
    /// Whether it holds.
    pub truth: Truth,
    reason: Cow<'static, str>,
    message: String,
}

impl Wanted {
    /// A condition. Of the message, at most [`MAX_MESSAGE`] bytes are kept.
    pub fn new(
        kind: ConditionType,
        truth: impl Into<Truth>,
        reason: Reason,
        message: impl AsRef<str>,
    ) -> Self {
        Self {
            kind,
            truth: truth.into(),
            reason: Cow::Borrowed(reason.as_str()),
            message: bounded(message.as_ref()),
        }
    }

    /// A condition that says what another object's condition says.
    pub fn mirrored(kind: ConditionType, source: &Condition) -> Self {
        Self {
            kind,
            truth: Truth::read(&source.status),
            reason: Cow::Owned(source.reason.clone()),
            message: bounded(&source.message),
        }
    }

    /// Why, in one CamelCase word.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Why, for people.
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// Whose conditions of which kind of object are merged.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// Kind of the object, such as `VirtualMachine`.
    pub kind: &'static str,
    /// The part of the platform that writes.
    pub writer: Writer,
}

/// The conditions that the writer applies, sorted by type. Of two wanted conditions of one type
/// the last counts. `generation` is that of the object whose spec was looked at, `now` is cut to
/// the second, as the API server stores it. Merging the result again, at any time, gives the same.
pub fn merge(
    scope: Scope,
    old: &[Condition],
    wanted: &[Wanted],
    generation: Option<i64>,
    now: Timestamp,
) -> Vec<Condition> {
    let ours: BTreeMap<&str, &Wanted> = wanted
        .iter()
        .filter(|wanted| owner(scope.kind, wanted.kind) == Some(scope.writer))
        .filter(|wanted| !only_while_true(wanted.kind) || wanted.truth == Truth::True)
        .map(|wanted| (wanted.kind.as_str(), wanted))
        .collect();
    ours.into_iter()
        .map(|(type_, wanted)| Condition {
            type_: type_.to_owned(),
            status: wanted.truth.as_str().to_owned(),
            reason: wanted.reason.to_string(),
            message: wanted.message.clone(),
            observed_generation: generation,
            last_transition_time: since(find(old, wanted.kind), wanted.truth, now),
        })
        .collect()
}

/// The condition of a type.
pub fn find(conditions: &[Condition], kind: ConditionType) -> Option<&Condition> {
    conditions
        .iter()
        .find(|condition| condition.type_ == kind.as_str())
}

/// Whether the condition of a type is there and true.
pub fn is_true(conditions: &[Condition], kind: ConditionType) -> bool {
    find(conditions, kind).is_some_and(|condition| condition.status == Truth::True.as_str())
}

/// Cuts a text to [`MAX_MESSAGE`] bytes, at a character, with `…` where something is missing.
pub fn bounded(text: &str) -> String {
    if text.len() <= MAX_MESSAGE {
        return text.to_owned();
    }
    let mut end = MAX_MESSAGE - ELLIPSIS.len_utf8();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{ELLIPSIS}", &text[..end])
}

fn only_while_true(kind: ConditionType) -> bool {
    matches!(
        kind,
        ConditionType::Reconciling
            | ConditionType::Stalled
            | ConditionType::Paused
            | ConditionType::Migrating
            | ConditionType::ResizePending
    )
}

fn since(old: Option<&Condition>, truth: Truth, now: Timestamp) -> Time {
    match old {
        Some(old) if old.status == truth.as_str() => old.last_transition_time.clone(),
        // Rounding to a second fails only at the end of what a Timestamp can hold.
        _ => Time(round(now).unwrap_or(now)),
    }
}

fn round(now: Timestamp) -> Option<Timestamp> {
    use k8s_openapi::jiff::{RoundMode, TimestampRound};
    now.round(
        TimestampRound::new()
            .smallest(Unit::Second)
            .mode(RoundMode::Floor),
    )
    .ok()
}

#[cfg(test)]
mod tests;
