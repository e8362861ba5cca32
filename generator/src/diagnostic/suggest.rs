//! Words of a message: the nearest candidate, and values made safe to print.

/// Characters of a user's value that a message shows.
const SHOWN_CHARACTERS: usize = 60;

/// The candidate that `word` most likely stands for, or none when all are too different.
///
/// Ignores case; one edit (insertion, deletion, replacement, swap of neighbours) is allowed per
/// three characters, and at least one. Of equally near candidates the first wins.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let allowed = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| {
            let distance = strsim::damerau_levenshtein(&lower, &candidate.to_lowercase());
            (distance, candidate)
        })
        .filter(|(distance, candidate)| {
            *distance <= allowed && *distance < candidate.chars().count()
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// A user's value between back ticks, cut when long, with control characters escaped.
pub fn shown(text: &str) -> String {
    let mut shown = String::from("`");
    for (count, character) in text.chars().enumerate() {
        if count == SHOWN_CHARACTERS {
            shown.push_str("...");
            break;
        }
        if character.is_control() {
            shown.extend(character.escape_debug());
        } else {
            shown.push(character);
        }
    }
    shown.push('`');
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_finds_its_word() {
        let fields = ["replicas", "failureDomains", "class"];
        for (word, expected) in [
            ("replcas", Some("replicas")),
            ("failuredomains", Some("failureDomains")),
            ("calss", Some("class")),
            ("network", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, fields), expected, "{word}");
        }
    }

    #[test]
    fn one_letter_is_not_replaced_by_another() {
        assert_eq!(nearest("a", ["b"]), None);
    }

    #[test]
    fn of_equally_near_words_the_first_wins() {
        assert_eq!(nearest("gola", ["gold", "goal"]), Some("gold"));
    }

    #[test]
    fn a_value_cannot_write_escape_sequences_to_the_terminal() {
        assert_eq!(shown("a\u{1b}[2Jb"), "`a\\u{1b}[2Jb`");
    }

    #[test]
    fn a_long_value_is_cut() {
        assert_eq!(shown(&"x".repeat(61)), format!("`{}...`", "x".repeat(60)));
        assert_eq!(shown(&"x".repeat(60)), format!("`{}`", "x".repeat(60)));
    }
}
