//! A sequence that was seen, and the page that shows it.

use std::fmt::Write as _;

use anyhow::{Context, Result};

use super::{Entry, Event, Step};
use crate::help_page::is_current;
use crate::tools::checkout;

/// What was seen of each step, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence(Vec<Seen>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    step: String,
    kind: String,
    event: Event,
}

impl Sequence {
    /// The steps with the entries that they were seen in.
    pub(super) fn new<'a>(seen: impl Iterator<Item = (&'a Step<'a>, &'a Entry)>) -> Self {
        let seen = seen.map(|(step, entry)| Seen {
            step: step.name().to_owned(),
            kind: entry.kind.clone(),
            event: entry.event,
        });
        Self(seen.collect())
    }

    /// Fails unless the page, a path in the checkout, shows this between the lines
    /// `<!-- seen: part -->` and `<!-- /seen -->`. Writes it there if `UPDATE=1` asks for that.
    pub fn is_shown(&self, page: &str, part: &str) -> Result<()> {
        let text = std::fs::read_to_string(checkout().join(page)).context(page.to_owned())?;
        let shown = self.put_into(&text, part);
        let shown = shown.with_context(|| format!("{page} has no place for `{part}`"))?;
        is_current(page, &shown)
    }

    fn put_into(&self, page: &str, part: &str) -> Option<String> {
        let (begin, end) = (format!("<!-- seen: {part} -->\n"), "<!-- /seen -->");
        let (before, rest) = page.split_once(&begin)?;
        let (_, after) = rest.split_once(end)?;
        Some(format!("{before}{begin}{}{end}{after}", self.table()))
    }

    fn table(&self) -> String {
        let mut text = "| step | object | in the watch |\n|---|---|---|\n".to_owned();
        for Seen { step, kind, event } in &self.0 {
            let event = match event {
                Event::Found => "there before",
                Event::Added => "created",
                Event::Modified => "changed",
                Event::Deleted => "gone",
            };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "| {step} | {kind} | {event} |");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_page_is_replaced_and_the_rest_stays() {
        let seen = Seen {
            step: "1. it comes".to_owned(),
            kind: "Thing".to_owned(),
            event: Event::Added,
        };
        let sequence = Sequence(vec![seen]);
        let page = "# A\n<!-- seen: a -->\nold\n<!-- /seen -->\nb <!-- seen: b -->\n<!-- /seen -->";
        let expected = "# A\n<!-- seen: a -->\n| step | object | in the watch |\n|---|---|---|\n\
            | 1. it comes | Thing | created |\n<!-- /seen -->\nb <!-- seen: b -->\n<!-- /seen -->";
        assert_eq!(sequence.put_into(page, "a").as_deref(), Some(expected));
        assert_eq!(sequence.put_into(page, "c"), None);
    }
}
