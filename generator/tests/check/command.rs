//! Exit codes and streams.

use std::process::{Command, Output};

fn check(arguments: &[&str], fleet: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("fleet.yaml");
    std::fs::write(&file, fleet).unwrap();
    Command::new(env!("CARGO_BIN_EXE_banlieue-gen"))
        .arg("check")
        .args(["-f", file.to_str().unwrap()])
        .args(arguments)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn a_sound_fleet_has_nothing_on_standard_output() {
    let output = check(&[], super::EXAMPLE);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stdout), "");
    assert!(text(&output.stderr).ends_with("objects: no findings\n"));
}

#[test]
fn findings_are_data_and_fail_the_run() {
    let fleet = super::EXAMPLE.replace(
        "    firmware: efi-secure",
        "    firmware: bios\n    tpmEnabled: true",
    );
    let output = check(&[], &fleet);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("error[BL4009]: VMClass.banlieue.io large: "));
    assert!(text(&output.stderr).ends_with("objects: 1 error\n"));
}

#[test]
fn a_fleet_that_cannot_be_planned_is_a_finding_too() {
    let fleet = super::EXAMPLE.replace("    tier: edge", "    tier: egde");
    let output = check(&["--format", "json"], &fleet);
    assert_eq!(output.status.code(), Some(1));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found[0]["code"], "BL2004");
    assert_eq!(found[0]["hint"], "did you mean `edge`?");
}
