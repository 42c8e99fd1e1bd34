//! Engines: the algorithms of the papers that decide safety properties.
//!
//! An engine is a value: it is made for one system, runs until everything is settled or it is
//! stopped, and can be run again to continue where it was. It reports what happens as [`events`]
//! and never prints, reads files or keeps global state.
//!
//! - [`context`]: what an engine gets ([`Context`]), and where its answers go.
//! - [`events`]: progress and the record of a run, as values.
//! - [`exchange`]: lemmas that engines share while they run.
//! - [`choices`]: options of one engine by name.
//! - [`settings`]: options of all engines, as `ENGINE.NAME=VALUE`.
//! - [`ledger`]: the answers; shared by all engines of a run.
//! - [`cone`]: which latches a property depends on.
//! - [`unroll`]: time-frame expansion of a system on a SAT solver.
//! - [`bmc`]: bounded model checking.
//! - [`kind`]: k-induction, with and without simple paths.
//! - [`pdr`]: property-directed reachability (IC3).
//! - [`imc`]: interpolation-based model checking.
//! - [`avy`]: interpolating property-directed reachability.
//! - [`region`]: sets of states of word-level systems, as data.
//! - [`fb`]: fbPDR, PDR in both directions with exchange.
//! - `units`: sets of states over words, and how they grow.
//! - [`word`]: property-directed reachability in words.
//! - [`arrays`]: arrays of any size, by slots.
//! - [`live`]: justice and fairness: liveness to safety, k-liveness, rlive.
//! - [`many`]: many properties, each by itself, with others assumed.
//! - [`program`]: lifted PDR, on the locations of a program.
//! - [`paths`]: bounded model checking and k-induction on the blocks of a program.
//! - [`portfolio`]: several engines, each on its own thread.
//! - [`relay`]: engines that take turns in one thread.
//! - [`swept`]: PDR that moves to a swept system if that is much smaller.
//! - [`mod@sweep`]: a reduction with a solver, which merges what is always equal.

pub mod arrays;
pub mod avy;
pub mod bmc;
pub mod choices;
pub mod cone;
pub mod context;
pub mod events;
pub mod exchange;
pub mod fb;
mod guard;
pub mod imc;
pub mod kind;
mod layers;
pub mod ledger;
pub mod live;
pub mod many;
pub mod paths;
pub mod pdr;
pub mod portfolio;
pub mod program;
pub mod region;
pub mod relay;
pub mod settings;
pub mod sweep;
pub mod swept;
mod trace;
mod units;
pub mod unroll;
pub mod word;

pub use arrays::{ArrayBmc, Inner, Slots};
pub use avy::{Avy, AvyOptions};
pub use bmc::{Bmc, BmcOptions};
pub use choices::{Choice, choose};
pub use context::{Context, End, Engine, EqualProperties, Link, Outcome, Reason, Verdict, Way};
pub use events::{
    Claim, Collector, Direction, Event, EventSink, NoEvents, Progress, Summary, Work,
};
pub use exchange::{Exchange, Exchanged};
pub use fb::{FbOptions, FbPdr};
pub use imc::{Imc, ImcOptions};
pub use kind::{Kind, KindOptions};
pub use ledger::Ledger;
pub use live::{Base, KLive, KLiveOptions, Method, Monitored, RLive, find_stable};
pub use many::{Many, Shared};
pub use paths::Paths;
pub use pdr::{Pdr, PdrOptions, Successors, Variant};
pub use program::{Lifted, ProgramOptions, Runs, Slotted};
pub use region::{Product, Region, RegionAtom};
pub use relay::{Leg, Relay};
pub use settings::{Setting, Settings, all_settings};
pub use sweep::{SweepOptions, sweep};
pub use swept::{Room, SweepPlan, Sweeper, Swept};
pub use word::{BitStage, WordOptions, Wpdr};
