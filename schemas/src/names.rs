//! Names: what the API server accepts, how ours are built, and how they are cut to length.
//!
//! A name that is cut keeps a readable front and gets a hash of everything it was built from, so
//! that siblings stay apart. The hashes are frozen by tests: another hash is another object.

use serde_json::Value;
use sha2::{Digest, Sha256};

/// Longest DNS label (RFC 1123), and longest label value.
pub const MAX_LABEL: usize = 63;
/// Longest DNS subdomain, the rule for most object names.
pub const MAX_SUBDOMAIN: usize = 253;

const HASH_LEN: usize = 8;

/// Why a text is not a valid name. The message continues a sentence that names the field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// No characters at all.
    #[error("is empty")]
    Empty,
    /// Over the limit of the kind of name.
    #[error("has {length} characters, at most {max} are allowed")]
    TooLong {
        /// Length found.
        length: usize,
        /// Limit.
        max: usize,
    },
    /// A character outside of the alphabet.
    #[error("has {found:?} at position {position}; only a-z, 0-9 and {allowed} are allowed")]
    Character {
        /// The offending character.
        found: char,
        /// Its position, counted in characters from 1.
        position: usize,
        /// The punctuation that this kind of name allows.
        allowed: &'static str,
    },
    /// A label, the whole name or a part between dots, that is empty or has `-` at an end.
    #[error("must start and end each part with a letter or digit; the part {label:?} does not")]
    Label {
        /// The offending part.
        label: String,
    },
}

/// Checks for a DNS label: namespaces, Services, container names, label values we build.
pub fn check_label(name: &str) -> Result<(), NameError> {
    check_alphabet(name, MAX_LABEL, "'-'", |c| c == '-')?;
    check_ends(name)
}

/// Checks for a DNS subdomain: most object names. A part may be longer than 63, as in Kubernetes.
pub fn check_subdomain(name: &str) -> Result<(), NameError> {
    check_alphabet(name, MAX_SUBDOMAIN, "'-' and '.'", |c| {
        matches!(c, '-' | '.')
    })?;
    name.split('.').try_for_each(check_ends)
}

fn check_alphabet(
    name: &str,
    max: usize,
    allowed: &'static str,
    punctuation: fn(char) -> bool,
) -> Result<(), NameError> {
    if name.is_empty() {
        return Err(NameError::Empty);
    }
    let offending = name
        .chars()
        .zip(1..)
        .find(|(c, _)| !(c.is_ascii_lowercase() || c.is_ascii_digit() || punctuation(*c)));
    if let Some((found, position)) = offending {
        return Err(NameError::Character {
            found,
            position,
            allowed,
        });
    }
    if name.len() > max {
        return Err(NameError::TooLong {
            length: name.len(),
            max,
        });
    }
    Ok(())
}

fn check_ends(label: &str) -> Result<(), NameError> {
    if label.is_empty() || label.starts_with('-') || label.ends_with('-') {
        return Err(NameError::Label {
            label: label.to_owned(),
        });
    }
    Ok(())
}

/// Joins with `-`. Over `max` bytes, the front is cut and a hash of all parts follows it.
///
/// Where the parts are valid names, so is the result. Two lists of parts that are both too long
/// differ in the hash even if they join to the same text. `max` of at least 10 leaves room for
/// something readable; below, the hash alone is cut.
pub fn shorten(parts: &[&str], max: usize) -> String {
    let joined = parts.join("-");
    if joined.len() <= max {
        joined
    } else {
        with_hash(&joined, parts, max)
    }
}

/// As [`shorten`], but also hashed when the text alone does not say where the first parts end, so
/// that two lists of parts never share a name.
pub fn join_unambiguously(parts: &[&str], max: usize) -> String {
    let joined = parts.join("-");
    let ambiguous = parts.iter().rev().skip(1).any(|part| part.contains('-'));
    if joined.len() <= max && !ambiguous {
        joined
    } else {
        with_hash(&joined, parts, max)
    }
}

fn with_hash(joined: &str, parts: &[&str], max: usize) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        // The length in front makes ["a-b", "c"] and ["a", "b-c"] different input.
        hasher.update(format!("{}:{part},", part.len()));
    }
    let hash = hex(&hasher.finalize(), HASH_LEN.min(max));
    let room = max.saturating_sub(HASH_LEN + 1);
    let end = (0..=room.min(joined.len()))
        .rev()
        .find(|&at| joined.is_char_boundary(at));
    match joined[..end.unwrap_or(0)].trim_end_matches(['-', '.']) {
        "" => hash,
        front => format!("{front}-{hash}"),
    }
}

/// Makes a DNS label of any text, except for its length: ASCII letters in lower case, digits,
/// and one `-` for each run of anything else. A text without either gives its hash.
pub fn slugify(text: &str) -> String {
    let words: Vec<String> = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    if words.is_empty() {
        hex(&Sha256::digest(text), HASH_LEN)
    } else {
        words.join("-")
    }
}

/// Default name of a failure domain, a label of at most 63 characters. Backend names that only
/// differ in case or punctuation give the same one; whoever lists failure domains checks that.
pub fn failure_domain(provider: &str, datacenter: &str, cluster: &str) -> String {
    let slugs = [provider, datacenter, cluster].map(slugify);
    shorten(&[&slugs[0], &slugs[1], &slugs[2]], MAX_LABEL)
}

/// Name of a Provider's Deployment, ServiceAccount, Role, RoleBinding and Lease:
/// `banlieue-provider-<class>-<provider>`, with a hash where a `-` in the class would let two
/// pairs share a name.
pub fn workload(class: &str, provider: &str) -> String {
    join_unambiguously(&["banlieue", "provider", class, provider], MAX_LABEL)
}

/// Name of a Provider's cluster-scoped objects, `banlieue-provider-<class>-<namespace>-<provider>`,
/// by the rule of [`workload`].
pub fn cluster_scoped_workload(class: &str, namespace: &str, provider: &str) -> String {
    join_unambiguously(
        &["banlieue", "provider", class, namespace, provider],
        MAX_LABEL,
    )
}

/// Hash of a value's meaning, as `len` (at most 64) lower-case hex digits of SHA-256.
///
/// Map order does not count, nor do entries that are null or an empty map or list. List items
/// always count. Values that equal a schema default count: who hashes a spec removes them first.
pub fn content_hash(value: &Value, len: usize) -> String {
    hash(value, is_empty, len)
}

/// As [`content_hash`], but an entry that is an empty map or list counts, too: for what is named by
/// its content and can tell nothing from empty.
pub fn exact_hash(value: &Value, len: usize) -> String {
    hash(value, Value::is_null, len)
}

fn hash(value: &Value, skip: fn(&Value) -> bool, len: usize) -> String {
    let mut text = String::new();
    canonical(value, skip, &mut text);
    hex(&Sha256::digest(text), len)
}

/// Compact JSON with sorted keys and without the entries to skip.
fn canonical(value: &Value, skip: fn(&Value) -> bool, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().filter(|(_, value)| !skip(value)).collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            out.push('{');
            for (index, (key, value)) in entries.into_iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                canonical(value, skip, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                canonical(item, skip, out);
            }
            out.push(']');
        }
        leaf => out.push_str(&leaf.to_string()),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(map) => map.values().all(is_empty),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

fn hex(bytes: &[u8], len: usize) -> String {
    let digit = |nibble: u8| {
        char::from(if nibble < 10 {
            b'0' + nibble
        } else {
            b'a' - 10 + nibble
        })
    };
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .take(len)
        .collect()
}

#[cfg(test)]
mod tests;
