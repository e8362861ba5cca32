//! What is derived from the types is checked in, and is current.
//!
//! `make generate` writes it anew, which is
//! `UPDATE=1 cargo test -p banlieue-tests --test derived every_derived_file_is_current`. The command
//! line of `banlieue` has its page from a test of its own crate, `reconciler/tests/cli/help.rs`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod cli;
mod conditions;
mod crds;
mod fleet;
mod kcl;
mod markdown;
mod rbac;
mod schemas;
mod starter;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use banlieue_gen::cli::SchemaForm;
use banlieue_gen::commands::{explain, schema};
use banlieue_gen::diagnostic::codes;
use banlieue_tests::tools::checkout;

/// Folders that hold nothing but derived files.
const FOLDERS: [&str; 3] = ["schemas/crds", "schemas/json", "schemas/kcl"];

/// Text of every derived file by its path in the checkout.
fn derived() -> BTreeMap<PathBuf, String> {
    let mut files = BTreeMap::new();
    let forms = [SchemaForm::Crds, SchemaForm::Json, SchemaForm::Kcl];
    for (folder, form) in FOLDERS.into_iter().zip(forms) {
        for (name, text) in schema::files(form).unwrap() {
            files.insert(Path::new(folder).join(name), text);
        }
    }
    let pages = [
        ("docs/errors.md", codes::markdown(explain::all())),
        ("docs/reference/banlieue-gen.md", cli::page()),
        ("docs/reference/conditions.md", conditions::page()),
        ("docs/reference/crds.md", crds::page()),
        ("docs/reference/fleet.md", fleet::page()),
        ("docs/reference/rbac.md", rbac::page()),
        ("schemas/crds.json", crds::lines()),
    ];
    files.extend(pages.map(|(path, text)| (PathBuf::from(path), text)));
    files
}

/// Files in the folders of derived files, by their path in the checkout.
fn checked_in() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = FOLDERS.map(PathBuf::from).into();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(checkout().join(&folder)).into_iter().flatten() {
            let entry = entry.unwrap();
            let path = folder.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files
}

#[test]
fn every_derived_file_is_current() {
    let derived = derived();
    let update = std::env::var_os("UPDATE").is_some_and(|value| value == "1");
    let mut stale = Vec::new();
    for (path, text) in &derived {
        let file = checkout().join(path);
        if fs::read(&file).is_ok_and(|found| found == text.as_bytes()) {
            continue;
        }
        if update {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, text).unwrap();
        } else {
            stale.push(format!("{} is not current", path.display()));
        }
    }
    for path in checked_in() {
        if derived.contains_key(&path) {
            continue;
        }
        if update {
            fs::remove_file(checkout().join(&path)).unwrap();
        } else {
            stale.push(format!("{} is no longer derived", path.display()));
        }
    }
    assert!(
        stale.is_empty(),
        "the types say otherwise than these files, which are derived from them:\n  {}\n\
         run `make generate`, look at the difference, and commit it",
        stale.join("\n  ")
    );
}
