//! What a person does about a condition.

use crate::conditions::Reason;

/// What to do where a condition gives this reason. `None` where there is nothing to do, or only to
/// wait.
#[allow(clippy::too_many_lines)] // a table
pub fn remedy(reason: Reason) -> Option<&'static str> {
    use Reason as R;
    Some(match reason {
        R::Reconciled
        | R::Progressing
        | R::Pending
        | R::Scheduled
        | R::Scheduling
        | R::PlacementValid
        | R::Migrating
        | R::WaitingForBootstrapData
        | R::WaitingForClusterInfrastructure
        | R::Cloning
        | R::PoweredOn
        | R::PoweredOff
        | R::DomainRunning
        | R::GuestAnnounced
        | R::TpmEndorsementPending
        | R::ImagePending
        | R::BuildPending
        | R::Building
        | R::Importing => return None,
        R::Paused => {
            "Set `spec.paused` to false, or remove the annotation `cluster.x-k8s.io/paused`."
        }
        R::InvalidSpec => "Correct the field that the message names.",
        R::Unsupported => "Ask for less, or choose a place whose backend can do it.",
        R::Deleting => {
            "Wait. If the message says that the backend cannot be reached and it never will be, \
             give the machine up: annotate its machine object with `banlieue.io/abandon: \"<its uid>\"`."
        }
        R::ReconcileFailed => {
            "Read the message, and the log of the process. It is tried again by itself."
        }
        R::ProviderClassNotFound => "Create the ProviderClass, or name another.",
        R::ProviderNotFound => "Create the Provider, or name another.",
        R::ClassNotFound => "Create the VMClass, or name another.",
        R::ImageNotFound => "Create the VMImage, or name another.",
        R::UserDataNotFound => "Create the Secret or ConfigMap, or the key in it.",
        R::UserDataTooLarge => "Shorten the user data to the size in the message.",
        R::SecretMissing => "Create the Secret that `connection.credentialsRef` names.",
        R::SecretInvalid | R::TrustedBootKeysMissing => {
            "Give the Secret the key that the message names."
        }
        R::NoProviderMatched => {
            "Compare `placement.providerSelector` with the labels of the Providers; look whether they are Ready."
        }
        R::NoFailureDomainMatched => {
            "Compare `placement.failureDomainSelector` with `status.failureDomains` of the Providers."
        }
        R::ImageNotReady => "Look at `status.perProvider` of the VMImage.",
        R::StorageClassUnavailable => {
            "Declare the storage class on a Provider, or use one that it has."
        }
        R::NetworkClassUnavailable => {
            "Declare the network class on a Provider, or use one that it has."
        }
        R::FeatureUnsupported => {
            "Declare the feature on a Provider whose backend has it, or use another class."
        }
        R::FirmwareUnsupported => {
            "Use a class without Secure Boot, or a place that declares `efiSecureBoot`."
        }
        R::TpmUnsupported => "Use a class without a TPM, or a place that declares `vtpm`.",
        R::AntiAffinityUnsatisfied => "Add failure domains, or make the rule `preferred`.",
        R::DuplicateAddress => "Give one of the two machines another address.",
        R::ImageClassMismatch => {
            "Use an image that installs on first boot, or a class without a TPM."
        }
        R::InfraBuildFailed => "Correct what the message names in class, image or machine.",
        R::PlacementInvalid
        | R::ProviderChanged
        | R::FailureDomainChanged
        | R::StorageMappingChanged
        | R::NetworkMappingChanged => {
            "Change the placement back, or let the machine be made again: see `migrationPolicy`. \
             A machine that is made again loses its disks."
        }
        R::AwaitingPowerOff => "Switch the machine off and on when it suits you.",
        R::InfrastructureNotReady => {
            "Look at the machine object that `status.infrastructureRef` names."
        }
        R::ProvisionFailed => "Read the message; the backend said no. It is tried again by itself.",
        R::DomainNotRunning => {
            "Look why the guest stopped; it is started again where the spec says so."
        }
        R::BackendRefMissing => "Report it: the status of the machine object was damaged.",
        R::BackendMissing => {
            "Somebody removed the machine from the backend, and its data with it. Delete the object \
             to have it made anew."
        }
        R::BackendForeign => {
            "Find out whose machine it is: it has the identity of this object, but not its stamp. It \
             is never touched; rename or remove it by hand."
        }
        R::Abandoned => "Remove from the backend by hand what is left of the machine.",
        R::GuestNotAnnounced => "Look at the console of the guest.",
        R::InstallMediaAttached => {
            "Wait for the installation, or look at the console of the guest."
        }
        R::TpmEndorsementMismatch => {
            "Find out who replaced the machine or its TPM before you trust it."
        }
        R::ConnectFailed => {
            "Check the endpoint, the network, and the authorities in `connection.caBundle`."
        }
        R::Unauthorized => "Correct the credentials in the Secret, or the rights of the account.",
        R::CredentialsUnavailable | R::SecretUnavailable => {
            "Check that the Secret exists, and the Role of the provider process."
        }
        R::InventoryFailed => {
            "Read the message: give zones of one name names of their own with `failureDomainNameOverrides`."
        }
        R::CapabilitiesIncomplete => {
            "Create on the backend what the message names, or declare it no longer."
        }
        R::NoFailureDomains => "Check what the account may see on the backend.",
        R::ClusterRoleMissing => {
            "Install the platform's access rights again: `banlieue bootstrap operator`, or the rendered tree."
        }
        R::TemplateNotFound => {
            "Create the template, volume or file on the backend, or correct its name in `sources`."
        }
        R::LookupFailed => "Read the message. It is tried again by itself.",
        R::NoSource => "Add a source for the class of this Provider to the VMImage.",
        R::UnsupportedSourceKind => "Use another kind of source for this class.",
        R::WrongArtifactKind => "Use a source of the kind that this backend needs.",
        R::ContentLibraryNotImplemented => "Unset `useContentLibrary`.",
        R::BuildFailed | R::ImportFailed => "Read the message, and the log of the Job.",
        R::ChecksumMismatch => "Find out who changed the artifact before you correct the digest.",
    })
}
