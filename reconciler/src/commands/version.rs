//! `banlieue version`.

use std::io::{self, Write};

use super::CommandError;
use crate::backends::COMPILED;

pub(super) fn run() -> Result<(), CommandError> {
    let names: Vec<&str> = COMPILED.iter().map(|backend| backend.as_str()).collect();
    let backends = match names.as_slice() {
        [] => "none".to_owned(),
        names => names.join(", "),
    };
    let version = env!("CARGO_PKG_VERSION");
    writeln!(io::stdout(), "banlieue {version}\nbackends: {backends}").map_err(CommandError::Output)
}
