//! `pedra simulate`: replays a witness, or drives the model with random inputs, and draws the
//! waveform on standard output.

use crate::args::SimulateArgs;
use crate::commands::{columns, stdout_color};
use crate::evidence::refuse_unwritable;
use crate::limits::exit_on_signal;
use crate::load::{InputError, Loaded, load, read_bytes};
use crate::output::{note, same_file, say, write_file};
use crate::playback::replayed;
use crate::view::signals;
use crate::view::wave::{WaveStyle, draw};
use crate::view::why::{find, tree};
use crate::witness::{self, judge};
use anyhow::Result;
use pedra_certify::ReplayError;
use pedra_formats::text::printable;
use pedra_formats::vcd;
use pedra_formats::vcd::{SignalKind, Waves};
use pedra_model::Model;
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::bv::Bv;
use pedra_model::eval::bits::BitSimulator;
use pedra_model::eval::words::WordSimulator;
use pedra_model::random::Random;
use pedra_model::system::System;
use pedra_model::term::Sort;
use pedra_model::trace::{BitTrace, Trace, WordTrace};
use pedra_model::value::{Ternary, TernaryBv, TernaryValue, Value};
use std::path::Path;

/// How often new random inputs are tried for a step before the constraints are taken to leave
/// none. Constraints on few bits are hit quickly; for others the user has `check`.
const TRIES: usize = 1000;

/// Runs the command; gives the exit code.
pub fn run(args: &SimulateArgs) -> Result<i32> {
    exit_on_signal();
    let loaded = load(&args.model)?;
    if let Some(path) = &args.vcd {
        refuse_unwritable(path)?;
        if [Some(&args.model), args.witness.as_ref()]
            .into_iter()
            .flatten()
            .any(|i| same_file(path, i))
        {
            let text = "this is an input; choose another name for the waveform";
            return Err(InputError(format!("{}: {text}", path.display())).into());
        }
    }
    if let (Some(asked), Some(path)) = (&args.why, &args.witness) {
        loaded.check_size(1)?;
        let (_, waves, why) = replayed(&loaded, path, &read_bytes(path)?)?;
        let at = find(&waves, asked)?;
        let Some(why) = why else {
            return Err(InputError("--why: the model or the trace is too large".to_owned()).into());
        };
        say(tree(&waves, &why, at).trim_end());
        return Ok(0);
    }
    let (waves, code) = match &args.witness {
        Some(path) => match replay(&loaded, path)? {
            (Some(waves), code) => (waves, code),
            (None, code) => return Ok(code),
        },
        None => (random(&loaded, args)?, 0),
    };
    let style = WaveStyle {
        columns: columns(),
        all: args.all,
        max_signals: usize::MAX,
        color: stdout_color(),
    };
    say(draw(&waves, &style).trim_end());
    if let Some(path) = &args.vcd {
        write_file(path, &vcd::write(&waves, &loaded.path.display().to_string())?)?;
    }
    Ok(code)
}

/// The waves of a witness, and whether it shows what it claims (exit code 0, else 1). Of several
/// witnesses or properties all are judged, and the first is drawn. There are no waves if its own
/// values contradict the model: no run has them.
fn replay(loaded: &Loaded, path: &Path) -> Result<(Option<Waves>, i32)> {
    loaded.check_size(1)?;
    let mut traces = witness::read(loaded, path, &read_bytes(path)?)?;
    let (mut code, mut has_waves) = (0, true);
    for (index, trace) in traces.iter_mut().enumerate() {
        let property = loaded.property_text(trace.property());
        let property = printable(&property);
        match judge(&loaded.model, trace) {
            Ok(how) => note(&format!("{property} is {how}")),
            Err(error) => {
                let error_text = error.to_string();
                note(&format!("{property}: this is not a violation: {}", printable(&error_text)));
                code = 1;
                let is_none = matches!(error, ReplayError::StateContradiction { .. });
                has_waves &= index > 0 || !is_none;
            }
        }
    }
    if !has_waves {
        return Ok((None, code));
    }
    let waves = match (&loaded.model, &traces[0]) {
        (Model::Bits(system), Trace::Bits(t)) => signals::of_bits(system, t, Some(t.property)),
        (Model::Words(system), Trace::Words(t)) => signals::of_words(system, t, Some(t.property)),
        _ => unreachable!("it was read for this model"),
    };
    Ok((Some(waves.map_err(InputError)?), code))
}

/// The waves of a random run.
fn random(loaded: &Loaded, args: &SimulateArgs) -> Result<Waves> {
    let mut dice = Dice(Random::new(args.seed));
    let steps = args.steps as usize;
    loaded.check_size(steps)?;
    let waves = match &loaded.model {
        Model::Bits(system) => random_bits(system, steps, &mut dice),
        Model::Words(system) => random_words(system, steps, &mut dice),
    };
    let waves = waves.map_err(|e| InputError(format!("{}: {e}", loaded.path.display())))?;
    if waves.steps < steps {
        note(&format!(
            "stopped after {} steps: {TRIES} random inputs all violated a constraint",
            waves.steps
        ));
    }
    for signal in waves.signals.iter().filter(|s| s.kind == SignalKind::Bad) {
        if let Some(step) = signal.values.iter().position(|v| v.bit(0) == Ternary::True) {
            note(&format!("{} is violated at step {step}", printable(&signal.name)));
        }
    }
    Ok(waves)
}

/// Where random inputs come from.
struct Dice(Random);

impl Dice {
    fn bit(&mut self) -> Ternary {
        (self.0.word() & 1 == 1).into()
    }

    fn value(&mut self, sort: Sort) -> TernaryValue {
        match sort {
            Sort::Bv(width) => {
                let limbs = (0..width.div_ceil(64)).map(|_| self.0.word()).collect();
                TernaryValue::Bv(TernaryBv::from(Bv::from_limbs(width, limbs)))
            }
            // Memory that nobody wrote starts as zero.
            array => TernaryValue::from(Value::zero(array)),
        }
    }
}

fn random_bits(system: &BitSystem, steps: usize, dice: &mut Dice) -> Result<Waves, String> {
    let circle = |l| format!("the reset of latch {l} depends on itself");
    let mut simulator = BitSimulator::new(system).map_err(circle)?;
    let mut trace =
        BitTrace { property: 0, initial: Vec::new(), inputs: Vec::new(), loop_start: None };
    for step in 0..steps {
        let next: Vec<Ternary> = system.latches.iter().map(|l| simulator.value(l.next)).collect();
        let found = (0..TRIES).any(|_| {
            let inputs: Vec<Ternary> = system.inputs.iter().map(|_| dice.bit()).collect();
            if step == 0 {
                let mut free = |r| {
                    if r == Reset::Free { dice.bit() } else { Ternary::Unknown }
                };
                trace.initial = system.latches.iter().map(|l| free(l.reset)).collect();
                simulator.start(&trace.initial, &inputs).expect("only free latches are given");
            } else {
                simulator.load(&next, &inputs);
            }
            let allowed = system.constraints.iter().all(|&c| simulator.value(c) == Ternary::True);
            if allowed {
                trace.inputs.push(inputs);
            }
            allowed
        });
        if !found {
            break;
        }
    }
    signals::of_bits(system, &trace, None)
}

fn random_words(system: &System, steps: usize, dice: &mut Dice) -> Result<Waves, String> {
    let circle = |s| format!("the init of state {s} depends on itself");
    let mut simulator = WordSimulator::new(system).map_err(circle)?;
    let mut trace =
        WordTrace { property: 0, states: Vec::new(), inputs: Vec::new(), loop_start: None };
    let sort = |term| system.terms.sort(term);
    for step in 0..steps {
        let follow = |simulator: &WordSimulator| -> Vec<Option<TernaryValue>> {
            system.states.iter().map(|s| s.next.map(|n| simulator.value(n).clone())).collect()
        };
        let next = if step == 0 { Vec::new() } else { follow(&simulator) };
        let found = (0..TRIES).any(|_| {
            let inputs: Vec<TernaryValue> =
                system.inputs.iter().map(|i| dice.value(sort(i.term))).collect();
            let states: Vec<Option<TernaryValue>> = system
                .states
                .iter()
                .map(|s| {
                    let follows = if step == 0 { s.init.is_some() } else { s.next.is_some() };
                    (!follows).then(|| dice.value(sort(s.term)))
                })
                .collect();
            if step == 0 {
                simulator.start(&states, &inputs).expect("only free states are given");
            } else {
                let value = |(n, s): (&Option<_>, &Option<_>)| {
                    n.as_ref().or(s.as_ref()).cloned().expect("it follows or is given")
                };
                let all: Vec<TernaryValue> = next.iter().zip(&states).map(value).collect();
                simulator.load(&all, &inputs);
            }
            let holds =
                |t| matches!(simulator.value(t), TernaryValue::Bv(v) if v.bit(0) == Ternary::True);
            let allowed = system.constraints.iter().all(|c| holds(c.term));
            if allowed {
                trace.inputs.push(inputs);
                trace.states.push(states);
            }
            allowed
        });
        if !found {
            break;
        }
    }
    signals::of_words(system, &trace, None)
}
