//! Which machines changed.

use std::collections::{BTreeSet, VecDeque};

use banlieue_backend::Hint;

/// Changes that are kept for those who ask late.
const KEPT: usize = 4096;

/// The last changes, numbered from 0. A reader keeps the number of the next change as its cursor.
#[derive(Clone, Debug, Default)]
pub(super) struct Feed {
    next: u64,
    kept: VecDeque<String>,
}

impl Feed {
    /// Cursor of one who wants only what comes.
    pub(super) fn end(&self) -> u64 {
        self.next
    }

    pub(super) fn add(&mut self, uid: &str) {
        if self.kept.len() == KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back(uid.to_owned());
        self.next += 1;
    }

    /// What changed since `cursor`, each machine once. Whoever is too late hears [`Hint::Any`].
    pub(super) fn since(&self, cursor: u64) -> Vec<Hint> {
        let behind = self.next.saturating_sub(cursor);
        let behind = usize::try_from(behind).unwrap_or(usize::MAX);
        // A cursor from the future belongs to another world of that name.
        if behind > self.kept.len() || cursor > self.next {
            return vec![Hint::Any];
        }
        let new = self.kept.iter().skip(self.kept.len() - behind);
        let machines: BTreeSet<&String> = new.collect();
        machines
            .into_iter()
            .map(|uid| Hint::Machine(uid.clone()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_hears_each_machine_once_and_any_when_it_is_too_late() {
        let mut feed = Feed::default();
        let start = feed.end();
        assert_eq!(feed.since(start), []);
        for uid in ["b", "a", "b"] {
            feed.add(uid);
        }
        let hints = ["a", "b"].map(|uid| Hint::Machine(uid.to_owned()));
        assert_eq!(feed.since(start), hints);
        assert_eq!(feed.since(feed.end()), []);
        for _ in 0..KEPT {
            feed.add("c");
        }
        assert_eq!(feed.since(start), [Hint::Any]);
        assert_eq!(Feed::default().since(feed.end()), [Hint::Any]);
    }
}
