//! What happened in a run, step by step.
//!
//! While the run goes on only changes are kept; how things stood at a step is found afterwards
//! by playing them back.

use pedra_engines::{Claim, Event, Region};
use std::collections::{BTreeMap, BTreeSet};

/// After this many changes nothing more is kept: pictures of such a run help nobody.
const MAX_CHANGES: usize = 50_000;

/// A text under a picture is cut off after this many characters.
const MAX_TEXT: usize = 110;

#[derive(Clone, Debug)]
enum Change {
    Opened { level: usize },
    Learned { lemma: usize, level: Option<usize>, region: usize },
    Pushed { lemma: usize, to: Option<usize> },
    Retired { lemma: usize },
    Raised { obligation: usize, level: usize, region: usize },
    Blocked { obligation: usize },
    Ended,
}

/// The record of a run.
#[derive(Clone, Debug, Default)]
pub struct Story {
    changes: Vec<Change>,
    regions: Vec<Region>,
    is_cut: bool,
    /// Of a program, the location that is drawn.
    location: Option<usize>,
    /// Lemmas and obligations that were told.
    lemmas: BTreeSet<usize>,
    obligations: BTreeSet<usize>,
}

/// A region in a picture.
#[derive(Clone, Debug)]
pub struct Shown<'a> {
    /// Which states.
    pub region: &'a Region,
    /// A lemma: up to this level, `None` for all. An obligation: at this one.
    pub level: Option<usize>,
    /// Whether it is what this step is about.
    pub is_new: bool,
}

/// How things stood after something happened.
#[derive(Clone, Debug)]
pub struct Step<'a> {
    /// What happened.
    pub caption: String,
    /// The highest frame.
    pub top: usize,
    /// What the frames exclude.
    pub lemmas: Vec<Shown<'a>>,
    /// What must still be excluded.
    pub obligations: Vec<Shown<'a>>,
}

impl Story {
    /// Of what happens at a location of a program.
    pub fn at(location: usize) -> Story {
        Story { location: Some(location), ..Story::default() }
    }

    /// Takes note of an event. Those that are not about regions of words, or about another
    /// location, are left aside.
    pub fn hear(&mut self, event: &Event) {
        if self.changes.len() >= MAX_CHANGES {
            self.is_cut = true;
            return;
        }
        let change = match event {
            Event::FrameOpened { level } => Change::Opened { level: *level },
            Event::LemmaLearned { lemma, level, claim: Claim::Outside(region) }
                if region.location == self.location =>
            {
                self.lemmas.insert(*lemma);
                Change::Learned { lemma: *lemma, level: *level, region: self.keep(region) }
            }
            Event::LemmaPushed { lemma, to, .. } if self.lemmas.contains(lemma) => {
                Change::Pushed { lemma: *lemma, to: *to }
            }
            Event::LemmaRetired { lemma, .. } if self.lemmas.contains(lemma) => {
                Change::Retired { lemma: *lemma }
            }
            Event::ObligationRaised {
                obligation, level, claim: Claim::Outside(region), ..
            } if region.location == self.location => {
                self.obligations.insert(*obligation);
                let region = self.keep(region);
                Change::Raised { obligation: *obligation, level: *level, region }
            }
            Event::ObligationBlocked { obligation, .. }
                if self.obligations.contains(obligation) =>
            {
                Change::Blocked { obligation: *obligation }
            }
            Event::Finished { .. } => Change::Ended,
            _ => return,
        };
        self.changes.push(change);
    }

    fn keep(&mut self, region: &Region) -> usize {
        self.regions.push(region.clone());
        self.regions.len() - 1
    }

    /// All regions that were ever told.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// The steps, at most this many: the last one, and of the others an even choice.
    pub fn steps(&self, most: usize) -> Vec<Step<'_>> {
        let ends: Vec<usize> = (0..self.changes.len()).filter(|&n| self.ends_step(n)).collect();
        let stride = ends.len().div_ceil(most.max(1)).max(1);
        let chosen = |n: usize| (ends.len() - 1 - n).is_multiple_of(stride);
        let mut state = State::default();
        let (mut steps, mut done) = (Vec::new(), 0);
        for (number, &end) in ends.iter().enumerate() {
            let changes = &self.changes[done..=end];
            changes.iter().for_each(|change| state.apply(change));
            done = end + 1;
            if chosen(number) {
                steps.push(self.step(&state, changes));
            }
        }
        steps
    }

    /// Whether things are worth a picture after a change: not within a series of pushes, and not
    /// for what only goes away.
    fn ends_step(&self, number: usize) -> bool {
        let next = self.changes.get(number + 1);
        match self.changes[number] {
            Change::Pushed { .. } => !matches!(next, Some(Change::Pushed { .. })),
            Change::Retired { .. } | Change::Blocked { .. } => next.is_none(),
            _ => true,
        }
    }

    fn step(&self, state: &State, changes: &[Change]) -> Step<'_> {
        let new = state.new.clone();
        let lemmas = state.lemmas.iter().map(|(&lemma, &(region, level))| Shown {
            region: &self.regions[region],
            level,
            is_new: new.lemmas.contains(&lemma),
        });
        let obligations = state.obligations.iter().map(|(&number, &(region, level))| Shown {
            region: &self.regions[region],
            level: Some(level),
            is_new: new.obligation == Some(number),
        });
        let last = changes.last().expect("a step has changes");
        Step {
            caption: self.caption(last, changes),
            top: state.top,
            lemmas: lemmas.collect(),
            obligations: obligations.collect(),
        }
    }

    fn caption(&self, last: &Change, changes: &[Change]) -> String {
        let level = |level: &Option<usize>| match level {
            Some(level) => format!("up to frame {level}"),
            None => "in all frames".to_owned(),
        };
        let text = match last {
            Change::Opened { level } => format!("frame {level} is opened"),
            Change::Learned { level: at, region, .. } => {
                format!("learned {}: not ({})", level(at), self.regions[*region].text)
            }
            Change::Pushed { .. } => {
                let count = changes.iter().filter(|c| matches!(c, Change::Pushed { .. })).count();
                let noun = if count == 1 { "lemma is" } else { "lemmas are" };
                format!("{count} {noun} pushed to higher frames")
            }
            Change::Raised { level, region, .. } => {
                format!("must be excluded at frame {level}: {}", self.regions[*region].text)
            }
            Change::Retired { .. } | Change::Blocked { .. } | Change::Ended => {
                let cut = if self.is_cut { "; what came later was not kept" } else { "" };
                format!("the run ends{cut}")
            }
        };
        if text.chars().count() <= MAX_TEXT {
            return text;
        }
        text.chars().take(MAX_TEXT - 1).chain(['…']).collect()
    }
}

/// What a picture is about.
#[derive(Clone, Debug, Default)]
struct New {
    lemmas: Vec<usize>,
    obligation: Option<usize>,
}

/// How things stand while changes are played back.
#[derive(Clone, Debug, Default)]
struct State {
    top: usize,
    /// By number: region and level.
    lemmas: BTreeMap<usize, (usize, Option<usize>)>,
    obligations: BTreeMap<usize, (usize, usize)>,
    new: New,
    was_pushing: bool,
}

impl State {
    fn apply(&mut self, change: &Change) {
        let is_pushing = matches!(change, Change::Pushed { .. });
        if !(is_pushing && self.was_pushing) {
            self.new = New::default();
        }
        self.was_pushing = is_pushing;
        match *change {
            Change::Opened { level } => self.top = self.top.max(level),
            Change::Learned { lemma, level, region } => {
                self.top = self.top.max(level.unwrap_or(0));
                self.lemmas.insert(lemma, (region, level));
                self.new.lemmas.push(lemma);
            }
            Change::Pushed { lemma, to } => {
                if let Some((_, level)) = self.lemmas.get_mut(&lemma) {
                    *level = to;
                    self.new.lemmas.push(lemma);
                }
                self.top = self.top.max(to.unwrap_or(0));
            }
            Change::Retired { lemma } => {
                self.lemmas.remove(&lemma);
            }
            Change::Raised { obligation, level, region } => {
                self.obligations.insert(obligation, (region, level));
                self.new.obligation = Some(obligation);
            }
            Change::Blocked { obligation } => {
                self.obligations.remove(&obligation);
            }
            Change::Ended => self.obligations.clear(),
        }
    }
}
