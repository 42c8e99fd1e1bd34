//! `pedra hwmcc`: the competition's interface. One word on standard output, `sat`, `unsat` or
//! `unknown`, with exit code 10, 20 or 30; the witness or certificate in the files that were
//! named. All properties together form the question, as the competition has it.

use crate::args::{HwmccArgs, Wanted};
use crate::evidence::{
    CertificateForm, CheckStopped, certificate_bytes, certificate_form, overwrites_model,
    refuse_unwritable, witness_text,
};
use crate::limits::{StopCause, Watch};
use crate::load::{InputError, load};
use crate::memory;
use crate::output::{answer_once, note, same_file, tell_crash, write_file};
use anyhow::Result;
use pedra_certify::{CertificateError, CheckOptions};
use pedra_check::{Checked, Observer, Open, Plan, SafeUpTo, decide, join_proofs};
use pedra_engines::Event;
use pedra_engines::portfolio::Crew;
use pedra_formats::text::printable;
use pedra_model::Model;
use pedra_model::blast::BlastOptions;
use pedra_model::proof::Proof;
use pedra_model::trace::Trace;
use pedra_solve::Interrupt;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

/// Keeps the answers until all are there.
struct Answers<'a> {
    violated: Mutex<Option<Trace>>,
    proofs: Mutex<Vec<Arc<Proof>>>,
    open: Mutex<Vec<(usize, Open)>>,
    stop: Interrupt,
    watch: &'a Watch,
}

impl Observer for Answers<'_> {
    type Error = anyhow::Error;

    fn crashed(&self, engine: &'static str, text: &str) {
        tell_crash(engine, text);
    }

    fn hear(&self, engine: usize, _: &'static str, _: &Event) {
        memory::charge_to(engine);
    }

    fn crew(&self) -> Option<&Crew> {
        Some(self.watch.crew())
    }

    fn settled(&self, _: usize, _: &'static str, answer: &Checked) -> Result<()> {
        match answer {
            Checked::Violated(trace) => {
                let mut violated = self.violated.lock().expect("no panic while held");
                violated.get_or_insert_with(|| trace.clone());
                // One violation answers the whole question.
                self.stop.raise();
            }
            Checked::Proved { proof, .. } => {
                self.proofs.lock().expect("no panic while held").push(proof.clone());
            }
        }
        Ok(())
    }

    fn open(&self, property: usize, why: Open, _: Option<SafeUpTo>) {
        self.open.lock().expect("no panic while held").push((property, why));
    }
}

/// Runs the command; gives the exit code.
pub fn run(args: &HwmccArgs) -> Result<i32> {
    let once = Arc::new(OnceLock::new());
    let watch = Watch::start(&args.limits, 30, {
        let once = once.clone();
        move |_| answer_once(&once, "unknown", 30)
    });
    let loaded = load(&args.model)?;
    check_paths(args)?;
    let selected = match loaded.select(Wanted::default()) {
        Ok(selected) => selected,
        // A model that is well formed has an answer, be it that there is nothing to decide.
        Err(nothing) => {
            note(&printable(&nothing.0));
            return Ok(answer_once(&once, "unknown", 30));
        }
    };
    let plan = Plan {
        blast: BlastOptions { max_array_bits: args.blast.array_bits, ..BlastOptions::default() },
        threads: args.run.threads(),
        seed: args.run.seed,
        ..Plan::default()
    };
    let answers = Answers {
        violated: Mutex::default(),
        proofs: Mutex::default(),
        open: Mutex::default(),
        stop: watch.interrupt().child(),
        watch: &watch,
    };
    decide(&loaded.model, &selected, &plan, &answers.stop, &answers)?;
    if let Some(trace) = answers.violated.into_inner().expect("no panic while held") {
        match witness_text(&loaded.model, &trace) {
            Ok(text) => write_file(&args.witness, text.as_bytes())?,
            Err(why) => {
                note(&printable(&format!("{}: not written: {why}", args.witness.display())));
                return Ok(answer_once(&once, "unknown", 30));
            }
        }
        return Ok(answer_once(&once, "sat", 10));
    }
    let open = answers.open.into_inner().expect("no panic while held");
    if !open.is_empty() {
        for (property, why) in open {
            note(&printable(&format!(
                "{}: {}",
                loaded.model.property(property),
                why.text(watch.cause().map_or("stopped", StopCause::text))
            )));
        }
        return Ok(answer_once(&once, "unknown", 30));
    }
    let proofs = answers.proofs.into_inner().expect("no panic while held");
    let form = args.certificate.as_ref().map(|path| form_of(path, &loaded.model));
    let no_file = why_no_file(&loaded.model, &proofs, form);
    if let Some(why) = no_file.filter(|_| args.certificate.is_some()) {
        note(&format!("no certificate is written: {why}"));
    }
    if let (Some(path), Some(form), None) = (&args.certificate, form, no_file) {
        let proof = join_proofs(&loaded.model, proofs).expect("one proof a property, none simple");
        // The proofs were checked one by one; the file is about all of them together.
        let interrupt = watch.interrupt().clone();
        let options = CheckOptions { interrupt, ..CheckOptions::default() };
        match certificate_bytes(&loaded, &proof, form, &plan.blast, &options) {
            Ok(certificate) => write_file(path, &certificate.bytes)?,
            Err(error) if error.is::<CheckStopped>() => {
                note(&error.to_string());
                return Ok(answer_once(&once, "unknown", 30));
            }
            Err(error) => match error.downcast_ref() {
                Some(CertificateError::NotExpressible(why)) => {
                    note(&format!("no certificate is written: {why}"));
                }
                _ => return Err(error),
            },
        }
    }
    Ok(answer_once(&once, "unsat", 20))
}

/// Why proofs have no file of a form, if they have none. The competition asks for none of these;
/// the proofs were checked.
fn why_no_file(
    model: &Model,
    proofs: &[Arc<Proof>],
    form: Option<CertificateForm>,
) -> Option<&'static str> {
    proofs.iter().find_map(|proof| match &**proof {
        Proof::Live(_) if proofs.len() > 1 || matches!(model, Model::Words(_)) => {
            Some("proofs about justice have a file only for an AIGER model with one property")
        }
        Proof::Words(proof)
            if !proof.prophecy.is_empty() && form != Some(CertificateForm::Smtlib) =>
        {
            Some("proofs for all addresses of an array have no witness circuit; use .smt2")
        }
        _ => None,
    })
}

/// The competition's file names may end in anything: text, unless the ending says otherwise.
fn form_of(path: &Path, model: &Model) -> CertificateForm {
    certificate_form(path, model).unwrap_or(match model {
        Model::Bits(_) => CertificateForm::AigerAscii,
        Model::Words(_) => CertificateForm::Btor2,
    })
}

/// Refuses, before anything runs, files that could not be written later.
fn check_paths(args: &HwmccArgs) -> Result<(), InputError> {
    for path in [Some(&args.witness), args.certificate.as_ref()].into_iter().flatten() {
        refuse_unwritable(path)?;
        if same_file(path, &args.model) {
            return Err(overwrites_model(path));
        }
    }
    Ok(())
}
