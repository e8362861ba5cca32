//! Chance that is the same every time.

use std::time::Duration;

use uuid::Uuid;

/// Draws numbers by name: who draws before or after whom changes nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dice(Uuid);

impl Dice {
    /// Dice of a world with this seed.
    pub(super) fn new(seed: u64) -> Self {
        Self(Uuid::from_u128(u128::from(seed)))
    }

    /// The number of that name.
    pub(super) fn draw(self, name: &str) -> u64 {
        // The version and the variant of a UUID are the same in all: left out.
        let (_, low) = Uuid::new_v5(&self.0, name.as_bytes()).as_u64_pair();
        low & 0xffff_ffff_ffff
    }

    /// The duration of that name, between two numbers of milliseconds, both included.
    pub(super) fn duration(self, name: &str, [least, most]: [u64; 2]) -> Duration {
        let span = most.saturating_sub(least).saturating_add(1);
        Duration::from_millis(least.saturating_add(self.draw(name) % span))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_draw_equal_numbers_and_seeds_differ() {
        let dice = Dice::new(1);
        assert_eq!(dice.draw("a"), dice.draw("a"));
        assert_ne!(dice.draw("a"), dice.draw("b"));
        assert_ne!(dice.draw("a"), Dice::new(2).draw("a"));
    }

    #[test]
    fn durations_keep_their_bounds() {
        let dice = Dice::new(1);
        for name in 0..100 {
            let drawn = dice.duration(&name.to_string(), [3, 5]).as_millis();
            assert!((3..=5).contains(&drawn));
        }
        assert_eq!(dice.duration("a", [0, 0]), Duration::ZERO);
    }
}
