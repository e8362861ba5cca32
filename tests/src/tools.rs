//! Where the tools are that `tests/setup` builds.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// A program or directory that `tests/setup` provides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// The store behind the API server.
    Etcd,
    /// `kube-apiserver`.
    ApiServer,
    /// `kube-controller-manager`, of the same version as the API server.
    ControllerManager,
    /// `kubectl`, of the same version as the API server.
    Kubectl,
    /// Our Go reader and Flux stand-in, see `tests/tools/harness`.
    Harness,
    /// Directory of CRDs, one sub-directory for each project.
    Crds,
    /// Python with PyYAML and kcl-lib.
    Python,
}

impl Tool {
    /// Environment variable that names the tool, and the file inside it.
    fn source(self) -> (&'static str, &'static str) {
        match self {
            Self::Etcd => ("BANLIEUE_ETCD", ""),
            Self::ApiServer => ("BANLIEUE_KUBE_BIN", "kube-apiserver"),
            Self::ControllerManager => ("BANLIEUE_KUBE_BIN", "kube-controller-manager"),
            Self::Kubectl => ("BANLIEUE_KUBE_BIN", "kubectl"),
            Self::Harness => ("BANLIEUE_HARNESS", ""),
            Self::Crds => ("BANLIEUE_CRDS", ""),
            Self::Python => ("BANLIEUE_PYTHON", ""),
        }
    }

    /// Path of the tool: from the environment, else from the file that
    /// `tests/setup` wrote into `target`.
    ///
    /// An error names what is missing and the command that provides it.
    pub fn path(self) -> Result<PathBuf> {
        let (variable, file) = self.source();
        let value = match std::env::var(variable) {
            Ok(value) => value,
            Err(_) => recorded(&checkout().join("target/test-tools.env"), variable)?,
        };
        let mut path = PathBuf::from(value);
        if !file.is_empty() {
            path.push(file);
        }
        if !path.exists() {
            bail!(
                "{variable} points to {}, which does not exist: run tests/setup",
                path.display()
            );
        }
        Ok(path)
    }
}

/// How far the heap of a Go program grows before it is collected, in percent. An API server
/// that lives for half a minute spends a third of its time on collecting at Go's own 100.
const GOGC: &str = "400";

/// A command that runs `tool`, one of those written in Go, set up for a short life.
pub fn go_program(tool: Tool) -> Result<Command> {
    let mut command = Command::new(tool.path()?);
    command.env("GOGC", GOGC);
    Ok(command)
}

/// Root of the checkout that this crate belongs to.
pub fn checkout() -> &'static Path {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().unwrap_or(tests)
}

fn recorded(file: &Path, variable: &str) -> Result<String> {
    let lines = std::fs::read_to_string(file).with_context(|| {
        format!(
            "the test tools are not set up, {} is missing: run tests/setup",
            file.display()
        )
    })?;
    lines
        .lines()
        .filter_map(|line| line.split_once('='))
        .find_map(|(name, value)| (name == variable).then(|| value.to_owned()))
        .with_context(|| format!("{} lacks {variable}: run tests/setup", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_tool_says_how_to_get_it() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("test-tools.env");
        let absent = recorded(&file, "BANLIEUE_ETCD").unwrap_err().to_string();
        assert!(absent.contains("run tests/setup"), "{absent}");

        std::fs::write(&file, "BANLIEUE_KUBE_BIN=/x\n").unwrap();
        let lacking = recorded(&file, "BANLIEUE_ETCD").unwrap_err().to_string();
        assert!(
            lacking.contains("BANLIEUE_ETCD: run tests/setup"),
            "{lacking}"
        );
        assert_eq!(recorded(&file, "BANLIEUE_KUBE_BIN").unwrap(), "/x");
    }
}
