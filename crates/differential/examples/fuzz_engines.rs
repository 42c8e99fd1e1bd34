//! A long differential run: `fuzz_engines FIRST COUNT [MODE [bits|words]]` tries that many seeds
//! and says every now and then how far it is. The mode is `bits`, `words`, `arrays` (words with
//! arrays that are not expanded), `fb` (fbPDR turn by turn), `live` (justice sets), `programs` (of
//! bit-vectors and of integers), `integers` (programs of these alone),
//! `swept` (PDR that sweeps soon), or the name of one engine, which alone then looks at each
//! system; without a mode, each seed is one system of bits and one of words for all engines.

use pedra_check::EngineName;
use pedra_differential::fb::differential_fb;
use pedra_differential::live::{
    differential_live_bits, differential_live_induction, differential_live_words,
};
use pedra_differential::programs::{differential_integers, differential_program};
use pedra_differential::{
    Turns, contender_named, differential_arrays, differential_bits, differential_bits_by,
    differential_words, differential_words_by,
};
use std::time::Instant;

const USAGE: &str = "usage: fuzz_engines FIRST COUNT [bits|words|arrays|fb|live|programs|integers|swept|ENGINE [bits|words]]";

/// What is done with one seed. Those that run one engine give how often it took a new turn.
fn choose(mode: &str, level: Option<&str>) -> Option<Box<dyn Fn(u64) -> Turns>> {
    fn quiet(body: impl Fn(u64) + 'static) -> Option<Box<dyn Fn(u64) -> Turns>> {
        Some(Box::new(move |seed| {
            body(seed);
            Turns::default()
        }))
    }
    match mode {
        "bits" => return quiet(differential_bits),
        "words" => return quiet(differential_words),
        "arrays" => return quiet(differential_arrays),
        "fb" => return quiet(differential_fb),
        "programs" => {
            return quiet(|seed| {
                differential_program(seed);
            });
        }
        "integers" => {
            return quiet(|seed| {
                differential_integers(seed);
            });
        }
        "live" => {
            return quiet(|seed| {
                differential_live_bits(seed);
                differential_live_words(seed);
                differential_live_induction(seed);
            });
        }
        "all" => {
            return quiet(|seed| {
                differential_bits(seed);
                differential_words(seed);
            });
        }
        _ => {}
    }
    let contender = contender_named(mode)?;
    let is_word = contender.engine == EngineName::Wpdr;
    match level.unwrap_or(if is_word { "words" } else { "bits" }) {
        "bits" if !is_word => Some(Box::new(move |seed| differential_bits_by(seed, &[contender]))),
        "words" => Some(Box::new(move |seed| differential_words_by(seed, &[contender]))),
        _ => None,
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| args.get(i).and_then(|a| a.parse::<u64>().ok());
    let mode = args.get(2).map_or("all", String::as_str);
    let body = choose(mode, args.get(3).map(String::as_str));
    let (Some(first), Some(count), Some(body)) = (number(0), number(1), body) else {
        eprintln!("{USAGE}");
        std::process::exit(2);
    };
    let start = Instant::now();
    let mut turns = Turns::default();
    for seed in first..first + count {
        turns += body(seed);
        if (seed - first + 1).is_multiple_of(10_000) {
            let done = seed - first + 1;
            println!("{done} seeds agree, {:.0}/s", done as f64 / start.elapsed().as_secs_f64());
        }
    }
    println!("{count} seeds from {first} agree ({})", args.get(2..).unwrap_or_default().join(" "));
    if turns != Turns::default() {
        println!("{} starts of engines, {} new starts", turns.started, turns.restarted);
    }
}
