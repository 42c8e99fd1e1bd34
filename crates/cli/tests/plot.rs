//! Pictures of runs: the two worked examples of Welp and Kuehlmann, told as events.

use pedra::view::plot::{Pictures, PlotRequest, Plotter};
use pedra_engines::{Claim, Event, Product, Progress, Region, RegionAtom};
use pedra_formats::btor2;
use pedra_model::system::System;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn system(file: &str) -> System {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/word");
    btor2::read(&std::fs::read(folder.join(file)).expect("a model")).expect("a model")
}

fn state(system: &System, name: &str) -> usize {
    let named = |s: &pedra_model::system::State| s.name.as_deref() == Some(name);
    system.states.iter().position(named).expect("a state")
}

/// `Σ factor · state ≤ bound`, for several.
fn claim(system: &System, text: &str, atoms: &[(&[(&str, i128)], i128)]) -> Claim {
    let atom = |&(sum, bound): &(&[(&str, i128)], i128)| {
        let product = |&(name, factor): &(&str, i128)| Product {
            state: state(system, name),
            signed: true,
            factor,
        };
        RegionAtom::AtMost { sum: sum.iter().map(product).collect(), bound }
    };
    Claim::Outside(Region {
        atoms: atoms.iter().map(atom).collect(),
        text: text.to_owned(),
        location: None,
    })
}

fn raised(obligation: usize, level: usize, claim: Claim) -> Event {
    Event::ObligationRaised { obligation, level, depth: 0, successor: None, claim }
}

fn learned(lemma: usize, level: usize, claim: Claim) -> Event {
    Event::LemmaLearned { lemma, level: Some(level), claim }
}

fn draw(system: &System, request: &str, events: &[Event]) -> Pictures {
    let request: PlotRequest = request.parse().expect("a request");
    let plotter = Plotter::new(system, request, 1).expect("two states");
    events.iter().for_each(|event| plotter.hear(0, event));
    plotter.pictures("a run & its pictures")
}

/// Keeps the pictures where `PEDRA_PLOTS` says, for people to look at.
fn keep(pictures: &Pictures, name: &str) {
    if let Some(folder) = std::env::var_os("PEDRA_PLOTS") {
        for (path, text) in pictures.files(&Path::new(&folder).join(name)) {
            std::fs::write(path, text).expect("written");
        }
    }
}

/// Figure 2.
#[test]
fn the_first_worked_example() {
    let s = system("example_32.btor2");
    let x3 = || claim(&s, "x >= 3", &[(&[("x", -1)], -3)]);
    let middle = claim(
        &s,
        "2 <= x < 3 & 1 <= n",
        &[(&[("x", -1)], -2), (&[("x", 1)], 2), (&[("n", -1)], -1)],
    );
    let first = claim(
        &s,
        "1 <= x < 2 & 2 <= n",
        &[(&[("x", -1)], -1), (&[("x", 1)], 1), (&[("n", -1)], -2)],
    );
    let events = [
        Event::FrameOpened { level: 1 },
        raised(0, 1, x3()),
        learned(0, 1, claim(&s, "x >= 2", &[(&[("x", -1)], -2)])),
        Event::ObligationBlocked { obligation: 0, level: Some(1) },
        Event::FrameOpened { level: 2 },
        raised(1, 2, x3()),
        learned(1, 2, x3()),
        Event::ObligationBlocked { obligation: 1, level: Some(2) },
        Event::FrameOpened { level: 3 },
        raised(2, 3, x3()),
        raised(3, 2, middle),
        raised(4, 1, first),
        learned(2, 1, claim(&s, "n >= 2", &[(&[("n", -1)], -2)])),
        Event::LemmaPushed { lemma: 2, from: 1, to: Some(2) },
        Event::LemmaPushed { lemma: 2, from: 2, to: Some(3) },
        Event::ObligationBlocked { obligation: 4, level: Some(1) },
        learned(3, 3, claim(&s, "x >= 1 & n >= 1", &[(&[("x", -1)], -1), (&[("n", -1)], -1)])),
        Event::ObligationBlocked { obligation: 3, level: Some(3) },
        Event::LemmaPushed { lemma: 1, from: 2, to: Some(3) },
        Event::Finished { open: 0, progress: Progress::default() },
    ];
    let pictures = draw(&s, "x=-1..6,n=-3..5", &events);
    keep(&pictures, "example");
    // The two pushes of a lemma are one step, and what goes away is none.
    assert_eq!(pictures.steps.len(), 15);
    let last = pictures.steps.last().expect("pictures");
    assert!(last.contains("step 15 of 15: the run ends"), "{last}");
    assert!(last.contains("frame 3") && !last.contains("frame 4"));
    assert!(pictures.steps[9].contains("must be excluded at frame 1: 1 &lt;= x &lt; 2"));
    // Title, and every text from outside, is escaped.
    assert!(pictures.page.contains("<title>a run &amp; its pictures</title>"));
    assert_eq!(pictures.page.matches("<svg").count(), 15);
    for svg in &pictures.steps {
        assert_eq!(svg.matches("<svg").count(), 1);
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf"));
    }
    // Two states are reached: n = 1, x = 0 and then n = 0, x = 1. Frame 0 has one of them.
    let dots = pictures.steps[0].matches("r=\"2.2\"").count();
    assert_eq!(dots, 3, "one in frame 0, two in frame 1");
}

/// Figure 4: cubes, then one half-plane.
#[test]
fn the_linear_example() {
    let s = system("lin_32.btor2");
    let cube = |x: i128, y: i128| {
        let text = format!("x >= {x} & y >= {y}");
        claim(&s, &text, &[(&[("x", -1)], -x), (&[("y", -1)], -y)])
    };
    let half = claim(&s, "x + 2*y >= 6", &[(&[("x", -1), ("y", -2)], -6)]);
    let other = claim(&s, "x + z >= 6", &[(&[("x", -1), ("first", -2)], -6)]);
    let events = [
        Event::FrameOpened { level: 1 },
        raised(0, 1, cube(4, 3)),
        learned(0, 1, cube(4, 1)),
        raised(1, 1, other),
        raised(2, 1, cube(2, 3)),
        learned(1, 1, cube(2, 2)),
        learned(2, 1, half),
        Event::LemmaRetired { lemma: 0, by: 2 },
        Event::LemmaRetired { lemma: 1, by: 2 },
        Event::FrameOpened { level: 2 },
        Event::LemmaPushed { lemma: 2, from: 1, to: None },
        Event::Finished { open: 0, progress: Progress::default() },
    ];
    let pictures = draw(&s, "x,y", &events);
    keep(&pictures, "lin");
    assert_eq!(pictures.steps.len(), 10);
    // The half-plane alone is left, as a polygon in frames 1 and 2.
    let last = pictures.steps.last().expect("pictures");
    assert_eq!(last.matches("<polygon").count(), 2);
    assert!(pictures.steps[3].contains("stroke-dasharray=\"6 3\""));
}

/// A proof without a second frame shows what was learned.
#[test]
fn an_invariant_before_any_frame() {
    let s = system("lin_32.btor2");
    let half = claim(&s, "x + 2*y >= 6", &[(&[("x", -1), ("y", -2)], -6)]);
    let events = [
        Event::LemmaLearned { lemma: 0, level: None, claim: half },
        Event::Finished { open: 0, progress: Progress::default() },
    ];
    let pictures = draw(&s, "x,y", &events);
    keep(&pictures, "invariant");
    for svg in &pictures.steps {
        assert!(svg.contains("all frames") && svg.matches("<polygon").count() == 1, "{svg}");
    }
}

/// Of many steps an even choice is drawn, the last one among them.
#[test]
fn pictures_are_not_too_many() {
    let s = system("lin_32.btor2");
    for count in [120, 121, 241] {
        let open = |level: usize| Event::FrameOpened { level };
        let mut events = vec![learned(0, 1, claim(&s, "x >= 2", &[(&[("x", -1)], -2)]))];
        events.extend((2..=count).map(open));
        let pictures = draw(&s, "x=0..3,y=0..3", &events);
        assert!((60..=120).contains(&pictures.steps.len()), "{count}");
        let last = pictures.steps.last().expect("pictures");
        assert!(last.contains(&format!("frame {count} is opened")));
    }
}

/// Bits are drawn point by point if there are few points, else as a pattern.
#[test]
fn bits_and_remainders() {
    let s = system("gen_di_16.btor2");
    let x = state(&s, "x");
    let even = Region {
        atoms: vec![RegionAtom::Bit { state: x, bit: 0, value: false }],
        text: "x[0] = 0".to_owned(),
        location: None,
    };
    let events = [Event::FrameOpened { level: 1 }, learned(0, 1, Claim::Outside(even))];
    let fine = draw(&s, "x=0..9,y=0..9", &events);
    keep(&fine, "even");
    let coarse = draw(&s, "x=-1000..1000,y=0..1000", &events);
    // Five columns of ten.
    assert!(fine.steps[1].matches("ZM").count() >= 49);
    assert!(coarse.steps[1].contains("fill=\"url(#holes1)\""));
}

#[test]
fn what_cannot_be_drawn() {
    let s = system("lin_64.btor2");
    let wrong = |text: &str| {
        let request = text.parse().expect("a request");
        Plotter::new(&s, request, 0).err().expect("an error")
    };
    assert_eq!(wrong("x,z"), "there is no state `z`");
    let narrow = system("lin_8.btor2");
    let request = "x=300..400,y".parse().expect("a request");
    let error = Plotter::new(&narrow, request, 0).err().expect("no such values");
    assert_eq!(error, "`x` has 8 bits and no value in 300..400");
    let error = "x=0..9223372036854775808,y".parse::<PlotRequest>().expect_err("too large");
    assert!(error.contains("numbers below 2^63"), "{error}");
    // Nothing heard, no range given, 64 bits.
    let nothing = draw(&s, "x,y", &[]);
    assert!(nothing.steps.is_empty() && nothing.page.contains("Nothing happened"));
    let wide = draw(
        &s,
        "x=-9223372036854775808..9223372036854775807,y",
        &[Event::FrameOpened { level: 400 }, learned(0, 3, Claim::Outside(Region::default()))],
    );
    assert_eq!(wide.steps.len(), 2);
    assert!(!wide.steps[0].contains("NaN"));
}

/// Two counters that go up together, and a loop behind them.
const TWO_COUNTERS: &str = "
extern void reach_error(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned x = 0, y = 0, n = __VERIFIER_nondet_uchar();
    while (x < n) {
        x = x + 1;
        y = y + 2;
    }
    while (n > 0) {
        n = n - 1;
    }
    if (y > 600) {
        reach_error();
    }
    return 0;
}
";

fn plot_program(name: &str, request: &str, more: &[&str]) -> (Output, PathBuf) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (program, prefix) = (folder.join(format!("{name}.c")), folder.join(name));
    std::fs::write(&program, TWO_COUNTERS).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_pedra"));
    command.arg("check").arg(&program).args(["--plot", request, "--plots"]).arg(&prefix);
    (command.args(more).output().expect("pedra starts"), prefix)
}

/// The lemmas of one loop of a program, with the states that runs reach there.
#[test]
fn lemmas_of_a_loop() {
    let more = ["--engine", "program"];
    let (output, prefix) = plot_program("plot_loop", "x=0..300,y=0..700@7", &more);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(told.contains("pictures, all in"), "{told}");
    let page = std::fs::read_to_string(prefix.with_extension("html")).expect("a page");
    assert!(page.contains("learned") && page.contains(">x<") && page.contains(">y<"), "{told}");
    // States that runs reach at the loop: dots in some picture.
    assert!(page.contains("r=\"2.2\""));
    // The other loop is another location; n is the only variable that both have.
    let (output, prefix) = plot_program("plot_other", "n,y@11", &more);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let other = std::fs::read_to_string(prefix.with_extension("html")).expect("a page");
    assert_ne!(page, other);
}

#[test]
fn requests_that_no_loop_fits_are_refused() {
    let cases = [
        ("x,y", "program", "name a loop by its line, as in x,y@12; there are loops at 7, 11"),
        ("x,y@8", "program", "no loop begins at line 8; there are loops at 7, 11"),
        ("x,y@11", "program", "no variable `x` matters at line 11; those that do: n, y"),
        ("x,z@7", "program", "no variable `z` matters at line 7"),
        ("x,y@7", "bmc", "engine bmc has no lemmas at loops; use --engine program"),
    ];
    for (request, engine, message) in cases {
        let (output, _) = plot_program("plot_refused", request, &["--engine", engine]);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{request}: {text}");
        assert!(output.stdout.is_empty() && text.contains(message), "{request}: {text}");
    }
    let s = system("lin_32.btor2");
    let refused = Plotter::new(&s, "x,y@3".parse().expect("a request"), 1).err();
    assert_eq!(refused.as_deref(), Some("a model has no loop; leave out @3"));
}
