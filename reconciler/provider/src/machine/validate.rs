//! From a machine and what it refers to, to what its backend should make of it. Pure.
//!
//! A machine that exists is held to less: its image may be gone, and a class that its zone no
//! longer shows still means what it meant.

use banlieue_core::machine::{Capabilities, Desired, Hardware, Identity, Refusal, Seed, admit};
use banlieue_schemas::conditions::Reason;
use banlieue_schemas::infrastructure::ServedMachine;
use banlieue_schemas::platform::{FailureDomain, Provider, VmImage};
use kube::ResourceExt;

use super::classes::Classes;
use super::dereference::References;
use super::owner::Bootstrap;
use crate::problem::Problem;

/// What the machine should be. `exists` says whether the backend has it already.
pub(super) fn desired<M: ServedMachine + ResourceExt>(
    machine: &M,
    identity: &Identity,
    references: &References,
    exists: bool,
    can: &Capabilities,
) -> Result<Desired, Problem> {
    own_identity(machine, identity, &references.provider_name)?;
    let Some(provider) = references.provider.as_deref() else {
        let message = format!("Provider {} does not exist", references.provider_name);
        return Err(Problem::stalled(Reason::ProviderNotFound, message));
    };
    let zone = zone(machine, references, provider)?;
    let image = match (machine.own_image(), exists) {
        (Some(own), _) => own.to_owned(),
        // It was made from its image and needs it no more.
        (None, true) => String::new(),
        (None, false) => {
            let image = references.image.as_deref();
            resolved_image(machine.image_ref(), image, provider, zone)?
        }
    };
    let mut place = zone.attributes.raw.clone();
    place.extend(machine.place());
    let classes = Classes {
        provider,
        zone,
        exists,
    };
    let disks = machine.disks().into_iter().map(|disk| classes.disk(disk));
    let nics = machine.nics().into_iter().map(|nic| classes.nic(nic));
    let desired = Desired {
        name: machine.name_any(),
        zone: zone.name.clone(),
        place,
        image,
        hardware: Hardware {
            cpus: machine.cpus(),
            memory_mib: machine.memory_mib(),
            firmware: machine.firmware(),
            tpm: machine.tpm_enabled(),
        },
        disks: disks.collect::<Result<_, _>>()?,
        nics: nics.collect::<Result<_, _>>()?,
        seed: Seed {
            hostname: machine.name_any(),
            user_data: user_data(machine, &references.bootstrap)?,
        },
        power: machine.desired_power_state(),
    };
    match admit(&desired, can) {
        Ok(()) => Ok(desired),
        Err(Refusal { reason, message }) => Err(Problem::stalled(reason, message)),
    }
}

/// An object that was restored under another UID must not get a second VM.
fn own_identity<M: ServedMachine>(
    machine: &M,
    identity: &Identity,
    provider: &str,
) -> Result<(), Problem> {
    let own = identity.provider_id(M::BACKEND, provider);
    match machine.provider_id() {
        Some(other) if other != own => Err(Problem::stalled(
            Reason::InvalidSpec,
            "spec.providerID is that of the machine of another object",
        )),
        _ => Ok(()),
    }
}

/// The failure domain: the one that the machine is in, else the one that its owner asks for, else
/// the one that it asks for itself.
fn zone<'a, M: ServedMachine>(
    machine: &M,
    references: &References,
    provider: &'a Provider,
) -> Result<&'a FailureDomain, Problem> {
    let name = provider.name_any();
    let is_in = machine.status_view().failure_domain;
    let owner = references.owner.as_ref();
    let owners = owner.and_then(|owner| owner.spec.failure_domain.as_deref());
    let Some(wanted) = is_in.or(owners).or(machine.failure_domain()) else {
        let message = format!("spec.failureDomain must name one of Provider {name}");
        return Err(Problem::stalled(Reason::InvalidSpec, message));
    };
    let status = provider.status.iter();
    let mut shown = status.flat_map(|status| &status.failure_domains);
    shown.find(|zone| zone.name == wanted).ok_or_else(|| {
        let message = format!("Provider {name} shows no failure domain {wanted}");
        Problem::waiting(Reason::NoFailureDomainMatched, message)
    })
}

fn user_data<M: ServedMachine>(
    machine: &M,
    bootstrap: &Bootstrap,
) -> Result<Option<String>, Problem> {
    match bootstrap {
        Bootstrap::Unneeded => Ok(machine.user_data().map(str::to_owned)),
        Bootstrap::Data(data) => Ok(Some(data.clone())),
        Bootstrap::Waiting(message) => {
            Err(Problem::waiting(Reason::WaitingForBootstrapData, message))
        }
    }
}

/// What the backend calls the image in the zone, as this Provider's row of it says.
fn resolved_image(
    name: &str,
    image: Option<&VmImage>,
    provider: &Provider,
    zone: &FailureDomain,
) -> Result<String, Problem> {
    let Some(image) = image else {
        let message = format!("VMImage {name} does not exist");
        return Err(Problem::waiting(Reason::ImageNotFound, message));
    };
    let (namespace, own) = (provider.namespace(), provider.name_any());
    let mut rows = image.status.iter().flat_map(|status| &status.per_provider);
    let row = rows.find(|row| {
        row.provider_name == own && Some(&row.provider_namespace) == namespace.as_ref()
    });
    let here = row.and_then(|row| row.zones.iter().find(|here| here.name == zone.name));
    let found = here.filter(|here| here.ready);
    if let Some(found) = found.and_then(|here| here.resolved_ref.clone()) {
        return Ok(found);
    }
    let why = here.and_then(|here| here.reason.as_deref());
    let why = why.or(row.and_then(|row| row.reason.as_deref()));
    let why = why.unwrap_or(Reason::ImagePending.as_str());
    let message = format!("VMImage {name} is not ready in {}: {why}", zone.name);
    Err(Problem::waiting(Reason::ImageNotReady, message))
}
