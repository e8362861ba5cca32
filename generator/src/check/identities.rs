//! Objects and files that are rendered twice.

use std::collections::{HashMap, hash_map::Entry};

use banlieue_schemas::manifests::object::ObjectId;

use super::{Finding, codes};
use crate::{
    diagnostic::{Code, Severity},
    plan::Problem,
};

/// What is kept of an object that has been checked.
#[derive(Clone, Debug)]
pub struct Identity {
    /// What it is.
    pub id: ObjectId,
    /// Its file in the tree.
    pub path: String,
    /// Keys from the top of the fleet to what it was rendered from.
    pub origin: Vec<String>,
}

/// Every object so far.
#[derive(Debug, Default)]
pub struct Identities {
    /// Origins, each once for all of its objects.
    origins: Vec<Vec<String>>,
    objects: HashMap<ObjectId, usize>,
    /// Paths in lower case.
    paths: HashMap<String, usize>,
}

impl Identities {
    /// Whether an object was rendered.
    pub fn contains(&self, id: &ObjectId) -> bool {
        self.objects.contains_key(id)
    }

    /// Adds the objects of a unit and reports those that are there already.
    pub fn add(&mut self, identities: Vec<Identity>) -> Vec<Finding> {
        let mut twins = Vec::new();
        for Identity { id, path, origin } in identities {
            let second = self.origin(origin);
            let name = id.to_string();
            let mut add = |code, what: &str, first: usize| {
                let (first, second) = (&self.origins[first], &self.origins[second]);
                twins.push(twin(code, &name, what, first, second));
            };
            let known = self.objects.entry(id);
            let twice = matches!(known, Entry::Occupied(_));
            match known {
                Entry::Occupied(first) => {
                    add(&codes::DUPLICATE_OBJECT, "is rendered twice", *first.get());
                }
                Entry::Vacant(entry) => {
                    entry.insert(second);
                }
            }
            match self.paths.entry(path.to_lowercase()) {
                Entry::Occupied(first) if !twice => {
                    let what = format!("shares the file {path} with another object");
                    add(&codes::DUPLICATE_PATH, &what, *first.get());
                }
                Entry::Occupied(_) => {}
                Entry::Vacant(entry) => {
                    entry.insert(second);
                }
            }
        }
        twins
    }

    /// The number of an origin. Objects of one origin follow each other.
    fn origin(&mut self, origin: Vec<String>) -> usize {
        if self.origins.last() != Some(&origin) {
            self.origins.push(origin);
        }
        self.origins.len() - 1
    }
}

/// The finding of a second object, with the origins of both.
fn twin(
    code: &'static Code,
    name: &str,
    what: &str,
    first: &[String],
    second: &[String],
) -> Finding {
    let origins = if first == second {
        format!("both for `{}`", second.join("."))
    } else {
        format!("for `{}` and for `{}`", first.join("."), second.join("."))
    };
    let message = format!("{what}, {origins}");
    let hint = "rename one of the two things that they come from";
    Finding {
        problem: Problem {
            code,
            path: second.to_vec(),
            message,
            hint: Some(hint.to_owned()),
        },
        severity: Severity::Error,
        object: Some(name.to_owned()),
    }
}
