//! When to restart: the sequence of Luby, Sinclair and Zuckerman (1993), times 100 conflicts.

/// Conflicts in one unit of the sequence (MiniSat's choice).
const UNIT: u64 = 100;

/// The schedule within one query.
#[derive(Clone)]
pub(super) struct Restarts {
    /// Restarts so far.
    pub(super) count: u64,
    /// Conflicts until the next one.
    left: u64,
}

impl Restarts {
    pub(super) fn new() -> Restarts {
        Restarts { count: 0, left: UNIT * luby(0) }
    }

    /// Counts a conflict.
    pub(super) fn on_conflict(&mut self) {
        self.left = self.left.saturating_sub(1);
    }

    /// Whether it is time; if so, the next interval starts.
    pub(super) fn is_due(&mut self) -> bool {
        if self.left > 0 {
            return false;
        }
        self.count += 1;
        self.left = UNIT * luby(self.count);
        true
    }
}

/// Element `index` of 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 …
fn luby(index: u64) -> u64 {
    // The sequence up to 2^k ends at index 2^(k+1) - 2, and is then repeated from the start.
    let mut index = index + 1;
    while !(index + 1).is_power_of_two() {
        index -= (1 << index.ilog2()) - 1;
    }
    index.div_ceil(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_lubys() {
        let start: Vec<u64> = (0..16).map(luby).collect();
        assert_eq!(start, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8, 1]);
    }
}
