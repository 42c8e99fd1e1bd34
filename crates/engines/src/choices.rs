//! Options of engines by name: one table for each engine, from which the command line, its
//! reference, the tests and the fuzzers know what there is.
//!
//! A table is a list of [`Choice`]s, written with one macro a row: `switch!` (on or off),
//! `named!` (one of several words), `count!` (a number that can be off) and `number!` (a number
//! between bounds). What fits none of them has a row by hand.
//!
//! Every choice has a [`Class`], the reason for which it exists. What has none becomes a constant
//! beside its use, with the measurement, or is deleted.

/// Why a choice exists.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// It teaches: a step of the ladder from the simplest form of an algorithm to the full one.
    Ladder,
    /// It reproduces something that a paper describes and compares.
    Paper,
    /// It has a measured effect on some family of models, see docs/NOTEBOOK.md.
    Expert,
}

impl Class {
    /// Its name.
    pub fn text(self) -> &'static str {
        match self {
            Class::Ladder => "ladder",
            Class::Paper => "paper",
            Class::Expert => "expert",
        }
    }
}

/// A choice of an engine with the options `O` that can be made by name.
pub struct Choice<O> {
    /// Its name.
    pub name: &'static str,
    /// Why it exists.
    pub class: Class,
    /// What it may be set to, for people.
    pub values: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// Values that are worth a test.
    pub samples: &'static [&'static str],
    pub(crate) get: fn(&O) -> String,
    /// `None`, and nothing is set, if the value makes no sense.
    pub(crate) set: fn(&mut O, &str) -> Option<()>,
}

impl<O> Choice<O> {
    /// What is chosen, as it is written.
    pub fn get(&self, options: &O) -> String {
        (self.get)(options)
    }

    /// Chooses a value.
    ///
    /// # Errors
    /// If it is none of this choice. The text says what there is.
    pub fn set(&self, options: &mut O, value: &str) -> Result<(), String> {
        (self.set)(options, value)
            .ok_or_else(|| format!("`{value}` is not a value of `{}`: {}", self.name, self.values))
    }
}

/// Makes one choice of a table, written `NAME=VALUE`.
///
/// # Errors
/// What is wrong with the text, for people. Nothing is chosen then.
pub fn choose<O>(table: &[Choice<O>], options: &mut O, setting: &str) -> Result<(), String> {
    let Some((name, value)) = setting.split_once('=') else {
        let Choice { name, samples, .. } = &table[0];
        return Err(format!("write NAME=VALUE, for example {name}={}", samples[0]));
    };
    let Some(choice) = table.iter().find(|choice| choice.name == name) else {
        let names: Vec<&str> = table.iter().map(|choice| choice.name).collect();
        return Err(format!("there is no choice `{name}`; there are: {}", names.join(", ")));
    };
    choice.set(options, value)
}

/// A row for a choice between named values.
macro_rules! named {
    (
        $name:literal, $class:expr, $($field:ident).+, [$($text:literal => $($value:ident)::+),+],
        $meaning:literal
    ) => {
        $crate::choices::Choice {
            name: $name,
            class: $class,
            values: $crate::choices::named!(@list $($text),+),
            meaning: $meaning,
            samples: &[$($text),+],
            get: |options| match options.$($field).+ { $($($value)::+ => $text),+ }.to_owned(),
            set: |options, value| {
                options.$($field).+ = match value { $($text => $($value)::+,)+ _ => return None };
                Some(())
            },
        }
    };
    (@list $first:literal $(, $more:literal)*) => { concat!($first $(, ", ", $more)*) };
}

/// A row for a choice between on and off.
macro_rules! switch {
    ($name:literal, $class:expr, $($field:ident).+, $meaning:literal) => {
        $crate::choices::named!(
            $name, $class, $($field).+, ["on" => true, "off" => false], $meaning
        )
    };
}

/// A row for a number where `off` is another word for 0.
macro_rules! count {
    ($name:literal, $class:expr, $($field:ident).+, $samples:expr, $meaning:literal) => {
        $crate::choices::Choice {
            name: $name,
            class: $class,
            values: "a number, off",
            meaning: $meaning,
            samples: &$samples,
            get: |options| match options.$($field).+ {
                0 => "off".to_owned(),
                count => count.to_string(),
            },
            set: |options, value| {
                options.$($field).+ = if value == "off" { 0 } else { value.parse().ok()? };
                Some(())
            },
        }
    };
}

/// A row for a number between bounds, both included.
macro_rules! number {
    (
        $name:literal, $class:expr, $field:ident, $min:literal..=$max:literal, $samples:expr,
        $meaning:literal
    ) => {
        $crate::choices::Choice {
            name: $name,
            class: $class,
            values: concat!($min, " to ", $max),
            meaning: $meaning,
            samples: &$samples,
            get: |options| options.$field.to_string(),
            set: |options, value| {
                let number = value.parse().ok();
                options.$field = number.filter(|number| ($min..=$max).contains(number))?;
                Some(())
            },
        }
    };
}

pub(crate) use {count, named, number, switch};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::UnitKind;
    use crate::{AvyOptions, FbOptions, ImcOptions, PdrOptions, ProgramOptions, WordOptions};
    use crate::{avy, fb, imc, pdr, program, word};
    use std::fmt::Debug;

    /// Whether a table keeps its word, beginning with these options.
    fn check<O: Copy + PartialEq + Debug>(table: &[Choice<O>], default: O) {
        let mut all = default;
        for choice in table {
            let name = choice.name;
            assert_eq!(table.iter().filter(|other| other.name == name).count(), 1, "{name}");
            for sample in choice.samples {
                let mut options = default;
                choose(table, &mut options, &format!("{name}={sample}")).expect("a sample");
                assert_eq!(choice.get(&options), *sample, "{name}");
            }
            if let Some((min, max)) = choice.values.split_once(" to ") {
                let beyond = max.parse::<u64>().expect("a number") + 1;
                let fits = |value: &str| choice.set(&mut default.clone(), value).is_ok();
                assert_eq!(
                    [min, max, &beyond.to_string()].map(fits),
                    [true, true, false],
                    "{name}"
                );
            }
            let before = choice.get(&default);
            let other = choice.samples.iter().find(|sample| **sample != before);
            choice.set(&mut all, other.expect("a sample that changes something")).expect("fits");
            for nonsense in ["", " ", "-1", "1.5", "nonsense", "On", "99999999999999999999"] {
                let mut options = default;
                assert!(choice.set(&mut options, nonsense).is_err(), "{name}={nonsense}");
                assert_eq!(options, default, "{name}={nonsense}");
            }
            for setting in [name.to_owned(), format!("{name}s=on"), format!("={name}")] {
                assert!(choose(table, &mut default.clone(), &setting).is_err(), "{setting}");
            }
        }
        // What was chosen can be taken back, in the order of the table.
        assert_ne!(all, default);
        for choice in table {
            choice.set(&mut all, &choice.get(&default)).expect("its own value");
        }
        assert_eq!(all, default);
    }

    #[test]
    fn what_is_set_is_what_is_read() {
        check(pdr::CHOICES, PdrOptions::default());
        check(fb::CHOICES, FbOptions::default());
        check(imc::CHOICES, ImcOptions::default());
        check(avy::CHOICES, AvyOptions::default());
        check(program::CHOICES, ProgramOptions::default());
        for kind in [UnitKind::Cubes, UnitKind::Polytopes, UnitKind::Mixed] {
            check(word::CHOICES, WordOptions::of(kind));
        }
    }

    #[test]
    fn errors_say_what_there_is() {
        let error = |text| choose(pdr::CHOICES, &mut PdrOptions::default(), text).expect_err(text);
        assert_eq!(error("ctg"), "write NAME=VALUE, for example lift=off");
        assert!(error("ctx=1").starts_with("there is no choice `ctx`; there are: lift, "));
        assert_eq!(error("lift=up"), "`up` is not a value of `lift`: off, core");
        assert_eq!(error("ctg=-1"), "`-1` is not a value of `ctg`: a number, off");
        assert_eq!(error("push=1"), "`1` is not a value of `push`: on, off");
        let error = |text| choose(fb::CHOICES, &mut FbOptions::default(), text).expect_err(text);
        assert_eq!(error("share=0"), "`0` is not a value of `share`: 1 to 100");
    }
}
