//! What the renderer hands over.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::checksum::Checksum;
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
    pub objects: Arc<[ObjectId]>,
}

/// One run's whole output.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendered {
    generator: String,
    input: String,
    scopes: BTreeMap<Scope, ScopeInfo>,
    files: Vec<File>,
    digests: Vec<Checksum>,
}

impl Rendered {
    /// Takes `files`, in any order, of `scopes`, and digests them. `generator` is the generator's
    /// version and `input` the digest of the input, in the renderer's own notation.
    pub fn new(
        generator: impl Into<String>,
        input: impl Into<String>,
        scopes: BTreeMap<Scope, ScopeInfo>,
        mut files: Vec<File>,
    ) -> Self {
        files.par_sort_by(|one, other| one.path.cmp(&other.path));
        let digests = files
            .par_iter()
            .map(|file| Checksum::of(&file.bytes))
            .collect();
        Self {
            generator: generator.into(),
            input: input.into(),
            scopes,
            files,
            digests,
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

    /// The files with their digests.
    pub fn digested(&self) -> impl Iterator<Item = (&File, Checksum)> {
        self.files.iter().zip(self.digests.iter().copied())
    }
}

/// Whether this run speaks for a scope. A covered scope's file that is no longer rendered is deleted;
/// a scope that is not covered keeps its files.
pub type Covers<'a> = dyn Fn(&Scope, &ScopeInfo) -> bool + 'a;
