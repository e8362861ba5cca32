//! The worlds of one server.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::simulator::Simulator;
use crate::world::spec::WorldSpec;

/// The world of an endpoint that names none.
pub const DEFAULT_WORLD: &str = "default";

/// What a server begins with, as its configuration file has it.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct WorldsSpec {
    /// What a world is like that is not named below.
    pub template: WorldSpec,
    /// Worlds that differ from the template.
    pub worlds: BTreeMap<String, WorldSpec>,
}

/// A configuration file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the configuration of the simulator is not valid")]
pub struct SpecError(#[source] serde_saphyr::Error);

impl WorldsSpec {
    /// Reads YAML. An empty text means the default.
    ///
    /// # Errors
    /// Text that is not YAML, and fields that are unknown or of another type.
    pub fn from_yaml(text: &str) -> Result<Self, SpecError> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        serde_saphyr::from_str(text).map_err(SpecError)
    }

    /// The same with another seed in every world.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.template.seed = seed;
        for world in self.worlds.values_mut() {
            world.seed = seed;
        }
        self
    }
}

/// Worlds by name. Each begins when it is first used.
pub struct Worlds {
    spec: WorldsSpec,
    running: Mutex<BTreeMap<String, Arc<Simulator>>>,
}

impl Worlds {
    /// No world yet.
    pub fn new(spec: WorldsSpec) -> Self {
        Self {
            spec,
            running: Mutex::default(),
        }
    }

    /// The world of that name.
    pub fn get(&self, name: &str) -> Arc<Simulator> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = running.get(name) {
            return Arc::clone(found);
        }
        let spec = self.spec.worlds.get(name).unwrap_or(&self.spec.template);
        let begun = Simulator::start(spec.clone());
        running.insert(name.to_owned(), Arc::clone(&begun));
        begun
    }

    /// Names of the worlds that began.
    pub fn names(&self) -> Vec<String> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.keys().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    #[test]
    fn a_file_changes_what_it_names() {
        let spec = WorldsSpec::from_yaml(
            "template: {latency: {create: [5, 5]}}\n\
             worlds: {lab: {zones: [{datacenter: lab, cluster: one}]}}\n",
        )
        .unwrap()
        .with_seed(7);
        assert_eq!(spec.template.latency.create, [5, 5]);
        assert_eq!(spec.template.zones.len(), 6);
        let lab = &spec.worlds["lab"];
        assert_eq!((lab.seed, lab.zones.len()), (7, 1));
        assert_eq!(lab.zones[0].images[0].name, "debian-13");
    }

    #[test]
    fn an_empty_file_means_the_default_and_a_typing_error_is_told() {
        assert!(WorldsSpec::from_yaml(" \n").unwrap() == WorldsSpec::default());
        let error = WorldsSpec::from_yaml("template: {latancy: {}}")
            .err()
            .unwrap();
        let cause = std::error::Error::source(&error).unwrap().to_string();
        assert!(cause.contains("latancy"), "{cause}");
    }

    #[tokio::test]
    async fn a_world_begins_once() {
        let worlds = Worlds::new(WorldsSpec::default());
        assert!(Arc::ptr_eq(&worlds.get("a"), &worlds.get("a")));
        assert!(!Arc::ptr_eq(&worlds.get("a"), &worlds.get("b")));
        assert_eq!(worlds.names(), ["a", "b"]);
    }
}
