//! Endpoints of the form `sim://host[:port]/[world]`.

use axum::http::Uri;
use banlieue_backend::{BackendError, ErrorKind};

use crate::server::DEFAULT_PORT;
use crate::worlds::DEFAULT_WORLD;

/// Where a world is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    /// Host and port.
    pub(super) authority: String,
    /// Name of the world.
    pub(super) world: String,
}

impl Address {
    /// Reads an endpoint.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`]: it will not be right next time either.
    pub(super) fn parse(url: &str) -> Result<Self, BackendError> {
        let wrong = || {
            BackendError::new(
                ErrorKind::Refused,
                format!("{url} is not of the form sim://host[:port]/[world]"),
            )
        };
        let uri: Uri = url.parse().map_err(|error| wrong().because(error))?;
        let host = uri.host().filter(|host| !host.is_empty());
        let (Some("sim"), Some(host)) = (uri.scheme_str(), host) else {
            return Err(wrong());
        };
        let world = uri.path().trim_matches('/');
        let known = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        if !world.chars().all(known) || uri.query().is_some() {
            return Err(wrong());
        }
        let port = uri.port_u16().unwrap_or(DEFAULT_PORT);
        let world = if world.is_empty() {
            DEFAULT_WORLD
        } else {
            world
        };
        Ok(Self {
            authority: format!("{host}:{port}"),
            world: world.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    #[test]
    fn endpoints_are_read() {
        let cases = [
            ("sim://lab", Some(("lab:8090", "default"))),
            ("sim://lab/", Some(("lab:8090", "default"))),
            ("sim://lab:9/west", Some(("lab:9", "west"))),
            ("sim://[::1]:9/a.b-c/", Some(("[::1]:9", "a.b-c"))),
            ("sim:///west", None),
            ("https://lab/west", None),
            ("sim://lab/a/b", None),
            ("sim://lab/a?b", None),
            ("lab", None),
        ];
        for (url, wanted) in cases {
            let found = Address::parse(url).ok();
            let wanted = wanted.map(|(authority, world)| Address {
                authority: authority.to_owned(),
                world: world.to_owned(),
            });
            assert_eq!(found, wanted, "{url}");
        }
    }
}
