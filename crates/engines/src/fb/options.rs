//! The choices of fbPDR, and their names.

use crate::choices::{Choice, Class, count, named, number, switch};
use crate::pdr::Successors;

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

/// The choices of [`FbPdr`](super::FbPdr). All are matters of speed: answers are right in all
/// combinations.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FbOptions {
    /// How long the first turn is, in units of work; each round is 1.5 times as long as the one
    /// before.
    pub slice: u64,
    /// How long a turn of the direction that does not lead is, in percent of one of the other.
    pub share: u32,
    /// Whether the direction that gets further for its work leads; otherwise PDR does.
    pub follow: bool,
    /// How many obligations each direction tells the other; 0 for none. Lemmas are not widened
    /// into them, and those that exclude a part of one are not pushed.
    pub obligations: u32,
    /// How lemmas are taken in.
    pub lemmas: Lemmas,
    /// Who takes them in.
    pub import: Import,
    /// How many lemmas one exchange may offer.
    pub offers: u32,
    /// Whether lemmas of the other direction are also tried where one is needed, in place of an
    /// obligation that was blocked.
    pub hints: bool,
    /// Whether the direction that is behind continues at the depth of the other one, and drops
    /// obligations that this makes void.
    pub extend: bool,
    /// How obligations of Reverse PDR are widened (also without fbPDR).
    pub successors: Successors,
}

impl Default for FbOptions {
    fn default() -> FbOptions {
        FbOptions {
            slice: 2_000_000,
            share: 50,
            follow: true,
            obligations: 200,
            lemmas: Lemmas::Checked,
            import: Import::Both,
            offers: 50,
            hints: true,
            extend: true,
            successors: Successors::Structural,
        }
    }
}

/// All choices by name, in the order in which they are listed. `exchange` comes first, since it
/// sets others.
pub static CHOICES: &[Choice<FbOptions>] = &[
    Choice {
        name: "exchange",
        class: Class::Paper,
        values: "on, off",
        meaning: "all exchanges at once; `off` leaves two searches that take turns",
        samples: &["on", "off"],
        get: |options| {
            let is_off = *options == options.no_exchange();
            if is_off { "off" } else { "on" }.to_owned()
        },
        set: |options, value| {
            let FbOptions { slice, share, follow, successors, .. } = *options;
            *options = match value {
                "on" => FbOptions { slice, share, follow, successors, ..FbOptions::default() },
                "off" => options.no_exchange(),
                _ => return None,
            };
            Some(())
        },
    },
    number!(
        "slice",
        Class::Expert,
        slice,
        1..=1_000_000_000_000,
        ["1", "300", "2000", "10000"],
        "the length of the first turn, in units of work (about a propagation each); each round is \
         1.5 times as long as the one before"
    ),
    number!(
        "share",
        Class::Expert,
        share,
        1..=100,
        ["1", "50", "100"],
        "the length of a turn of the direction that does not lead, in percent of a turn of the other"
    ),
    switch!(
        "follow",
        Class::Expert,
        follow,
        "whether the direction that gets further for its work leads, that is, has the longer turns; off: PDR leads"
    ),
    count!(
        "obligations",
        Class::Paper,
        obligations,
        ["off", "2", "200"],
        "how many of its deepest obligations each direction shares with the other. Two that \
         intersect make a counterexample; lemmas are not widened so far that they exclude one, and \
         lemmas that exclude a part of one are not pushed"
    ),
    named!(
        "lemmas",
        Class::Paper,
        lemmas,
        ["checked" => Lemmas::Checked, "theorem" => Lemmas::Theorem, "off" => Lemmas::Off],
        "how lemmas of the other direction's frames are imported: each is checked by a query, or a \
         theorem of the paper is trusted"
    ),
    named!(
        "import",
        Class::Paper,
        import,
        ["both" => Import::Both, "forward" => Import::Forward, "reverse" => Import::Reverse],
        "which direction imports lemmas; with `lemmas=theorem` only one can, and `both` means `forward`"
    ),
    count!(
        "offers",
        Class::Paper,
        offers,
        ["off", "3", "50"],
        "how many lemmas one exchange may offer"
    ),
    switch!(
        "hints",
        Class::Expert,
        hints,
        "whether lemmas of the other direction also guide generalisation: a blocked obligation is \
         widened as far as the other direction's frame allows, if a query confirms it; needs \
         `lemmas`"
    ),
    switch!(
        "extend",
        Class::Paper,
        extend,
        "whether the direction that is behind continues at the other's depth, and drops obligations that cannot matter there"
    ),
    named!(
        "successors",
        Class::Paper,
        successors,
        ["structural" => Successors::Structural, "exact" => Successors::Exact],
        "how an obligation, found as a state, is widened to a cube: latches that may take either value are dropped, or none is"
    ),
];

impl FbOptions {
    /// No exchange at all: two searches that take turns.
    pub fn no_exchange(self) -> FbOptions {
        FbOptions { obligations: 0, lemmas: Lemmas::Off, hints: false, extend: false, ..self }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choices::choose;

    #[test]
    fn one_choice_sets_all_exchanges() {
        let set = |choices: &[&str]| {
            let mut options = FbOptions::default();
            choices.iter().try_for_each(|c| choose(CHOICES, &mut options, c)).map(|()| options)
        };
        let default = FbOptions::default();
        assert_eq!(set(&["exchange=off"]), Ok(default.no_exchange()));
        assert_eq!(set(&["offers=3", "exchange=off", "exchange=on"]), Ok(default));
        let theorem = set(&["lemmas=theorem", "import=both"]).map(|o| o.importers());
        assert_eq!(theorem, Ok(Import::Forward));
    }
}
