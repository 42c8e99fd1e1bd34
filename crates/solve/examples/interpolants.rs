//! Checks the laws of interpolation on many random instances:
//! `cargo run --release -p pedra-solve --example interpolants -- [COUNT] [FIRST SEED]`

#[path = "../tests/common/parted.rs"]
mod parted;

fn main() {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse().expect("a number"));
    let count: usize = numbers.next().map_or(100_000, |count: u64| count as usize);
    let first: u64 = numbers.next().unwrap_or(0);
    let (mut checked, mut seed) = (0, first);
    while checked < count {
        checked += parted::layered(seed) + parted::unrolled(seed);
        seed += 1;
        if seed % 1000 == 0 {
            eprintln!("{checked} refutations, seeds {first} to {seed}");
        }
    }
    println!(
        "{checked} refutations, both systems, every cut: no violation (seeds {first}..{seed})"
    );
}
