//! What a backend has.

use std::future::Future;

use banlieue_core::inventory::Survey;

use crate::errors::BackendError;

/// Reads what a backend has. Writes nothing.
pub trait Inventory: Send + Sync {
    /// Everything that matters for placing machines.
    ///
    /// # Errors
    /// Any failure. A zone that cannot be read is a failure of the whole: one that silently went
    /// missing would look like a place that is gone.
    fn survey(&self) -> impl Future<Output = Result<Survey, BackendError>> + Send;
}
