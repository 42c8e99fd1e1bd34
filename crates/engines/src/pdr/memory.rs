//! What a search over bits remembers for its heuristics.

use super::Counts;
use super::activity::Activity;
use super::options::PdrOptions;
use super::strategy::Bandit;
use super::trigger::Triggers;
use pedra_model::lit::Lit;
use pedra_model::random::Random;

/// Activities, witnesses, counts.
pub(super) struct Memory {
    /// Which literals took part in recent lemmas.
    pub(super) activity: Activity,
    /// Why lemmas could not be pushed, if that is of use.
    pub(super) triggers: Option<Triggers>,
    pub(super) random: Random,
    /// What has come of the strategies of generalisation, if that is of use.
    pub(super) bandit: Option<Bandit>,
    /// Where the queries went.
    pub(super) counts: Counts,
    /// The last assumptions, so that they are not allocated for each query.
    pub(super) assumed: Vec<Lit>,
}

impl Memory {
    /// Nothing is remembered.
    pub(super) fn new(options: &PdrOptions, num_vars: usize, seed: u64) -> Memory {
        Memory {
            activity: Activity::new(num_vars, seed),
            triggers: options.triggered_push.then(Triggers::default),
            random: Random::new(seed),
            bandit: options.bandit.then(|| Bandit::new(seed)),
            counts: Counts::default(),
            assumed: Vec::new(),
        }
    }
}
