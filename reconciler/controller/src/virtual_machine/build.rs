//! The machine object of a place.

use banlieue_core::addresses::held;
use banlieue_core::resolve::{Input, Machine, machine, nics};
use banlieue_core::schedule::Placement;
use banlieue_core::user_data::{Values, render};
use banlieue_schemas::conditions::Reason;
use banlieue_schemas::platform::HeldAddress;
use kube::ResourceExt;

use super::dereference::Found;
use super::machine::Stored;
use super::validate::{Refused, Valid};

/// The object, and the fixed addresses that it has. `live` is the one that is there, which keeps
/// its user data and the sizes of its disks.
pub(super) fn build(
    found: &Found<'_>,
    valid: &Valid<'_>,
    place: &Placement,
    live: Option<&Stored>,
) -> Result<(Machine, Vec<HeldAddress>), Refused> {
    let mut foreign = found.read.foreign.iter();
    if let Some(other) = foreign.find(|other| other.backend() == place.backend) {
        let message = format!("{} is there and belongs to somebody else", other.describe());
        return Err(Refused::new(Reason::InfraBuildFailed, message));
    }
    let nics = nics(&valid.class.spec, &found.vm.spec.network_overrides, place)?;
    let user_data = match (live, valid.user_data) {
        (Some(live), _) => live.user_data().map(str::to_owned),
        (None, Some(source)) => {
            let values = Values::of(&found.vm.name_any(), &nics);
            Some(render(source, &values, place.backend)?)
        }
        (None, None) => None,
    };
    let machine = machine(&Input {
        vm: found.vm,
        class: valid.class,
        placement: place,
        user_data: user_data.as_deref(),
        existing_disks: &live.map(Stored::disks).unwrap_or_default(),
    })?;
    Ok((machine, held(&nics)))
}
