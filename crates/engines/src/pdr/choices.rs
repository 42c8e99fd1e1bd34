//! The choices of PDR by name: one table, from which the command line, its reference, the tests
//! and the fuzzer know what there is.

use super::options::{DropOrder, Effort, Generalize, Lift, PdrOptions};

/// A choice of an engine that can be made by name.
pub struct Choice<O = PdrOptions> {
    /// Its name.
    pub name: &'static str,
    /// What it may be set to, for people.
    pub values: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// Values that are worth a test.
    pub samples: &'static [&'static str],
    pub(crate) get: fn(&O) -> String,
    /// `None` if the value makes no sense.
    pub(crate) set: fn(&mut O, &str) -> Option<()>,
}

/// Makes one choice of a table, written `NAME=VALUE`.
pub(crate) fn choose<O>(table: &[Choice<O>], to: &mut O, setting: &str) -> Result<(), String> {
    let Some((name, value)) = setting.split_once('=') else {
        return Err(format!("write NAME=VALUE, for example {}=off", table[0].name));
    };
    let Some(choice) = table.iter().find(|choice| choice.name == name) else {
        let names: Vec<&str> = table.iter().map(|choice| choice.name).collect();
        return Err(format!("there is no choice `{name}`; there are: {}", names.join(", ")));
    };
    (choice.set)(to, value)
        .ok_or_else(|| format!("`{value}` is no value of `{name}`: {}", choice.values))
}

pub(crate) const SWITCH: &str = "on, off";
pub(crate) const SWITCHES: &[&str] = &["on", "off"];

pub(crate) fn parse_switch(value: &str) -> Option<bool> {
    match value {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}

pub(crate) fn show_switch(on: bool) -> String {
    if on { "on" } else { "off" }.to_owned()
}

/// A number, where `off` is another word for 0.
pub(crate) fn parse_count(value: &str) -> Option<u32> {
    if value == "off" { Some(0) } else { value.parse().ok() }
}

pub(crate) fn show_count(count: u32) -> String {
    if count == 0 { "off".to_owned() } else { count.to_string() }
}

/// A row for a choice between on and off.
macro_rules! switch {
    ($name:literal, $field:ident $(. $part:ident)?, $meaning:literal) => {
        Choice {
            name: $name,
            values: $crate::pdr::choices::SWITCH,
            meaning: $meaning,
            samples: $crate::pdr::choices::SWITCHES,
            get: |options| $crate::pdr::choices::show_switch(options.$field $(. $part)?),
            set: |options, value| {
                $crate::pdr::choices::parse_switch(value)
                    .map(|on| options.$field $(. $part)? = on)
            },
        }
    };
}

/// A row for a number that can be off.
macro_rules! count {
    ($name:literal, $field:ident $(. $part:ident)?, $samples:expr, $meaning:literal) => {
        Choice {
            name: $name,
            values: "a number, off",
            meaning: $meaning,
            samples: &$samples,
            get: |options| $crate::pdr::choices::show_count(options.$field $(. $part)?),
            set: |options, value| {
                $crate::pdr::choices::parse_count(value)
                    .map(|count| options.$field $(. $part)? = count)
            },
        }
    };
}

/// A row for a choice between named values.
macro_rules! named {
    ($name:literal, $field:ident, [$($text:literal => $value:path),+], $meaning:literal) => {
        Choice {
            name: $name,
            values: named!(@list $($text),+),
            meaning: $meaning,
            samples: &[$($text),+],
            get: |options| match options.$field { $($value => $text),+ }.to_owned(),
            set: |options, value| {
                options.$field = match value { $($text => $value,)+ _ => return None };
                Some(())
            },
        }
    };
    (@list $first:literal $(, $more:literal)*) => { concat!($first $(, ", ", $more)*) };
}

pub(crate) use {count, named, switch};

/// All choices, in the order in which they are told.
pub static CHOICES: &[Choice] = &[
    named!(
        "lift",
        lift,
        [
            "off" => Lift::Off,
            "core" => Lift::Core,
            "ternary" => Lift::Ternary,
            "both" => Lift::Both
        ],
        "how an obligation, found as a state, is widened to a cube of states: by cores of a solver, by ternary \
         simulation, or by both"
    ),
    count!(
        "lift-rounds",
        lift_rounds,
        ["1", "3"],
        "how many queries, in different orders of literals, may widen one obligation"
    ),
    named!(
        "generalize",
        generalize,
        [
            "off" => Generalize::Off,
            "naive" => Generalize::Naive,
            "relative" => Generalize::Relative
        ],
        "how a blocked cube is widened to a lemma: not at all, as long as it has no predecessor, \
         or as long as it has none outside of itself"
    ),
    named!(
        "order",
        drop_order,
        ["fixed" => DropOrder::Fixed, "activity" => DropOrder::Activity],
        "which literals are dropped from a lemma first: as the latches come, or the least active"
    ),
    count!(
        "shuffle",
        shuffle,
        ["off", "1", "5"],
        "one lemma in so many drops its literals in a random order"
    ),
    count!(
        "drop-failures",
        drop_failures,
        ["off", "1", "4"],
        "after so many literals in a row that could not be dropped, the rest stays"
    ),
    count!(
        "ctg",
        ctg.max,
        ["off", "1", "3"],
        "how many counterexamples to generalisation may be blocked for one drop"
    ),
    count!(
        "ctg-depth",
        ctg.depth,
        ["off", "1", "2"],
        "how deep blocking such a counterexample may lead to blocking others"
    ),
    count!(
        "ctg-attempts",
        ctg.attempts,
        ["1", "2", "8"],
        "how many queries blocking one may take; with more than one, its predecessors are \
         blocked, too"
    ),
    switch!(
        "ctg-luck",
        ctg_luck,
        "whether they are tried but now and then while hardly any of them can be blocked"
    ),
    named!(
        "effort",
        effort,
        ["threshold" => Effort::Threshold, "dynamic" => Effort::Dynamic],
        "for which obligations all this is done: those that came up `ctg-heat` times, or more \
         and more for those that come up again and again (needs `drop-obligations=off`)"
    ),
    count!(
        "ctg-heat",
        ctg_heat,
        ["off", "1", "3"],
        "with `effort=threshold`: only for obligations that came up so often"
    ),
    switch!(
        "join",
        ctg.join,
        "whether a cube shrinks to what it has in common with a predecessor that prevents a drop"
    ),
    switch!(
        "parent",
        parent_lemma,
        "whether literals of a lemma that covers the cube one level below are dropped last"
    ),
    switch!("push", eager_push, "whether a new lemma is pushed as high as it goes at once"),
    switch!("propagate", propagate, "whether lemmas are pushed when a frame is opened"),
    switch!(
        "triggered",
        triggered_push,
        "whether a lemma that could not be pushed is tried again only when the state that \
         prevented it is excluded"
    ),
    switch!(
        "persistent",
        persistent,
        "whether blocked obligations are raised again at the next level"
    ),
    count!(
        "drop-obligations",
        drop_obligations,
        ["off", "2", "20"],
        "obligations that came up so often are forgotten until they are found again"
    ),
    count!(
        "patience",
        patience,
        ["off", "1", "5000"],
        "queries that are good to have are given up after so many conflicts, and obligations \
         that take more are forgotten until they are found again, with twice as many for each \
         eight of them"
    ),
    switch!("infinity", infinity, "whether lemmas of the last frames are tried as invariants"),
    switch!(
        "property-in-frames",
        property_in_frames,
        "whether the properties are part of all frames, so that obligations begin before bad states"
    ),
    switch!(
        "simplify",
        simplify,
        "whether gates are eliminated from the transition relation where that makes no more clauses"
    ),
];

impl PdrOptions {
    /// Makes one choice, written `NAME=VALUE`.
    ///
    /// # Errors
    /// What is wrong with the text, for people.
    pub fn set(&mut self, setting: &str) -> Result<(), String> {
        choose(CHOICES, self, setting)
    }

    /// The value of a choice, as it is written.
    pub fn get(&self, choice: &Choice) -> String {
        (choice.get)(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_is_what_is_read() {
        for choice in CHOICES {
            for sample in choice.samples {
                let mut options = PdrOptions::default();
                options.set(&format!("{}={sample}", choice.name)).expect("a sample");
                assert_eq!(options.get(choice), *sample, "{}", choice.name);
            }
            // Everything that there is can be chosen again, and changes nothing.
            let mut options = PdrOptions::default();
            let setting = format!("{}={}", choice.name, options.get(choice));
            options.set(&setting).expect("its own value");
            assert_eq!(options, PdrOptions::default(), "{setting}");
        }
    }

    #[test]
    fn errors_say_what_there_is() {
        let error = |text| PdrOptions::default().set(text).expect_err("a mistake");
        assert_eq!(error("ctg"), "write NAME=VALUE, for example lift=off");
        assert!(error("ctx=1").starts_with("there is no choice `ctx`; there are: lift, "));
        assert_eq!(error("lift=up"), "`up` is no value of `lift`: off, core, ternary, both");
        assert_eq!(error("ctg=-1"), "`-1` is no value of `ctg`: a number, off");
        assert_eq!(error("join=1"), "`1` is no value of `join`: on, off");
    }
}
