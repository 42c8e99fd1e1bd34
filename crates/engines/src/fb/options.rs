//! The choices of fbPDR, and their names.

use crate::choices::{Choice, count, named, number, switch};
use crate::pdr::Successors;
use std::time::Duration;

/// How lemmas of the other direction are taken in.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Lemmas {
    /// Not at all.
    Off,
    /// Each is a candidate, which a query admits like any other lemma.
    Checked,
    /// On the word of the theorem, in one direction only; fixpoints are looked at twice.
    Theorem,
}

/// Which direction takes lemmas in.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Import {
    /// PDR, from Reverse PDR.
    Forward,
    /// Reverse PDR, from PDR.
    Reverse,
    /// Both; not with [`Lemmas::Theorem`].
    Both,
}

/// How long a direction runs before it is the other one's turn.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Slice {
    /// So many units of work at first, and each time half as much again: the same in every run.
    Work(u64),
    /// So long, every time.
    Time(Duration),
}

/// The choices of [`FbPdr`](super::FbPdr). All but the kinds of slices are matters of speed:
/// answers are right in all combinations.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FbOptions {
    /// How long a turn is.
    pub slice: Slice,
    /// How long a turn of Reverse PDR is, in percent of one of PDR, with [`Slice::Work`].
    pub share: u32,
    /// 2: both directions run at the same time, and exchange when both are at the end of their
    /// slices. The first slice is PDR's alone.
    pub threads: u32,
    /// How many obligations each direction tells the other; 0 for none.
    pub obligations: u32,
    /// Whether lemmas are not widened into the other direction's obligations.
    pub restrict: bool,
    /// Whether lemmas that exclude a part of such an obligation are not pushed.
    pub doom: bool,
    /// How lemmas are taken in.
    pub lemmas: Lemmas,
    /// Who takes them in.
    pub import: Import,
    /// How many lemmas one exchange may offer.
    pub offers: u32,
    /// Whether lemmas of the other direction are also tried where one is needed, in place of an
    /// obligation that was blocked.
    pub hints: bool,
    /// Whether the direction that is behind goes on at the depth of the other one, and drops
    /// obligations that this makes void.
    pub extend: bool,
    /// How obligations of Reverse PDR are widened (also without fbPDR).
    pub successors: Successors,
}

impl Default for FbOptions {
    fn default() -> FbOptions {
        FbOptions {
            slice: Slice::Work(2_000_000),
            share: 50,
            threads: 1,
            obligations: 200,
            restrict: true,
            doom: true,
            lemmas: Lemmas::Checked,
            import: Import::Both,
            offers: 50,
            hints: true,
            extend: true,
            successors: Successors::Structural,
        }
    }
}

/// All choices by name, in the order in which they are told. `exchange` comes first, since it
/// sets others.
pub static CHOICES: &[Choice<FbOptions>] = &[
    Choice {
        name: "exchange",
        values: "on, off",
        meaning: "all exchanges at once; `off` leaves two searches that take turns",
        samples: &["on", "off"],
        get: |options| {
            let is_off = *options == options.no_exchange();
            if is_off { "off" } else { "on" }.to_owned()
        },
        set: |options, value| {
            let FbOptions { slice, share, threads, successors, .. } = *options;
            *options = match value {
                "on" => FbOptions { slice, share, threads, successors, ..FbOptions::default() },
                "off" => options.no_exchange(),
                _ => return None,
            };
            Some(())
        },
    },
    Choice {
        name: "slice",
        values: "a number, a time such as 30s",
        meaning: "how long a turn is: units of work (about a propagation each), which grow by half with each round and give the same run every time; or wall-clock time",
        samples: &["1", "300", "2000", "10000"],
        get: |options| match options.slice {
            Slice::Work(work) => work.to_string(),
            Slice::Time(time) => format!("{}s", time.as_secs_f64()),
        },
        set: |options, value| {
            options.slice = parse_slice(value)?;
            Some(())
        },
    },
    number!(
        "share",
        share,
        1..=100,
        ["1", "50", "100"],
        "how long a turn of Reverse PDR is, in percent of one of PDR; for slices of work"
    ),
    number!("threads", threads, 1..=2, ["1", "2"], "whether both directions run at the same time"),
    count!(
        "obligations",
        obligations,
        ["off", "2", "200"],
        "how many obligations, the deepest, each direction tells the other; two that meet make a counterexample"
    ),
    switch!(
        "restrict",
        restrict,
        "whether lemmas are not widened into obligations of the other direction"
    ),
    switch!(
        "doom",
        doom,
        "whether lemmas that exclude a part of such an obligation are not pushed"
    ),
    named!(
        "lemmas",
        lemmas,
        ["checked" => Lemmas::Checked, "theorem" => Lemmas::Theorem, "off" => Lemmas::Off],
        "how lemmas from the other direction's frames are taken in: each by a query, or on the word of a theorem"
    ),
    named!(
        "import",
        import,
        ["both" => Import::Both, "forward" => Import::Forward, "reverse" => Import::Reverse],
        "which direction takes them in; with `lemmas=theorem` one only, `both` is then `forward`"
    ),
    count!("offers", offers, ["off", "3", "50"], "how many lemmas one exchange may offer"),
    switch!(
        "hints",
        hints,
        "whether lemmas of the other direction are also tried where one is needed: a blocked obligation is widened as far as the other direction's frame allows, if a query agrees; needs `lemmas`"
    ),
    switch!(
        "extend",
        extend,
        "whether the direction that is behind goes on at the other's depth and drops obligations that this makes void"
    ),
    named!(
        "successors",
        successors,
        ["structural" => Successors::Structural, "exact" => Successors::Exact],
        "how obligations of Reverse PDR are widened (for `rpdr`, too)"
    ),
];

impl FbOptions {
    /// No exchange at all: two searches that take turns.
    pub fn no_exchange(self) -> FbOptions {
        FbOptions {
            obligations: 0,
            restrict: false,
            doom: false,
            lemmas: Lemmas::Off,
            hints: false,
            extend: false,
            ..self
        }
    }

    /// Who takes lemmas in. *Required for soundness*: with [`Lemmas::Theorem`] only one
    /// direction may (see the counterexample in `docs/design/fbpdr.md`); it is the forward one,
    /// unless the other was asked for.
    pub(super) fn importers(&self) -> Import {
        match (self.lemmas, self.import) {
            (Lemmas::Theorem, Import::Both) => Import::Forward,
            (_, import) => import,
        }
    }
}

/// `30s`, `500ms`, or a number of units.
fn parse_slice(value: &str) -> Option<Slice> {
    let time = |number: &str, unit: f64| {
        let seconds: f64 = number.parse().ok()?;
        let time = Duration::try_from_secs_f64(seconds * unit).ok()?;
        (!time.is_zero()).then_some(Slice::Time(time))
    };
    match (value.strip_suffix("ms"), value.strip_suffix('s')) {
        (Some(number), _) => time(number, 0.001),
        (None, Some(number)) => time(number, 1.0),
        _ => value.parse().ok().filter(|&work| work > 0).map(Slice::Work),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choices::choose;

    #[test]
    fn slices_and_exchange() {
        let set = |choices: &[&str]| {
            let mut options = FbOptions::default();
            choices.iter().try_for_each(|c| choose(CHOICES, &mut options, c)).map(|()| options)
        };
        let time = |milliseconds| Ok(Slice::Time(Duration::from_millis(milliseconds)));
        assert_eq!(set(&["slice=30s"]).map(|o| o.slice), time(30_000));
        assert_eq!(set(&["slice=500ms"]).map(|o| o.slice), time(500));
        let half = set(&["slice=500ms"]).map(|o| CHOICES[1].get(&o));
        assert_eq!(half, Ok("0.5s".to_owned()));
        for bad in ["0", "0s", "1e-300ms", "-1s", "s", "infs"] {
            assert!(set(&[&format!("slice={bad}")]).is_err(), "{bad}");
        }
        let default = FbOptions::default();
        assert_eq!(set(&["exchange=off"]), Ok(default.no_exchange()));
        assert_eq!(set(&["offers=3", "exchange=off", "exchange=on"]), Ok(default));
        let theorem = set(&["lemmas=theorem", "import=both"]).map(|o| o.importers());
        assert_eq!(theorem, Ok(Import::Forward));
    }
}
