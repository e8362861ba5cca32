//! Exit codes, and what is said.

use crate::{banlieue, text};

/// Runs what must fail with a code, and returns what it says.
fn refused(arguments: &[&str], code: i32) -> String {
    let output = banlieue(arguments);
    let said = text(output.stderr);
    assert_eq!(output.status.code(), Some(code), "{said}");
    said
}

#[test]
fn a_wrong_command_line_is_two() {
    for arguments in [
        &["operatr"][..],
        &["operator", "--nothing"],
        &["operator", "--health-address=here"],
        &["provider", "sim", "--namespace=prod"],
        &[
            "bootstrap",
            "operator",
            "--image-digest=sha256:12",
            "--dry-run",
        ],
        &["sim", "--config=/nowhere/at/all"],
    ] {
        refused(arguments, 2);
    }
    let said = refused(&["operator", "--log-level=lots"], 2);
    assert!(said.contains("\"lots\" is not a log level"), "{said}");
}

#[test]
fn what_cannot_be_done_is_one_and_says_why() {
    let nowhere = "--kubeconfig=/nowhere/at/all";
    let said = refused(&["bootstrap", "operator", nowhere], 1);
    assert!(
        said.starts_with("error: cannot reach the API server: cannot use the kubeconfig"),
        "{said}"
    );

    let anywhere = [
        "--health-address=127.0.0.1:0",
        "--metrics-address=127.0.0.1:0",
    ];
    let said = refused(&[&["operator", nowhere][..], &anywhere].concat(), 1);
    assert!(
        said.contains("ERROR") && said.contains("cannot use the kubeconfig"),
        "{said}"
    );
}

#[test]
fn version_tells_the_backends() {
    let output = banlieue(&["version"]);
    assert!(output.status.success());
    assert_eq!(text(output.stdout), "banlieue 0.1.0\nbackends: sim\n");
}

#[test]
fn completion_is_a_script_for_each_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = banlieue(&["completion", shell]);
        assert!(output.status.success());
        assert!(
            text(output.stdout).contains("skip-provider-classes"),
            "{shell}"
        );
    }
}
