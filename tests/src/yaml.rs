//! YAML as others read it: Go as in the API tooling, and PyYAML.

use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::process;
use crate::tools::{Tool, go_program};

/// Writes one JSON document a line. What JSON cannot say keeps a form that no
/// string in a test has: a date, or a key that is not a string.
const PYTHON_READER: &str = r#"
import json, math, sys, yaml

def plain(value):
    if isinstance(value, dict):
        return {k if isinstance(k, str) else f"!{type(k).__name__} {k!r}": plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return f"!float {value!r}"
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    return f"!{type(value).__name__} {value!r}"

for document in yaml.safe_load_all(sys.stdin.buffer.read().decode()):
    print(json.dumps(plain(document)))
"#;

/// Documents of a YAML stream as `sigs.k8s.io/yaml` reads them, which the API
/// tooling, Flux and Argo CD use. A duplicate key is an error. A key that it
/// takes for a boolean or a number comes back in its canonical spelling.
pub fn go_read(text: &str) -> Result<Vec<Value>> {
    read(go_program(Tool::Harness)?.arg("yaml"), text)
}

/// Documents of a YAML stream as PyYAML's safe loader reads them.
pub fn python_read(text: &str) -> Result<Vec<Value>> {
    read(
        Command::new(Tool::Python.path()?).args(["-c", PYTHON_READER]),
        text,
    )
}

/// Text after Flux's strict substitution with no variable defined: an error if
/// it holds a variable without a default.
pub fn flux_substitute(text: &str) -> Result<String> {
    process::run(go_program(Tool::Harness)?.arg("envsubst"), text)
}

fn read(command: &mut Command, text: &str) -> Result<Vec<Value>> {
    process::run(command, text)?
        .lines()
        .map(|line| serde_json::from_str(line).context("the reader wrote something else than JSON"))
        .collect()
}
