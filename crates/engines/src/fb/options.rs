//! The choices of fbPDR, and their names.

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

/// A choice that can be made by name.
pub struct FbChoice {
    /// Its name.
    pub name: &'static str,
    /// What it may be set to, for people.
    pub values: &'static str,
    /// What it is set to otherwise.
    pub default: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

const fn choice(
    name: &'static str,
    values: &'static str,
    default: &'static str,
    meaning: &'static str,
) -> FbChoice {
    FbChoice { name, values, default, meaning }
}

/// All choices, in the order in which they are told. `exchange` comes first, since it sets
/// others.
pub static FB_CHOICES: &[FbChoice] = &[
    choice(
        "exchange",
        "on, off",
        "on",
        "all exchanges at once; `off` leaves two searches that take turns",
    ),
    choice(
        "slice",
        "a number, a time such as 30s",
        "2000000",
        "how long a turn is: units of work (about a propagation each), which grow by half with each round and give the same run every time; or wall-clock time",
    ),
    choice(
        "share",
        "1 to 100",
        "50",
        "how long a turn of Reverse PDR is, in percent of one of PDR; for slices of work",
    ),
    choice("threads", "1, 2", "1", "whether both directions run at the same time"),
    choice(
        "obligations",
        "a number, off",
        "200",
        "how many obligations, the deepest, each direction tells the other; two that meet make a counterexample",
    ),
    choice(
        "restrict",
        "on, off",
        "on",
        "whether lemmas are not widened into obligations of the other direction",
    ),
    choice(
        "doom",
        "on, off",
        "on",
        "whether lemmas that exclude a part of such an obligation are not pushed",
    ),
    choice(
        "lemmas",
        "checked, theorem, off",
        "checked",
        "how lemmas from the other direction's frames are taken in: each by a query, or on the word of a theorem",
    ),
    choice(
        "import",
        "both, forward, reverse",
        "both",
        "which direction takes them in; with `lemmas=theorem` one only, `both` is then `forward`",
    ),
    choice("offers", "a number, off", "50", "how many lemmas one exchange may offer"),
    choice(
        "hints",
        "on, off",
        "on",
        "whether lemmas of the other direction are also tried where one is needed: a blocked obligation is widened as far as the other direction's frame allows, if a query agrees; needs `lemmas`",
    ),
    choice(
        "extend",
        "on, off",
        "on",
        "whether the direction that is behind goes on at the other's depth and drops obligations that this makes void",
    ),
    choice(
        "successors",
        "structural, exact",
        "structural",
        "how obligations of Reverse PDR are widened (for `rpdr`, too)",
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

    /// Makes a choice of the form `NAME=VALUE`.
    ///
    /// # Errors
    /// A text for people, if there is no such choice.
    pub fn set(&mut self, choice: &str) -> Result<(), String> {
        let (name, value) =
            choice.split_once('=').ok_or_else(|| format!("'{choice}' is not NAME=VALUE"))?;
        let Some(FbChoice { values, .. }) = FB_CHOICES.iter().find(|c| c.name == name) else {
            let names: Vec<&str> = FB_CHOICES.iter().map(|choice| choice.name).collect();
            return Err(format!("no choice '{name}'; there are: {}", names.join(", ")));
        };
        self.set_value(name, value).ok_or_else(|| format!("'{name}' can be: {values}"))
    }

    fn set_value(&mut self, name: &str, value: &str) -> Option<()> {
        let switch = || match value {
            "on" => Some(true),
            "off" => Some(false),
            _ => None,
        };
        let count = || if value == "off" { Some(0) } else { value.parse::<u32>().ok() };
        match name {
            "slice" => self.slice = parse_slice(value)?,
            "threads" => self.threads = count().filter(|n| (1..=2).contains(n))?,
            "obligations" => self.obligations = count()?,
            "restrict" => self.restrict = switch()?,
            "doom" => self.doom = switch()?,
            "offers" => self.offers = count()?,
            "share" => self.share = count().filter(|n| (1..=100).contains(n))?,
            "hints" => self.hints = switch()?,
            "extend" => self.extend = switch()?,
            "exchange" => {
                let FbOptions { slice, share, threads, successors, .. } = *self;
                let defaults =
                    FbOptions { slice, share, threads, successors, ..FbOptions::default() };
                *self = if switch()? { defaults } else { self.no_exchange() };
            }
            "lemmas" => {
                self.lemmas = match value {
                    "off" => Lemmas::Off,
                    "checked" => Lemmas::Checked,
                    "theorem" => Lemmas::Theorem,
                    _ => return None,
                }
            }
            "import" => {
                self.import = match value {
                    "both" => Import::Both,
                    "forward" => Import::Forward,
                    "reverse" => Import::Reverse,
                    _ => return None,
                }
            }
            "successors" => {
                self.successors = match value {
                    "exact" => Successors::Exact,
                    "structural" => Successors::Structural,
                    _ => return None,
                }
            }
            _ => return None,
        }
        Some(())
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

    #[test]
    fn choices_by_name() {
        let set = |choices: &[&str]| {
            let mut options = FbOptions::default();
            choices.iter().try_for_each(|choice| options.set(choice)).map(|()| options)
        };
        let default = FbOptions::default();
        let mut again = default.no_exchange();
        for choice in FB_CHOICES {
            again.set(&format!("{}={}", choice.name, choice.default)).expect("a default");
        }
        assert_eq!(again, default);
        assert_eq!(set(&["slice=30s"]).map(|o| o.slice), Ok(Slice::Time(Duration::from_secs(30))));
        assert!(set(&["slice=0s"]).is_err() && set(&["slice=1e-300ms"]).is_err());
        assert_eq!(set(&["slice=77"]).map(|o| o.slice), Ok(Slice::Work(77)));
        assert_eq!(set(&["exchange=off"]), Ok(default.no_exchange()));
        assert_eq!(set(&["exchange=off", "exchange=on"]), Ok(default));
        let theorem = set(&["lemmas=theorem", "import=both"]).map(|o| o.importers());
        assert_eq!(theorem, Ok(Import::Forward));
        for bad in
            ["slice=0", "slice=-1s", "threads=3", "share=0", "lemmas=on", "x=1", "extend", "doom=2"]
        {
            assert!(set(&[bad]).is_err(), "{bad}");
        }
    }
}
