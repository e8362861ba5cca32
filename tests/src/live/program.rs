//! The program `banlieue` that this build made.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

/// Path of `banlieue`, in the same profile as the executable that runs.
///
/// An error says how to build it: Cargo builds the programs of a package for its own tests only.
pub fn program() -> Result<PathBuf> {
    let running = std::env::current_exe()?;
    // target/<profile>/<program>, or target/<profile>/deps/<test>.
    let mut folders = running.ancestors().skip(1);
    let profile = folders
        .find(|folder| !folder.ends_with("deps"))
        .context("the executable has no folder")?;
    let program = profile.join("banlieue");
    ensure!(
        program.exists(),
        "{} is missing: run `cargo build --package banlieue` in the same profile",
        program.display()
    );
    Ok(program)
}
