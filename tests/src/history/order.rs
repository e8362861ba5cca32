//! Assertions on the order of entries.

use std::fmt;
use std::fmt::Write as _;

use super::{Entry, Sequence};

/// Something that must be seen, with a name for the failure.
pub struct Step<'a> {
    name: String,
    matches: Box<dyn Fn(&Entry) -> bool + 'a>,
    again: bool,
}

/// A step that is seen when `matches` first holds for an entry.
pub fn step<'a>(name: &str, matches: impl Fn(&Entry) -> bool + 'a) -> Step<'a> {
    Step {
        name: name.to_owned(),
        matches: Box::new(matches),
        again: false,
    }
}

impl Step<'_> {
    /// What it is called.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The step may have been seen before the one that precedes it as well: a
    /// state that is left and comes back.
    #[must_use]
    pub fn again(mut self) -> Self {
        self.again = true;
        self
    }
}

impl fmt::Debug for Step<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Checks that every step is seen, each in an entry after that of the step before
/// it, and that none is seen earlier than that (see [`Step::again`]). Returns what was seen.
///
/// The error names the step, says which entries the steps before it were seen in,
/// and shows the whole timeline.
pub fn check_order(entries: &[Entry], steps: &[Step]) -> Result<Sequence, String> {
    let mut positions: Vec<usize> = Vec::new();
    for step in steps {
        let earliest = positions.last().map_or(0, |previous| previous + 1);
        let find = |from: usize| {
            let mut rest = entries.iter().skip(from);
            rest.position(|entry| (step.matches)(entry))
                .map(|offset| offset + from)
        };
        let from = if step.again { earliest } else { 0 };
        let problem = match find(from) {
            Some(position) if position >= earliest => {
                positions.push(position);
                continue;
            }
            Some(position) => format!("came too early, at {}", entries[position]),
            None => "never came".to_owned(),
        };
        return Err(failure(entries, steps, &positions, &problem));
    }
    let seen = positions.iter().map(|position| &entries[*position]);
    Ok(Sequence::new(steps.iter().zip(seen)))
}

fn failure(entries: &[Entry], steps: &[Step], positions: &[usize], problem: &str) -> String {
    let mut text = String::new();
    for (index, step) in steps.iter().enumerate() {
        let seen = match positions.get(index) {
            Some(position) => entries[*position].to_string(),
            None if index == positions.len() => problem.to_owned(),
            None => "not looked for".to_owned(),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:>2}. {step:?}: {}", index + 1, seen.trim_start());
    }
    text.push_str("what was recorded:\n");
    for entry in entries {
        let _ = writeln!(text, "{entry}");
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Event;
    use super::*;

    fn entry(version: u64, name: &str) -> Entry {
        let object = json!({
            "apiVersion": "v1", "kind": "Thing",
            "metadata": {"name": name, "resourceVersion": version.to_string()},
        });
        let object = serde_json::from_value(object).unwrap();
        Entry::new(Event::Modified, "Thing", object).unwrap()
    }

    fn named(name: &'static str) -> Step<'static> {
        step(name, move |entry| entry.name == name)
    }

    #[test]
    fn steps_are_found_in_order_with_others_between() {
        let entries = [entry(1, "a"), entry(2, "x"), entry(3, "b"), entry(4, "a")];
        check_order(&entries, &[named("a"), named("b")]).unwrap();
        check_order(&entries, &[named("a"), named("b"), named("a").again()]).unwrap();
    }

    #[test]
    fn a_step_that_came_before_its_predecessor_is_refused() {
        let entries = [entry(1, "b"), entry(2, "a"), entry(3, "b")];
        let error = check_order(&entries, &[named("a"), named("b")]).unwrap_err();
        assert!(
            error.contains("2. b: came too early, at        1 Modified Thing b"),
            "{error}"
        );
    }

    #[test]
    fn a_missing_step_shows_what_was_recorded_instead() {
        let entries = [entry(7, "a")];
        let error = check_order(&entries, &[named("a"), named("b"), named("c")]).unwrap_err();
        let expected = " 1. a: 7 Modified Thing a
 2. b: never came
 3. c: not looked for
what was recorded:
       7 Modified Thing a
";
        assert_eq!(error, expected);
    }

    #[test]
    fn one_entry_is_one_step() {
        let entries = [entry(1, "a")];
        check_order(&entries, &[named("a"), named("a").again()]).unwrap_err();
    }
}
