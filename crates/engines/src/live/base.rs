//! What monitored systems are made of: the model, reduced and swept for one justice set.
//!
//! Monitors copy latches, and the same model is under several of them. So the model is made smaller
//! before, with the signals in the place of bads: what is constant or equal in it need not be found
//! again in each copy.

use crate::cone::closed_latches;
use crate::live::monitored::signals;
use crate::sweep::{SweepOptions, sweep};
use pedra_model::back::Back;
use pedra_model::bits::BitSystem;
use pedra_model::eval::lasso::close_loop_on;
use pedra_model::lit::Lit;
use pedra_model::live_proof::LiveProof;
use pedra_model::proof::Proof;
use pedra_model::reduce::{ReduceMap, ReduceOptions, Reduced, reduce};
use pedra_model::trace::{BitTrace, Trace};
use pedra_solve::Interrupt;

/// A model that was reduced for one justice set.
pub struct Base {
    /// The smaller system. It has one justice set, all signals of the original's, in their order;
    /// no fairness, and no bads.
    pub system: BitSystem,
    map: ReduceMap,
    /// The number of the set among the original's properties.
    property: usize,
    /// The latches of the original that must recur.
    kept: Vec<usize>,
}

impl Base {
    /// Reduces a system for a justice set; and sweeps it, if there are options for that.
    pub fn new(
        original: &BitSystem,
        justice: usize,
        reductions: &ReduceOptions,
        sweeping: Option<&SweepOptions>,
        interrupt: &Interrupt,
    ) -> Base {
        let signals = signals(original, justice);
        let kept = closed_latches(original, signals.iter().copied());
        let all: Vec<usize> = (0..signals.len()).collect();
        let selected = BitSystem {
            bads: signals,
            outputs: Vec::new(),
            justice: Vec::new(),
            fairness: Vec::new(),
            ..original.clone()
        };
        let mut reduced = reduce(&selected, &all, reductions);
        let swept = sweeping.and_then(|options| sweep(&reduced.system, options, interrupt));
        if let Some(swept) = swept {
            let again = reduce(&swept.system, &all, reductions);
            reduced = reduced.then(swept).then(again);
        }
        let Reduced { mut system, map } = reduced;
        system.justice = vec![std::mem::take(&mut system.bads)];
        Base { system, map, property: original.justice_number(justice), kept }
    }

    /// The way back to the system that was reduced.
    pub fn way<'a>(&'a self, original: &'a BitSystem) -> BaseWay<'a> {
        BaseWay { base: self, original }
    }
}

/// The way back from a [`Base`].
pub struct BaseWay<'a> {
    base: &'a Base,
    original: &'a BitSystem,
}

impl Back for BaseWay<'_> {
    fn proof(&self, proof: Proof) -> Proof {
        let Proof::Live(live) = proof else { return proof };
        let lifted = self.base.map.lift_under_monitor(self.original, *live);
        LiveProof { property: self.base.property, ..lifted }.into()
    }

    /// The lasso of the original. Latches that the smaller system does not have need not recur when
    /// the others do, so the loop is repeated until they do. If that takes too many steps, the path
    /// stays without a loop: it is no evidence.
    fn trace(&self, trace: Trace) -> Trace {
        let Trace::Bits(trace) = trace else { return trace };
        let lifted = self.base.map.lift_trace(self.original, &trace);
        let lifted = BitTrace { property: self.base.property, ..lifted };
        let closed = close_loop_on(self.original, &lifted, &self.base.kept);
        closed.unwrap_or(BitTrace { loop_start: None, ..lifted }).into()
    }

    /// A clause about a monitored system says nothing about the model.
    fn claim(&self, _: &[Lit]) -> Option<Vec<Lit>> {
        None
    }
}
