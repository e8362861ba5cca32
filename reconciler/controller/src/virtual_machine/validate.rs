//! What stands in the way of a machine, before any place is looked at.

use banlieue_core::addresses::conflict;
use banlieue_core::resolve::ResolveError;
use banlieue_core::schedule::Unschedulable;
use banlieue_core::user_data::UserDataError;
use banlieue_kit::errors::chain;
use banlieue_schemas::conditions::Reason;
use banlieue_schemas::platform::{VmClass, VmImage};

use super::dereference::Found;
use super::user_data::UserData;

/// A machine of which everything that it names is there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Valid<'a> {
    /// Its class.
    pub(super) class: &'a VmClass,
    /// Its image.
    pub(super) image: &'a VmImage,
    /// Its user data, if it is to be made.
    pub(super) user_data: Option<&'a [u8]>,
}

/// Why nothing can be done about a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    /// The reason that conditions give.
    pub(super) reason: Reason,
    /// The same for people.
    pub(super) message: String,
}

impl Refused {
    pub(super) fn new(reason: Reason, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { reason, message }
    }
}

impl From<Unschedulable> for Refused {
    fn from(unschedulable: Unschedulable) -> Self {
        Self::new(unschedulable.reason, unschedulable.message)
    }
}

impl From<ResolveError> for Refused {
    fn from(error: ResolveError) -> Self {
        Self::new(error.reason(), error.to_string())
    }
}

impl From<UserDataError> for Refused {
    fn from(error: UserDataError) -> Self {
        Self::new(error.reason(), error.to_string())
    }
}

/// The first that stands in the way.
pub(super) fn validate<'a>(found: &'a Found<'_>) -> Result<Valid<'a>, Refused> {
    let spec = &found.vm.spec;
    let Some(class) = found.class.as_deref() else {
        let message = format!("VMClass {} does not exist", spec.class_ref.name);
        return Err(Refused::new(Reason::ClassNotFound, message));
    };
    let Some(image) = found.image.as_deref() else {
        let message = format!("VMImage {} does not exist", spec.image_ref.name);
        return Err(Refused::new(Reason::ImageNotFound, message));
    };
    let mut machines = found.read.machines.iter();
    if let Some(machine) = machines.find(|machine| machine.view().is_none()) {
        let message = format!(
            "{} does not have the shape of its kind: delete it to have it made again",
            machine.describe()
        );
        return Err(Refused::new(Reason::InfraBuildFailed, message));
    }
    if let Some(conflict) = conflict(&found.claimant, &found.claimants) {
        return Err(Refused::new(Reason::DuplicateAddress, conflict.message));
    }
    let user_data = match &found.read.user_data {
        UserData::NotNeeded => None,
        UserData::Given(bytes) => Some(bytes.as_slice()),
        UserData::Missing { message } => {
            return Err(Refused::new(Reason::UserDataNotFound, message));
        }
        UserData::Forbidden(error) => {
            let message = format!(
                "{}: a Role of the namespace has to let the controller read user data",
                chain(error)
            );
            return Err(Refused::new(Reason::UserDataNotFound, message));
        }
    };
    Ok(Valid {
        class,
        image,
        user_data,
    })
}
