//! `bootstrap operator --dry-run` prints what the generator renders.

use std::io::Write;

use banlieue_gen::cli::{Cli, Command};
use banlieue_gen::commands::render;
use banlieue_gen::printer::Printer;
use clap::Parser;

use crate::{banlieue, text};

/// One simulated site, so that the fleet has the class of the one backend we are built with.
const FLEET: &str = "\
apiVersion: gen.banlieue.io/v1alpha1
kind: Fleet
metadata:
  name: one
sites:
  here:
    backend: sim
    endpoint: sim://here
    zones:
      a: {}
";

/// Documents of a stage, as the generator renders them.
fn generated(stage: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let fleet = folder.path().join("fleet.yaml");
    std::fs::File::create(&fleet)
        .unwrap()
        .write_all(FLEET.as_bytes())
        .unwrap();
    let fleet = fleet.to_str().unwrap();
    let cli = Cli::parse_from(["banlieue-gen", "render", "--stage", stage, "-f", fleet]);
    let Command::Render(args) = &cli.command else {
        panic!("another command");
    };
    let mut out = Vec::new();
    render::stream(args, Printer::new(&cli.global), &mut out).unwrap();
    documents(&text(out))
}

fn documents(stream: &str) -> Vec<String> {
    let documents = stream
        .split("---\n")
        .filter(|document| !document.is_empty());
    documents.map(str::to_owned).collect()
}

fn printed(arguments: &[&str]) -> Vec<String> {
    let all = [&["bootstrap", "operator", "--dry-run"], arguments].concat();
    let output = banlieue(&all);
    assert!(output.status.success(), "{}", text(output.stderr));
    documents(&text(output.stdout))
}

/// Whether a fleet adds it, in the namespace of its sites.
fn is_of_a_site(document: &str) -> bool {
    let names = ["\n  namespace: fleet\n", "kind: Namespace\n"];
    document.contains(names[0])
        || document.contains(names[1]) && document.contains("\n  name: fleet\n")
}

#[test]
fn it_prints_byte_for_byte_what_the_generator_renders() {
    let stages = ["crds", "rbac", "system", "classes"];
    let generated: Vec<String> = stages.iter().flat_map(|stage| generated(stage)).collect();
    let (of_site, of_platform): (Vec<String>, Vec<String>) = generated
        .into_iter()
        .partition(|document| is_of_a_site(document));
    assert!(!of_site.is_empty());
    let printed = printed(&[]);
    for (printed, generated) in printed.iter().zip(&of_platform) {
        assert_eq!(printed, generated);
    }
    assert_eq!(printed.len(), of_platform.len());
}

#[test]
fn flags_decide_namespaces_image_and_classes() {
    let digest = format!("sha256:{}", "ab".repeat(32));
    let pinned = format!("--image-digest={digest}");
    let printed = printed(&[
        "--namespace=platform",
        "--build-namespace=builds",
        "--registry=registry.example.com/team/",
        "--version=v9",
        &pinned,
    ]);
    let all = printed.concat();
    let image = format!("image: registry.example.com/team/banlieue:v9@{digest}\n");
    assert!(all.contains(&image));
    assert!(all.contains("\n  namespace: platform\n") && all.contains("\n  namespace: builds\n"));
    assert!(!all.contains("banlieue-system") && !all.contains("namespace: banlieue-imagebuild"));
    assert!(all.contains("kind: ProviderClass\nmetadata:\n  name: sim\n"));
    let class = printed.last().unwrap();
    assert!(
        class.contains(&format!("digest: {digest}")) && class.contains("tag: v9"),
        "{class}"
    );
}

#[test]
fn classes_can_be_left_to_somebody_else() {
    let printed = printed(&["--skip-provider-classes"]);
    assert!(
        printed
            .iter()
            .all(|document| !document.contains("kind: ProviderClass\nmetadata"))
    );
}
