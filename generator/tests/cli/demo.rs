//! `make demo`, as a newcomer runs it.

use std::path::Path;
use std::process::{Command, Output};

use crate::support::Folder;

fn demo(folder: &Folder) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/demo");
    let mut command = Command::new(script);
    command
        .arg(folder.path("repo"))
        .env("BANLIEUE_GEN", env!("CARGO_BIN_EXE_banlieue-gen"))
        .env("HOME", folder.path("home"));
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    let errors = String::from_utf8_lossy(&stderr);
    assert!(status.success(), "{errors}");
    format!("{}{errors}", String::from_utf8(stdout).unwrap())
}

#[test]
fn the_demo_fills_a_new_repository_and_a_repetition_changes_nothing() {
    let folder = Folder::new();
    let said = demo(&folder);
    for part in [
        "payments",
        "no findings",
        "created, 0 updated, 0 deleted",
        "render tier=platinum",
        "# Topology",
        "== Next",
    ] {
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
    assert!(folder.path("repo/.git").is_dir());
    assert!(folder.path("repo/TOPOLOGY.md").is_file());

    let said = demo(&folder);
    assert!(said.contains("no changes"), "{said}");
    assert!(
        said.contains("nothing changed since the last run"),
        "{said}"
    );
}
