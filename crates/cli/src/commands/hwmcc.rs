//! `pedra hwmcc`: the competition's interface. One word on standard output, `sat`, `unsat` or
//! `unknown`, with exit code 10, 20 or 30; the witness or certificate in the files that were
//! named. All properties together form the question, as the competition has it.

use crate::args::HwmccArgs;
use crate::decide::{Observer, Open, Plan, decide};
use crate::evidence::{CertificateForm, certificate_bytes, certificate_form, witness_text};
use crate::limits::Watch;
use crate::load::load;
use crate::output::{note, say, write_file};
use crate::pipeline::{Checked, Proof, Trace, join_proofs};
use anyhow::Result;
use pedra_model::Model;
use pedra_model::blast::BlastOptions;
use std::sync::Mutex;

/// Keeps the answers until all are there.
#[derive(Default)]
struct Answers {
    violated: Mutex<Option<Trace>>,
    proofs: Mutex<Vec<Proof>>,
    open: Mutex<Vec<String>>,
    stop: pedra_solve::Interrupt,
}

impl Observer for Answers {
    fn settled(&self, _: usize, _: &'static str, answer: Checked) -> Result<()> {
        match answer {
            Checked::Violated(trace) => {
                self.violated.lock().expect("no panic while held").get_or_insert(trace);
                // One violation answers the whole question.
                self.stop.raise();
            }
            Checked::Proved(proof) => self.proofs.lock().expect("no panic while held").push(proof),
        }
        Ok(())
    }

    fn open(&self, property: usize, why: Open) {
        let text = format!("b{property}: {why:?}");
        self.open.lock().expect("no panic while held").push(text);
    }
}

/// Runs the command; gives the exit code.
pub fn run(args: &HwmccArgs) -> Result<i32> {
    let watch = Watch::start(&args.limits, |_| {
        say("unknown");
        30
    });
    let loaded = load(&args.model)?;
    let selected = loaded.select(&[])?;
    let plan = Plan {
        blast: BlastOptions { max_array_bits: args.blast.array_bits, ..BlastOptions::default() },
        threads: args.limits.threads as usize,
        seed: args.limits.seed,
        ..Plan::default()
    };
    let answers = Answers { stop: watch.interrupt().child(), ..Answers::default() };
    decide(&loaded.model, &selected, &plan, &answers.stop, &answers)?;
    if let Some(trace) = answers.violated.into_inner().expect("no panic while held") {
        write_file(&args.witness, witness_text(&loaded.model, &trace).as_bytes())?;
        say("sat");
        return Ok(10);
    }
    let open = answers.open.into_inner().expect("no panic while held");
    if !open.is_empty() {
        for line in open {
            note(&line);
        }
        say("unknown");
        return Ok(30);
    }
    if let Some(path) = &args.certificate {
        // The competition's file names may end in anything: text, unless it ends in `.aig`.
        let form = certificate_form(path, &loaded.model).unwrap_or(match loaded.model {
            Model::Bits(_) => CertificateForm::AigerAscii,
            Model::Words(_) => CertificateForm::Btor2,
        });
        let proofs = answers.proofs.into_inner().expect("no panic while held");
        let proof = join_proofs(&loaded.model, proofs).expect("one proof a property, none simple");
        let options = plan.check_options(watch.interrupt());
        write_file(path, &certificate_bytes(&loaded, &proof, form, &plan.blast, &options)?)?;
    }
    say("unsat");
    Ok(20)
}
