//! A long differential run: `fuzz_engines FIRST COUNT [bits|words|fb]` tries that many seeds and
//! says every now and then how far it is.

use pedra_differential::fb::differential_fb;
use pedra_differential::{differential_bits, differential_words};
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| args.get(i).and_then(|a| a.parse::<u64>().ok());
    let (Some(first), Some(count)) = (number(0), number(1)) else {
        eprintln!("usage: fuzz_engines FIRST COUNT [bits|words|fb]");
        std::process::exit(2);
    };
    let level = args.get(2).map(String::as_str);
    let start = Instant::now();
    for seed in first..first + count {
        if level == Some("fb") {
            differential_fb(seed);
        } else if level != Some("words") {
            differential_bits(seed);
        }
        if level.is_none_or(|level| level == "words") {
            differential_words(seed);
        }
        if (seed - first + 1).is_multiple_of(10_000) {
            let done = seed - first + 1;
            println!("{done} seeds agree, {:.0}/s", done as f64 / start.elapsed().as_secs_f64());
        }
    }
    println!("{count} seeds from {first} agree ({})", level.unwrap_or("bits and words"));
}
