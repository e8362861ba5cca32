//! What holds for every file of a tree.

use std::{collections::BTreeSet, fs, process::Command};

use serde_json::Value;

use crate::support::{Folder, Tree, is_manifest, text};

/// The example for both engines, each in a tree.
fn trees() -> Vec<(Folder, Tree)> {
    ["flux", "argocd"]
        .into_iter()
        .map(|engine| {
            let folder = Folder::new();
            folder.layer("engine.yaml", &format!("gitops: {{engine: {engine}}}\n"));
            folder.ok("render -f fleet.yaml -f engine.yaml -o repo");
            let tree = folder.tree("repo");
            (folder, tree)
        })
        .collect()
}

#[test]
fn lines_are_clean_and_the_last_one_ends() {
    for (_, tree) in trees() {
        for (path, text) in tree {
            assert!(
                text.ends_with('\n') && !text.ends_with("\n\n"),
                "end of {path}"
            );
            assert!(!text.contains('\r'), "{path}");
            for line in text.lines() {
                assert_eq!(line, line.trim_end(), "{path}");
            }
        }
    }
}

#[test]
fn kustomizations_list_every_file_of_their_folder_once_and_in_order() {
    for (folder, tree) in trees() {
        let mut listed = BTreeSet::new();
        for path in tree
            .keys()
            .filter(|path| path.ends_with("kustomization.yaml"))
        {
            let object = folder.object(&format!("repo/{path}"));
            let base = path.strip_suffix("kustomization.yaml").unwrap();
            let entries: Vec<&str> = object["resources"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(Value::as_str)
                .collect();
            assert!(entries.is_sorted_by(|one, next| one < next), "{path}");
            listed.extend(entries.iter().map(|entry| format!("{base}{entry}")));
        }
        let manifests: BTreeSet<String> =
            tree.into_keys().filter(|path| is_manifest(path)).collect();
        assert_eq!(listed, manifests);
    }
}

#[test]
fn entries_of_flux_point_at_folders_that_exist() {
    let (folder, tree) = trees().remove(0);
    let mut entries = 0;
    let of_flux = tree.keys().filter(|path| path.starts_with("flux/"));
    for path in of_flux.filter(|path| is_manifest(path)) {
        let object = folder.object(&format!("repo/{path}"));
        if text(&object, "/apiVersion").starts_with("kustomize.toolkit") {
            let target = text(&object, "/spec/path").strip_prefix("./").unwrap();
            assert!(
                tree.contains_key(&format!("{target}/kustomization.yaml")),
                "{target}"
            );
            entries += 1;
        }
    }
    // Stages, clusters, a set of machines, and the entry of the entries.
    assert_eq!(entries, 6 + 5 + 1 + 1);
}

#[test]
fn no_secret_and_no_path_of_this_machine_is_in_the_tree() {
    for (folder, _) in trees() {
        let here = folder.path("").display().to_string();
        let here = here.trim_end_matches('/');
        for (path, text) in folder.whole_tree("repo") {
            assert!(!text.contains("\nkind: Secret\n"), "{path}");
            for secret in [here, env!("CARGO_MANIFEST_DIR")] {
                assert!(!text.contains(secret), "{path}");
            }
        }
    }
}

/// With either, everything in it would go.
#[test]
fn no_engine_prunes_a_namespace_or_a_definition() {
    for (folder, tree) in trees() {
        let mut kept = BTreeSet::new();
        for path in tree.keys().filter(|path| is_manifest(path)) {
            let object = folder.object(&format!("repo/{path}"));
            if ["Namespace", "CustomResourceDefinition"].contains(&text(&object, "/kind")) {
                let annotations = &object["metadata"]["annotations"];
                let flux = &annotations["kustomize.toolkit.fluxcd.io/prune"];
                let argocd = &annotations["argocd.argoproj.io/sync-options"];
                assert!(flux == "disabled" && argocd == "Prune=false", "{path}");
                kept.insert(text(&object, "/metadata/name").to_owned());
            }
        }
        for name in ["banlieue-system", "fleet", "providers.banlieue.io"] {
            assert!(kept.contains(name), "{name} is not in {kept:?}");
        }
    }
}

/// On a checkout with other line ends every file would count as edited.
#[test]
fn no_checkout_changes_the_line_ends_of_what_is_compared() {
    for (folder, _) in trees() {
        let git = |arguments: &[&str]| {
            let output = Command::new("git")
                .args(arguments)
                .current_dir(folder.path("repo"))
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .env("GIT_CONFIG_NOSYSTEM", "1")
                .output()
                .unwrap();
            assert!(output.status.success(), "git {arguments:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        git(&["init", "--quiet"]);
        git(&["add", "."]);
        let files = git(&["ls-files"]);
        assert!(files.lines().any(|file| file == ".banlieue/inventory.json"));
        let mut arguments = vec!["check-attr", "eol", "--"];
        // Beside it may be a `.gitattributes` of somebody else's.
        arguments.extend(files.lines().filter(|file| *file != "TOPOLOGY.md"));
        for line in git(&arguments).lines() {
            assert!(line.ends_with(": eol: lf"), "{line}");
        }
    }
}

/// Flux leaves links out of what it applies, without a word.
#[test]
fn a_tree_holds_no_links() {
    for (folder, tree) in trees() {
        let mut seen = 0;
        let mut folders = vec![folder.path("repo")];
        while let Some(path) = folders.pop() {
            for entry in fs::read_dir(path).unwrap() {
                let entry = entry.unwrap();
                let kind = entry.file_type().unwrap();
                assert!(!kind.is_symlink(), "{}", entry.path().display());
                if kind.is_dir() {
                    folders.push(entry.path());
                } else {
                    seen += 1;
                }
            }
        }
        assert!(seen >= tree.len());
    }
}

#[test]
fn a_gitattributes_of_somebody_else_is_left_alone() {
    let folder = Folder::new();
    folder.write("repo/.gitattributes", "*.png binary\n");
    folder.ok("render -f fleet.yaml -o repo");
    assert_eq!(folder.read("repo/.gitattributes"), "*.png binary\n");
}

#[test]
fn the_inventory_lists_exactly_the_files() {
    for (folder, tree) in trees() {
        let inventory = folder.read("repo/.banlieue/inventory.json");
        let inventory: Value = serde_json::from_str(&inventory).unwrap();
        let files = inventory["files"].as_object().unwrap();
        assert!(files.keys().eq(tree.keys()));
        let scopes = inventory["scopes"].as_object().unwrap();
        for (path, entry) in files {
            let scope = entry["scope"].as_str().unwrap();
            assert!(scopes.contains_key(scope), "{path}: {scope}");
        }
    }
}

#[test]
fn our_own_state_that_is_no_record_stays_out_of_git() {
    let (folder, _) = trees().remove(0);
    let ignored = folder.read("repo/.banlieue/.gitignore");
    assert!(
        ignored.contains("/lock\n") && !ignored.contains("inventory"),
        "{ignored}"
    );
}
