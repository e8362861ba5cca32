//! Faults on demand.

use banlieue_backend::ErrorKind;
use serde::{Deserialize, Serialize};

use super::call::CallKind;
use crate::words;

/// Which calls go wrong, and how. A rule without `call` and `machine` counts every call, so that
/// `nth` picks exactly one of all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rule {
    /// Kind of call. None means all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call: Option<CallKind>,
    /// UID of the object whose machine the call is about. None means all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub machine: Option<String>,
    /// The first call that goes wrong, among those that match, counted from 1.
    #[serde(default = "one")]
    pub nth: u64,
    /// How many calls go wrong from then on. 0 means all.
    #[serde(default = "one")]
    pub times: u64,
    /// How they go wrong.
    pub fault: Fault,
}

/// How a call goes wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Fault {
    /// Nothing is done, and the answer is an error of this kind.
    #[serde(with = "words::error_kind")]
    Error(ErrorKind),
    /// It is done, and the answer is [`ErrorKind::Retry`].
    LostAnswer,
    /// It is done, and the answer comes this many milliseconds later.
    Slow(u64),
    /// The machine is shown as it was before its last change.
    StaleRead,
    /// Nothing is done: the name is taken.
    DuplicateName,
    /// The session ends before the call. So do all calls until a new one is begun.
    SessionExpired,
    /// Nothing is done: there is no space.
    OutOfSpace,
    /// Somebody removes the machine before the call.
    RemovedByHand,
    /// Somebody makes a machine with the name of the one being created, before the call.
    StrangerByName,
    /// Somebody makes a machine with the UUID of ours, before the call, unless there is one.
    StrangerByUuid,
    /// Nothing is done, and no answer comes.
    BlackHole,
    /// The step begins and ends half done.
    HalfDone,
    /// The step begins and does not end: a guest that ignores its shutdown.
    Hanging,
}

/// A rule, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Watched {
    /// The rule.
    pub rule: Rule,
    /// How many calls matched.
    pub matched: u64,
    /// How many of them went wrong because of it.
    pub fired: u64,
}

/// The rules of a world, in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct Script(Vec<Watched>);

impl Script {
    /// Adds a rule. It counts calls from now on.
    pub fn add(&mut self, rule: Rule) {
        self.0.push(Watched {
            rule,
            matched: 0,
            fired: 0,
        });
    }

    /// Removes every rule.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The rules, and what became of them.
    pub fn rules(&self) -> &[Watched] {
        &self.0
    }

    /// Counts a call. The first rule whose turn it is decides what happens to it.
    pub(super) fn next(&mut self, kind: CallKind, machine: Option<&str>) -> Option<Fault> {
        let mut fault = None;
        for watched in &mut self.0 {
            let rule = &watched.rule;
            let matches = rule.call.is_none_or(|call| call == kind)
                && rule.machine.as_deref().is_none_or(|m| machine == Some(m));
            if !matches {
                continue;
            }
            watched.matched += 1;
            let turn = watched.matched.checked_sub(rule.nth);
            let due = turn.is_some_and(|turn| rule.times == 0 || turn < rule.times);
            if due && fault.is_none() {
                watched.fired += 1;
                fault = Some(rule.fault.clone());
            }
        }
        fault
    }
}

impl Rule {
    /// A rule that strikes the next call of any kind.
    pub fn new(fault: Fault) -> Self {
        Self {
            call: None,
            machine: None,
            nth: 1,
            times: 1,
            fault,
        }
    }

    /// The same for one kind of call.
    #[must_use]
    pub fn on(mut self, call: CallKind) -> Self {
        self.call = Some(call);
        self
    }

    /// The same for the machine of one object.
    #[must_use]
    pub fn of(mut self, uid: impl Into<String>) -> Self {
        self.machine = Some(uid.into());
        self
    }

    /// The same, striking the `nth` call that matches, from 1.
    #[must_use]
    pub fn nth(mut self, nth: u64) -> Self {
        self.nth = nth;
        self
    }

    /// The same, striking so many calls; 0 means all.
    #[must_use]
    pub fn times(mut self, times: u64) -> Self {
        self.times = times;
        self
    }
}

fn one() -> u64 {
    1
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    #[test]
    fn a_rule_strikes_the_calls_it_names_and_no_other() {
        let mut script = Script::default();
        let rule = Rule::new(Fault::LostAnswer).on(CallKind::Create).of("a");
        script.add(rule.nth(2).times(2));
        let mut strikes = |kind, machine| script.next(kind, Some(machine)).is_some();
        assert!(!strikes(CallKind::Create, "a"));
        assert!(!strikes(CallKind::Create, "b"));
        assert!(!strikes(CallKind::Delete, "a"));
        assert!(strikes(CallKind::Create, "a"));
        assert!(strikes(CallKind::Create, "a"));
        assert!(!strikes(CallKind::Create, "a"));
        assert_eq!((script.0[0].matched, script.0[0].fired), (4, 2));
    }

    #[test]
    fn a_rule_without_conditions_picks_one_call_of_all() {
        for k in 1..4 {
            let mut script = Script::default();
            script.add(Rule::new(Fault::BlackHole).nth(k));
            let struck: Vec<u64> = (1..6)
                .filter(|_| script.next(CallKind::Survey, None).is_some())
                .collect();
            assert_eq!(struck, [k]);
        }
    }

    #[test]
    fn a_rule_is_written_as_a_person_would() {
        let text = r#"{"call": "findImage", "fault": {"error": "not_found"}}"#;
        let rule: Rule = serde_json::from_str(text).unwrap();
        let wanted = Rule::new(Fault::Error(ErrorKind::NotFound)).on(CallKind::FindImage);
        assert_eq!(rule, wanted);
        let slow: Fault = serde_json::from_str(r#"{"slow": 50}"#).unwrap();
        assert_eq!(slow, Fault::Slow(50));
    }
}
