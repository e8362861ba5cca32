//! The record of what was rendered into a tree, kept in `.banlieue/inventory.json`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::checksum::Checksum;
use super::error::TreeError;
use super::object::ObjectId;
use super::opaque::Opaque;
use super::path::{Scope, TreePath};
use super::rendered::{Covers, File, Rendered};

/// The version of the format that this build writes, and the newest that it reads.
const VERSION: u32 = 1;

/// What banlieue-gen wrote into a tree. It holds no time, so that equal renders are equal bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inventory {
    /// Version of the format.
    pub version: u32,
    /// Version of the generator of the last run.
    pub generator: String,
    /// Digest of the input of the last run.
    pub input: String,
    /// The scopes in the tree, from every run.
    pub scopes: BTreeMap<Scope, ScopeInfo>,
    /// The files in the tree, from every run.
    pub files: BTreeMap<TreePath, Entry>,
}

/// One file that we wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Digest of the content that we wrote.
    pub sha256: Checksum,
    /// The scope that the file belongs to.
    pub scope: Scope,
    /// The objects in the file.
    #[serde(default = "no_objects", skip_serializing_if = "<[_]>::is_empty")]
    pub objects: Arc<[ObjectId]>,
}

/// What a scope is about, so that a later run over other scopes can still draw the index of all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScopeInfo {
    /// The tier, where the scope has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    /// The cluster, where the scope is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The sites that the scope touches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<String>,
    /// Whatever else the renderer wants to read back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Opaque>,
}

/// What a tree will hold after a run: see [`Inventory::union`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Union<'a> {
    /// Every scope.
    pub scopes: BTreeMap<Scope, ScopeInfo>,
    /// Every path, in no order; one that moves between scopes may be there twice.
    pub paths: Vec<&'a TreePath>,
}

impl Entry {
    fn of(file: &File) -> Self {
        Self {
            sha256: file.digest,
            scope: file.scope.clone(),
            objects: file.objects.clone(),
        }
    }
}

impl Default for Inventory {
    fn default() -> Self {
        Self {
            version: VERSION,
            generator: String::new(),
            input: String::new(),
            scopes: BTreeMap::new(),
            files: BTreeMap::new(),
        }
    }
}

impl Inventory {
    /// Reads what [`Inventory::to_json`] wrote. `origin` names the file in errors.
    pub fn from_json(origin: &str, bytes: &[u8]) -> Result<Self, TreeError> {
        #[derive(Deserialize)]
        struct Head {
            version: u32,
        }
        let corrupt = |source| TreeError::Corrupt {
            path: origin.to_owned(),
            source,
        };
        let inventory = match serde_json::from_slice::<Self>(bytes) {
            Ok(inventory) if inventory.version <= VERSION => return Ok(inventory),
            other => other,
        };
        // A newer version may hold what this one does not know: say that before anything else.
        let head: Head = serde_json::from_slice(bytes).map_err(corrupt)?;
        if head.version > VERSION {
            return Err(TreeError::Newer {
                path: origin.to_owned(),
                version: head.version,
                newest: VERSION,
            });
        }
        inventory.map_err(corrupt)
    }

    /// The bytes of the file: one line a scope and one line a file, so that git shows what moved.
    pub fn to_json(&self) -> Result<Vec<u8>, TreeError> {
        let quoted = |text: &str| serde_json::to_string(text).map_err(TreeError::Encode);
        let mut out = String::with_capacity(256 * (self.files.len() + self.scopes.len() + 1));
        let head = format_args!("{{\n\"version\": {},\n", self.version).to_string();
        out.push_str(&head);
        let _ = writeln!(out, "\"generator\": {},", quoted(&self.generator)?);
        let _ = writeln!(out, "\"input\": {},", quoted(&self.input)?);
        section(&mut out, "scopes", &self.scopes)?;
        out.push_str(",\n");
        section(&mut out, "files", &self.files)?;
        out.push_str("\n}\n");
        Ok(out.into_bytes())
    }

    /// The inventory after a run: what it rendered, and the entries of scopes that it does not cover.
    ///
    /// A path that another scope rendered
    /// before goes to the scope that renders it now. The same path twice in one run is an error.
    pub fn merge(&self, rendered: &Rendered, covers: &Covers<'_>) -> Result<Self, TreeError> {
        if let Some((first, second)) = rendered
            .files()
            .iter()
            .zip(rendered.files().iter().skip(1))
            .find(|(one, next)| one.path == next.path)
        {
            return Err(TreeError::Twice {
                path: first.path.clone(),
                first: first.scope.clone(),
                second: second.scope.clone(),
            });
        }
        let mut files: BTreeMap<_, _> = rendered
            .files()
            .iter()
            .map(|file| (file.path.clone(), Entry::of(file)))
            .collect();
        for (path, entry) in self.kept(covers) {
            files.entry(path.clone()).or_insert_with(|| entry.clone());
        }
        Ok(Self {
            version: VERSION,
            generator: rendered.generator().to_owned(),
            input: rendered.input().to_owned(),
            scopes: self.scopes_after(rendered.scopes(), covers),
            files,
        })
    }

    /// What the tree will hold once `files` of `scopes` are written: the same answer as
    /// [`Inventory::merge`], known before the index files that are drawn from it.
    pub fn union<'a>(
        &'a self,
        scopes: &BTreeMap<Scope, ScopeInfo>,
        files: impl IntoIterator<Item = &'a File>,
        covers: &Covers<'_>,
    ) -> Union<'a> {
        let kept = self.kept(covers).map(|(path, _)| path);
        Union {
            scopes: self.scopes_after(scopes, covers),
            paths: kept
                .chain(files.into_iter().map(|file| &file.path))
                .collect(),
        }
    }

    /// Whether it lists `path` with content of this digest.
    pub fn lists(&self, path: &TreePath, digest: Checksum) -> bool {
        let entry = self.files.get(path);
        entry.is_some_and(|entry| entry.sha256 == digest)
    }

    /// Whether it lists nothing.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.scopes.is_empty()
    }

    /// The files that a run with `covers` speaks for.
    pub(super) fn covered(&self, covers: &Covers<'_>) -> impl Iterator<Item = (&TreePath, &Entry)> {
        self.spoken_for(covers, true)
    }

    /// The files that a run with `covers` leaves alone.
    fn kept(&self, covers: &Covers<'_>) -> impl Iterator<Item = (&TreePath, &Entry)> {
        self.spoken_for(covers, false)
    }

    fn spoken_for(
        &self,
        covers: &Covers<'_>,
        wanted: bool,
    ) -> impl Iterator<Item = (&TreePath, &Entry)> {
        // Asked once for files in a row: the answer may cost a search.
        let nothing_known = ScopeInfo::default();
        let mut last: Option<(&Scope, bool)> = None;
        self.files.iter().filter(move |(_, Entry { scope, .. })| {
            let covered = match last {
                Some((known, covered)) if known == scope => covered,
                _ => covers(scope, self.scopes.get(scope).unwrap_or(&nothing_known)),
            };
            last = Some((scope, covered));
            covered == wanted
        })
    }

    fn scopes_after(
        &self,
        rendered: &BTreeMap<Scope, ScopeInfo>,
        covers: &Covers<'_>,
    ) -> BTreeMap<Scope, ScopeInfo> {
        let mut scopes: BTreeMap<_, _> = self
            .scopes
            .iter()
            .filter(|(scope, info)| !covers(scope, info))
            .map(|(scope, info)| (scope.clone(), info.clone()))
            .collect();
        scopes.extend(
            rendered
                .iter()
                .map(|(scope, info)| (scope.clone(), info.clone())),
        );
        scopes
    }
}

fn no_objects() -> Arc<[ObjectId]> {
    Arc::new([])
}

fn section<K: Serialize, V: Serialize>(
    out: &mut String,
    name: &str,
    map: &BTreeMap<K, V>,
) -> Result<(), TreeError> {
    let _ = write!(out, "\"{name}\": {{");
    for (index, (key, value)) in map.iter().enumerate() {
        out.push_str(if index == 0 { "\n" } else { ",\n" });
        out.push_str(&serde_json::to_string(key).map_err(TreeError::Encode)?);
        out.push_str(": ");
        out.push_str(&serde_json::to_string(value).map_err(TreeError::Encode)?);
    }
    out.push_str(if map.is_empty() { "}" } else { "\n}" });
    Ok(())
}
