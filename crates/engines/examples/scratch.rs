//! Scratch.
use pedra_engines::*;
use pedra_solve::cadical::Preset;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let bytes = std::fs::read(&args[1]).unwrap();
    let raw = if args[1].contains("btor") {
        let words = pedra_formats::btor2::read(&bytes).unwrap();
        pedra_model::blast::blast(&words, &Default::default()).unwrap().system
    } else { pedra_formats::aiger::read(&bytes).unwrap() };
    let all: Vec<usize> = (0..raw.properties().len()).collect();
    let system = pedra_model::reduce::reduce(&raw, &all, &Default::default()).system;
    let secs: u64 = args[2].parse().unwrap();
    let engine = &args[3];
    let window: usize = args[4].parse().unwrap();
    let preset = match args[5].as_str() { "sat" => Preset::Sat, "unsat" => Preset::Unsat, "plain" => Preset::Plain, _ => Preset::Default };
    let context = Context { interrupt: pedra_solve::Interrupt::with_timeout(std::time::Duration::from_secs(secs)), ..Context::default() };
    let base = BmcOptions { window, preset };
    let mut e: Box<dyn Engine> = match engine.as_str() {
        "bmc" => Box::new(Bmc::new(&system, base)),
        "kind" => Box::new(Kind::new(&system, KindOptions { simple_path: false, base, preset, ..KindOptions::default() })),
        _ => Box::new(Kind::new(&system, KindOptions { simple_path: true, base, preset, ..KindOptions::default() })),
    };
    let t = std::time::Instant::now();
    let o = e.run(&context);
    for x in &o {
        let s = match x { Outcome::Violated(t) => format!("violated {}", t.depth()), Outcome::Proved(p) => format!("proved {} {}", p.k, p.simple_path.is_some()), Outcome::Unknown(u) => format!("unknown {:?} {:?}", u.safe_up_to, u.reason) };
        println!("{} {} {:.2} q{}", args[1], s, t.elapsed().as_secs_f64(), e.progress().queries);
    }
}
