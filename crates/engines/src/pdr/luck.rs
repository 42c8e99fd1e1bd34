//! How often something that is tried again and again has worked of late. Heuristic.

/// A running mean of successes.
#[derive(Copy, Clone, Debug)]
pub(super) struct Luck {
    rate: f32,
    /// Attempts that were left out since the last one.
    skipped: u32,
}

impl Default for Luck {
    fn default() -> Luck {
        Luck { rate: 1.0, skipped: 0 }
    }
}

impl Luck {
    /// How much the last attempt counts.
    const WEIGHT: f32 = 1.0 / 32.0;
    /// Below this share of successes attempts are rare…
    const POOR: f32 = 0.02;
    /// … one in so many, to see whether it has changed.
    const PERIOD: u32 = 16;

    /// Notes how an attempt ended.
    pub(super) fn note(&mut self, success: bool) {
        let now = if success { 1.0 } else { 0.0 };
        self.rate += Luck::WEIGHT * (now - self.rate);
    }

    /// Whether to try now.
    pub(super) fn is_worth_it(&mut self) -> bool {
        if self.rate >= Luck::POOR {
            return true;
        }
        self.skipped = (self.skipped + 1) % Luck::PERIOD;
        self.skipped == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_many_failures_attempts_are_rare_until_one_works() {
        let mut luck = Luck::default();
        let tried = |luck: &mut Luck| (0..160).filter(|_| luck.is_worth_it()).count();
        assert_eq!(tried(&mut luck), 160);
        (0..200).for_each(|_| luck.note(false));
        assert_eq!(tried(&mut luck), 10);
        luck.note(true);
        assert_eq!(tried(&mut luck), 160);
    }
}
