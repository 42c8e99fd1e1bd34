//! Prepares the model for the engines: cone of the properties, translation to bits, reductions; and
//! the way back for answers.

use crate::plan::Plan;
use pedra_engines::events::Progress;
use pedra_engines::{Context, End, Engine, EqualProperties, Exchange, Link, SweepOptions, sweep};
use pedra_model::Model;
use pedra_model::back::Passes;
use pedra_model::bits::{BitSystem, name_at};
use pedra_model::blast::{BlastError, BlastOptions, Blasted, Blasting, blast};
use pedra_model::cone::{Restriction, WordCone};
use pedra_model::reduce::{ReduceOptions, Reduced, Reduction, reduce_and_tell};
use pedra_model::system::System;
use pedra_model::term::{Sort, TermId};
use pedra_solve::Interrupt;

/// The words that matter, of a model in words.
pub(crate) struct Words<'a> {
    original: &'a System,
    cone: WordCone,
}

impl<'a> Words<'a> {
    /// The part of the system that the properties depend on, or all of it.
    pub(crate) fn new(system: &'a System, properties: &[usize], take_cone: bool) -> Words<'a> {
        let cone = match take_cone {
            true => WordCone::new(system, properties, []),
            false => WordCone::everything(system, properties),
        };
        Words { original: system, cone }
    }

    /// What word-level engines see. Its property `i` is the `i`-th chosen one.
    pub(crate) fn system(&self) -> &System {
        &self.cone.system
    }

    /// The way back from there to the model.
    pub(crate) fn passes(&self) -> Passes<'_> {
        Passes(vec![Box::new(Restriction { original: self.original, cone: &self.cone })])
    }
}

/// A model made ready for bit-level engines.
pub struct Prepared<'a> {
    source: Source<'a>,
    reduced: Reduced,
    equal: EqualProperties,
    stages: Vec<Stage>,
}

/// A size of the model on its way.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Stage {
    /// What was done.
    pub name: &'static str,
    /// The inputs.
    pub inputs: usize,
    /// The latches; before the model is made into bits, its states.
    pub latches: usize,
    /// The gates; before the model is made into bits, its operators.
    pub gates: usize,
}

impl Stage {
    fn of_bits(name: &'static str, system: &BitSystem) -> Stage {
        let (inputs, latches) = (system.inputs.len(), system.latches.len());
        Stage { name, inputs, latches, gates: system.aig.gates().count() }
    }

    fn of_words(name: &'static str, system: &System) -> Stage {
        let (inputs, latches) = (system.inputs.len(), system.states.len());
        let is_used = system.terms.cone(system.roots());
        let gates = system
            .terms
            .iter()
            .filter(|(id, term)| is_used[id.index()] && term.args().next().is_some());
        Stage { name, inputs, latches, gates: gates.count() }
    }

    /// Adds a stage, unless nothing became smaller.
    fn add(stages: &mut Vec<Stage>, stage: Stage) {
        if stages.last().is_none_or(|last| Stage { name: last.name, ..stage } != *last) {
            stages.push(stage);
        }
    }
}

/// What was reduced.
enum Source<'a> {
    Bits(&'a BitSystem),
    Words(&'a Words<'a>, Box<Blasted>),
}

impl<'a> Prepared<'a> {
    /// Reduces a bit-level model for the chosen properties.
    pub(crate) fn of_bits(
        system: &'a BitSystem,
        properties: &[usize],
        reductions: &ReduceOptions,
    ) -> Prepared<'a> {
        let mut stages = vec![Stage::of_bits("model", system)];
        let reduced = reduced(system, properties, reductions, &mut stages);
        Prepared::new(Source::Bits(system), reduced, stages)
    }

    /// Blasts and reduces what matters of a word-level model.
    pub(crate) fn of_words(
        words: &'a Words<'a>,
        blasting: &BlastOptions,
        reductions: &ReduceOptions,
    ) -> Result<Prepared<'a>, BlastError> {
        let blasted = blast(words.system(), blasting)?;
        let all: Vec<usize> = (0..words.system().bads.len()).collect();
        let mut stages = vec![Stage::of_words("model, words", words.original)];
        Stage::add(&mut stages, Stage::of_words("cone, words", words.system()));
        stages.push(Stage::of_bits("bits", &blasted.system));
        let reduced = reduced(&blasted.system, &all, reductions, &mut stages);
        Ok(Prepared::new(Source::Words(words, Box::new(blasted)), reduced, stages))
    }

    fn new(source: Source<'a>, reduced: Reduced, stages: Vec<Stage>) -> Prepared<'a> {
        let equal = EqualProperties::by_key(reduced.system.properties().iter().copied());
        Prepared { source, reduced, equal, stages }
    }

    /// Merges what a solver finds equal (see [`sweep()`]), and reduces once more if that found
    /// something.
    pub(crate) fn sweep(
        self,
        options: &SweepOptions,
        reductions: &ReduceOptions,
        interrupt: &Interrupt,
    ) -> Prepared<'a> {
        let Some(swept) = sweep(&self.reduced.system, options, interrupt) else { return self };
        let properties: Vec<usize> = (0..swept.system.properties().len()).collect();
        let mut stages = self.stages;
        Stage::add(&mut stages, Stage::of_bits("sweep", &swept.system));
        let again = reduced(&swept.system, &properties, reductions, &mut stages);
        Prepared::new(self.source, self.reduced.then(swept).then(again), stages)
    }

    /// The sizes of the model on its way here, without passes that found nothing.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// What the engines see. Its property `i` is the `i`-th chosen one.
    pub fn system(&self) -> &BitSystem {
        &self.reduced.system
    }

    /// The bits of what matters of the model, before the reductions.
    fn unreduced(&self) -> &BitSystem {
        match &self.source {
            Source::Bits(system) => system,
            Source::Words(_, blasted) => &blasted.system,
        }
    }

    /// For each latch of [`system`](Prepared::system) its name in the model, if it has one.
    pub fn latch_names(&self) -> impl Iterator<Item = Option<&str>> {
        let names = &self.unreduced().names.latches;
        self.reduced.map.latches().iter().map(|&latch| name_at(names, latch as usize))
    }

    /// The way back from the engines to the model.
    pub(crate) fn passes(&self) -> Passes<'_> {
        let mut passes = match &self.source {
            Source::Bits(_) => Passes::default(),
            Source::Words(words, blasted) => {
                let mut passes = words.passes();
                passes.0.push(Box::new(Blasting { system: words.system(), blasted }));
                passes
            }
        };
        let original = self.unreduced();
        passes.0.push(Box::new(Reduction { original, map: &self.reduced.map }));
        passes
    }

    /// Which properties are the same for the engines.
    pub(crate) fn equal(&self) -> &EqualProperties {
        &self.equal
    }
}

/// Reduces a system, and notes the sizes.
fn reduced(
    system: &BitSystem,
    properties: &[usize],
    reductions: &ReduceOptions,
    stages: &mut Vec<Stage>,
) -> Reduced {
    let mut tell = |name, system: &_| Stage::add(stages, Stage::of_bits(name, system));
    reduce_and_tell(system, properties, reductions, &mut tell)
}

/// An engine on a system that was derived from the model.
pub(crate) struct Derived<'a> {
    pub(crate) engine: Box<dyn Engine + 'a>,
    pub(crate) passes: &'a Passes<'a>,
    pub(crate) equal: Option<&'a EqualProperties>,
    /// Where it shares lemmas, if it does.
    pub(crate) exchange: Option<&'a Exchange>,
}

impl Engine for Derived<'_> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn run(&mut self, context: &Context) -> End {
        let link = Link::new(context, self.passes);
        let link = match self.equal {
            Some(equal) => link.with_equal(equal),
            None => link,
        };
        let exchange = self.exchange;
        self.engine.run(&Context { exchange, ..context.through(&link) })
    }

    fn progress(&self) -> Progress {
        self.engine.progress()
    }
}

/// What matters of a model in words.
pub(crate) fn words_of<'a>(
    model: &'a Model,
    properties: &[usize],
    plan: &Plan,
) -> Option<Words<'a>> {
    let Model::Words(system) = model else { return None };
    // What is too large to be made into bits is left out in any case.
    let is_large = |id: TermId| !plan.blast.expands(system.terms.sort(id));
    let take_cone = plan.reduce.cone || system.terms.iter().any(|(id, _)| is_large(id));
    Some(Words::new(system, properties, take_cone))
}

/// Properties by what can be done about the arrays that they depend on: a memory is no reason to
/// give up what does not read it.
#[derive(Default)]
pub(crate) struct Split {
    /// All of what they depend on can be made into bits.
    pub(crate) fit: Vec<usize>,
    /// They depend on an array that is too large; the complaint.
    pub(crate) large: Vec<(usize, String)>,
    /// They cannot be made into bits for another reason; the complaint.
    pub(crate) hopeless: Vec<(usize, String)>,
}

/// Looks at each of the properties.
pub(crate) fn split_by_arrays(
    model: &Model,
    properties: &[usize],
    blasting: &BlastOptions,
) -> Split {
    let everything = || Split { fit: properties.to_vec(), ..Split::default() };
    let Model::Words(system) = model else { return everything() };
    let sorts = system.terms.iter().map(|(id, _)| (id, system.terms.sort(id)));
    let not_words = sorts.filter(|(_, sort)| sort.width().is_none() && !blasting.expands(*sort));
    let not_words: Vec<(TermId, Sort)> = not_words.collect();
    if not_words.is_empty() {
        return everything();
    }
    let mut split = Split::default();
    for &property in properties {
        let constraints = system.constraints.iter().map(|c| c.term);
        let matters = system.influence(constraints.chain([system.bads[property].term]));
        let met = not_words.iter().filter(|(id, _)| matters[id.index()]);
        let met: Vec<Sort> = met.map(|(_, sort)| *sort).collect();
        let cone = || WordCone::new(system, &[property], []);
        match (!met.is_empty()).then(|| blast(&cone().system, blasting)) {
            Some(Err(error)) if met.iter().any(|sort| sort.has_integers()) => {
                split.hopeless.push((property, error.to_string()));
            }
            Some(Err(error @ BlastError::ArrayTooLarge { .. })) => {
                split.large.push((property, error.to_string()));
            }
            Some(Err(error)) => split.hopeless.push((property, error.to_string())),
            _ => split.fit.push(property),
        }
    }
    split
}
