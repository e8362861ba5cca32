//! Everything that is said: data on standard output, talk on standard error.

use std::io::{self, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use serde_json::json;

use crate::{
    cli::{Colour, Global, LogFormat},
    diagnostic::{
        Diagnostic,
        render::{self, Styles},
    },
};

/// Writes data and talk the way the user asked for.
#[derive(Clone, Copy, Debug)]
pub struct Printer {
    choice: ColorChoice,
    format: LogFormat,
    quiet: bool,
}

impl Printer {
    /// A printer for these options.
    pub fn new(global: &Global) -> Self {
        let choice = match global.color {
            Colour::Auto => ColorChoice::Auto,
            Colour::Always => ColorChoice::Always,
            Colour::Never => ColorChoice::Never,
        };
        Self {
            choice,
            format: global.log_format,
            quiet: global.quiet,
        }
    }

    /// Standard output, buffered. Escape sequences reach it only where colours are wanted.
    pub fn data(self) -> io::BufWriter<AutoStream<io::Stdout>> {
        io::BufWriter::with_capacity(1 << 16, AutoStream::new(io::stdout(), self.choice))
    }

    /// Standard output as bytes, for machines.
    pub fn raw(self) -> io::BufWriter<io::StdoutLock<'static>> {
        io::BufWriter::with_capacity(1 << 16, io::stdout().lock())
    }

    /// Tells what happens. Nothing when quiet.
    pub fn say(self, message: &str) {
        if !self.quiet {
            self.talk("info", message);
        }
    }

    /// Tells what went wrong.
    pub fn fail(self, message: &str) {
        self.talk("error", message);
    }

    /// Shows diagnostics with their places.
    pub fn diagnostics(self, diagnostics: &[Diagnostic]) {
        let mut out = AutoStream::new(io::stderr(), self.choice);
        match self.format {
            LogFormat::Text => {
                let _ = write!(out, "{}", render::text(diagnostics, &Styles::COLOURED));
            }
            LogFormat::Json => {
                for diagnostic in diagnostics {
                    if let Ok(line) = serde_json::to_string(diagnostic) {
                        let _ = writeln!(out, "{line}");
                    }
                }
            }
        }
    }

    /// Whether progress of long work can be drawn.
    pub fn draws_progress(self) -> bool {
        !self.quiet && self.format == LogFormat::Text && io::stderr().is_terminal()
    }

    /// A failing write to standard error leaves nobody to tell.
    fn talk(self, level: &str, message: &str) {
        let mut out = AutoStream::new(io::stderr(), self.choice);
        let _ = match self.format {
            LogFormat::Text if level == "error" => {
                let style = anstyle::AnsiColor::Red.on_default().bold();
                writeln!(out, "{style}error{style:#}: {message}")
            }
            LogFormat::Text => writeln!(out, "{message}"),
            LogFormat::Json => writeln!(out, "{}", json!({ "level": level, "message": message })),
        };
    }
}
