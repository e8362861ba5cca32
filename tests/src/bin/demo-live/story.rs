//! What the user sees while it happens. Bold only on a terminal.

use std::io::{IsTerminal as _, stdout};
use std::time::Instant;

/// A story that is told as it goes.
pub struct Story {
    begun: Instant,
    bold: bool,
}

impl Story {
    /// Begins to count the time.
    pub fn begin() -> Self {
        let plain = std::env::var_os("NO_COLOR").is_some();
        Self {
            begun: Instant::now(),
            bold: stdout().is_terminal() && !plain,
        }
    }

    /// A new part, with the time that has gone by.
    pub fn step(&mut self, what: &str) {
        let seconds = self.begun.elapsed().as_secs();
        let (on, off) = if self.bold {
            ("\x1b[1m", "\x1b[0m")
        } else {
            ("", "")
        };
        println!("\n{on}== {seconds:>3} s  {what}{off}");
    }

    /// Something that happened.
    pub fn say(&mut self, what: &str) {
        println!("   {what}");
    }

    /// The end.
    pub fn end(&mut self, what: &str) {
        println!("\ndemo-live: {} s; {what}", self.begun.elapsed().as_secs());
    }
}
