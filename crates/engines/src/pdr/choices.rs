//! The choices of PDR by name.

use super::options::{DropOrder, Generalize, Lift, PdrOptions};
use crate::choices::{Choice, Class, count, named, switch};

/// All choices, in the order in which they are listed.
pub static CHOICES: &[Choice<PdrOptions>] = &[
    named!(
        "lift",
        Class::Expert,
        lift,
        ["off" => Lift::Off, "core" => Lift::Core],
        "how an obligation, found as a state, is widened to a cube of states: not at all, or by \
         cores of a solver"
    ),
    switch!(
        "abstract",
        Class::Expert,
        abstraction,
        "whether lifting leaves out constraints and next functions until a spurious path shows that \
         they are needed (local abstraction; not in fbpdr, rpdr and avy)"
    ),
    switch!(
        "signals",
        Class::Expert,
        signals,
        "whether gates that read no input are literals of obligations and lemmas, like latches \
         (not in fbpdr, rpdr and avy)"
    ),
    named!(
        "generalize",
        Class::Ladder,
        generalize,
        [
            "off" => Generalize::Off,
            "naive" => Generalize::Naive,
            "relative" => Generalize::Relative
        ],
        "how a blocked cube is widened to a lemma: not at all, while it has no predecessor, or \
         while it has none outside itself"
    ),
    named!(
        "order",
        Class::Expert,
        drop_order,
        ["fixed" => DropOrder::Fixed, "activity" => DropOrder::Activity],
        "which literals of a lemma are dropped first: in the order of the latches, or the least active"
    ),
    count!(
        "drop-failures",
        Class::Expert,
        drop_failures,
        ["off", "1", "4"],
        "after this many literals in a row that could not be dropped, the rest is kept"
    ),
    count!(
        "ctg",
        Class::Paper,
        ctg,
        ["off", "1", "3"],
        "how many counterexamples to generalisation may be blocked for one drop; off: a drop that \
         fails is given up"
    ),
    count!(
        "ctg-heat",
        Class::Expert,
        ctg_heat,
        ["off", "1", "3"],
        "counterexamples to generalisation are blocked only for obligations that came up at least this often"
    ),
    switch!(
        "parent",
        Class::Expert,
        parent_lemma,
        "whether literals of a lemma that covers the cube one level below are dropped last"
    ),
    switch!(
        "predict",
        Class::Paper,
        predict,
        "whether a lemma of the level below that could not be pushed, with one literal more, is tried \
         before literals are dropped"
    ),
    count!(
        "samples",
        Class::Expert,
        samples,
        ["off", "1", "4"],
        "how many times 64 random runs give reached states; lemmas are not widened until they exclude \
         one of these (not in fbpdr, rpdr and avy)"
    ),
    switch!(
        "bandit",
        Class::Paper,
        bandit,
        "whether a bandit chooses how hard each lemma is widened, by what the earlier ones gained for \
         their work; `ctg`, `drop-failures` and `predict` are then what it starts from (not in avy)"
    ),
    switch!(
        "push",
        Class::Expert,
        eager_push,
        "whether a new lemma is pushed as high as it goes at once"
    ),
    switch!(
        "propagate",
        Class::Ladder,
        propagate,
        "whether lemmas are pushed when a frame is opened"
    ),
    switch!(
        "triggered",
        Class::Paper,
        triggered_push,
        "whether a lemma that could not be pushed is tried again only when the state that \
         prevented it is excluded"
    ),
    switch!(
        "persistent",
        Class::Expert,
        persistent,
        "whether blocked obligations come up again at the next level"
    ),
    count!(
        "patience",
        Class::Expert,
        patience,
        ["off", "1", "5000"],
        "conflict limit of optional queries; obligations that exceed it are forgotten until they \
         are found again, and the limit doubles after every eight of them"
    ),
    count!(
        "solvers",
        Class::Expert,
        solvers,
        ["off", "4", "6"],
        "how many frames may have a solver, with its copy of the transition relation, at the same \
         time; the others get one when they are queried; off: as many as fit into 1 GB"
    ),
    switch!(
        "simplify",
        Class::Expert,
        simplify,
        "whether gates are eliminated from the transition relation where that makes no more clauses"
    ),
];
