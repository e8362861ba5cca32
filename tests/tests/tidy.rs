//! The rules of the codebase that a look at its files can check.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use banlieue_tests::tools::checkout;
use serde_json::Value;

/// Files that git tracks or would track, with their text; generated data and binaries left out.
fn sources(extensions: &[&str]) -> Result<BTreeMap<PathBuf, String>> {
    let output = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(checkout())
        .output()?;
    ensure!(output.status.success(), "git ls-files failed");
    let names = String::from_utf8(output.stdout)?;
    let mut files = BTreeMap::new();
    for name in names.lines().map(Path::new) {
        let extension = name
            .extension()
            .and_then(|e| e.to_str())
            .unwrap_or_default();
        let path = checkout().join(name);
        if extensions.contains(&extension) && path.exists() {
            files.insert(name.to_owned(), std::fs::read_to_string(&path)?);
        }
    }
    ensure!(!files.is_empty(), "no files with {extensions:?}");
    Ok(files)
}

fn dependencies() -> Result<BTreeMap<String, Vec<String>>> {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version=1",
            "--no-deps",
            "--locked",
            "--offline",
        ])
        .current_dir(checkout())
        .output()?;
    ensure!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().context("no packages")?;
    let name = |value: &Value| value["name"].as_str().unwrap_or_default().to_owned();
    let normal = |package: &Value| {
        let all = package["dependencies"].as_array().into_iter().flatten();
        all.filter(|dependency| dependency["kind"].is_null())
            .map(name)
            .collect()
    };
    Ok(packages
        .iter()
        .map(|package| (name(package), normal(package)))
        .collect())
}

/// A crate and those of ours that it may build on: the picture in `docs/architecture.md`.
const DIRECTIONS: [(&str, &[&str]); 9] = [
    ("banlieue-schemas", &[]),
    ("banlieue-gen", &["schemas"]),
    ("banlieue-core", &["schemas"]),
    ("banlieue-backend", &["core", "schemas"]),
    ("banlieue-kit", &["core", "schemas"]),
    ("banlieue-sim", &["backend", "core", "schemas"]),
    ("banlieue-provider", &["backend", "core", "kit", "schemas"]),
    ("banlieue-controller", &["core", "kit", "schemas"]),
    ("banlieue-operator", &["core", "kit", "schemas"]),
];

#[test]
fn dependencies_point_one_way() -> Result<()> {
    let dependencies = dependencies()?;
    for (package, allowed) in DIRECTIONS {
        let names = dependencies.get(package).context(package)?;
        for name in names
            .iter()
            .filter_map(|name| name.strip_prefix("banlieue-"))
        {
            assert!(allowed.contains(&name), "{package} builds on {name}");
        }
    }
    for package in ["banlieue-schemas", "banlieue-gen", "banlieue-core"] {
        let forbidden = ["anyhow", "tokio", "reqwest", "kube-client", "kube-runtime"];
        let found = dependencies[package]
            .iter()
            .find(|name| forbidden.contains(&name.as_str()));
        assert_eq!(found, None, "{package}");
    }
    Ok(())
}

/// Whoever writes does it by `kit`, which sends nothing where nothing would change.
#[test]
fn only_the_kit_names_a_patch() -> Result<()> {
    let words = [
        "Patch::",
        "PatchParams",
        "DeleteParams",
        "PostParams",
        "ListParams",
    ];
    let may = [Path::new("reconciler/kit"), Path::new("reconciler/tests")];
    for (path, text) in sources(&["rs"])? {
        if path.starts_with("reconciler") && !may.iter().any(|folder| path.starts_with(folder)) {
            let found = words.iter().find(|word| text.contains(**word));
            assert_eq!(found, None, "{}", path.display());
        }
    }
    Ok(())
}

/// The same file in every reconciler's folder does the same thing.
#[test]
fn reconcilers_have_the_same_shape() -> Result<()> {
    let folders = [
        "reconciler/controller/src/virtual_machine",
        "reconciler/controller/src/vm_image",
        "reconciler/controller/src/cluster",
        "reconciler/operator/src/workloads",
        "reconciler/operator/src/provider_class",
        "reconciler/provider/src/endpoint",
        "reconciler/provider/src/machine",
        "reconciler/provider/src/image",
    ];
    for folder in folders {
        for file in ["mod.rs", "dereference.rs", "status.rs"] {
            let path = Path::new(folder).join(file);
            assert!(
                checkout().join(&path).exists(),
                "{} is missing",
                path.display()
            );
        }
    }
    Ok(())
}

#[test]
fn files_are_short() -> Result<()> {
    let mut lines: Vec<(usize, PathBuf)> = sources(&["rs"])?
        .into_iter()
        .map(|(path, text)| (text.lines().count(), path))
        .collect();
    lines.sort();
    let (longest, path) = lines.last().context("no files")?;
    assert!(*longest <= 800, "{} has {longest} lines", path.display());
    let median = lines[lines.len() / 2].0;
    assert!(median <= 150, "the median file has {median} lines");
    let long = lines.iter().filter(|(count, _)| *count > 500).count();
    assert!(
        long * 20 <= lines.len(),
        "{long} of {} files have over 500 lines",
        lines.len()
    );
    Ok(())
}

/// Decisions take data and time, and return data.
#[test]
fn what_is_pure_touches_no_disk_clock_or_environment() -> Result<()> {
    let pure = [
        "schemas/src",
        "generator/src/plan",
        "generator/src/render",
        "generator/src/check",
        "reconciler/core/src",
        "reconciler/backend/src",
        "reconciler/sim/src/world",
        "reconciler/controller/src",
        "reconciler/operator/src",
    ];
    let effects = [
        "std::env::",
        "SystemTime",
        "Instant::now",
        "Timestamp::now",
        "std::fs::write",
        "File::create",
        "std::process",
    ];
    for (path, text) in sources(&["rs"])? {
        if pure.iter().any(|folder| path.starts_with(folder)) {
            for effect in effects {
                assert!(!text.contains(effect), "{} uses {effect}", path.display());
            }
        }
    }
    Ok(())
}

/// A test that does not run proves nothing, and a plan belongs into an issue.
#[test]
fn nothing_is_ignored_or_left_for_later() -> Result<()> {
    let marks = [
        ["#[ign", "ore"],
        ["TO", "DO"],
        ["FIX", "ME"],
        ["XX", "X"],
        ["todo", "!("],
        ["unimple", "mented!("],
    ];
    for (path, text) in sources(&["rs", "go", "j2", "sh"])? {
        for mark in marks.map(|parts| parts.concat()) {
            assert!(!text.contains(&mark), "{} has {mark}", path.display());
        }
    }
    Ok(())
}

#[test]
fn every_template_is_compiled_in() -> Result<()> {
    let folder = Path::new("templates");
    let on_disk: Vec<String> = sources(&["j2"])?
        .into_keys()
        .filter_map(|path| {
            Some(
                path.strip_prefix(folder)
                    .ok()?
                    .to_string_lossy()
                    .into_owned(),
            )
        })
        .collect();
    let built_in: Vec<&str> = banlieue_gen::render::templates::BUILT_IN
        .iter()
        .map(|(name, _)| *name)
        .collect();
    assert_eq!(on_disk, built_in);
    Ok(())
}

#[test]
fn links_in_the_documentation_lead_somewhere() -> Result<()> {
    for (path, text) in sources(&["md"])? {
        let folder = checkout().join(path.parent().context("no parent")?);
        // What stands between backticks is code, in a line as in a fence.
        let prose: String = text.split('`').step_by(2).collect();
        for link in prose
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            let target = link.split('#').next().unwrap_or_default();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            assert!(folder.join(target).exists(), "{}: {link}", path.display());
        }
    }
    Ok(())
}

/// Whether a word in code style is the name of a test: a sentence. Metrics begin with our name.
fn is_sentence(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let is_metric = word.starts_with("banlieue_");
    !is_metric && word.matches('_').count() >= 3 && word.chars().all(plain)
}

#[test]
fn tests_that_the_documentation_names_exist() -> Result<()> {
    let code: String = sources(&["rs"])?.into_values().collect();
    let mut named = 0;
    for (path, text) in sources(&["md"])? {
        for word in text
            .split('`')
            .skip(1)
            .step_by(2)
            .filter(|it| is_sentence(it))
        {
            let here = path.display();
            assert!(code.contains(&format!("fn {word}(")), "{here}: {word}");
            named += 1;
        }
    }
    ensure!(named > 0, "no test is named");
    Ok(())
}
