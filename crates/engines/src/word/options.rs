//! The options of word-level PDR. All but the kind of unit are heuristics: any of them may be
//! off without changing an answer.

use super::atom::Atom;
use std::fmt;

/// What atoms a unit may have.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Kind {
    /// Bounds of variables: integer cubes.
    Cubes,
    /// Bounds and half-spaces.
    Polytopes,
    /// All kinds: bounds, half-spaces, bits, congruences, differences, octagons, whole bads.
    #[default]
    Mixed,
}

impl Kind {
    /// Whether units may have this atom.
    pub(super) fn allows(self, atom: &Atom) -> bool {
        match atom {
            Atom::Lower(..) | Atom::Upper(..) => true,
            Atom::Lin(..) => self != Kind::Cubes,
            Atom::Bad(_) | Atom::Cong { .. } | Atom::Bit(..) => self == Kind::Mixed,
        }
    }
}

/// The options.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct WordOptions {
    /// What units are made of.
    pub unit: Kind,
    /// Relax obligations by interval simulation.
    pub simulate: bool,
    /// Drop atoms of obligations by the core of a lifting query.
    pub lift: bool,
    /// Expand an obligation at the highest level where it is inductive as it is.
    pub highest: bool,
    /// Propose atoms from the model's comparisons, from octagons and from what reachable
    /// samples have in common.
    pub templates: bool,
    /// How many random paths give samples.
    pub samples: usize,
    /// How many states that refute a proposed atom may be excluded first (CTGs).
    pub ctg: usize,
    /// Propose a whole bad as a unit: the property in the frames.
    pub bads: bool,
    /// How many variables a half-space of reshape may have at most; less than 2 for none.
    pub arity: usize,
    /// How many substitutions reshape tries for one unit.
    pub attempts: usize,
    /// How many of the nearest units serve as guides.
    pub guides: usize,
    /// How many conflicts a query may have that is not needed, but would help.
    pub effort: u64,
    /// After so much work the rest is handed over to bit-level PDR, in thousands.
    pub budget: u64,
    /// After so much already, if no invariant of several words is found by then; each one
    /// doubles it.
    pub trial: u64,
    /// Whether lemmas of frames are handed over, too.
    pub frames: bool,
    /// Whether to hand over at all; `unknown` otherwise.
    pub hand_over: bool,
}

impl Default for WordOptions {
    fn default() -> WordOptions {
        WordOptions::of(Kind::default())
    }
}

/// A name with its meaning, for tables of options.
pub struct Knob {
    /// As it is typed.
    pub name: &'static str,
    /// For people.
    pub help: &'static str,
    /// Values to try, for tests.
    pub samples: &'static [&'static str],
    /// Its value.
    get: fn(&WordOptions) -> u64,
    set: fn(&mut WordOptions, u64),
    /// The greatest value; 1 for switches.
    max: u64,
}

/// Why an option cannot be set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnobError(String);

impl fmt::Display for KnobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for KnobError {}

macro_rules! knobs {
    ($($name:literal $field:ident $max:literal $type:ident $samples:expr, $help:literal;)*) => {
        /// All knobs.
        pub const KNOBS: &[Knob] = &[$(Knob {
            name: $name,
            help: $help,
            samples: &$samples,
            get: |options| options.$field as u64,
            set: |options, value| options.$field = knobs!(@to value $type),
            max: $max,
        },)*];
    };
    (@to $value:ident bool) => { $value != 0 };
    (@to $value:ident $type:ident) => { $value as $type };
}

knobs! {
    "simulate" simulate 1 bool ["on", "off"], "relax obligations by interval simulation";
    "lift" lift 1 bool ["on", "off"], "drop atoms of obligations by the core of a query";
    "highest" highest 1 bool ["on", "off"], "expand at the highest level where the obligation is inductive";
    "templates" templates 1 bool ["on", "off"], "propose atoms from comparisons, octagons and samples";
    "samples" samples 1000 usize ["0", "1", "8"], "how many random paths give samples";
    "ctg" ctg 100 usize ["0", "1", "3"], "how many refutations of a proposed atom may be excluded first";
    "bads" bads 1 bool ["on", "off"], "propose whole bads as units";
    "arity" arity 4 usize ["0", "2", "3", "4"], "how many variables a half-space of reshape may have; 0 for none";
    "attempts" attempts 10000 usize ["1", "8", "32"], "how many substitutions reshape tries for one unit";
    "guides" guides 100 usize ["1", "4"], "how many of the nearest units serve as guides";
    "effort" effort 1000000000 u64 ["1", "2000"], "conflicts of queries that only help";
    "budget" budget 1000000000000 u64 ["0", "1", "20", "100000"], "work, in thousands of steps of the solver, before bit-level PDR takes over";
    "trial" trial 1000000000000 u64 ["0", "5", "100000"], "the same as long as no invariant relates words; each that does doubles it";
    "frames" frames 1 bool ["on", "off"], "whether lemmas of frames are handed over, too, to be checked";
    "handover" hand_over 1 bool ["on", "off"], "whether bit-level PDR takes over; unknown otherwise";
}

impl Knob {
    /// The default of this knob for a kind of unit, as it is typed.
    pub fn default_for(&self, kind: Kind) -> String {
        let value = (self.get)(&WordOptions::of(kind));
        match (self.max, value) {
            (1, 0) => "off".to_owned(),
            (1, _) => "on".to_owned(),
            _ => value.to_string(),
        }
    }
}

impl WordOptions {
    /// The defaults for a kind of unit.
    pub fn of(unit: Kind) -> WordOptions {
        WordOptions {
            unit,
            simulate: true,
            lift: true,
            highest: true,
            templates: unit != Kind::Cubes,
            samples: 16,
            ctg: 3,
            bads: unit == Kind::Mixed,
            arity: if unit == Kind::Cubes { 0 } else { 3 },
            attempts: 32,
            guides: 8,
            effort: 500,
            // The other two are there to be compared, and not to be helped.
            budget: if unit == Kind::Mixed { 20_000 } else { 100_000 },
            trial: if unit == Kind::Mixed { 1_000 } else { 100_000 },
            frames: true,
            hand_over: true,
        }
    }

    /// Sets a knob, given as `NAME=VALUE`.
    ///
    /// # Errors
    /// If there is no such knob, or it cannot have this value.
    pub fn set(&mut self, text: &str) -> Result<(), KnobError> {
        let wrong = |text: String| Err(KnobError(text));
        let Some((name, value)) = text.split_once('=') else {
            return wrong(format!("'{text}' is not of the form NAME=VALUE"));
        };
        let Some(knob) = KNOBS.iter().find(|knob| knob.name == name) else {
            let names: Vec<&str> = KNOBS.iter().map(|knob| knob.name).collect();
            return wrong(format!("there is no '{name}'; there are {}", names.join(", ")));
        };
        let number = match value {
            "on" if knob.max == 1 => Some(1),
            "off" if knob.max == 1 => Some(0),
            _ => value.parse().ok().filter(|&number| number <= knob.max),
        };
        match (number, knob.max) {
            (Some(number), _) => (knob.set)(self, number),
            (None, 1) => return wrong(format!("{name} is on or off, not '{value}'")),
            (None, max) => return wrong(format!("{name} is a number up to {max}, not '{value}'")),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_knob_is_read_and_set() {
        for knob in KNOBS {
            let mut options = WordOptions::default();
            let before = (knob.get)(&options);
            let value = if before == 1 { 0 } else { 1 };
            options.set(&format!("{}={value}", knob.name)).expect("a knob");
            assert_eq!((knob.get)(&options), value, "{}", knob.name);
            assert!(options.set(&format!("{}=-1", knob.name)).is_err());
        }
        let mut options = WordOptions::default();
        assert!(options.set("simulate").is_err());
        assert!(options.set("nothing=1").is_err());
        options.set("simulate=off").expect("a switch");
        assert!(!options.simulate);
    }
}
