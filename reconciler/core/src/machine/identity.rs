//! Which machine on a backend belongs to which object.

use banlieue_schemas::platform::Backend;
use uuid::Uuid;

/// Namespace of the UUIDs below. Frozen: another one would orphan every machine.
const NAMESPACE: Uuid = Uuid::from_u128(0x6ee7_d44c_5f0e_4a2b_8b5c_0a5c_9d1f_77e1);

/// The identity of a machine on its backend, derived from the UID of its object and nothing else.
///
/// The same object always gives the same UUID, so that a second attempt to create a machine meets
/// the first one. An object that is deleted and made again under its old name has another UID, and
/// so another machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    uid: String,
    uuid: Uuid,
}

impl Identity {
    /// The identity of the machine of the object with `uid` (`metadata.uid`).
    pub fn of(uid: impl Into<String>) -> Self {
        let uid = uid.into();
        Self {
            uuid: Uuid::new_v5(&NAMESPACE, uid.as_bytes()),
            uid,
        }
    }

    /// UID of the object. Backends stamp it on the machine: nothing without it is ever destroyed.
    pub fn uid(&self) -> &str {
        &self.uid
    }

    /// Instance or domain UUID of the machine.
    pub fn uuid(&self) -> Uuid {
        self.uuid
    }

    /// `spec.providerID` of the object.
    pub fn provider_id(&self, backend: Backend, provider: &str) -> String {
        match backend {
            Backend::Vsphere => format!("vsphere://{}", self.uuid),
            Backend::Libvirt | Backend::Sim => format!("{backend}://{provider}/{}", self.uuid),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_uuid_of_an_object_is_frozen() {
        let identity = Identity::of("0b1c8f4e-7f0f-4f6f-9a52-2f3b4f0a9a11");
        assert_eq!(
            identity.uuid().to_string(),
            "4c319c96-a621-5e14-b092-cc1d96f82598"
        );
    }

    #[test]
    fn each_backend_has_its_form_of_provider_id() {
        let identity = Identity::of("a");
        let uuid = identity.uuid();
        let id = |backend| identity.provider_id(backend, "p1");
        assert_eq!(id(Backend::Vsphere), format!("vsphere://{uuid}"));
        assert_eq!(id(Backend::Libvirt), format!("libvirt://p1/{uuid}"));
        assert_eq!(id(Backend::Sim), format!("sim://p1/{uuid}"));
    }
}
