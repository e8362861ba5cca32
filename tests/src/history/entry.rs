//! One change of one object.

use std::fmt;

use anyhow::{Context, Result};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::api::DynamicObject;
use kube::{Resource as _, ResourceExt as _};
use serde_json::Value;

/// What the API server stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// It was there when the recording began.
    Found,
    /// It was created.
    Added,
    /// It was changed.
    Modified,
    /// It left the store.
    Deleted,
}

/// A change, with the parts of the object that order is asserted on.
#[derive(Debug, Clone)]
pub struct Entry {
    /// What happened.
    pub event: Event,
    /// The object's kind.
    pub kind: String,
    /// Its namespace, empty for a cluster-scoped object.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Position in the store's order, which all kinds share. An API server with
    /// one etcd counts up by one for each write.
    pub resource_version: u64,
    /// Who owns fields of it, as far as they say so.
    pub managers: Vec<Manager>,
    /// Who must agree before it goes.
    pub finalizers: Vec<String>,
    /// Its owners, `Kind/name`.
    pub owners: Vec<String>,
    /// When its deletion was asked for.
    pub deletion_timestamp: Option<Time>,
    /// The whole object.
    pub object: DynamicObject,
}

/// An owner of fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manager {
    /// Field manager.
    pub name: String,
    /// `Apply` or `Update`.
    pub operation: String,
    /// `status` and the like; empty for the object itself.
    pub subresource: String,
}

impl Entry {
    /// Reads an object as a watch delivers it.
    pub(super) fn new(event: Event, kind: &str, mut object: DynamicObject) -> Result<Self> {
        let version = object.resource_version().context("no resourceVersion")?;
        let managed = object.meta_mut().managed_fields.take().unwrap_or_default();
        let managers = managed.into_iter().map(|entry| Manager {
            name: entry.manager.unwrap_or_default(),
            operation: entry.operation.unwrap_or_default(),
            subresource: entry.subresource.unwrap_or_default(),
        });
        let owners = object.owner_references().iter();
        Ok(Self {
            event,
            kind: kind.to_owned(),
            namespace: object.namespace().unwrap_or_default(),
            name: object.name_any(),
            resource_version: version.parse().context(version)?,
            managers: managers.collect(),
            finalizers: object.finalizers().to_vec(),
            owners: owners
                .map(|owner| format!("{}/{}", owner.kind, owner.name))
                .collect(),
            deletion_timestamp: object.metadata.deletion_timestamp.clone(),
            object,
        })
    }

    /// Whether this is about the object `kind`/`name`, in any namespace.
    pub fn is(&self, kind: &str, name: &str) -> bool {
        self.kind == kind && self.name == name
    }

    /// Whether `manager` owns fields of it, through `subresource` (empty for the
    /// object itself).
    pub fn has_manager(&self, manager: &str, subresource: &str) -> bool {
        let mut managers = self.managers.iter();
        managers.any(|it| it.name == manager && it.subresource == subresource)
    }

    /// Whether `manager` owns fields of it through `subresource`, and nobody else
    /// does: then what is there was written by it.
    pub fn has_only_manager(&self, manager: &str, subresource: &str) -> bool {
        let mut managers = self.managers.iter();
        self.has_manager(manager, subresource)
            && managers.all(|it| it.name == manager || it.subresource != subresource)
    }

    /// Whether it carries `finalizer`.
    pub fn has_finalizer(&self, finalizer: &str) -> bool {
        self.finalizers.iter().any(|it| it == finalizer)
    }

    /// Value at a JSON pointer below the object's root, such as `/status/phase`;
    /// metadata is in fields of the entry.
    pub fn at(&self, pointer: &str) -> &Value {
        self.object.data.pointer(pointer).unwrap_or(&Value::Null)
    }

    /// Status of the condition `type_`, such as `True`; empty without it.
    pub fn condition(&self, type_: &str) -> &str {
        self.of_condition(type_, "status")
    }

    /// Reason of the condition `type_`; empty without it.
    pub fn reason(&self, type_: &str) -> &str {
        self.of_condition(type_, "reason")
    }

    fn of_condition(&self, type_: &str, field: &str) -> &str {
        let conditions = self.at("/status/conditions").as_array();
        conditions
            .into_iter()
            .flatten()
            .find(|condition| condition["type"] == type_)
            .and_then(|condition| condition[field].as_str())
            .unwrap_or_default()
    }
}

/// One line of a timeline.
impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let event = format!("{:?}", self.event);
        write!(f, "{:>8} {event:<8} {} ", self.resource_version, self.kind)?;
        if !self.namespace.is_empty() {
            write!(f, "{}/", self.namespace)?;
        }
        f.write_str(&self.name)?;
        let managers = self.managers.iter().map(|manager| {
            if manager.subresource.is_empty() {
                manager.name.clone()
            } else {
                format!("{}:{}", manager.name, manager.subresource)
            }
        });
        let lists = [
            ("by", managers.collect()),
            ("finalizers", self.finalizers.clone()),
            ("owners", self.owners.clone()),
        ];
        for (label, items) in lists {
            if !items.is_empty() {
                write!(f, " {label}=[{}]", items.join(" "))?;
            }
        }
        if self.deletion_timestamp.is_some() {
            f.write_str(" deleting")?;
        }
        Ok(())
    }
}
