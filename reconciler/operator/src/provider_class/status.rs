//! The whole status of a ProviderClass.

use banlieue_core::workloads::class_status;
use banlieue_kit::cache::Cache;
use banlieue_kit::errors::ApiError;
use banlieue_kit::status::{self, Written};
use banlieue_kit::{Client, Timestamp};
use banlieue_schemas::managers::Manager;
use banlieue_schemas::platform::ProviderClass;

use super::dereference::Found;

/// Writes the status if it differs from what is stored.
pub async fn write(
    client: &Client,
    classes: &Cache<ProviderClass>,
    class: &ProviderClass,
    found: Found,
    now: Timestamp,
) -> Result<(), ApiError> {
    let wanted = class_status(class, found.providers, found.cluster_role, now);
    let written = status::write(client, &Manager::Operator, class, &wanted).await?;
    if let Written::Written(stored) = written {
        classes.wrote(&stored);
    }
    Ok(())
}
