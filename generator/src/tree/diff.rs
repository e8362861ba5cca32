//! Shows a person what a changed file changes: as lines, and as fields of its object.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::Value;
use similar::TextDiff;

use super::changes::{Change, Changes};
use super::error::TreeError;
use super::existing::Existing;
use super::fields::changed_fields;
use super::object::ObjectId;
use super::path::TreePath;
use super::rendered::{File, Rendered};

/// A side longer than this, in bytes, is not compared line by line.
const MAX_BYTES: usize = 1 << 20;
/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;

/// One field that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldChange {
    /// The object that the field belongs to.
    pub object: ObjectId,
    /// Where the field is, such as `spec.replicas` or `spec.disks[name=root].size`.
    pub path: String,
    /// The value on disk; `None` if the field is new.
    pub old: Option<Value>,
    /// The rendered value; `None` if the field goes away.
    pub new: Option<Value>,
}

/// One file that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileDiff {
    /// The file.
    pub path: TreePath,
    /// Why it differs.
    pub change: Change,
    /// A unified diff, or a sentence where that would be too long or the content is no text.
    pub text: String,
    /// The fields that differ, where the file holds one object and both sides can be parsed.
    pub fields: Option<Vec<FieldChange>>,
}

/// Diffs every file that the run would write over, with at most `max_lines` lines of text each.
///
/// `parse` reads one document, and answers `None` for what it cannot read. A created or deleted file
/// has no diff: its name says it all.
pub fn diff_changes(
    existing: &Existing,
    changes: &Changes,
    rendered: &Rendered,
    parse: &dyn Fn(&str) -> Option<Value>,
    max_lines: usize,
) -> Result<Vec<FileDiff>, TreeError> {
    let mut diffs = Vec::new();
    for file in rendered.files() {
        let Some(change) = changes.paths.get(&file.path).copied() else {
            continue;
        };
        if !matches!(change, Change::Update | Change::Edited | Change::Foreign) {
            continue;
        }
        let old = existing.read(&file.path)?.unwrap_or_default();
        diffs.push(diff_file(change, &old, file, parse, max_lines));
    }
    Ok(diffs)
}

/// Diffs what is on disk against what was rendered, of which the content is there. Pure.
pub fn diff_file(
    change: Change,
    old: &[u8],
    file: &File,
    parse: &dyn Fn(&str) -> Option<Value>,
    max_lines: usize,
) -> FileDiff {
    let path = file.path.clone();
    let new = file.bytes.as_deref().unwrap_or_default();
    let (Ok(before), Ok(after)) = (std::str::from_utf8(old), std::str::from_utf8(new)) else {
        return FileDiff {
            path,
            change,
            text: "binary content differs\n".to_owned(),
            fields: None,
        };
    };
    let fields = match &*file.objects {
        [object] => parse(before)
            .zip(parse(after))
            .map(|(before, after)| field_changes(object, &before, &after)),
        _ => None,
    };
    FileDiff {
        text: text_diff(file.path.as_str(), before, after, max_lines),
        path,
        change,
        fields,
    }
}

/// A unified diff of at most `max_lines` lines.
pub fn text_diff(path: &str, old: &str, new: &str, max_lines: usize) -> String {
    if old.len().max(new.len()) > MAX_BYTES {
        return format!(
            "{} bytes become {} bytes: too long to show\n",
            old.len(),
            new.len()
        );
    }
    let diff = TextDiff::from_lines(old, new);
    let unified = diff
        .unified_diff()
        .context_radius(CONTEXT)
        .header(&format!("a/{path}"), &format!("b/{path}"))
        .to_string();
    let lines = unified.lines().count();
    if lines <= max_lines {
        return unified;
    }
    let mut text: String = unified.split_inclusive('\n').take(max_lines).collect();
    let _ = writeln!(text, "... and {} more lines", lines - max_lines);
    text
}

/// The fields in which two versions of `object` differ, in the order of the new version, removed
/// fields last.
///
/// Elements of a list are matched by their `name` or `type` where every element has its own, so that
/// an inserted element does not make all that follow it differ.
pub fn field_changes(object: &ObjectId, old: &Value, new: &Value) -> Vec<FieldChange> {
    changed_fields(old, new)
        .into_iter()
        .map(|(path, old, new)| FieldChange {
            object: object.clone(),
            path,
            old,
            new,
        })
        .collect()
}
