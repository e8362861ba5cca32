//! The row of one Provider in the status of an image. Pure.

use banlieue_backend::{BackendError, ErrorKind};
use banlieue_schemas::conditions::Reason;
use banlieue_schemas::platform::{ProviderImageStatus, ZoneImageStatus};

use crate::problem::Problem;
use crate::session::CallError;

/// What was found in one failure domain.
pub(super) fn zone(
    name: String,
    reference: &str,
    found: &Result<Option<String>, CallError>,
) -> ZoneImageStatus {
    let (reason, message) = match found {
        Ok(Some(resolved)) => {
            return ZoneImageStatus {
                name,
                ready: true,
                resolved_ref: Some(resolved.clone()),
                ..ZoneImageStatus::default()
            };
        }
        Ok(None) => (
            Reason::TemplateNotFound,
            format!("the backend has nothing called {reference} here"),
        ),
        Err(CallError::NoAccess(Problem { message, .. })) => {
            (Reason::SecretUnavailable, message.clone())
        }
        Err(CallError::Backend(error)) => failed(error),
    };
    ZoneImageStatus {
        name,
        ready: false,
        reason: Some(reason.to_string()),
        message: Some(message),
        ..ZoneImageStatus::default()
    }
}

/// Answers of a backend that is away differ from call to call; the Provider says more.
fn failed(error: &BackendError) -> (Reason, String) {
    let said = || error.message().to_owned();
    match error.kind() {
        ErrorKind::Unsupported => (Reason::UnsupportedSourceKind, said()),
        ErrorKind::Retry | ErrorKind::Busy => {
            let message = "the backend does not answer as it should";
            (Reason::LookupFailed, message.to_owned())
        }
        ErrorKind::Auth => {
            let message = "the backend refuses the credentials";
            (Reason::LookupFailed, message.to_owned())
        }
        ErrorKind::Refused | ErrorKind::NotFound => (Reason::LookupFailed, said()),
    }
}

/// The row with these zones, sorted by name.
pub(super) fn row(
    namespace: &str,
    provider: &str,
    mut zones: Vec<ZoneImageStatus>,
) -> ProviderImageStatus {
    zones.sort_by(|one, other| one.name.cmp(&other.name));
    let missing = zones.iter().find(|zone| !zone.ready);
    let first = zones.first().and_then(|zone| zone.resolved_ref.as_ref());
    let same = zones.iter().all(|zone| zone.resolved_ref.as_ref() == first);
    ProviderImageStatus {
        provider_namespace: namespace.to_owned(),
        provider_name: provider.to_owned(),
        ready: missing.is_none(),
        resolved_ref: first.filter(|_| same).cloned(),
        reason: missing.map_or_else(
            || Some(Reason::Reconciled.to_string()),
            |zone| zone.reason.clone(),
        ),
        message: missing.and_then(|zone| {
            let message = zone.message.as_ref()?;
            Some(format!("{}: {message}", zone.name))
        }),
        zones,
        ..ProviderImageStatus::default()
    }
}

/// The row of an image that cannot be anywhere yet.
pub(super) fn row_without_zones(
    namespace: &str,
    provider: &str,
    reason: Reason,
    message: &str,
) -> ProviderImageStatus {
    ProviderImageStatus {
        provider_namespace: namespace.to_owned(),
        provider_name: provider.to_owned(),
        reason: Some(reason.to_string()),
        message: Some(message.to_owned()),
        ..ProviderImageStatus::default()
    }
}
