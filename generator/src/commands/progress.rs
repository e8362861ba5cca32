//! Progress of long work, on a terminal only.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::printer::Printer;

/// Fewer units than this are done before a bar could be read.
const WORTH_DRAWING: usize = 200;

/// The same for work that prints: hidden where it would stand between what is printed.
pub fn bar_beside_data(printer: Printer, what: &'static str, units: usize) -> ProgressBar {
    if io::stdout().is_terminal() {
        return ProgressBar::hidden();
    }
    bar(printer, what, units)
}

/// A bar for so many units, hidden where it could not be seen or read.
pub fn bar(printer: Printer, what: &'static str, units: usize) -> ProgressBar {
    if units < WORTH_DRAWING || !printer.draws_progress() {
        return ProgressBar::hidden();
    }
    let bar =
        ProgressBar::with_draw_target(u64::try_from(units).ok(), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len} {eta}") {
        bar.set_style(style);
    }
    bar.set_message(what);
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}
