//! What the renderer hands over.

use std::collections::BTreeMap;

use super::inventory::ScopeInfo;
use super::object::ObjectId;
use super::path::{Scope, TreePath};

/// One rendered file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Where it goes.
    pub path: TreePath,
    /// Its whole content.
    pub bytes: Vec<u8>,
    /// The scope that it belongs to.
    pub scope: Scope,
    /// The objects that it holds, in order; empty for a file that is no manifest.
    pub objects: Vec<ObjectId>,
}

/// One run's whole output.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendered {
    /// Version of the generator.
    pub generator: String,
    /// Digest of the input, in the renderer's own notation.
    pub input: String,
    /// The scopes that this run renders.
    pub scopes: BTreeMap<Scope, ScopeInfo>,
    /// The files, in any order.
    pub files: Vec<File>,
}

/// Whether this run speaks for a scope. A covered scope's file that is no longer rendered is deleted;
/// a scope that is not covered keeps its files.
pub type Covers<'a> = dyn Fn(&Scope, &ScopeInfo) -> bool + 'a;
