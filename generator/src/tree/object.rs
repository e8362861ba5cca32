//! What a file holds.

pub use banlieue_schemas::manifests::object::ObjectId;
