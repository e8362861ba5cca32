use banlieue_gen::tree::{Edits, Scope, TreeError, TreePath};

use crate::support::{content, pairs, render, render_with, rendered};

#[test]
fn a_path_that_could_lead_elsewhere_is_refused() {
    let long = "a".repeat(256);
    let deep = "a/".repeat(512) + "a";
    for path in [
        "",
        "/",
        "/etc/passwd",
        "..",
        "../a",
        "a/../b",
        "a/..",
        ".",
        "./a",
        "a/./b",
        "a//b",
        "a/",
        "a\\b",
        "a\0b",
        "a\nb",
        "a\u{7f}b",
        "caf\u{e9}",
        ".git/config",
        "a/.GIT/hooks",
        "GIT~1/config",
        ".banlieue/inventory.json",
        ".BANLIEUE/x",
        "a/.banlieue-tmp-1",
        &long,
        &deep,
    ] {
        assert!(TreePath::new(path).is_err(), "{path:?} was accepted");
        let json = serde_json::to_string(path).unwrap();
        assert!(
            serde_json::from_str::<TreePath>(&json).is_err(),
            "{path:?} was read back"
        );
    }
}

#[test]
fn an_ordinary_path_is_accepted() {
    let long = "a".repeat(255);
    for path in [
        "a",
        "a/b.yaml",
        ".gitattributes",
        "a/.github",
        "...",
        "a b",
        "x/.banlieue/y",
        &long,
    ] {
        assert_eq!(
            TreePath::new(path).map(|path| path.to_string()).as_deref(),
            Ok(path)
        );
    }
}

#[test]
fn the_folders_of_a_path_are_listed_nearest_first() {
    let path = TreePath::new("a/b/c").unwrap();
    assert_eq!(path.ancestors().collect::<Vec<_>>(), ["a/b", "a"]);
    assert_eq!(path.file_name(), "c");
}

#[test]
fn paths_that_differ_only_in_case_are_refused_before_the_first_write() {
    for (one, other) in [
        ("x/a.yaml", "x/A.yaml"),
        ("X/a.yaml", "x/b.yaml"),
        ("x/y/a", "x/Y"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let error = render(dir.path(), &[("s", one, "1"), ("s", other, "2")]).unwrap_err();
        assert!(
            matches!(error, TreeError::CaseTwins { .. }),
            "{one} {other}: {error}"
        );
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}

#[test]
fn a_case_twin_of_a_kept_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    render(dir.path(), &[("one", "x/a.yaml", "1")]).unwrap();
    let second = rendered(&[("two", "x/A.yaml", "2")]);
    let only_two = |scope: &Scope, _: &_| scope.as_str() == "two";
    let error = render_with(dir.path(), &second, &only_two, Edits::Refuse).unwrap_err();
    assert!(matches!(error, TreeError::CaseTwins { .. }), "{error}");
}

#[test]
fn a_file_may_be_renamed_to_its_case_twin() {
    let dir = tempfile::tempdir().unwrap();
    render(dir.path(), &[("s", "x/a.yaml", "1")]).unwrap();
    let files = [("s", "x/A.yaml", "1")];
    render(dir.path(), &files).unwrap();
    assert_eq!(content(dir.path()), pairs(&files));
}

#[test]
fn a_path_that_is_both_file_and_folder_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let error = render(dir.path(), &[("s", "x", "1"), ("s", "x/a", "2")]).unwrap_err();
    assert!(matches!(error, TreeError::FileAndFolder { .. }), "{error}");
}

#[test]
fn one_path_rendered_twice_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let error = render(dir.path(), &[("one", "x", "1"), ("two", "x", "1")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "x is rendered twice, by one and by two; rename one of them"
    );
}
