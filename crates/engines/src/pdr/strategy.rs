//! How hard the search tries to widen a lemma, and a bandit that finds out how hard it should.
//!
//! The idea is that of *A-IC3: learning-guided adaptive inductive generalization for hardware model
//! checking* (arXiv 2604.21688, 2026): a multi-armed bandit chooses the strategy of each
//! generalisation, by what came of the earlier ones. The rest is our own: arms, reward, and the
//! rule, which is that of a ratio, since a strategy that gains twice as much for twice the work is
//! no better. What one obligation costs besides counts as well; otherwise doing nothing would be
//! best.

use super::bits::Bits;
use super::options::PdrOptions;
use crate::trace::{Guide, Level, Space};
use pedra_model::lit::Lit;
use pedra_model::random::Random;

/// How a lemma is widened.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Strategy {
    /// How many counterexamples to generalisation are blocked for one drop.
    pub(super) ctg: u32,
    /// After this many literals in a row that could not be dropped the rest is kept; 0: never.
    pub(super) drop_failures: u32,
    /// Whether a lemma of the level below is tried first.
    pub(super) predict: bool,
}

impl Strategy {
    /// As the options say, for an obligation that came up this often.
    pub(super) fn of(options: &PdrOptions, heat: f32) -> Strategy {
        let PdrOptions { drop_failures, predict, .. } = *options;
        Strategy { ctg: options.ctg_at(heat), drop_failures, predict }
    }
}

/// The arms: changes to what the options say.
const ARMS: [fn(Strategy, &PdrOptions) -> Strategy; 4] = [
    |usual, _| usual,
    // Hardly at all.
    |usual, _| Strategy { ctg: 0, drop_failures: 2, ..usual },
    // Whatever it takes.
    |usual, options| Strategy { ctg: options.ctg, drop_failures: 0, ..usual },
    |usual, _| Strategy { predict: true, ..usual },
];

/// Old experience counts for less by this factor with each new one of the same arm.
const DECAY: f64 = 0.98;

/// One choice in this many is made by chance.
const EXPLORE: usize = 16;

/// What an arm has cost and gained, lately.
#[derive(Copy, Clone, Default)]
struct Experience {
    uses: f64,
    work: f64,
    gain: f64,
}

/// What a generalisation came to.
#[derive(Copy, Clone)]
pub(super) struct Outcome {
    /// Literals before and after.
    pub(super) literals: [usize; 2],
    /// Whether the lemma holds above the level of the obligation.
    pub(super) is_higher: bool,
}

impl Outcome {
    /// From 0 to 2: the share of literals that were dropped, and whether the lemma holds above.
    fn gain(self) -> f64 {
        let [before, after] = self.literals.map(|literals| literals.max(1) as f64);
        1.0 - (after / before).min(1.0) + f64::from(u8::from(self.is_higher))
    }
}

/// Chooses an arm for each generalisation.
pub(super) struct Bandit {
    arms: [Experience; ARMS.len()],
    /// Work between generalisations.
    between: Experience,
    /// The arm that is in use, and the work when it began.
    current: Option<(usize, u64)>,
    /// The work when the last one ended.
    ended: u64,
    random: Random,
}

impl Bandit {
    /// Without experience.
    pub(super) fn new(seed: u64) -> Bandit {
        Bandit {
            arms: Default::default(),
            between: Experience::default(),
            current: None,
            ended: 0,
            random: Random::new(seed),
        }
    }

    /// The strategy of a generalisation that begins now, at this much work.
    pub(super) fn choose(&mut self, usual: Strategy, options: &PdrOptions, work: u64) -> Strategy {
        self.between.add(work.saturating_sub(self.ended), 0.0);
        let arm = match self.arms.iter().position(|arm| arm.uses == 0.0) {
            Some(unused) => unused,
            None if self.random.one_in(EXPLORE) => self.random.below(ARMS.len()),
            None => self.best(),
        };
        self.current = Some((arm, work));
        ARMS[arm](usual, options)
    }

    /// The arm that has gained most for its work; the first one of equals.
    fn best(&self) -> usize {
        let besides = self.between.work / self.between.uses;
        let ratio = |arm: &Experience| arm.gain / (arm.work + arm.uses * besides).max(1.0);
        let mut best = 0;
        for arm in 1..ARMS.len() {
            if ratio(&self.arms[arm]) > ratio(&self.arms[best]) {
                best = arm;
            }
        }
        best
    }

    /// It has ended, at this much work. Generalisations that were interrupted teach nothing.
    pub(super) fn learn(&mut self, outcome: Outcome, work: u64) {
        if let Some((arm, begun)) = self.current.take() {
            self.arms[arm].add(work.saturating_sub(begun), outcome.gain());
        }
        self.ended = work;
    }
}

impl Experience {
    fn add(&mut self, work: u64, gain: f64) {
        self.uses = DECAY * self.uses + 1.0;
        self.work = DECAY * self.work + work as f64;
        self.gain = DECAY * self.gain + gain;
    }
}

impl<G: Guide<[Lit]>> Bits<'_, G> {
    /// How the lemma of an obligation that came up this often is widened.
    pub(super) fn choose_strategy(&mut self, heat: f32) -> Strategy {
        let usual = Strategy::of(&self.options, heat);
        let Some(mut bandit) = self.memory.bandit.take() else { return usual };
        let strategy = bandit.choose(usual, &self.options, self.work());
        self.memory.bandit = Some(bandit);
        strategy
    }

    /// What came of it.
    pub(super) fn learn_strategy(&mut self, literals: [usize; 2], level: Level, reached: Level) {
        let Some(mut bandit) = self.memory.bandit.take() else { return };
        let is_higher = reached > level;
        bandit.learn(Outcome { literals, is_higher }, self.work());
        self.memory.bandit = Some(bandit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often each arm is used in a thousand generalisations, if an obligation costs `besides`
    /// before, and the arms cost and gain this. All cubes have ten literals.
    fn uses(besides: u64, arms: [(u64, usize); ARMS.len()]) -> [usize; ARMS.len()] {
        let options = PdrOptions { bandit: true, ..PdrOptions::default() };
        let usual = Strategy::of(&options, 0.0);
        let (mut bandit, mut work, mut uses) = (Bandit::new(0), 0, [0; ARMS.len()]);
        for _ in 0..1000 {
            work += besides;
            let strategy = bandit.choose(usual, &options, work);
            let arm = ARMS.iter().position(|arm| arm(usual, &options) == strategy);
            let arm = arm.expect("it is an arm");
            uses[arm] += 1;
            work += arms[arm].0;
            bandit.learn(Outcome { literals: [10, 10 - arms[arm].1], is_higher: false }, work);
        }
        uses
    }

    #[test]
    fn what_gains_most_for_its_work_is_used_most() {
        for best in 0..ARMS.len() {
            let mut arms = [(100, 4); ARMS.len()];
            arms[best] = (100, 8);
            assert!(uses(100, arms)[best] > 900, "{best}");
        }
    }

    /// If obligations cost nothing themselves, hardly trying is best; if they are dear, it is not.
    #[test]
    fn what_an_obligation_costs_besides_counts() {
        let arms = [(100, 6), (10, 2), (200, 7), (150, 6)];
        assert!(uses(0, arms)[1] > 900);
        assert!(uses(500, arms)[0] > 800);
        assert!(uses(5000, arms)[2] > 800);
    }

    #[test]
    fn an_interrupted_generalisation_teaches_nothing() {
        let options = PdrOptions { bandit: true, ..PdrOptions::default() };
        let usual = Strategy::of(&options, 0.0);
        let mut bandit = Bandit::new(0);
        bandit.choose(usual, &options, 5);
        assert_eq!(bandit.choose(usual, &options, 9), usual);
        bandit.learn(Outcome { literals: [2, 1], is_higher: true }, 12);
        assert_eq!(bandit.arms.map(|arm| arm.uses), [1.0, 0.0, 0.0, 0.0]);
        assert_eq!((bandit.arms[0].work, bandit.arms[0].gain), (3.0, 1.5));
    }
}
