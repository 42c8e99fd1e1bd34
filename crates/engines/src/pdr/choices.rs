//! The choices of PDR by name.

use super::options::{DropOrder, Effort, Generalize, Lift, PdrOptions};
use crate::choices::{Choice, count, named, switch};

/// All choices, in the order in which they are told.
pub static CHOICES: &[Choice<PdrOptions>] = &[
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
