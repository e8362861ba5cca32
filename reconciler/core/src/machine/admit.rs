//! What a backend cannot do is refused before anything is touched.

use banlieue_schemas::common::{Firmware, PowerState};
use banlieue_schemas::conditions::Reason;

use super::capabilities::Capabilities;
use super::desired::Desired;

/// Why a machine cannot be made as it is wanted. Nothing was touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Reason of the condition.
    pub reason: Reason,
    /// What is wrong, and what to do.
    pub message: String,
}

/// Refuses what the backend cannot do. The first fault is told.
///
/// # Errors
/// The refusal.
pub fn admit(desired: &Desired, can: &Capabilities) -> Result<(), Refusal> {
    let unsupported = |what: &str| {
        Err(Refusal {
            reason: Reason::Unsupported,
            message: format!("this backend has no {what}"),
        })
    };
    if desired.power == PowerState::Suspended && !can.suspend {
        return unsupported("suspended state: set desiredPowerState to PoweredOn or PoweredOff");
    }
    if desired.hardware.firmware == Firmware::EfiSecure && !can.secure_boot {
        return unsupported("Secure Boot: use firmware efi");
    }
    if desired.hardware.tpm && !can.tpm {
        return unsupported("virtual TPM: unset tpmEnabled");
    }
    let bytes = desired.seed.user_data.as_ref().map_or(0, String::len);
    if bytes > can.max_user_data {
        return Err(Refusal {
            reason: Reason::UserDataTooLarge,
            message: format!(
                "user data has {bytes} bytes, this backend takes at most {}",
                can.max_user_data
            ),
        });
    }
    if desired.disks.is_empty() {
        return Err(Refusal {
            reason: Reason::InvalidSpec,
            message: "a machine needs at least one disk, made from its image".to_owned(),
        });
    }
    Ok(())
}
