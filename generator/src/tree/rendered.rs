//! What the renderer hands over.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::ascending::Ascending;
use super::changes::Changes;
use super::checksum::Checksum;
use super::inventory::ScopeInfo;
use super::object::ObjectId;
use super::path::{Scope, TreePath};

/// One rendered file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Where it goes.
    pub path: TreePath,
    /// Digest of its whole content.
    pub digest: Checksum,
    /// Its whole content. `None` where whoever rendered it let it go, see [`Rendered::lacks`].
    pub bytes: Option<Vec<u8>>,
    /// The scope that it belongs to.
    pub scope: Scope,
    /// The objects that it holds, in order; empty for a file that is no manifest.
    pub objects: Arc<[ObjectId]>,
}

impl File {
    /// A file with its content.
    pub fn new(path: TreePath, bytes: Vec<u8>, scope: Scope, objects: Arc<[ObjectId]>) -> Self {
        Self {
            path,
            digest: Checksum::of(&bytes),
            bytes: Some(bytes),
            scope,
            objects,
        }
    }
}

/// One run's whole output.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendered {
    generator: String,
    input: String,
    scopes: BTreeMap<Scope, ScopeInfo>,
    files: Vec<File>,
}

impl Rendered {
    /// Takes `files`, in any order, of `scopes`. `generator` is the generator's version and `input`
    /// the digest of the input, in the renderer's own notation.
    pub fn new(
        generator: impl Into<String>,
        input: impl Into<String>,
        scopes: BTreeMap<Scope, ScopeInfo>,
        mut files: Vec<File>,
    ) -> Self {
        files.par_sort_by(|one, other| one.path.cmp(&other.path));
        Self {
            generator: generator.into(),
            input: input.into(),
            scopes,
            files,
        }
    }

    /// Version of the generator.
    pub fn generator(&self) -> &str {
        &self.generator
    }

    /// Digest of the input.
    pub fn input(&self) -> &str {
        &self.input
    }

    /// The scopes that this run renders.
    pub fn scopes(&self) -> &BTreeMap<Scope, ScopeInfo> {
        &self.scopes
    }

    /// The files, in order of path.
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// Whether the content of a file was let go that `changes` writes.
    ///
    /// A large tree seldom changes much, so a run may let go of every content that the inventory
    /// lists already, and render again in the rare case that the disk says otherwise.
    pub fn lacks(&self, changes: &Changes) -> bool {
        let mut change = Ascending::new(&changes.paths);
        let mut let_go = self.files.iter().filter(|file| file.bytes.is_none());
        let_go.any(|file| change.get(&file.path).is_some_and(|change| change.writes()))
    }
}

/// Whether this run speaks for a scope. A covered scope's file that is no longer rendered is deleted;
/// a scope that is not covered keeps its files.
pub type Covers<'a> = dyn Fn(&Scope, &ScopeInfo) -> bool + 'a;
