//! What a backend brings to be tested.

use std::future::Future;
use std::time::Duration;

use banlieue_core::machine::{Desired, Identity, StepKind};

use crate::{Backend, BackendError, ImageRequest};

/// A hypervisor under test.
pub trait Fixture: Send + Sync {
    /// The backend.
    type Backend: Backend;

    /// Makes a new connection. Whatever the hypervisor is doing goes on.
    fn connect(&self) -> impl Future<Output = Result<Self::Backend, BackendError>> + Send;

    /// An identity that nobody had before, for a case.
    fn identity(&self, case: &str) -> Identity;

    /// A small machine that the hypervisor can make, in a place that has whatever its capabilities
    /// claim: one disk, larger than that of the image, and one interface at least, user data, to be
    /// switched on.
    fn desired(&self, name: &str) -> Desired;

    /// An image that is there: the one that [`Fixture::desired`] names.
    fn image(&self) -> ImageRequest;

    /// Lets time pass, as a client does that looks again later.
    fn pass(&self, time: Duration) -> impl Future<Output = ()> + Send;

    /// Does something past the backend.
    ///
    /// # Errors
    /// When that cannot be done here.
    fn act(&self, act: Act) -> impl Future<Output = Result<(), Unable>> + Send;

    /// How many machines with that stamp there are, remains included, seen past the backend.
    ///
    /// # Errors
    /// When that cannot be seen here.
    fn count(&self, identity: &Identity) -> impl Future<Output = Result<usize, Unable>> + Send;

    /// Whether the machine of a stranger that was placed is there and runs.
    ///
    /// # Errors
    /// When that cannot be seen here.
    fn stranger_is_well(&self, name: &str) -> impl Future<Output = Result<bool, Unable>> + Send;
}

/// Something that happens to a hypervisor, past the backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Somebody else makes a running machine of that name where [`Fixture::desired`] would be.
    PlaceStranger(String),
    /// Somebody else makes a running machine of that name with the UUID of this identity.
    PlaceTwin(String, Identity),
    /// Somebody removes a machine.
    Remove(Identity),
    /// Somebody removes a machine and leaves its disks.
    RemoveButDisks(Identity),
    /// Somebody attaches a disk to a machine.
    AttachDisk(Identity),
    /// The answer of the next step of that kind is lost, after it was done.
    LoseAnswer(StepKind),
    /// The next step of that kind breaks off when it is half done.
    BreakOff(StepKind),
    /// The next guest that is asked to shut down does not.
    HangShutdown,
    /// The session expires before the next call.
    ExpireSession,
}

/// What a fixture cannot do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the fixture cannot {0}")]
pub struct Unable(pub &'static str);
