//! Evidence about programs: what is shown beside a verdict, and what is written to files.

use crate::args::{CheckArgs, DataModelName};
use crate::c_source::CSource;
use crate::commands::language::Language;
use crate::correctness::{Correctness, may_have_others};
use crate::evidence::{CheckStopped, checked_script, ending, for_property};
use crate::limits::Watch;
use crate::load::{InputError, describe, read_bytes};
use crate::output::{note, write_file};
use crate::paths::refuse_clashes;
use crate::question::{Question, claim_of};
use crate::report::{Missing, WrittenFile};
use crate::view::invariants::{LoopInvariant, loop_invariants};
use anyhow::Result;
use pedra_c::DataModel;
use pedra_c::harness::harness;
use pedra_c::specification::Specification;
use pedra_c::witness::{Content, Witness, violation, write};
use pedra_certify::{CheckOptions, program_obligations, reduce_program_proof};
use pedra_check::{InternalError, Plan};
use pedra_formats::text::printable;
use pedra_horn::lower::lower_with_places;
use pedra_horn::model::{Interpretation, model};
use pedra_model::property::Property;
use pedra_model::term::TermId;
use pedra_program::inline::Inlined;
use pedra_program::{PlaceId, PlaceRef, Program, ProgramProof, ProgramTrace, VariableId};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// What belongs to a verdict.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// Files that were written.
    pub files: Vec<WrittenFile>,
    /// Invariants of loops, as far as they are shown.
    pub invariants: Vec<LoopInvariant>,
    /// All of them, for the record.
    pub recorded: Vec<LoopInvariant>,
    /// Files that were not, and why.
    pub problems: Vec<(Missing, String)>,
}

/// The data model that was asked for.
pub fn data_model(name: Option<DataModelName>) -> DataModel {
    match name {
        None | Some(DataModelName::Ilp32) => DataModel::Ilp32,
        Some(DataModelName::Lp64) => DataModel::Lp64,
    }
}

/// The correctness witnesses of a run.
#[derive(Default)]
struct Written {
    /// The properties that are proved.
    proved: BTreeSet<usize>,
    /// Witnesses that wait for proofs of the other properties of their specification.
    waiting: Vec<(usize, Witness)>,
    /// The properties of those whose invariants are not inductive.
    weak: Vec<usize>,
    /// Whether others may be.
    may_have_others: bool,
}

/// Makes the evidence of one run.
pub struct Writer<'a> {
    args: &'a CheckArgs,
    program: &'a Program,
    plan: &'a Plan,
    watch: &'a Watch,
    several: bool,
    /// The C file, if something is to be written about it.
    source: Option<CSource>,
    written: Mutex<Written>,
    /// The last proof and the smaller one that came of it: one proof may settle many properties.
    reduced: Mutex<Option<(Arc<ProgramProof>, Arc<ProgramProof>)>>,
}

impl<'a> Writer<'a> {
    /// For a run with these arguments.
    ///
    /// # Errors
    /// If a file could not be written later.
    pub fn new(
        args: &'a CheckArgs,
        program: &'a Program,
        selected: &[usize],
        plan: &'a Plan,
        watch: &'a Watch,
    ) -> Result<Writer<'a>, InputError> {
        let is_several = selected.len() > 1;
        let included = program.files.iter().map(PathBuf::from);
        let inputs: Vec<PathBuf> = args.inputs().into_iter().chain(included).collect();
        let properties: Vec<Property> = selected.iter().map(|&p| Property::Bad(p)).collect();
        refuse_clashes(&args.outputs(), &inputs, &properties)?;
        if let Some(path) = args.certificate.as_ref().filter(|path| ending(path) != "smt2") {
            let text = "the certificate of a program ends in .smt2";
            return Err(InputError(format!("{}: {text}", path.display())));
        }
        let is_c = matches!(ending(&args.model).as_str(), "c" | "i");
        let for_c = [("--witness", &args.witness), ("--test", &args.test)];
        if let Some((option, _)) = for_c.iter().find(|(_, path)| path.is_some() && !is_c) {
            return Err(InputError(format!("{option}: only for C programs (.c, .i)")));
        }
        let source = match args.witness.is_some() {
            true => Some(CSource::read(&args.model, data_model(args.language.data_model))?),
            false => None,
        };
        Ok(Writer {
            args,
            program,
            plan,
            watch,
            several: is_several,
            source,
            written: Mutex::default(),
            reduced: Mutex::default(),
        })
    }

    /// Of a proof that was checked.
    ///
    /// # Errors
    /// If what was written fails its check.
    pub fn proved(
        &self,
        property: usize,
        engine: &str,
        proof: &Arc<ProgramProof>,
        inlined: &Inlined,
    ) -> Result<Evidence> {
        let mut evidence = Evidence::default();
        let is_recorded = self.args.record.is_some() || self.args.report.is_some();
        let is_silent = self.args.output.quiet && self.args.witness.is_none() && !is_recorded;
        let options = self.plan.check_options(engine, self.watch.interrupt());
        if let Some(path) = &self.args.certificate {
            let file = self.certificate(proof, inlined, &options);
            self.write(path, property, file, &mut evidence)?;
        }
        if is_silent {
            return Ok(evidence);
        }
        let (small, is_new) = self.reduce(proof, inlined, &options);
        let mut invariants = loop_invariants(self.program, inlined, &small);
        self.proved_witness(property, engine, &invariants, &mut evidence)?;
        invariants.retain(|of| !of.is_trivial());
        if is_recorded {
            evidence.recorded.clone_from(&invariants);
        }
        // The invariants of one proof are told once: it may settle many properties.
        if !self.args.output.quiet && is_new {
            evidence.invariants = invariants;
        }
        Ok(evidence)
    }

    /// A proof as a file: of linear Horn clauses the interpretation of the predicates, otherwise
    /// the queries of its check.
    fn certificate(
        &self,
        proof: &ProgramProof,
        inlined: &Inlined,
        options: &CheckOptions,
    ) -> Result<(Vec<u8>, bool)> {
        if let Some(text) = self.horn_model(proof, inlined)? {
            // It was checked as a proof; the text has functions and quantifiers, which are for
            // solvers that read all of SMT-LIB.
            return Ok((text.into_bytes(), false));
        }
        let text = program_obligations(&inlined.program, proof)?;
        let file = checked_script(text, &self.plan.blast, options)?;
        Ok((file.bytes, file.is_checked))
    }

    /// What a proof says of the predicates of Horn clauses; `None` if it has no such form.
    fn horn_model(&self, proof: &ProgramProof, inlined: &Inlined) -> Result<Option<String>> {
        let is_plain = proof.k == 1 && proof.positions.is_empty();
        if Language::of(&self.args.model) != Some(Language::Horn) || !is_plain {
            return Ok(None);
        }
        // Reading is the same every time, so these are the places of the program.
        let bytes = read_bytes(&self.args.model)?;
        let wrong = |error| describe(&self.args.model, &bytes, &error);
        let clauses = pedra_horn::read(&bytes).map_err(wrong)?;
        let name = self.args.model.display().to_string();
        let (_, places) = lower_with_places(&clauses, &name).map_err(wrong)?;
        let known = places.into_iter().map(|place| {
            // What has no place is needed by no query.
            let (place, variables) = place?;
            let original = PlaceRef { procedure: self.program.entry, place };
            let at = inlined.places.iter().position(|(_, from)| *from == original)?;
            let conjuncts = proof.invariants.get(&PlaceId::new(at))?.clone();
            let argument = |variable: VariableId| {
                let at = inlined.variables.iter().position(|(_, from)| *from == variable)?;
                Some(inlined.program.term_of(VariableId::new(at)))
            };
            let arguments: Option<Vec<TermId>> = variables.into_iter().map(argument).collect();
            Some(Interpretation { arguments: arguments?, conjuncts })
        });
        let known: Vec<Option<Interpretation>> = known.collect();
        Ok(model(&clauses, &proof.terms, &known, &proof.properties))
    }

    /// The proof without what it does not need, and whether it was not seen before.
    fn reduce(
        &self,
        proof: &Arc<ProgramProof>,
        inlined: &Inlined,
        options: &CheckOptions,
    ) -> (Arc<ProgramProof>, bool) {
        let mut reduced = self.reduced.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, small)) = reduced.as_ref()
            && Arc::ptr_eq(known, proof)
        {
            return (small.clone(), false);
        }
        let program = &inlined.program;
        let small = reduce_program_proof(program, proof, &self.plan.blast, options);
        let small = Arc::new(small);
        *reduced = Some((proof.clone(), small.clone()));
        (small, true)
    }

    /// Of a run that was replayed.
    ///
    /// # Errors
    /// If what was written fails its check.
    pub fn violated(&self, property: usize, trace: &ProgramTrace) -> Result<Evidence> {
        let mut evidence = Evidence::default();
        if let Some(path) = &self.args.test {
            let text = harness(self.program, trace);
            self.write(path, property, Ok((text.into_bytes(), true)), &mut evidence)?;
        }
        if let (Some(path), Some(source)) = (&self.args.witness, &self.source) {
            let Some(specification) = self.specification(property) else {
                self.cannot_say(property);
                return Ok(evidence);
            };
            let model = data_model(self.args.language.data_model);
            let content = Content::Violation(violation(self.program, trace, &source.text));
            let witness = source.witness(content, &specification, model);
            let file = Ok((write(&witness).into_bytes(), true));
            self.write(path, property, file, &mut evidence)?;
        }
        Ok(evidence)
    }

    /// The specification that a property is a part of; none if the exchange format has none.
    fn specification(&self, property: usize) -> Option<Specification> {
        let claim = claim_of(self.program, property)?;
        let entry = self.args.language.function.clone().unwrap_or_else(|| "main".to_owned());
        Some(Specification { entry, claim })
    }

    /// Notes that a property has no witness.
    fn cannot_say(&self, property: usize) {
        let Some(path) = &self.args.witness else { return };
        let path = for_property(path, Property::Bad(property), self.several);
        let text = "not written: no specification of witnesses is about this property";
        note(&printable(&format!("{}: {text}", path.display())));
    }

    fn correctness<'w>(
        &'w self,
        source: &'w CSource,
        specification: Specification,
    ) -> Correctness<'w> {
        Correctness {
            program: self.program,
            source,
            plan: self.plan,
            interrupt: self.watch.interrupt(),
            specification,
            model: data_model(self.args.language.data_model),
        }
    }

    /// The properties that a correctness witness is about.
    fn wanted(&self, specification: &Specification) -> Vec<usize> {
        let question = Question::new(self.program, specification.clone());
        question.map_or_else(|_| Vec::new(), |question| question.wanted())
    }

    /// Notes the witness of a proof, and writes those of its specification if all its properties
    /// are proved now. A witness only guides who checks it: the verdict rests on the proof, which
    /// was checked.
    fn proved_witness(
        &self,
        property: usize,
        engine: &str,
        invariants: &[LoopInvariant],
        evidence: &mut Evidence,
    ) -> Result<()> {
        let (Some(path), Some(source)) = (&self.args.witness, &self.source) else {
            return Ok(());
        };
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        written.proved.insert(property);
        let Some(specification) = self.specification(property) else {
            self.cannot_say(property);
            return Ok(());
        };
        let make = self.correctness(source, specification.clone());
        let witness = make.witness(invariants);
        if !make.is_inductive(&witness)? {
            written.weak.push(property);
            // By itself lifted PDR would find the same proof again.
            let is_other = self.several || engine != "program";
            written.may_have_others |= is_other && may_have_others(invariants);
        }
        written.waiting.push((property, witness));
        if !self.wanted(&specification).iter().all(|other| written.proved.contains(other)) {
            return Ok(());
        }
        let waiting = std::mem::take(&mut written.waiting).into_iter();
        let is_ready = |(other, _): &(usize, Witness)| {
            self.specification(*other).as_ref() == Some(&specification)
        };
        let (ready, waiting): (Vec<_>, Vec<_>) = waiting.partition(is_ready);
        written.waiting = waiting;
        for (property, witness) in ready {
            let file = Ok((write(&witness).into_bytes(), true));
            self.write(path, property, file, evidence)?;
        }
        Ok(())
    }

    /// When all is decided and told: looks for invariants that are inductive, for witnesses whose
    /// invariants are not. What the files cannot say is noted.
    ///
    /// # Errors
    /// If an answer failed its own check, or a file cannot be written.
    pub fn finish(&self) -> Result<()> {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let (Some(path), Some(source)) = (&self.args.witness, &self.source) else {
            return Ok(());
        };
        for (property, witness) in &written.waiting {
            let path = for_property(path, Property::Bad(*property), self.several);
            let text = "not written: it would be about all properties of";
            let specification = &witness.metadata.specification;
            let why = "and not all of them are proved";
            note(&printable(&format!("{}: {text} {specification}, {why}", path.display())));
        }
        let is_written = |weak: &&usize| written.waiting.iter().all(|(other, _)| other != *weak);
        let weak: Vec<usize> = written.weak.iter().filter(is_written).copied().collect();
        let Some(specification) = weak.first().and_then(|&first| self.specification(first)) else {
            return Ok(());
        };
        let make = self.correctness(source, specification.clone());
        // The specification of a witness is about all properties.
        let other = match written.may_have_others {
            true => make.other(&self.wanted(&specification))?,
            false => None,
        };
        let Some(witness) = other else {
            let text = "the invariants that C can express are not inductive by themselves";
            note(&printable(&format!("{}: {text}", path.display())));
            return Ok(());
        };
        for property in weak {
            if self.specification(property).as_ref() == Some(&specification) {
                let path = for_property(path, Property::Bad(property), self.several);
                write_file(&path, write(&witness).as_bytes())?;
            }
        }
        Ok(())
    }

    fn write(
        &self,
        path: &Path,
        property: usize,
        file: Result<(Vec<u8>, bool)>,
        evidence: &mut Evidence,
    ) -> Result<()> {
        let path = for_property(path, Property::Bad(property), self.several);
        match file.and_then(|(bytes, is_checked)| write_file(&path, &bytes).map(|()| is_checked)) {
            Ok(is_checked) => {
                let name = path.display().to_string();
                evidence.files.push(WrittenFile { name, is_checked });
            }
            Err(error) if error.is::<InternalError>() => return Err(error),
            Err(error) if error.is::<CheckStopped>() => {
                let text = format!("{}: not written: {error}", path.display());
                evidence.problems.push((Missing::Stopped, text));
            }
            Err(error) => evidence.problems.push((Missing::NotWritten, format!("{error:#}"))),
        }
        Ok(())
    }
}
