//! Why candidates were refused, in words that a person can act on.

use std::collections::{BTreeMap, BTreeSet};

use banlieue_schemas::conditions::Reason;

use super::Unschedulable;
use crate::conditions::bounded;

/// How many candidates are listed for one cause.
const CANDIDATES: usize = 4;
/// How many causes are listed.
const CAUSES: usize = 8;

/// Reasons in the order of the filters. The last that any candidate reached is that of the whole.
const STAGES: [Reason; 10] = [
    Reason::ProviderClassNotFound,
    Reason::NoProviderMatched,
    Reason::NoFailureDomainMatched,
    Reason::ImageNotReady,
    Reason::StorageClassUnavailable,
    Reason::NetworkClassUnavailable,
    Reason::FeatureUnsupported,
    Reason::FirmwareUnsupported,
    Reason::TpmUnsupported,
    Reason::AntiAffinityUnsatisfied,
];

/// Why one candidate was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The filter that refused it.
    pub reason: Reason,
    /// What it lacks, as the end of a sentence that begins with its name.
    pub detail: String,
}

impl Rejection {
    pub(super) fn new(reason: Reason, detail: String) -> Self {
        Self { reason, detail }
    }

    pub(super) fn no_failure_domain() -> Self {
        let detail = "shows no failure domain".to_owned();
        Self::new(Reason::NoFailureDomainMatched, detail)
    }

    pub(crate) fn domain_gone(name: &str) -> Self {
        let detail = format!("no longer shows failure domain {name}");
        Self::new(Reason::NoFailureDomainMatched, detail)
    }

    /// How far the candidate came.
    fn stage(&self) -> usize {
        let position = STAGES.iter().position(|reason| *reason == self.reason);
        position.unwrap_or_default()
    }
}

/// All candidates that were refused, by cause. The cause that came closest is first.
#[derive(Debug, Default)]
pub(super) struct Refused {
    causes: BTreeMap<(std::cmp::Reverse<usize>, String), BTreeSet<String>>,
    reason: Option<(usize, Reason)>,
}

impl Refused {
    /// `candidate` is a Provider, or `provider/failure-domain`.
    pub(super) fn add(&mut self, candidate: String, rejection: Rejection) {
        let stage = rejection.stage();
        if self.reason.is_none_or(|(closest, _)| stage > closest) {
            self.reason = Some((stage, rejection.reason));
        }
        let cause = (std::cmp::Reverse(stage), rejection.detail);
        self.causes.entry(cause).or_default().insert(candidate);
    }

    pub(super) fn summary(&self) -> Unschedulable {
        let Some((_, reason)) = self.reason else {
            return Unschedulable {
                reason: Reason::NoProviderMatched,
                message: "no Provider is in this namespace".into(),
            };
        };
        let causes = self.causes.iter().map(|((_, detail), candidates)| {
            let names = candidates.iter().map(String::as_str);
            format!("{detail} ({})", listed(names, CANDIDATES))
        });
        let causes: Vec<String> = causes.collect();
        let listed = listed_with(causes.iter().map(String::as_str), CAUSES, "; ");
        Unschedulable {
            reason,
            message: bounded(&format!("no place for the machine: {listed}")),
        }
    }
}

/// The first names, and how many more there are.
pub(super) fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>, most: usize) -> String {
    listed_with(names, most, ", ")
}

fn listed_with<'a>(
    names: impl ExactSizeIterator<Item = &'a str>,
    most: usize,
    between: &str,
) -> String {
    let more = names.len().saturating_sub(most);
    let first: Vec<&str> = names.take(most).collect();
    match more {
        0 => first.join(between),
        more => format!("{} and {more} more", first.join(between)),
    }
}
