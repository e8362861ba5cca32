//! From an endpoint and credentials to a backend.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;

use crate::errors::BackendError;
use crate::images::Images;
use crate::inventory::Inventory;
use crate::machines::Machines;

/// A connected hypervisor.
pub trait Backend: Inventory + Machines + Images + 'static {
    /// Ends the session. What is in flight on the hypervisor goes on.
    fn close(&self) -> impl Future<Output = ()> + Send;
}

/// Makes connections to hypervisors of one kind.
pub trait Connect: Send + Sync + 'static {
    /// What a connection is.
    type Backend: Backend;

    /// Keys that the Secret with the credentials has to hold. One that lacks any is told to the
    /// user as such, without an attempt to connect.
    fn keys(&self) -> &'static [&'static str] {
        &[]
    }

    /// Connects and authenticates.
    ///
    /// # Errors
    /// [`ErrorKind::Auth`] when the credentials are refused or a key of them is missing,
    /// [`ErrorKind::Retry`] when the endpoint does not answer.
    ///
    /// [`ErrorKind::Auth`]: crate::ErrorKind::Auth
    /// [`ErrorKind::Retry`]: crate::ErrorKind::Retry
    fn connect(
        &self,
        endpoint: &Endpoint,
        credentials: &Credentials,
    ) -> impl Future<Output = Result<Self::Backend, BackendError>> + Send;
}

/// Where a hypervisor is, and whom to trust there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Endpoint {
    /// URL, by the scheme of the backend.
    pub url: String,
    /// PEM certificates of trusted authorities. None means those of the system.
    pub trust: Option<String>,
    /// Whether certificates are not verified.
    pub insecure: bool,
}

/// Content of the Secret with the credentials. `Debug` shows names of keys only.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Credentials(BTreeMap<String, Vec<u8>>);

impl Credentials {
    /// Credentials from the data of a Secret.
    pub fn new(data: BTreeMap<String, Vec<u8>>) -> Self {
        Self(data)
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&[u8]> {
        self.0.get(key).map(Vec::as_slice)
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_not_printed() {
        let data = BTreeMap::from([("password".to_owned(), b"hunter2".to_vec())]);
        let text = format!("{:?}", Credentials::new(data));
        assert_eq!(text, r#"{"password"}"#);
    }
}
