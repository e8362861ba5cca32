//! What the guest reads on its first boot: placeholders filled in, and the size held against what
//! the backend takes.
//!
//! Exactly seven placeholders are replaced, see [`NAMES`]. `$${IP}` gives a literal `${IP}`, and so
//! for each of them; every other text, `${HOME}` and `$${HOME}` among it, stays as it is. Values
//! come from the first interface with a fixed address, after the zone's subnet was applied. Without
//! such an interface the address placeholders are empty.

use banlieue_schemas::conditions::Reason;
use banlieue_schemas::platform::Backend;

use crate::resolve::Nic;

/// Names of the placeholders, each written `${NAME}`.
pub const NAMES: [&str; 7] = [
    "VM_NAME", "FQDN", "IP", "PREFIX", "GATEWAY", "DNS", "DOMAIN",
];

/// Bytes that one guestinfo variable of vSphere holds.
const GUESTINFO: usize = 64 * 1024;
/// Bytes that the field `userData` of a machine object holds.
const FIELD: usize = 1024 * 1024;

/// Why user data cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UserDataError {
    /// A machine object holds text only.
    #[error("user data is not UTF-8 text: byte {position} is not part of a character")]
    NotText {
        /// Position of the first byte that does not fit, from 0.
        position: usize,
    },
    /// More than the backend takes.
    #[error(
        "user data has {raw} bytes, {encoded} as {backend} encodes it, and at most {limit} fit"
    )]
    TooLarge {
        /// Bytes after substitution.
        raw: usize,
        /// Bytes after encoding.
        encoded: usize,
        /// Bytes that fit.
        limit: usize,
        /// The backend.
        backend: Backend,
    },
}

impl UserDataError {
    /// The reason that a condition gives.
    pub fn reason(&self) -> Reason {
        match self {
            Self::NotText { .. } => Reason::InvalidSpec,
            Self::TooLarge { .. } => Reason::UserDataTooLarge,
        }
    }
}

/// Values of the placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values([String; NAMES.len()]);

impl Values {
    /// The values of a machine. DNS servers are joined with a comma.
    pub fn of(vm_name: &str, nics: &[Nic]) -> Self {
        let fixed = nics.iter().find_map(|nic| nic.ipam.fixed.as_ref());
        let domain = fixed.and_then(|fixed| fixed.domain.clone());
        let fqdn = match &domain {
            Some(domain) => format!("{vm_name}.{domain}"),
            None => vm_name.to_owned(),
        };
        let text = |value: Option<String>| value.unwrap_or_default();
        Self([
            vm_name.to_owned(),
            fqdn,
            text(fixed.map(|fixed| fixed.address.clone())),
            text(fixed.map(|fixed| fixed.prefix.to_string())),
            text(fixed.and_then(|fixed| fixed.gateway.clone())),
            text(fixed.map(|fixed| fixed.nameservers.join(","))),
            text(domain),
        ])
    }
}

/// Fills the placeholders in and checks the size. The text is read once from its start, so a value
/// that looks like a placeholder is not filled in again.
pub fn render(source: &[u8], values: &Values, backend: Backend) -> Result<String, UserDataError> {
    let text = std::str::from_utf8(source).map_err(|error| UserDataError::NotText {
        position: error.valid_up_to(),
    })?;
    let rendered = substitute(text, values);
    check_size(rendered.len(), backend)?;
    Ok(rendered)
}

fn substitute(text: &str, values: &Values) -> String {
    let mut rendered = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, from_dollar) = rest.split_at(at);
        rendered.push_str(before);
        let after_dollar = &from_dollar[1..];
        if let Some((index, tail)) = placeholder(from_dollar) {
            rendered.push_str(&values.0[index]);
            rest = tail;
        } else if let Some((_, tail)) = placeholder(after_dollar) {
            rendered.push_str(&after_dollar[..after_dollar.len() - tail.len()]);
            rest = tail;
        } else {
            rendered.push('$');
            rest = after_dollar;
        }
    }
    rendered.push_str(rest);
    rendered
}

/// The placeholder that a text begins with, and what follows it.
fn placeholder(text: &str) -> Option<(usize, &str)> {
    let (name, tail) = text.strip_prefix("${")?.split_once('}')?;
    let index = NAMES.iter().position(|known| *known == name)?;
    Some((index, tail))
}

fn check_size(raw: usize, backend: Backend) -> Result<(), UserDataError> {
    let (encoded, limit) = match backend {
        // Base64, three bytes in four characters.
        Backend::Vsphere => (raw.div_ceil(3) * 4, GUESTINFO),
        Backend::Libvirt | Backend::Sim => (raw, FIELD),
    };
    if encoded <= limit {
        return Ok(());
    }
    Err(UserDataError::TooLarge {
        raw,
        encoded,
        limit,
        backend,
    })
}

#[cfg(test)]
mod tests;
