//! Labels and annotations by which the parts of the platform find and ask each other.

/// Label of a machine object and of a provider process's objects: name of the Provider. Each
/// provider process watches machine objects by it.
pub const PROVIDER: &str = "banlieue.io/provider";
/// Label of a provider process's objects: namespace of the Provider.
pub const PROVIDER_NAMESPACE: &str = "banlieue.io/provider-namespace";
/// Label of a provider process's objects: name of the ProviderClass.
pub const PROVIDER_CLASS: &str = "banlieue.io/provider-class";
/// Label of a machine object: name of the VirtualMachine that it realises.
pub const OWNED_BY: &str = "banlieue.io/owned-by";
/// Label of VirtualMachines that were made together and should be apart.
pub const SET: &str = "banlieue.io/set";

/// Annotation of a VirtualMachine: `"true"` allows one move under `migrationPolicy: manual`.
pub const MIGRATE: &str = "banlieue.io/migrate";
/// Annotation of a VirtualMachine: who asked for it.
pub const CREATED_BY: &str = "banlieue.io/created-by";

/// Annotation of a machine object that is being deleted: its own UID lets it go although its
/// backend machine could not be removed. Any other value does nothing.
pub const ABANDON: &str = "banlieue.io/abandon";
