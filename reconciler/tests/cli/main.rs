//! The command line, as people and Deployments use it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bootstrap;
mod deployments;
mod help;
mod runs;

use std::process::{Command, Output};

/// The program, without what the environment of the tests would tell it.
fn banlieue(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_banlieue"));
    for (name, _) in std::env::vars_os() {
        let told = ["BANLIEUE_", "POD_", "KUBE"];
        if told
            .iter()
            .any(|start| name.to_string_lossy().starts_with(start))
        {
            command.env_remove(name);
        }
    }
    command.args(arguments).output().unwrap()
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}
