//! Machines: look at one, do one step.

use std::future::Future;

use banlieue_core::machine::{Capabilities, Identity, Observed, Step};
use futures::stream::BoxStream;

use crate::errors::BackendError;
use crate::progress::Progress;

/// Which machine may have changed on the backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// The one of the object with this UID.
    Machine(String),
    /// Any: the backend lost track, or was reconnected.
    Any,
}

/// Works on machines.
pub trait Machines: Send + Sync {
    /// What this backend can do. Whatever it cannot is refused before a step is planned.
    fn capabilities(&self) -> Capabilities;

    /// Looks at a machine, and at what is left of it. `None` when there is nothing.
    ///
    /// # Errors
    /// Whenever absence or presence could not be told for sure.
    fn observe(
        &self,
        identity: &Identity,
    ) -> impl Future<Output = Result<Option<Observed>, BackendError>> + Send;

    /// Does one step, or starts it. Doing it again is harmless.
    ///
    /// What a step may meet, since the hypervisor moves between a look and a step:
    ///
    /// | machine | `Create` | `Delete` | `Detach` | others |
    /// |---|---|---|---|---|
    /// | nothing | makes it | done | retry | retry |
    /// | remains | makes it | removes them | detaches | retry |
    /// | a whole one | done | removes it when it is off | detaches | as they say |
    /// | a stranger's | refused | refused | refused | refused |
    ///
    /// `Delete` is refused while the machine runs and while something is attached that was not made
    /// for it. The step of the work that is in flight answers with that work; any other step is
    /// busy, but for a hard power-off, which ends a shutdown that hangs. A guest that sleeps is
    /// neither changed nor asked to shut down: that is refused.
    ///
    /// # Errors
    /// Of a step that failed, nothing is promised but that it may be repeated. What the capabilities
    /// do not claim is [`ErrorKind::Unsupported`]; an image, a network, storage or a zone that does
    /// not exist is [`ErrorKind::NotFound`], and leaves nothing behind.
    ///
    /// [`ErrorKind::Unsupported`]: crate::ErrorKind::Unsupported
    /// [`ErrorKind::NotFound`]: crate::ErrorKind::NotFound
    fn execute(
        &self,
        identity: &Identity,
        step: &Step,
    ) -> impl Future<Output = Result<Progress, BackendError>> + Send;

    /// Tells which machines may have changed, for as long as the stream is held.
    ///
    /// A hint saves a look, it does not replace it: hints may be lost, doubled or late.
    fn changes(&self) -> BoxStream<'static, Hint>;
}
