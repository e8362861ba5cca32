//! Builders of whole Kubernetes objects, and the writer that turns them into YAML.
//!
//! The generator and `banlieue bootstrap` call the same functions, so both emit the same bytes.

pub mod yaml;
