//! What to look for, or what a row says without looking. Pure.

use banlieue_backend::ImageRequest;
use banlieue_schemas::conditions::Reason;
use banlieue_schemas::platform::ImageSourceKind;

use super::dereference::References;

/// What to do about the row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// There is nothing to say: the row goes.
    Remove,
    /// The row stays as it is.
    Keep,
    /// The image cannot be anywhere yet.
    Not(Reason, &'static str),
    /// Look in these failure domains.
    Look(Vec<(String, ImageRequest)>),
}

/// Decides.
pub(super) fn plan(references: &References) -> Plan {
    let (Some(provider), Some(source)) = (&references.provider, &references.source) else {
        return Plan::Remove;
    };
    if provider.spec.paused == Some(true) {
        return Plan::Keep;
    }
    if source.kind == ImageSourceKind::Url {
        return Plan::Not(Reason::BuildPending, "the image is not built yet");
    }
    let zones = provider
        .status
        .iter()
        .flat_map(|status| &status.failure_domains);
    let looks: Vec<_> = zones
        .map(|zone| {
            let request = ImageRequest {
                kind: source.kind,
                reference: source.reference.clone().unwrap_or_default(),
                place: zone.attributes.raw.clone(),
            };
            (zone.name.clone(), request)
        })
        .collect();
    if looks.is_empty() {
        return Plan::Not(
            Reason::NoFailureDomains,
            "the Provider shows no failure domain yet",
        );
    }
    Plan::Look(looks)
}
