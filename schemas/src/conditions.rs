//! Every condition type and reason, and who may write which condition.
//!
//! [`owner`] is the table. A condition has one writer: two managers that write one condition take
//! it from each other for ever.

use std::fmt;

/// An enum whose members are written to the API server under their own names.
macro_rules! names {
    ($(#[$about:meta])* $enum:ident { $($(#[doc = $doc:literal])* $name:ident,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $enum { $($(#[doc = $doc])* $name,)* }

        impl $enum {
            /// Every member, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The name that the API server stores.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)* }
            }

            /// What it means, in a sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),*).trim_start(),)* }
            }
        }

        impl fmt::Display for $enum {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

names! {
    /// Type of a condition.
    ConditionType {
        /// The object is as its spec asks. Unknown on first sight.
        Ready,
        /// The status is on its way to the spec; true only meanwhile.
        Reconciling,
        /// Nothing gets better without a person; true only meanwhile.
        Stalled,
        /// The object, its class or its cluster is paused; true only meanwhile.
        Paused,
        /// A place was found for the machine.
        Scheduled,
        /// The machine is where its placement allows it to be.
        PlacementValid,
        /// The machine is being made again somewhere else; true only meanwhile.
        Migrating,
        /// CPUs or memory change at the next power-off; true only meanwhile.
        ResizePending,
        /// The machine object of the backend is ready; its reason and message are copied.
        InfrastructureReady,
        /// The operating system in the machine said that it is up.
        GuestReady,
        /// The backend answers, and accepts the credentials.
        ProviderReachable,
    }
}

names! {
    /// Reason of a condition, of a row in `status.perProvider` or of a build.
    Reason {
        // Several kinds.
        /// Everything is as the spec asks.
        Reconciled,
        /// Work is under way.
        Progressing,
        /// Nothing has been done yet.
        Pending,
        /// The object, its class or its cluster is paused.
        Paused,
        /// The spec cannot be realised as it is.
        InvalidSpec,
        /// The backend cannot do what the spec asks.
        Unsupported,
        /// Deletion is under way; the message says what it waits for.
        Deleting,
        /// A step failed and is tried again.
        ReconcileFailed,

        // What an object refers to.
        /// The ProviderClass does not exist.
        ProviderClassNotFound,
        /// The Provider does not exist.
        ProviderNotFound,
        /// The VMClass does not exist.
        ClassNotFound,
        /// The VMImage does not exist.
        ImageNotFound,
        /// The Secret or ConfigMap with the user data, or its key, does not exist.
        UserDataNotFound,
        /// The user data is larger than the backend takes.
        UserDataTooLarge,
        /// The Secret with the credentials does not exist.
        SecretMissing,
        /// The Secret with the credentials lacks a key, or a key is malformed.
        SecretInvalid,

        // Scheduling.
        /// A place was found.
        Scheduled,
        /// A place is looked for.
        Scheduling,
        /// No Provider matches the selector, is ready and is not paused.
        NoProviderMatched,
        /// No failure domain matches the selector.
        NoFailureDomainMatched,
        /// The image is not ready in any place that matches.
        ImageNotReady,
        /// No place that matches has the storage classes.
        StorageClassUnavailable,
        /// No place that matches has the network classes.
        NetworkClassUnavailable,
        /// No place that matches has the features.
        FeatureUnsupported,
        /// No place that matches has the firmware.
        FirmwareUnsupported,
        /// No place that matches has virtual TPMs.
        TpmUnsupported,
        /// Every place that matches is too close to another machine.
        AntiAffinityUnsatisfied,
        /// Another machine holds the address.
        DuplicateAddress,
        /// The class needs a TPM and the image cannot be installed on first boot.
        ImageClassMismatch,
        /// The machine object could not be made from class, image and place.
        InfraBuildFailed,

        // Placement of a machine that runs.
        /// The machine is where its placement allows it to be.
        PlacementValid,
        /// The machine is not where its placement allows it to be.
        PlacementInvalid,
        /// The Provider no longer matches.
        ProviderChanged,
        /// The failure domain no longer matches.
        FailureDomainChanged,
        /// A storage class now means another target.
        StorageMappingChanged,
        /// A network class now means another target.
        NetworkMappingChanged,
        /// The machine is being made again somewhere else.
        Migrating,
        /// A change waits until the machine is powered off.
        AwaitingPowerOff,
        /// The machine object of the backend is not ready.
        InfrastructureNotReady,

        // Machines on a backend.
        /// Cluster API has not made the bootstrap data yet.
        WaitingForBootstrapData,
        /// Cluster API has not made the cluster's infrastructure yet.
        WaitingForClusterInfrastructure,
        /// The machine is being made from the image.
        Cloning,
        /// The machine could not be made.
        ProvisionFailed,
        /// The machine runs.
        PoweredOn,
        /// The machine does not run, as asked.
        PoweredOff,
        /// The libvirt domain runs.
        DomainRunning,
        /// The libvirt domain does not run.
        DomainNotRunning,
        /// The status does not say which backend machine this is.
        BackendRefMissing,
        /// The backend machine is gone.
        BackendMissing,
        /// A machine on the backend has this object's identity and was not made for it.
        BackendForeign,
        /// A person gave the backend machine up: it may be left behind.
        Abandoned,

        // The guest.
        /// The guest said that it is up.
        GuestAnnounced,
        /// The guest did not say anything yet.
        GuestNotAnnounced,
        /// The installation medium is still attached.
        InstallMediaAttached,
        /// The TPM has no endorsement key certificate yet.
        TpmEndorsementPending,
        /// The TPM has another endorsement key than before.
        TpmEndorsementMismatch,

        // Providers.
        /// The backend does not answer.
        ConnectFailed,
        /// The backend refuses the credentials.
        Unauthorized,
        /// The credentials cannot be read.
        CredentialsUnavailable,
        /// The inventory of the backend could not be read, or two failure domains have one name.
        InventoryFailed,
        /// The backend lacks something that the Provider declares.
        CapabilitiesIncomplete,
        /// No failure domain was found.
        NoFailureDomains,

        // Classes of Providers.
        /// The ClusterRole that the processes of the class need does not exist.
        ClusterRoleMissing,

        // Images.
        /// No row says whether the image is ready.
        ImagePending,
        /// The template, volume or file does not exist on the backend.
        TemplateNotFound,
        /// The backend could not say whether the template exists.
        LookupFailed,
        /// The credentials of the backend cannot be read.
        SecretUnavailable,
        /// The image has no source for the class of this Provider.
        NoSource,
        /// The backend cannot use a source of this kind.
        UnsupportedSourceKind,
        /// The build made another kind of artifact than the backend needs.
        WrongArtifactKind,
        /// Content Library import is reserved.
        ContentLibraryNotImplemented,
        /// The build has not finished.
        BuildPending,
        /// The build is under way.
        Building,
        /// The build failed.
        BuildFailed,
        /// The Secret for trusted boot lacks a key.
        TrustedBootKeysMissing,
        /// The artifact is being imported.
        Importing,
        /// The import failed.
        ImportFailed,
        /// The digest of the artifact is not the expected one.
        ChecksumMismatch,
    }
}

/// A part of the platform that writes status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// `Manager::Controller`.
    Controller,
    /// `Manager::Operator`.
    Operator,
    /// `Manager::Provider` of the backend that serves the object.
    Provider,
}

/// Who may write a condition of a kind. `None` means that the kind has no such condition.
pub fn owner(kind: &str, condition: ConditionType) -> Option<Writer> {
    use ConditionType::{
        GuestReady, InfrastructureReady, Migrating, Paused, PlacementValid, ProviderReachable,
        Ready, Reconciling, ResizePending, Scheduled, Stalled,
    };
    let (writer, own): (Writer, &[ConditionType]) = match kind {
        "Provider" => (Writer::Provider, &[ProviderReachable]),
        "ProviderClass" => (Writer::Operator, &[]),
        "VMImage" | "VSphereCluster" | "LibvirtCluster" | "SimCluster" => (Writer::Controller, &[]),
        "VirtualMachine" => (
            Writer::Controller,
            &[
                Scheduled,
                PlacementValid,
                Migrating,
                ResizePending,
                InfrastructureReady,
                GuestReady,
            ],
        ),
        "VSphereMachine" | "LibvirtMachine" | "SimMachine" => {
            (Writer::Provider, &[ResizePending, GuestReady])
        }
        _ => return None,
    };
    let everywhere = [Ready, Reconciling, Stalled, Paused];
    (everywhere.contains(&condition) || own.contains(&condition)).then_some(writer)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    #[test]
    fn the_operator_writes_no_condition_of_a_provider() {
        for condition in ConditionType::ALL {
            assert_ne!(owner("Provider", *condition), Some(Writer::Operator));
        }
    }

    #[test]
    fn a_condition_that_a_kind_does_not_have_has_no_writer() {
        assert_eq!(owner("VMImage", ConditionType::Scheduled), None);
        assert_eq!(owner("VMClass", ConditionType::Ready), None);
    }

    #[test]
    fn every_reason_is_what_the_api_server_accepts() {
        for reason in Reason::ALL {
            let text = reason.as_str();
            assert!(text.starts_with(|c: char| c.is_ascii_uppercase()), "{text}");
            assert!(text.chars().all(|c| c.is_ascii_alphanumeric()), "{text}");
        }
    }
}
