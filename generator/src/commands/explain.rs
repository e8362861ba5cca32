//! `explain`: what an error code means.

use std::io::Write;

use super::{CommandError, Exit};
use crate::{
    check,
    cli::Explain,
    diagnostic::{
        codes::{self, Code},
        nearest,
    },
    plan,
    printer::Printer,
};

/// Every code of the generator, in order.
pub fn all() -> impl Iterator<Item = &'static Code> + Clone {
    codes::ALL
        .iter()
        .chain(plan::codes::ALL)
        .chain(check::codes::ALL)
}

/// Runs the command.
///
/// # Errors
/// Standard output that cannot be written.
pub fn run(args: &Explain, printer: Printer) -> Result<Exit, CommandError> {
    let mut out = printer.data();
    let Some(wanted) = &args.code else {
        for code in all() {
            writeln!(out, "{}  {}", code.id, code.title).map_err(CommandError::output)?;
        }
        out.flush().map_err(CommandError::output)?;
        return Ok(Exit::Success);
    };
    let wanted = wanted.to_uppercase();
    if let Some(code) = all().find(|code| code.id == wanted) {
        writeln!(out, "{}: {}\n\n{}", code.id, code.title, code.explanation)
            .and_then(|()| out.flush())
            .map_err(CommandError::output)?;
        return Ok(Exit::Success);
    }
    let hint = nearest(&wanted, all().map(|code| code.id))
        .map_or_else(String::new, |nearest| format!("; did you mean {nearest}?"));
    printer.fail(&format!("there is no code {wanted}{hint}"));
    Ok(Exit::Usage)
}
