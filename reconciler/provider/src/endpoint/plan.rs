//! From what was found to what the Provider shows. Pure.
//!
//! On any failure the failure domains stay as they were last known: machines run there, and a place
//! that vanished from the status would look like one that is gone.

use banlieue_core::inventory::{Domains, failure_domains};
use banlieue_schemas::conditions::Reason;
use banlieue_schemas::platform::{FailureDomain, Provider};
use kube::ResourceExt;

use super::dereference::Found;
use crate::problem::Problem;

/// How the backend does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Health {
    /// It answers and can be used.
    Usable {
        /// What the Provider declares and no zone has.
        lacking: Vec<String>,
    },
    /// It answers and cannot be used.
    Unusable(Problem),
    /// It does not answer, or not us.
    Away(Problem),
    /// It is not to be touched.
    Paused,
}

/// What the Provider shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) domains: Vec<FailureDomain>,
    pub(super) health: Health,
}

/// Decides what the Provider shows.
pub(super) fn plan(provider: &Provider, found: &Found) -> Plan {
    let known = || {
        let status = provider.status.as_ref();
        status.map_or_else(Vec::new, |status| status.failure_domains.clone())
    };
    let keep = |health| Plan {
        domains: known(),
        health,
    };
    let survey = match found {
        Found::Survey(survey) => survey,
        Found::Paused => return keep(Health::Paused),
        Found::Away(problem, _) => return keep(Health::Away(problem.clone())),
        Found::Unread(error) => {
            return keep(Health::Unusable(Problem::stalled(
                Reason::InventoryFailed,
                error.message(),
            )));
        }
    };
    let Domains {
        shown,
        unavailable,
        ambiguous,
    } = failure_domains(
        &provider.name_any(),
        provider.labels(),
        &provider.spec,
        survey,
    );
    if !ambiguous.is_empty() {
        let message = format!(
            "several zones are called {}: name them apart in failureDomainNameOverrides",
            ambiguous.join(", ")
        );
        return keep(Health::Unusable(Problem::stalled(
            Reason::InventoryFailed,
            message,
        )));
    }
    if shown.is_empty() {
        let message = "the backend shows no zone, perhaps for want of privileges";
        return keep(Health::Unusable(Problem::stalled(
            Reason::NoFailureDomains,
            message,
        )));
    }
    Plan {
        domains: shown,
        health: Health::Usable {
            lacking: unavailable,
        },
    }
}
