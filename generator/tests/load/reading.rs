//! From paths to sources.

use std::fs;
use std::path::{Path, PathBuf};

use banlieue_gen::load::{Format, read};

use super::codes;

/// A folder with files of the given names, each holding its name.
fn folder(names: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        fs::write(folder.path().join(name), name).unwrap();
    }
    folder
}

fn texts(paths: &[PathBuf]) -> Vec<String> {
    let sources = read(paths).unwrap();
    sources
        .into_iter()
        .map(|source| String::from_utf8(source.text).unwrap())
        .collect()
}

#[test]
fn a_folder_stands_for_its_inputs_in_the_order_of_their_names() {
    let folder = folder(&[
        "b.yml",
        "a.yaml",
        "c.json",
        "10.yaml",
        "README.md",
        ".hidden.yaml",
        "x.YAML",
    ]);
    fs::create_dir(folder.path().join("sub.yaml")).unwrap();
    fs::create_dir(folder.path().join("deeper")).unwrap();
    fs::write(folder.path().join("deeper/d.yaml"), "d").unwrap();
    assert_eq!(
        texts(&[folder.path().to_owned()]),
        ["10.yaml", "a.yaml", "b.yml", "c.json"]
    );
}

#[test]
fn files_are_read_in_the_order_given() {
    let folder = folder(&["a.yaml", "b.yaml"]);
    let path = |name: &str| folder.path().join(name);
    assert_eq!(
        texts(&[path("b.yaml"), path("a.yaml")]),
        ["b.yaml", "a.yaml"]
    );
}

#[test]
fn the_name_decides_about_the_format() {
    let folder = folder(&["a.yaml", "b.json", "c"]);
    let paths = ["a.yaml", "b.json", "c"].map(|name| folder.path().join(name));
    let formats: Vec<Format> = read(&paths)
        .unwrap()
        .iter()
        .map(|source| source.format)
        .collect();
    assert_eq!(formats, [Format::Yaml, Format::Json, Format::Yaml]);
}

#[test]
#[cfg(unix)]
fn symbolic_links_are_followed() {
    let folder = folder(&["a.txt"]);
    std::os::unix::fs::symlink("a.txt", folder.path().join("link.yaml")).unwrap();
    assert_eq!(texts(&[folder.path().to_owned()]), ["a.txt"]);
}

#[test]
#[cfg(unix)]
fn a_link_to_nothing_in_a_folder_is_not_overlooked() {
    let folder = folder(&["a.yaml"]);
    std::os::unix::fs::symlink("gone", folder.path().join("link.yaml")).unwrap();
    assert_eq!(codes(read(&[folder.path().to_owned()])), ["BL0101"]);
}

#[test]
fn a_misspelt_path_is_answered_with_the_nearest_name() {
    let folder = folder(&["fleet.yaml", "other.yaml"]);
    let problems = read(&[folder.path().join("flete.yaml")]).unwrap_err();
    let expected = format!(
        "did you mean `{}`?",
        folder.path().join("fleet.yaml").display()
    );
    assert_eq!(problems[0].code, "BL0101");
    assert_eq!(problems[0].hint.as_deref(), Some(expected.as_str()));
}

#[test]
fn all_unreadable_paths_are_reported() {
    let empty = folder(&["README.md"]);
    let paths = [
        empty.path().to_owned(),
        PathBuf::from("/no/such/folder/fleet.yaml"),
        Path::new("Cargo.toml").join("fleet.yaml"),
    ];
    let problems = read(&paths).unwrap_err();
    assert_eq!(problems.len(), 3);
    for problem in problems {
        assert_eq!(problem.code, "BL0101");
        assert!(problem.hint.is_some(), "{problem:?}");
    }
}
