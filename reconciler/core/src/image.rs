//! Whether a VMImage is ready: what its rows say together.
//!
//! A row counts if its Provider exists and the image has a source for the Provider's class. A row
//! that a deleted Provider left behind says nothing any more.

use std::collections::BTreeSet;

use banlieue_schemas::conditions::{ConditionType, Reason, Writer};
use banlieue_schemas::platform::{Provider, ProviderImageStatus, VmImage, VmImageStatus};
use k8s_openapi::jiff::Timestamp;

use crate::conditions::{Scope, Truth, Wanted, merge};

/// Whose conditions these are.
pub const SCOPE: Scope = Scope {
    kind: "VMImage",
    writer: Writer::Controller,
};

/// How many rows that are not ready a message lists.
const LISTED: usize = 5;

/// The part of the status that the controller applies: conditions, and the generation that they are
/// about. Rows and artifacts have other writers. `providers` are those of all namespaces.
pub fn status<'a>(
    image: &VmImage,
    providers: impl Iterator<Item = &'a Provider>,
    now: Timestamp,
) -> VmImageStatus {
    let old = image.status.as_ref();
    let conditions = old.map_or(&[][..], |status| &status.conditions);
    let wanted = wanted(&counted(image, providers));
    let generation = image.metadata.generation;
    VmImageStatus {
        observed_generation: generation,
        conditions: merge(SCOPE, conditions, &wanted, generation, now),
        ..VmImageStatus::default()
    }
}

fn counted<'a, 'b>(
    image: &'b VmImage,
    providers: impl Iterator<Item = &'a Provider>,
) -> Vec<&'b ProviderImageStatus> {
    let sources = &image.spec.sources;
    let has_source = |class: &str| sources.iter().any(|source| source.provider_class == class);
    let served: BTreeSet<(&str, &str)> = providers
        .filter(|provider| has_source(&provider.spec.provider_class_ref.name))
        .filter_map(|provider| {
            let metadata = &provider.metadata;
            Some((metadata.namespace.as_deref()?, metadata.name.as_deref()?))
        })
        .collect();
    let rows = image.status.iter().flat_map(|status| &status.per_provider);
    let mut rows: Vec<&ProviderImageStatus> = rows
        .filter(|row| {
            let provider = (row.provider_namespace.as_str(), row.provider_name.as_str());
            served.contains(&provider)
        })
        .collect();
    rows.sort_by(|one, other| key(one).cmp(&key(other)));
    rows
}

fn key(row: &ProviderImageStatus) -> (&str, &str) {
    (&row.provider_namespace, &row.provider_name)
}

fn wanted(rows: &[&ProviderImageStatus]) -> Vec<Wanted> {
    let waiting: Vec<&ProviderImageStatus> =
        rows.iter().copied().filter(|row| !row.ready).collect();
    let Some(first) = waiting.first() else {
        return match rows.len() {
            0 => not_ready(
                Truth::Unknown,
                Reason::ImagePending,
                "no Provider looked for the image yet",
                false,
            ),
            count => vec![Wanted::new(
                ConditionType::Ready,
                true,
                Reason::Reconciled,
                format!("ready on {count} Providers"),
            )],
        };
    };
    let mut listed: Vec<String> = waiting.iter().take(LISTED).map(|row| line(row)).collect();
    let more = waiting.len().saturating_sub(LISTED);
    if more > 0 {
        listed.push(format!("and {more} more"));
    }
    let failed = waiting.iter().find(|row| needs_a_person(reason(row)));
    let reason = reason(failed.unwrap_or(first));
    not_ready(Truth::False, reason, &listed.join("; "), failed.is_some())
}

fn not_ready(truth: Truth, reason: Reason, message: &str, stalled: bool) -> Vec<Wanted> {
    let progress = if stalled {
        ConditionType::Stalled
    } else {
        ConditionType::Reconciling
    };
    vec![
        Wanted::new(ConditionType::Ready, truth, reason, message),
        Wanted::new(progress, true, reason, message),
    ]
}

fn line(row: &ProviderImageStatus) -> String {
    let (namespace, name) = key(row);
    match &row.message {
        Some(message) => format!("{namespace}/{name}: {message}"),
        None => format!("{namespace}/{name}: {}", reason(row)),
    }
}

/// The reason of a row; one that we do not know stands for an image that is not there yet.
fn reason(row: &ProviderImageStatus) -> Reason {
    let said = row.reason.as_deref().unwrap_or_default();
    let mut known = Reason::ALL.iter().copied();
    known
        .find(|reason| reason.as_str() == said)
        .unwrap_or(Reason::ImagePending)
}

/// What fails again however often it is tried.
fn needs_a_person(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::BuildFailed
            | Reason::ChecksumMismatch
            | Reason::ContentLibraryNotImplemented
            | Reason::TrustedBootKeysMissing
            | Reason::UnsupportedSourceKind
            | Reason::WrongArtifactKind
    )
}

#[cfg(test)]
mod tests;
