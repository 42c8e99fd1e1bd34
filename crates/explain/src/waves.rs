//! Waveforms as data of a page, with the reasons for each value.

use crate::data::cut;
use crate::why::{At, Why};
use pedra_formats::vcd::{Signal, SignalKind, Waves};
use serde_json::{Value, json};

/// How many characters all traces of a page may take.
pub const TRACE_BYTES: usize = 500_000;

/// How many steps of a trace are shown, at most: the last ones.
const MAX_STEPS: usize = 2_000;

/// How many values reasons may look at, for a second or two; later signals then have none.
const MAX_WORK: u64 = 30_000_000;

/// The characters of one value: its digits, and its reasons.
const REASON_BYTES: usize = 14;

/// A violation for the page.
pub struct TraceView<'a> {
    /// The violated property.
    pub property: usize,
    /// Its signals.
    pub waves: &'a Waves,
    /// What values depend on, if that is known.
    pub why: Option<&'a Why<'a>>,
}

impl TraceView<'_> {
    /// The data of the trace, not much longer than the budget: signals that the property does not
    /// depend on go first, then early steps.
    pub(crate) fn data(&self, budget: usize) -> Value {
        let waves = self.waves;
        let cost = |signal: &Signal| {
            let width = signal.values.first().map_or(1, |value| value.width() as usize);
            let reasons = if signal.in_cone { REASON_BYTES } else { 0 };
            width.min(64) + 4 + reasons
        };
        let in_cone: usize = waves.signals.iter().filter(|s| s.in_cone).map(cost).sum();
        let others: usize = waves.signals.iter().filter(|s| !s.in_cone).map(cost).sum();
        let has_others = (in_cone + others) * waves.steps <= budget;
        let per_step = if has_others { in_cone + others } else { in_cone };
        let steps = waves.steps.min(MAX_STEPS).min((budget / per_step.max(1)).max(1));
        let first = waves.steps - steps;
        let shown: Vec<usize> =
            (0..waves.signals.len()).filter(|&s| has_others || waves.signals[s].in_cone).collect();
        let signals: Vec<Value> =
            shown.iter().map(|&index| self.signal(index, first, &shown)).collect();
        json!({
            "property": self.property,
            "steps": waves.steps,
            "first": first,
            "hidden": waves.signals.len() - shown.len(),
            "signals": signals,
        })
    }

    fn signal(&self, index: usize, first: usize, shown: &[usize]) -> Value {
        let signal = &self.waves.signals[index];
        let kind = match signal.kind {
            SignalKind::Bad => "bad",
            SignalKind::Input => "input",
            SignalKind::State => "state",
            SignalKind::Constraint => "constraint",
            SignalKind::Wire => "wire",
        };
        // What has not changed is empty.
        let mut before = String::new();
        let mut digits = |step: usize| {
            let text = signal.values[step].to_digits();
            if text == before {
                return String::new();
            }
            before.clone_from(&text);
            text
        };
        let steps = first..self.waves.steps;
        let values: Vec<String> = steps.clone().map(&mut digits).collect();
        let why = self.why.filter(|why| signal.in_cone && why.work() < MAX_WORK);
        let reasons = why.map(|why| {
            let of = |step: usize| {
                let causes = why.causes(At { signal: index, step });
                let place = |at: &At| Some([shown.binary_search(&at.signal).ok()?, at.step]);
                causes.iter().filter_map(place).flatten().collect::<Vec<usize>>()
            };
            steps.map(of).collect::<Vec<_>>()
        });
        json!({
            "name": cut(&signal.name),
            "kind": kind,
            "cone": signal.in_cone,
            "width": signal.values.first().map_or(1, |value| value.width()),
            "values": values,
            "why": reasons,
        })
    }
}
