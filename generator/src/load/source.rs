//! Input texts: reading them from files, and making plain text of their bytes.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::builder;
use crate::diagnostic::{Diagnostic, codes, nearest, shown};

/// Bytes of one input.
pub const FILE_LIMIT: usize = 8 << 20;
/// Bytes of all inputs together.
pub const TOTAL_LIMIT: usize = 64 << 20;

/// The language of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// YAML, one layer per document.
    Yaml,
    /// Strict JSON, one layer.
    Json,
}

/// One input.
#[derive(Clone, Debug)]
pub struct Source {
    /// How messages call it: the path as the user gave it, or `-` for standard input.
    pub name: String,
    /// The bytes as they are.
    pub text: Vec<u8>,
    /// How to read them.
    pub format: Format,
}

impl Source {
    /// An input whose format follows from its name: JSON for `*.json`, else YAML.
    pub fn new(name: impl Into<String>, text: impl Into<Vec<u8>>) -> Self {
        let name = name.into();
        let json = Path::new(&name).extension() == Some(OsStr::new("json"));
        Self {
            name,
            text: text.into(),
            format: if json { Format::Json } else { Format::Yaml },
        }
    }

    /// The text without byte order mark and with line feeds only, so that a checkout on Windows
    /// reads the same.
    ///
    /// Refuses what is too large or not UTF-8, and control characters, which YAML forbids.
    pub(super) fn decode(&self, file: &builder::File) -> Result<Cow<'_, str>, Box<Diagnostic>> {
        if self.text.len() > FILE_LIMIT {
            return Err(Box::new(too_large(&self.name)));
        }
        let text = match std::str::from_utf8(&self.text) {
            Ok(text) => text,
            Err(error) => {
                let offset = error.valid_up_to();
                let before = String::from_utf8_lossy(&self.text[..offset]);
                let (line, column) = end_of(&before);
                return Err(Box::new(
                    Diagnostic::error(
                        &codes::NOT_UTF8,
                        format!("the file is not UTF-8: the byte at offset {offset} is invalid"),
                    )
                    .at(file.position(line, column))
                    .hint("save the file as UTF-8"),
                ));
            }
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        // YAML forbids DEL and what follows it, JSON does not.
        let json = self.format == Format::Json;
        let forbidden = |c: char| {
            c.is_control()
                && !matches!(c, '\t' | '\n' | '\r' | '\u{85}')
                && !(json && c >= '\u{7f}')
        };
        if let Some((offset, character)) = text.char_indices().find(|(_, c)| forbidden(*c)) {
            let (line, column) = end_of(&text[..offset]);
            return Err(Box::new(
                Diagnostic::error(
                    &codes::CONTROL_CHARACTER,
                    format!(
                        "the file holds the control character U+{:04X}",
                        u32::from(character)
                    ),
                )
                .at(file.position(line, column))
                .hint("remove it, or write it as an escape in a double-quoted text"),
            ));
        }
        Ok(if text.contains('\r') {
            Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
        } else {
            Cow::Borrowed(text)
        })
    }
}

/// Line and column, from 1, of what follows the text.
fn end_of(text: &str) -> (usize, usize) {
    let last = text.rsplit('\n').next().unwrap_or(text);
    (text.matches('\n').count() + 1, last.chars().count() + 1)
}

/// Reads the inputs in the order given; the files of a folder in the order of their names.
///
/// A path is a file, a folder (all `*.yaml`, `*.yml` and `*.json` files directly in it, except
/// those whose name starts with a dot) or `-` for standard input. Symbolic links are followed.
/// No more than [`FILE_LIMIT`] bytes of a file are read.
pub fn read(paths: &[PathBuf]) -> Result<Vec<Source>, Vec<Diagnostic>> {
    let mut sources = Vec::new();
    let mut problems = Vec::new();
    let mut total = 0;
    for path in paths {
        let files = match files(path) {
            Ok(files) => files,
            Err(problem) => {
                problems.push(*problem);
                continue;
            }
        };
        for file in files {
            match read_one(&file) {
                Ok(source) => {
                    total += source.text.len();
                    sources.push(source);
                }
                Err(problem) => problems.push(*problem),
            }
            if total > TOTAL_LIMIT {
                problems.push(all_too_large());
                return Err(problems);
            }
        }
    }
    if problems.is_empty() {
        Ok(sources)
    } else {
        Err(problems)
    }
}

fn read_one(path: &Path) -> Result<Source, Box<Diagnostic>> {
    let name = path.display().to_string();
    let text = if path == Path::new("-") {
        bounded(&mut io::stdin().lock())
    } else {
        File::open(path).and_then(|mut file| {
            // A sparse or growing file is caught by the bounded read.
            if file.metadata()?.len() > FILE_LIMIT as u64 {
                return Ok(None);
            }
            bounded(&mut file)
        })
    };
    match text {
        Ok(Some(text)) => Ok(Source::new(name, text)),
        Ok(None) => Err(Box::new(too_large(&name))),
        Err(error) => Err(Box::new(unreadable(path, &error))),
    }
}

/// All bytes, or none when there are more than [`FILE_LIMIT`].
fn bounded(reader: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut text = Vec::new();
    reader.take(FILE_LIMIT as u64 + 1).read_to_end(&mut text)?;
    Ok((text.len() <= FILE_LIMIT).then_some(text))
}

fn too_large(name: &str) -> Diagnostic {
    let message = format!("{} holds more than {} MiB", shown(name), FILE_LIMIT >> 20);
    Diagnostic::error(&codes::TOO_LARGE, message)
        .hint("is this a fleet? split a large one over several files")
}

fn all_too_large() -> Diagnostic {
    let message = format!(
        "all inputs together hold more than {} MiB",
        TOTAL_LIMIT >> 20
    );
    Diagnostic::error(&codes::TOO_LARGE, message)
        .hint("are these fleets? render parts of a large one separately")
}

/// The files that a path stands for.
fn files(path: &Path) -> Result<Vec<PathBuf>, Box<Diagnostic>> {
    if path == Path::new("-") || !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let unreadable = |error: io::Error| Box::new(unreadable(path, &error));
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        if is_input(&file) && !file.is_dir() {
            files.push(file);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(Box::new(
            Diagnostic::error(
                &codes::UNREADABLE,
                format!(
                    "the folder {} holds no input",
                    shown(&path.display().to_string())
                ),
            )
            .hint("put `*.yaml`, `*.yml` or `*.json` files directly into it"),
        ));
    }
    Ok(files)
}

fn is_input(path: &Path) -> bool {
    let hidden = path
        .file_name()
        .is_none_or(|name| name.as_encoded_bytes().starts_with(b"."));
    let extension = path.extension().and_then(OsStr::to_str);
    !hidden && matches!(extension, Some("yaml" | "yml" | "json"))
}

fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    let name = shown(&path.display().to_string());
    let problem = Diagnostic::error(&codes::UNREADABLE, format!("cannot read {name}: {error}"));
    if error.kind() != io::ErrorKind::NotFound {
        return problem.hint("check the path, its kind and its permissions");
    }
    let siblings = siblings(path);
    let wanted = path.file_name().unwrap_or_default().to_string_lossy();
    match nearest(&wanted, siblings.iter().map(String::as_str)) {
        Some(sibling) => {
            let path = path.with_file_name(sibling);
            problem.hint(format!(
                "did you mean {}?",
                shown(&path.display().to_string())
            ))
        }
        None => problem.hint("check the path; it is relative to the current folder"),
    }
}

/// Names in the folder of a path, sorted.
fn siblings(path: &Path) -> Vec<String> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut names: Vec<String> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}
