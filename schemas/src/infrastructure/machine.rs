//! What the machine kinds of all backends share: contract types, transition rules and the common
//! view that backend-neutral code reads.

use crate::common::{Condition, PowerState};

pub use crate::common::{InitializationStatus, MachineAddress, MachineAddressType};

/// What every machine status holds, in one shape. Empty where the machine has no status yet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MachineStatusView<'a> {
    /// Whether `initialization.provisioned` is true.
    pub provisioned: bool,
    /// Failure domain that the machine is in.
    pub failure_domain: Option<&'a str>,
    /// Addresses of the guest.
    pub addresses: &'a [MachineAddress],
    /// Power state as the backend last showed it.
    pub observed_power_state: Option<PowerState>,
    /// Endorsement certificates of the virtual TPM, PEM.
    pub tpm_endorsement_certificates: &'a [String],
    /// Conditions, one of each type.
    pub conditions: &'a [Condition],
    /// Generation that the status speaks of.
    pub observed_generation: Option<i64>,
}

/// The common view of a machine, for code that must not care about the backend.
pub trait InfraMachine {
    /// Finalizer that stays while the backend may have something of the machine.
    const FINALIZER: &'static str;

    /// `spec.providerID`, which the provider sets once the VM exists.
    fn provider_id(&self) -> Option<&str>;
    /// `spec.failureDomain`. A Cluster API Machine that owns this object decides before it.
    fn failure_domain(&self) -> Option<&str>;
    /// Name of the Provider, in the machine's namespace.
    fn provider_ref(&self) -> Option<&str>;
    /// Name of the VMImage.
    fn image_ref(&self) -> &str;
    /// Virtual CPUs.
    fn cpus(&self) -> u32;
    /// Memory in MiB.
    fn memory_mib(&self) -> u32;
    /// Power state that the machine should have.
    fn desired_power_state(&self) -> PowerState;
    /// Rendered user data, as written by the controller of VirtualMachines.
    fn user_data(&self) -> Option<&str>;
    /// The common part of the status.
    fn status_view(&self) -> MachineStatusView<'_>;
}

/// Implements [`InfraMachine`] for a kind. The kinds name the shared fields alike, but for the
/// field that counts CPUs.
macro_rules! impl_infra_machine {
    ($kind:ty, $cpus:ident, $finalizer:literal) => {
        impl $crate::infrastructure::InfraMachine for $kind {
            const FINALIZER: &'static str = $finalizer;

            fn provider_id(&self) -> Option<&str> {
                self.spec.provider_id.as_deref()
            }
            fn failure_domain(&self) -> Option<&str> {
                self.spec.failure_domain.as_deref()
            }
            fn provider_ref(&self) -> Option<&str> {
                self.spec.provider_ref.as_ref().map(|r| r.name.as_str())
            }
            fn image_ref(&self) -> &str {
                &self.spec.image_ref.name
            }
            fn cpus(&self) -> u32 {
                self.spec.$cpus
            }
            fn memory_mib(&self) -> u32 {
                self.spec.memory_mib
            }
            fn desired_power_state(&self) -> $crate::common::PowerState {
                self.spec.desired_power_state
            }
            fn user_data(&self) -> Option<&str> {
                self.spec.user_data.as_deref()
            }
            fn status_view(&self) -> $crate::infrastructure::MachineStatusView<'_> {
                let Some(status) = &self.status else {
                    return $crate::infrastructure::MachineStatusView::default();
                };
                $crate::infrastructure::MachineStatusView {
                    provisioned: status
                        .initialization
                        .as_ref()
                        .is_some_and($crate::infrastructure::InitializationStatus::is_done),
                    failure_domain: status.failure_domain.as_deref(),
                    addresses: &status.addresses,
                    observed_power_state: status.observed_power_state,
                    tpm_endorsement_certificates: &status.tpm_endorsement_certificates,
                    conditions: &status.conditions,
                    observed_generation: status.observed_generation,
                }
            }
        }
    };
}
pub(super) use impl_infra_machine;

/// A machine is found again by its provider ID, so the ID never changes once it is set.
pub(super) const PROVIDER_ID_SET_ONCE: &str = "!has(oldSelf.spec.providerID) || \
     (has(self.spec.providerID) && self.spec.providerID == oldSelf.spec.providerID)";
/// Message of [`PROVIDER_ID_SET_ONCE`].
pub(super) const PROVIDER_ID_SET_ONCE_MESSAGE: &str =
    "providerID cannot change or be removed once it is set";

/// Only its Provider can delete the VM, so a machine keeps its Provider.
pub(super) const PROVIDER_REF_SET_ONCE: &str = "!has(oldSelf.spec.providerRef) || \
     (has(self.spec.providerRef) && self.spec.providerRef.name == oldSelf.spec.providerRef.name)";
/// Message of [`PROVIDER_REF_SET_ONCE`].
pub(super) const PROVIDER_REF_SET_ONCE_MESSAGE: &str =
    "providerRef cannot change or be removed once it is set: create another machine";

/// A disk that was made from one image cannot become another.
pub(super) const IMAGE_IMMUTABLE: &str = "self.spec.imageRef.name == oldSelf.spec.imageRef.name";
/// Message of [`IMAGE_IMMUTABLE`].
pub(super) const IMAGE_IMMUTABLE_MESSAGE: &str =
    "imageRef is immutable: create another machine to use another image";

/// Cluster API reads `initialization.provisioned` as one-way. Written with `has`, since the offline
/// check does not know the optional operator of CEL.
pub(super) const PROVISIONED_ONE_WAY: &str = "!(has(oldSelf.initialization) && \
     has(oldSelf.initialization.provisioned) && oldSelf.initialization.provisioned) || \
     (has(self.initialization) && has(self.initialization.provisioned) && \
     self.initialization.provisioned)";
/// Message of [`PROVISIONED_ONE_WAY`].
pub(super) const PROVISIONED_ONE_WAY_MESSAGE: &str =
    "initialization.provisioned stays true once it is true";

/// A MAC address, six octets with colons.
pub(super) const MAC_PATTERN: &str = "^([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}$";
/// Name of a disk or interface. It becomes part of file and volume names on the backend.
pub(super) const ROW_NAME_PATTERN: &str = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";
