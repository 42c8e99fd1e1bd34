//! The queries of lifted PDR, each with its formula.
//!
//! Every location has a solver for what begins there: its frames, and the edges from it. A frame is
//! assumed lemma by lemma, so that a query is confined to what it mentions. Nothing is ever
//! removed. `calls` has what the calls on an edge add to a query.

use super::facts::Facts;
use super::graph::{Edge, EdgeId, Graph, Location};
use super::implicant::constant;
use super::predicates::{Predicates, Subset, cube};
use super::samples::{Start, hint, is_small};
use crate::context::{Context, Reason};
use crate::trace::{Inserted, LemmaId, Level, Place, Scan, Stopped, Trace};
use pedra_model::affine::normalise;
use pedra_model::blast::BlastOptions;
use pedra_model::lit::Lit;
use pedra_model::polynomial::{boundaries, is_product, spread};
use pedra_model::random::Random;
use pedra_model::term::{BinaryOp, Term, TermId};
use pedra_model::value::Value;
use pedra_program::interpreter::evaluate;
use pedra_solve::terms::{TermError, TermSolver, Theory};
use pedra_solve::{Interrupt, SatResult};
use rustc_hash::FxHashMap;

/// Lemmas that exclude cubes at locations.
pub(super) type Frames = Trace<[Lit], Scan<Subset>, Location>;

/// Values of symbols.
pub(super) type Model = FxHashMap<TermId, Value>;

/// Conflicts of a query for a sample.
const HINT_EFFORT: u64 = 1_000;

/// What a question about a cube says.
pub(super) enum Blocked {
    /// No edge leads into it, nor into the part that is given.
    Yes(Box<[Lit]>),
    /// This edge leads into it from the frame below, in this model.
    No(EdgeId, Model),
    /// The effort did not suffice.
    TooHard,
}

/// Solvers and the tables that they share.
pub(super) struct Queries {
    pub(super) graph: Graph,
    pub(super) predicates: Predicates,
    pub(super) frames: Frames,
    pub(super) facts: Facts,
    /// Lemmas that were found on the way to others, and are in the frames; nobody has heard of them
    /// yet.
    pub(super) excluded: Vec<Inserted>,
    solvers: Vec<TermSolver>,
    /// The literal of `¬c` in the solver of its location, for each lemma.
    lemma_lits: FxHashMap<LemmaId, Lit>,
    /// The literal of a lemma of an exit, for a call of a location.
    pub(super) call_lits: FxHashMap<(Location, usize, LemmaId), Lit>,
    /// Whether comparisons of sums that may wrap become cases in predecessors.
    pub(super) splits_sums: bool,
    /// Whether words are multiplied.
    has_products: bool,
    /// The normal forms of conditions.
    normal: FxHashMap<TermId, TermId>,
    theory: Theory,
    interrupt: Interrupt,
    effort: Option<u64>,
}

impl Queries {
    pub(super) fn new(mut graph: Graph, theory: Theory, blasting: &BlastOptions) -> Queries {
        let predicates = Predicates::new(&mut graph.terms);
        let has_products = graph.terms.iter().any(|(id, _)| is_product(&graph.terms, id));
        let solver = match has_products {
            true => TermSolver::with_products,
            false => TermSolver::new,
        };
        let solvers = graph.locations().map(|_| solver(theory, blasting)).collect();
        let frames = Trace::new(graph.locations().map(|_| Scan(Subset)));
        let facts = Facts::new(&mut graph);
        Queries {
            facts,
            excluded: Vec::new(),
            call_lits: FxHashMap::default(),
            graph,
            predicates,
            frames,
            solvers,
            lemma_lits: FxHashMap::default(),
            splits_sums: true,
            has_products,
            normal: FxHashMap::default(),
            theory,
            interrupt: Interrupt::new(),
            effort: None,
        }
    }

    pub(super) fn theory(&self) -> Theory {
        self.theory
    }

    /// Whether cubes may be widened as units. Where words are multiplied, each query is hard, and
    /// invariants are seldom about sums.
    pub(super) fn has_units(&self) -> bool {
        self.theory == Theory::Bits && !self.has_products
    }

    pub(super) fn set_interrupt(&mut self, context: &Context) {
        self.interrupt = context.interrupt.clone();
        self.solvers.iter_mut().for_each(|solver| solver.set_interrupt(&context.interrupt));
    }

    /// What stops questions.
    pub(super) fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// What the solvers did: queries, conflicts, propagations.
    pub(super) fn stats(&self) -> (u64, u64, u64) {
        let all = self.solvers.iter().map(TermSolver::stats);
        all.fold((0, 0, 0), |(queries, conflicts, propagations), stats| {
            let (q, c, p) = (stats.queries, stats.conflicts, stats.propagations);
            (queries + q, conflicts + c, propagations + p)
        })
    }

    /// Limits the conflicts of each query, as long as `run` takes.
    pub(super) fn with_effort<T>(
        &mut self,
        conflicts: Option<u64>,
        run: impl FnOnce(&mut Queries) -> T,
    ) -> T {
        let before = std::mem::replace(&mut self.effort, conflicts);
        let result = run(self);
        self.effort = before;
        result
    }

    /// The literal of a condition in the solver of a location. Comparisons of sums of words are
    /// asked in a normal form ([`pedra_model::affine`]), integers have one anyway.
    pub(super) fn lit(&mut self, at: Location, term: TermId) -> Result<Lit, Stopped> {
        let term = match self.theory {
            Theory::Integers => term,
            Theory::Bits => match self.normal.get(&term) {
                Some(&normal) => normal,
                None => {
                    let normal = match self.has_products {
                        true => self.prepared(at, term)?,
                        false => term,
                    };
                    let normal = normalise(&mut self.graph.terms, normal);
                    self.normal.insert(term, normal);
                    normal
                }
            },
        };
        self.solvers[at.index()].lit(&self.graph.terms, term).map_err(|error| stopped(&error))
    }

    /// A condition ready for polynomial arithmetic, with the equations that its comparisons may end
    /// in.
    fn prepared(&mut self, at: Location, term: TermId) -> Result<TermId, Stopped> {
        let terms = &mut self.graph.terms;
        for equation in boundaries(terms, term) {
            let considered = self.solvers[at.index()].consider(terms, equation);
            considered.map_err(|error| stopped(&error))?;
        }
        Ok(spread(terms, &[term])[0])
    }

    /// `None` if the effort was not enough.
    pub(super) fn solve(
        &mut self,
        at: Location,
        assumptions: &[Lit],
        temporary: &[&[Lit]],
    ) -> Result<Option<bool>, Stopped> {
        if self.interrupt.poll() {
            return Err(Stopped(Reason::Interrupted));
        }
        let solver = &mut self.solvers[at.index()];
        solver.set_effort(self.effort);
        match solver.solve(assumptions, temporary) {
            SatResult::Unknown if self.interrupt.is_raised() => Err(Stopped(Reason::Interrupted)),
            SatResult::Unknown => Ok(None),
            answer => Ok(Some(answer.is_sat())),
        }
    }

    pub(super) fn is_failed(&self, at: Location, lit: Lit) -> bool {
        self.solvers[at.index()].is_failed(lit)
    }

    /// The variables of a location and the inputs of its edges, in the last model of its solver.
    pub(super) fn model(&mut self, at: Location) -> Model {
        let symbols = self.graph.variables(at).chain(self.graph.inputs(at).iter().copied());
        let symbols: Vec<TermId> = symbols.collect();
        let solver = &mut self.solvers[at.index()];
        let value = |symbol: TermId| (symbol, solver.value(&self.graph.terms, symbol));
        symbols.into_iter().map(value).collect()
    }

    /// The inputs of an edge in a model in which it can be taken.
    pub(super) fn inputs_of(&self, edge: EdgeId, model: &Model) -> FxHashMap<TermId, Value> {
        let Edge { from, defined, .. } = self.graph.edge(edge);
        let given = self.graph.inputs(*from).iter();
        let mut inputs: FxHashMap<TermId, Value> =
            given.map(|&input| (input, model[&input].clone())).collect();
        let values = self.evaluate(model, defined.iter().map(|(_, term)| *term));
        inputs.extend(defined.iter().map(|(input, term)| (*input, values[term].clone())));
        inputs
    }

    /// The values of terms in a model.
    pub(super) fn evaluate(
        &self,
        model: &Model,
        roots: impl IntoIterator<Item = TermId>,
    ) -> FxHashMap<TermId, Value> {
        evaluate(&self.graph.terms, roots, |symbol| &model[&symbol])
    }

    /// `F_i` of a location: its lemmas at that level and above. `None` if it is empty: only the
    /// entry is reached by a run of no edges (*required for soundness*).
    pub(super) fn frame(
        &mut self,
        at: Location,
        level: Level,
    ) -> Result<Option<Vec<Lit>>, Stopped> {
        if at == Location::ENTRY {
            return Ok(Some(Vec::new()));
        }
        if level == Level::ZERO {
            return Ok(None);
        }
        let ids: Vec<LemmaId> = self.frames.lemmas(at, level).collect();
        self.lemmas(at, &ids).map(Some)
    }

    /// The literals of lemmas of a location.
    fn lemmas(&mut self, at: Location, ids: &[LemmaId]) -> Result<Vec<Lit>, Stopped> {
        let mut lits = Vec::with_capacity(ids.len());
        for &id in ids {
            lits.push(match self.lemma_lits.get(&id) {
                Some(&lit) => lit,
                None => {
                    let set = self.frames.lemma(id).set();
                    let clause = self.predicates.clause(&mut self.graph.terms, set);
                    let lit = self.lit(at, clause)?;
                    self.lemma_lits.insert(id, lit);
                    lit
                }
            });
        }
        Ok(lits)
    }

    /// How many terms a lemma is made of.
    pub(super) fn length(&self, id: LemmaId) -> usize {
        let set = self.frames.lemma(id).set();
        let mut stack: Vec<TermId> = self.predicates.terms_of(set).collect();
        let mut count = 0;
        while let Some(term) = stack.pop() {
            count += 1;
            stack.extend(self.graph.terms.get(term).args());
            // More than that is long.
            if count > 1_000 {
                break;
            }
        }
        count
    }

    /// Those of the lemmas of an edge's sources that keep it out of a cube: the core of
    /// `⋀ ¬d ∧ guard ∧ c[values]`, for calls as in `calls`. `None` if they are not seen to.
    pub(super) fn core(
        &mut self,
        edge: EdgeId,
        by_location: &[Vec<LemmaId>],
        set: &[Lit],
    ) -> Result<Option<Vec<LemmaId>>, Stopped> {
        let from = self.graph.edge(edge).from;
        let mut lemmas = by_location[from.index()].clone();
        let mut lits = self.lemmas(from, &lemmas)?;
        for call in self.graph.edge(edge).calls.clone() {
            let exit = self.graph.site(from, call).exit;
            for &id in &by_location[exit.index()] {
                lits.push(self.lemma_of_call(from, call, id)?);
                lemmas.push(id);
            }
        }
        let guard = self.graph.edge(edge).guard;
        let mut assumptions = lits.clone();
        assumptions.push(self.lit(from, guard)?);
        assumptions.extend(self.image_lits(edge, set)?);
        if self.solve(from, &assumptions, &[])? != Some(false) {
            return Ok(None);
        }
        let failed = lemmas.iter().zip(lits).filter(|(_, lit)| self.is_failed(from, *lit));
        Ok(Some(failed.map(|(&id, _)| id).collect()))
    }

    /// The conditions of a cube at a location, and after an edge.
    pub(super) fn cube_lits(&mut self, at: Location, set: &[Lit]) -> Result<Vec<Lit>, Stopped> {
        let mut lits = Vec::with_capacity(set.len());
        for &lit in set {
            let term = self.predicates.term(&mut self.graph.terms, lit);
            lits.push(self.lit(at, term)?);
        }
        Ok(lits)
    }

    /// What each literal of a cube says before an edge.
    pub(super) fn images(&mut self, edge: EdgeId, set: &[Lit]) -> Vec<TermId> {
        let mut images = Vec::with_capacity(set.len());
        for &lit in set {
            let term = self.predicates.term(&mut self.graph.terms, lit);
            images.push(self.graph.image(edge, term));
        }
        images
    }

    pub(super) fn image_lits(&mut self, edge: EdgeId, set: &[Lit]) -> Result<Vec<Lit>, Stopped> {
        let from = self.graph.edge(edge).from;
        let images = self.images(edge, set);
        images.into_iter().map(|term| self.lit(from, term)).collect()
    }

    /// Can a cube be excluded from `F_i` of its location? For each edge e from p into it, is
    ///
    /// `F_{i−1}(p) ∧ guard_e ∧ c[values_e] ∧ [¬c if p is the same location]`
    ///
    /// without model? `¬c` holds of the source only if it is the same place (*required for
    /// soundness*). The same goes for calls on the way, with the frame of the exit (`calls`). Only
    /// if all edges say so the cube is excluded (*required for soundness*); the
    /// part that is enough is that of all edges together. At level infinity `F_∞` is below itself.
    pub(super) fn check_blocked(
        &mut self,
        to: Location,
        set: &[Lit],
        level: Level,
    ) -> Result<Blocked, Stopped> {
        let below = if level == Level::INFINITY { level } else { level.below() };
        let mut core: Vec<Lit> = Vec::new();
        for edge in self.graph.incoming(to).to_vec() {
            let from = self.graph.edge(edge).from;
            let Some(mut assumptions) = self.frame(from, below)? else { continue };
            let guard = self.graph.edge(edge).guard;
            assumptions.push(self.lit(from, guard)?);
            assumptions.extend(self.call_frames(edge, 0, below)?);
            let images = self.image_lits(edge, set)?;
            assumptions.extend(&images);
            let outside = self.outside(edge, set)?;
            let outside: Vec<&[Lit]> = outside.iter().map(Vec::as_slice).collect();
            match self.solve(from, &assumptions, &outside)? {
                Some(true) => return Ok(Blocked::No(edge, self.model(from))),
                Some(false) => {}
                None => return Ok(Blocked::TooHard),
            }
            let failed = set.iter().zip(&images).filter(|(_, image)| self.is_failed(from, **image));
            core.extend(failed.map(|(&lit, _)| lit));
        }
        Ok(Blocked::Yes(cube(core)))
    }

    /// Which literals, all true in a model, suffice for the conditions: those in the core of
    /// `⋀ lits ∧ ¬⋀ conditions`. All of them if that is not to be seen.
    pub(super) fn shrink(
        &mut self,
        at: Location,
        lits: Box<[Lit]>,
        conditions: &[TermId],
    ) -> Result<Box<[Lit]>, Stopped> {
        let given = self.cube_lits(at, &lits)?;
        let mut missed = Vec::with_capacity(conditions.len());
        for &condition in conditions {
            missed.push(!self.lit(at, condition)?);
        }
        if self.solve(at, &given, &[&missed])? != Some(false) {
            return Ok(lits);
        }
        let failed = lits.iter().zip(&given).filter(|(_, lit)| self.is_failed(at, **lit));
        Ok(cube(failed.map(|(&lit, _)| lit).collect()))
    }

    /// A state in a cube, `c`, from which an edge leads into another one: `c ∧ guard ∧ d[values]`,
    /// where `state`, if there is one, says which. Calls on the way return by facts.
    pub(super) fn find_step(
        &mut self,
        edge: EdgeId,
        state: Option<&Model>,
        set: &[Lit],
        target: &[Lit],
    ) -> Result<Option<Model>, Stopped> {
        let from = self.graph.edge(edge).from;
        let mut assumptions = match state {
            None => self.cube_lits(from, set)?,
            Some(state) => self.state_lits(from, state)?,
        };
        let guard = self.graph.edge(edge).guard;
        assumptions.push(self.lit(from, guard)?);
        assumptions.extend(self.image_lits(edge, target)?);
        let calls = self.graph.edge(edge).calls.len();
        assumptions.extend(self.call_facts(edge, calls)?);
        let found = self.with_effort(None, |queries| queries.solve(from, &assumptions, &[]))?;
        Ok(if found == Some(true) { Some(self.model(from)) } else { None })
    }

    /// The state after an edge: `start ∧ guard ∧ hints`. Hints are what is wanted of the new state,
    /// and the low bits of what is free; those that cannot be met are dropped one by one.
    /// Heuristic: so answers differ from each other.
    pub(super) fn find_varied(
        &mut self,
        edge: EdgeId,
        start: Start<'_>,
        dice: &mut Random,
    ) -> Result<Option<Vec<Value>>, Stopped> {
        let Edge { from, to, guard, .. } = *self.graph.edge(edge);
        let variables: Vec<TermId> = self.graph.variables(from).collect();
        let mut free = self.graph.inputs(from).to_vec();
        let mut fixed = vec![self.lit(from, guard)?];
        let mut hints = Vec::new();
        match start {
            Start::Any | Start::Allowed(_) | Start::Phase(..) => free.extend(&variables),
            Start::State(state) => {
                let model = variables.into_iter().zip(state.iter().cloned()).collect();
                fixed.extend(self.state_lits(from, &model)?);
            }
        }
        if let Start::Allowed(wanted) = start {
            fixed.extend(self.frame(from, Level::INFINITY)?.unwrap_or_default());
            if let Some(wanted) = wanted {
                let image = self.graph.image(edge, wanted);
                hints.push(self.lit(from, image)?);
            }
        }
        if let Start::Phase(now, then) = start {
            fixed.extend(self.frame(from, Level::INFINITY)?.unwrap_or_default());
            let then = self.graph.image(edge, then);
            for &condition in now.iter().chain([&then]) {
                fixed.push(self.lit(from, condition)?);
            }
        }
        let is_allowed = matches!(start, Start::Allowed(_));
        let terms = &mut self.graph.terms;
        let mut wishes: Vec<TermId> =
            free.iter().filter_map(|&symbol| hint(terms, symbol, dice)).collect();
        let small = free.iter().filter(|_| is_allowed).filter_map(|&s| is_small(terms, s));
        wishes.extend(small);
        for wish in wishes {
            hints.push(self.lit(from, wish)?);
        }
        loop {
            let assumptions: Vec<Lit> = fixed.iter().chain(&hints).copied().collect();
            let answer =
                self.with_effort(Some(HINT_EFFORT), |q| q.solve(from, &assumptions, &[]))?;
            match answer {
                Some(true) => break,
                Some(false) => match hints.iter().rposition(|&hint| self.is_failed(from, hint)) {
                    Some(failed) => hints.remove(failed),
                    None => return Ok(None),
                },
                None => return Ok(None),
            };
        }
        let model = self.model(from);
        let variables: Vec<TermId> = self.graph.variables(to).collect();
        let images: Vec<TermId> =
            variables.iter().map(|&variable| self.graph.image(edge, variable)).collect();
        let values = self.evaluate(&model, images.iter().copied());
        Ok(Some(images.into_iter().map(|image| values[&image].clone()).collect()))
    }

    /// Every variable has its value.
    fn state_lits(&mut self, at: Location, state: &Model) -> Result<Vec<Lit>, Stopped> {
        let variables: Vec<TermId> = self.graph.variables(at).collect();
        let mut lits = Vec::new();
        for variable in variables {
            let same = self.equals(variable, &state[&variable]);
            lits.push(self.lit(at, same)?);
        }
        Ok(lits)
    }

    /// A term has a value.
    pub(super) fn equals(&mut self, term: TermId, value: &Value) -> TermId {
        let value = constant(&mut self.graph.terms, value);
        self.graph.terms.simplified(Term::Binary(BinaryOp::Eq, term, value))
    }
}

/// A term that the theory does not cover ends the search.
fn stopped(error: &TermError) -> Stopped {
    Stopped(Reason::Unsupported(error.lacking()))
}
