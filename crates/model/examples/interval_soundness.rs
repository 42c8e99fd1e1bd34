//! The long run of the interval rules: all pairs of intervals at widths 1 to 4, then samples at
//! widths 5 to 128 for this many rounds (an argument, 1000 unless given). Prints what was checked
//! and fails on the first unsound result.

use pedra_testkit::intervals::{check_random, check_width};
use pedra_testkit::random::Random;

fn main() {
    let argument = |n: usize, default: u64| {
        std::env::args().nth(n).map_or(default, |text| text.parse().expect("a number"))
    };
    let (rounds, seed) = (argument(1, 1000), argument(2, 0));
    for width in 1..=4 {
        let report = check_width(width, 1);
        println!("width {width}: {} applications, all intervals", report.checked);
        for (name, count) in &report.loose {
            println!("  {name} is not the least interval in {count}");
        }
        assert!(report.unsound.is_empty(), "unsound: {:?}", report.unsound.first());
    }
    let mut random = Random::new(seed);
    let mut checked = 0;
    for round in 0..rounds {
        for width in 5..=128 {
            match check_random(&mut random, width, 1) {
                Ok(count) => checked += count,
                Err(error) => panic!("width {width}: unsound: {error}"),
            }
        }
        if (round + 1) % 100 == 0 {
            println!("widths 5 to 128: {} rounds, {checked} results looked at", round + 1);
        }
    }
    println!("zero unsound");
}
